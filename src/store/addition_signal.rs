//! The news within this process that pets were added.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

/// How often to read although nothing was reported: if reports of other processes arrive, in case one is lost, and if they
/// do not.
pub(super) const POLL_REPORTED: Duration = Duration::from_secs(2);
pub(super) const POLL_ALONE: Duration = Duration::from_millis(200);

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
