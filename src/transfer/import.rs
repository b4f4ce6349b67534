//! Sends the rows of a file, several at a time, each with its own Idempotency-Key that stays the same when it is sent
//! again. Can be stopped at any time, and resumes from its journal.

mod progress;
mod shared;
mod work;

use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::dedicated_thread::alone;
use super::{Input, Journal, Result};
use crate::api::{Client, Failure};
use crate::clock;
pub use progress::{ImportProgress, ImportedRow, OnImportedRow, Waiting};
pub use shared::ImportEnded;
use shared::{Pace, Shared, Turn};
pub use work::{ImportControl, ImportOptions, ImportRun, Patience, Seen, Start, Work};

/// Parts of rows ahead of the senders.
const AHEAD: usize = 2;

/// The result of an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The counts at its end.
    pub progress: ImportProgress,
    /// Why it ended.
    pub ended: ImportEnded,
    /// Good rows that are left, if known.
    pub left: Option<u64>,
    /// The journal.
    pub report: Option<PathBuf>,
}

impl Summary {
    /// The result of an import of which nothing else is known.
    pub fn of(ended: ImportEnded) -> Self {
        Self { progress: ImportProgress::default(), ended, left: None, report: None }
    }
}

/// The channels of an import: rows, progress, and controls.
pub type ImportIo = (OnImportedRow, watch::Sender<ImportProgress>, watch::Receiver<ImportControl>);

/// Sends the rows of `input`, in a dedicated thread. Stops like [`ImportControl::Stop`] if this is dropped.
///
/// Fails only before anything is sent: if the service cannot be reached or refuses the key.
pub async fn run(client: &Client, (input, work): (Input, Work), io: ImportIo) -> Result<Summary> {
    let (on_row, progress, controls) = io;
    let client = client.keeping_connections().map_err(|error| Failure::not_sent(&error))?.called("import");
    let halt = CancellationToken::new();
    let _stop = halt.clone().drop_guard();
    let send = move || async move {
        if let Err(error) = probe(&client).await {
            work.discard();
            return Err(error.into());
        }
        let count = work.how.concurrency.clamp(1, 16);
        let pace = Mutex::new(Pace::new(work.how.patience, clock::now().mono));
        let shared = Arc::new(Shared { work, client, pace, progress, on_row, halt, ended: Mutex::new(None) });
        send_all(&shared, input, count, controls).await;
        Ok(summary(&shared))
    };
    alone("import", send).await?
}

/// Sends the rows, so many at a time, until they are done or it is over.
async fn send_all(shared: &Arc<Shared>, input: Input, count: usize, mut controls: watch::Receiver<ImportControl>) {
    let (turns, mut parts) = mpsc::channel::<Vec<Turn>>(AHEAD);
    let reader = Arc::clone(shared);
    spawn_blocking(move || reader.read(input, &turns));
    let rows = stream::poll_fn(move |context| parts.poll_recv(context)).flat_map(stream::iter);
    let queue = tokio::sync::Mutex::new(rows);
    let controlled = async {
        while controls.changed().await.is_ok() {
            let control = *controls.borrow_and_update();
            match control {
                ImportControl::Go => {}
                ImportControl::Stop => shared.end(ImportEnded::Stopped),
                ImportControl::Abort => return shared.end(ImportEnded::Stopped),
            }
        }
        pending().await
    };
    let overdue = async {
        shared.halt.cancelled().await;
        sleep(shared.work.how.patience.stop_within).await;
    };
    tokio::select! {
        _ = join_all((0..count).map(|_| shared.send_rows(&queue))) => {}
        () = controlled => {}
        () = overdue => {}
    }
    // Rows still being sent stay in the journal without an outcome.
    shared.progress.send_modify(|progress| progress.unknown += std::mem::take(&mut progress.under_way));
}

/// Requests one pet to find out whether the service is reachable, accepts the key and keeps idempotency keys, and its
/// time.
async fn probe(client: &Client) -> Result<(), Failure> {
    match client.date().await {
        Err(error) if matches!(error, Failure::NotSent { .. }) || error.is_unauthorized() => Err(error),
        // The key may only allow adding, and temporary failures are retried while sending.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn summary(shared: &Shared) -> Summary {
    let ended = shared.ended.lock().take();
    // It is halted without a reason if the import was dropped.
    let ended = ended.unwrap_or(if shared.halt.is_cancelled() { ImportEnded::Stopped } else { ImportEnded::Complete });
    let done = matches!(ended, ImportEnded::Complete);
    let at = clock::now().wall;
    let progress = shared.progress.borrow().clone();
    let undone = progress.errors() + progress.not_sent;
    shared.note(|journal| if done { journal.end(at, undone) } else { Ok(()) });
    shared.note(Journal::close);
    let failed = shared.ended.lock().take();
    let open = shared.work.past.head.good.map(|good| good.saturating_sub(progress.dealt_with()));
    let left = if done { Some(progress.not_sent) } else { open };
    let report = shared.work.journal.as_ref().map(|journal| journal.path.clone());
    Summary { ended: failed.unwrap_or(ended), left, report, progress }
}
