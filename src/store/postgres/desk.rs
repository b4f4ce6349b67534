//! A queue, and a few tasks that take from it whatever waits and do it together.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex as AsyncMutex, mpsc};
use tokio::task::JoinSet;

use super::{Connections, transaction};
use crate::store::Why;
use crate::store::work::Job;

/// How many jobs may wait. One more is refused rather than kept.
const QUEUE: usize = 1024;

/// The most jobs that are done together: enough to hide the way to the server, few enough to keep each of them prompt.
const GROUP: usize = 128;

#[derive(Debug)]
pub(super) struct Desk {
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

impl Desk {
    /// With `count` tasks, each with a connection of its own while it is at it.
    pub(super) fn start(kind: Kind, count: usize, connections: &Connections) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let waiting = Arc::new(AsyncMutex::new(waiting));
        let mut tasks = JoinSet::new();
        for _ in 0..count {
            tasks.spawn(until_closed(kind, Arc::clone(&waiting), connections.clone()));
        }
        Self { open: Mutex::new(Some(Open { jobs, tasks })) }
    }

    pub(super) fn queue(&self, job: Box<dyn Job>) -> Result<(), Why> {
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
        match kind {
            Kind::Read => transaction::read(&connections, &mut group).await,
            Kind::Write => transaction::write(&connections, &mut group).await,
        }
    }
}
