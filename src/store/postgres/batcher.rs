//! A queue whose waiting jobs are run together. A lone caller runs its own job, which saves waking another task and being
//! woken.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::commit_monitor::STUCK;
use super::connections::Connections;
use super::transaction;
use crate::store::StoreFailure;
use crate::store::job::{Job, QUEUE, Work, awaited, queue};

/// The most jobs that are done together: enough to hide the way to the server, few enough to keep each of them prompt.
const GROUP: usize = 128;

#[derive(Debug)]
pub(in crate::store) struct Batcher {
    desk: Arc<Desk>,
    /// For one at a time that does not queue.
    alone: Semaphore,
    /// Nothing once closed.
    open: Mutex<Option<Open>>,
}

/// What those who take from the queue share.
#[derive(Debug)]
struct Desk {
    kind: Kind,
    connections: Connections,
    /// Whether the last group had one job. If not, more are likely to come, and should share a round trip to the server.
    was_alone: AtomicBool,
    waiting: AsyncMutex<mpsc::Receiver<Box<dyn Job>>>,
}

#[derive(Debug)]
struct Open {
    jobs: mpsc::Sender<Box<dyn Job>>,
    clerks: JoinSet<()>,
}

/// What the jobs of a desk do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Read,
    Write,
}

impl Kind {
    /// How long a group keeps the next one waiting, which is larger then. Not at all for reads, whose connections
    /// overlap well; a little for writes, since fewer transactions cost the server less.
    const fn patience(self) -> Option<Duration> {
        match self {
            Self::Read => None,
            Self::Write => Some(Duration::from_millis(20)),
        }
    }

    /// Why no job may start now. Stuck commits are probed meanwhile.
    fn refusal(self, connections: &Connections) -> Option<StoreFailure> {
        let is_stuck = matches!(self, Self::Write) && connections.pulse.is_stuck();
        is_stuck.then(|| {
            connections.start_beat();
            StoreFailure::Stuck
        })
    }

    /// Tells each job of `group` how it ended, and empties it.
    async fn serve(self, connections: &Connections, group: &mut Vec<Box<dyn Job>>) {
        match self {
            Self::Read => transaction::read(connections, group).await,
            Self::Write => transaction::write(connections, group).await,
        }
    }
}

impl Batcher {
    /// At most `count` groups of jobs are under way at once.
    pub(super) fn start(kind: Kind, count: usize, connections: &Connections) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let (was_alone, waiting) = (AtomicBool::new(true), AsyncMutex::new(waiting));
        let desk = Arc::new(Desk { kind, connections: connections.clone(), was_alone, waiting });
        let clerks = (0..count).map(|_| Arc::clone(&desk).until_closed()).collect();
        Self { desk, alone: Semaphore::new(1), open: Mutex::new(Some(Open { jobs, clerks })) }
    }

    /// What came of `work`. Where the caller goes away, it is not done unless it is under way already.
    pub(in crate::store) async fn work<W: Work>(&self, work: W) -> Result<W::Output, StoreFailure> {
        let Desk { kind, connections, was_alone, .. } = &*self.desk;
        if let Some(why) = kind.refusal(connections) {
            return Err(why);
        }
        let (job, done) = awaited(work);
        match self.alone.try_acquire() {
            Ok(_alone) if was_alone.load(Ordering::Relaxed) && self.is_idle()? => {
                kind.serve(connections, &mut vec![job]).await
            }
            _ => self.queue(job)?,
        }
        done.await.unwrap_or(Err(StoreFailure::Closed))
    }

    fn is_idle(&self) -> Result<bool, StoreFailure> {
        let none_waits = self.open.lock().as_ref().ok_or(StoreFailure::Closed)?.jobs.capacity() == QUEUE;
        // Otherwise callers that give up one after another would each leave a commit.
        let none_commits = matches!(self.desk.kind, Kind::Read) || self.desk.connections.pulse.is_quiet();
        Ok(none_waits && none_commits)
    }

    fn queue(&self, job: Box<dyn Job>) -> Result<(), StoreFailure> {
        queue(self.open.lock().as_ref().map(|open| &open.jobs), job)
    }

    /// Does what waits.
    pub(super) async fn close(&self) {
        let open = self.open.lock().take();
        let Some(Open { jobs, mut clerks }) = open else { return };
        drop(jobs);
        while let Some(ended) = clerks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a task of the batcher failed");
            }
        }
    }
}

impl Desk {
    /// Ends when the last sender is gone and the queue is empty.
    async fn until_closed(self: Arc<Self>) {
        let mut group = Vec::with_capacity(GROUP);
        loop {
            let mut waiting = self.waiting.lock().await;
            if waiting.recv_many(&mut group, GROUP).await == 0 {
                return;
            }
            self.was_alone.store(group.len() == 1, Ordering::Relaxed);
            let mut work = pin!(self.kind.serve(&self.connections, &mut group));
            if let Some(patience) = self.kind.patience()
                && timeout(patience, work.as_mut()).await.is_ok()
            {
                continue;
            }
            // The next one's turn.
            drop(waiting);
            while timeout(STUCK, work.as_mut()).await.is_err() {
                self.refuse();
            }
        }
    }

    /// Refuses the jobs that wait where none may start: every other clerk may be stuck, too.
    fn refuse(&self) {
        let Ok(mut waiting) = self.waiting.try_lock() else { return };
        let Some(why) = self.kind.refusal(&self.connections) else { return };
        while let Ok(job) = waiting.try_recv() {
            job.end(Err(why.clone()));
        }
    }
}
