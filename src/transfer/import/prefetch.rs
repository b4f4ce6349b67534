//! A few rows ahead of the senders: of those it is written already that they are sent, so that a sender that has its
//! answer sends the next one at once.
//!
//! Where the program is killed they are in doubt like those under way, at most as many as there are senders. Whoever
//! stops the import otherwise gives them back.

use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, watch};

use super::ImportControl;
use super::shared::{ImportEnded, Shared, Turn};
use crate::transfer::journal::{RowAnswer, RowOutcome};

/// Those of which it is written that they are sent.
pub(super) struct Queue(Mutex<mpsc::Receiver<Turn>>);

/// Takes rows from the reader, writes that they are sent, and puts them into the queue, some at once, which is one
/// write for all of them.
pub(super) struct Announcer {
    shared: Arc<Shared>,
    parts: mpsc::Receiver<Vec<Turn>>,
    ready: mpsc::Sender<Turn>,
    controls: watch::Receiver<ImportControl>,
    at_once: usize,
}

/// For so many senders.
pub(super) fn queue(
    shared: &Arc<Shared>,
    senders: usize,
    parts: mpsc::Receiver<Vec<Turn>>,
    controls: watch::Receiver<ImportControl>,
) -> (Announcer, Queue) {
    let (ready, taken) = mpsc::channel(senders);
    let at_once = senders.div_ceil(2);
    (Announcer { shared: Arc::clone(shared), parts, ready, controls, at_once }, Queue(Mutex::new(taken)))
}

impl Announcer {
    /// Until there is nothing more, or nothing new is to be sent.
    pub(super) async fn run(mut self) {
        let halt = self.shared.halt.clone();
        while let Some(Some(part)) = halt.run_until_cancelled(self.parts.recv()).await {
            let mut part = part.into_iter();
            loop {
                let turns: Vec<_> = part.by_ref().take(self.at_once).collect();
                if turns.is_empty() {
                    break;
                }
                if self.announce(turns).await.is_none() {
                    return;
                }
            }
        }
    }

    async fn announce(&mut self, turns: Vec<Turn>) -> Option<()> {
        let Self { shared, ready, controls, .. } = self;
        let room = async {
            // Nobody who could wish for anything is left: then it goes on.
            let _ = controls.wait_for(|control| *control != ImportControl::Pause).await;
            ready.reserve_many(turns.len()).await
        };
        let room = shared.halt.run_until_cancelled(room).await?.ok()?;
        if let Some(journal) = &shared.work.journal
            && let Err(error) = journal.sending(turns.iter().map(|turn| &turn.row), shared.clock.now())
        {
            shared.end(ImportEnded::Failed(error));
            return None;
        }
        room.zip(turns).for_each(|(place, turn)| place.send(turn));
        Some(())
    }
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
