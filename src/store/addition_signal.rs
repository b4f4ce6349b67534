//! The news within this process that pets were added.

use std::sync::Arc;

use tokio::sync::watch;

/// Reports that pets were added, as soon as this process knows. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct AdditionSignal(Arc<watch::Sender<()>>);

impl AdditionSignal {
    pub(super) fn report(&self) {
        self.0.send_replace(());
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}
