//! A few rows ahead of the senders: of those it is written already that they are sent, so that a sender that has its
//! answer sends the next one at once.
//!
//! Where the program is killed they are in doubt like those under way, at most as many as there are senders. Whoever
//! stops the import otherwise gives them back.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, watch};

use super::ImportControl;
use super::shared::{Shared, Turn};
use crate::transfer::journal::{RowAnswer, RowOutcome};

/// Those of which it is written that they are sent.
pub(super) struct Queue(pub(super) Mutex<mpsc::Receiver<Turn>>);

/// Takes rows from the reader, writes that they are sent, and puts them into the queue, half of what it holds at once,
/// which is one write for all of them: until there is nothing more, or nothing new is to be sent.
pub(super) async fn announce(
    shared: Arc<Shared>,
    mut parts: mpsc::Receiver<Vec<Turn>>,
    ready: mpsc::Sender<Turn>,
    mut controls: watch::Receiver<ImportControl>,
) {
    let at_once = ready.max_capacity().div_ceil(2);
    let announced = async {
        while let Some(mut part) = parts.recv().await {
            while !part.is_empty() {
                let rest = part.split_off(part.len().min(at_once));
                let turns = std::mem::replace(&mut part, rest);
                // Nobody who could wish for anything is left: then it goes on.
                let _ = controls.wait_for(|control| *control != ImportControl::Pause).await;
                let Ok(room) = ready.reserve_many(turns.len()).await else { return };
                let at = shared.clock.now();
                if !shared.note(|journal| journal.sending(turns.iter().map(|turn| &turn.row), at)) {
                    return;
                }
                room.zip(turns).for_each(|(place, turn)| place.send(turn));
            }
        }
    };
    shared.halt.run_until_cancelled(announced).await;
}

impl Queue {
    pub(super) async fn next(&self) -> Option<Turn> {
        self.0.lock().await.recv().await
    }

    /// Nobody sends any more: writes of those that are left that they were not sent.
    pub(super) async fn give_back(&self, shared: &Shared) {
        let mut ready = self.0.lock().await;
        ready.close();
        while let Some(Turn { row, doubted }) = ready.recv().await {
            // What was in doubt before still is.
            if !doubted {
                let outcome = RowOutcome::NotSent(RowAnswer::new("It was not sent."));
                shared.note(|journal| journal.outcome(row.row, row.line, &outcome));
            }
        }
    }
}
