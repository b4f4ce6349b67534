//! A queue, and a few tasks that take from it whatever waits and do it together. Who comes alone does it himself, which
//! saves waking another task and being woken.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, mpsc};
use tokio::task::JoinSet;

use super::{Connections, transaction};
use crate::store::Why;
use crate::store::work::{Job, Work, awaited};

/// How many jobs may wait. One more is refused rather than kept.
const QUEUE: usize = 1024;

/// The most jobs that are done together: enough to hide the way to the server, few enough to keep each of them prompt.
const GROUP: usize = 128;

#[derive(Debug)]
pub(super) struct Desk {
    kind: Kind,
    connections: Connections,
    /// For one at a time that does not queue.
    alone: Semaphore,
    /// Nothing once closed.
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Open {
    jobs: mpsc::Sender<Box<dyn Job>>,
    tasks: JoinSet<()>,
}

/// What the jobs of a desk do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Read,
    Write,
}

impl Kind {
    /// Tells each job of `group` how it ended, and empties it.
    async fn serve(self, connections: &Connections, group: &mut Vec<Box<dyn Job>>) {
        match self {
            Self::Read => transaction::read(connections, group).await,
            Self::Write => transaction::write(connections, group).await,
        }
    }
}

impl Desk {
    /// With `count` tasks, each with a connection of its own while it is at it.
    pub(super) fn start(kind: Kind, count: usize, connections: &Connections) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let waiting = Arc::new(AsyncMutex::new(waiting));
        let mut tasks = JoinSet::new();
        for _ in 0..count {
            tasks.spawn(until_closed(kind, Arc::clone(&waiting), connections.clone()));
        }
        let open = Mutex::new(Some(Open { jobs, tasks }));
        Self { kind, connections: connections.clone(), alone: Semaphore::new(1), open }
    }

    /// What came of `work`. Where the caller goes away, it is not done unless it is under way already.
    pub(super) async fn work<W: Work>(&self, work: W) -> Result<W::Output, Why> {
        let (job, done) = awaited(work);
        match self.alone.try_acquire() {
            Ok(_alone) if self.nobody_waits()? => self.kind.serve(&self.connections, &mut vec![job]).await,
            _ => self.queue(job)?,
        }
        done.await.unwrap_or(Err(Why::Closed))
    }

    fn nobody_waits(&self) -> Result<bool, Why> {
        Ok(self.open().as_ref().ok_or(Why::Closed)?.jobs.capacity() == QUEUE)
    }

    fn queue(&self, job: Box<dyn Job>) -> Result<(), Why> {
        let open = self.open();
        open.as_ref().ok_or(Why::Closed)?.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Why::QueueFull,
            TrySendError::Closed(_) => Why::Closed,
        })
    }

    /// Does what waits.
    pub(super) async fn close(&self) {
        let open = self.open().take();
        let Some(Open { jobs, mut tasks }) = open else { return };
        drop(jobs);
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a desk of the database ended badly");
            }
        }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends when the last sender is gone and the queue is empty.
async fn until_closed(kind: Kind, waiting: Arc<AsyncMutex<mpsc::Receiver<Box<dyn Job>>>>, connections: Connections) {
    let mut group = Vec::with_capacity(GROUP);
    while waiting.lock().await.recv_many(&mut group, GROUP).await > 0 {
        kind.serve(&connections, &mut group).await;
    }
}
