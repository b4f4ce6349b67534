//! Prefetches rows for the senders: they are already recorded as sent, so a sender can send the next one immediately.
//!
//! After a kill, their outcome is unknown like that of rows being sent; they are at most as many as the senders. Any
//! other end returns them.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc};

use super::shared::{Shared, Turn};
use crate::transfer::journal::{RowAnswer, RowOutcome};

/// The rows recorded as sent.
pub(super) struct Queue(pub(super) Mutex<mpsc::Receiver<Turn>>);

/// Takes rows from the reader, records them as sent, and queues them, half the queue at a time with one write, until
/// the rows end or the import stops.
pub(super) async fn announce(shared: Arc<Shared>, mut parts: mpsc::Receiver<Vec<Turn>>, ready: mpsc::Sender<Turn>) {
    let at_once = ready.max_capacity().div_ceil(2);
    let announced = async {
        while let Some(mut part) = parts.recv().await {
            while !part.is_empty() {
                let rest = part.split_off(part.len().min(at_once));
                let turns = std::mem::replace(&mut part, rest);
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

    /// After the senders have ended: records the remaining rows as not sent.
    pub(super) async fn give_back(&self, shared: &Shared) {
        let mut ready = self.0.lock().await;
        ready.close();
        while let Some(Turn { row, may_exist }) = ready.recv().await {
            // Rows with an unknown outcome keep it.
            if !may_exist {
                let outcome = RowOutcome::NotSent(RowAnswer::new("It was not sent."));
                shared.note(|journal| journal.outcome(row.row, row.line, &outcome));
            }
        }
    }
}
