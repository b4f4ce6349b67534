//! A queue whose waiting jobs are done together. A lone caller runs its own job, which saves waking another task and being
//! woken: that takes half as long as an fsync of a good disk.
//!
//! Whatever waits when an engine becomes free is one group, so that many writers share one fsync or one way to a server. A
//! caller learns of success only after the commit; if anything in a transaction fails, all of it is rolled back.

use std::mem::take;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{io, iter, thread};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex as AsyncMutex, Semaphore, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::error::StoreFailure;
use super::{Connection, DbResult, FailureKind, Outcome, Work};

/// The most jobs that are done together: enough to hide the fsync and the way to a server, few enough to keep each of them
/// prompt.
const GROUP: usize = 128;

/// How many jobs may wait in a queue. One more is refused rather than kept.
const QUEUE: usize = 1024;

/// How often to ask, while a group takes long, whether those that wait must be refused.
const LONG: Duration = Duration::from_secs(2);

/// What does the jobs of a group.
pub trait Engine: Send + Sync + 'static {
    /// How long a group keeps the next one waiting, which is larger then; not at all where groups overlap well.
    const PATIENCE: Option<Duration>;

    /// Why no job may start now.
    fn refusal(&self) -> Option<StoreFailure> {
        None
    }

    /// Whether a lone caller may run its own job now.
    fn lets_callers_run(&self) -> bool;

    /// Does all of `group` in one transaction, or nothing of it; may also end jobs, each in its own way, and take them out.
    /// The group of a lone caller does not wait for the lock of another process.
    fn commit(&self, group: &mut Jobs, is_lone: bool) -> impl Future<Output = Outcome> + Send;

    /// Does what no caller waits for.
    fn clean_up(&self) {}

    /// The last group has ended.
    fn close(&self) {}
}

#[derive(Debug)]
pub struct Group<E> {
    shared: Arc<Shared<E>>,
    /// For one at a time that does not queue.
    lone: Semaphore,
    /// Nothing once closed.
    open: Mutex<Option<Open>>,
}

#[derive(Debug)]
struct Shared<E> {
    engine: E,
    /// Whether the last group had one job. If not, more are likely to come, and should be done together.
    was_lone: AtomicBool,
    additions: watch::Sender<()>,
}

#[derive(Debug)]
struct Open {
    jobs: mpsc::Sender<Box<dyn Job>>,
    runners: JoinSet<()>,
}

type Waiting = Arc<AsyncMutex<mpsc::Receiver<Box<dyn Job>>>>;

impl<E: Engine> Group<E> {
    /// At most `count` groups of jobs are under way at once.
    pub fn start(engine: E, count: usize) -> Self {
        let (shared, jobs, waiting) = Shared::new(engine);
        let runners = (0..count).map(|_| Arc::clone(&shared).run(Arc::clone(&waiting))).collect();
        Self { shared, lone: Semaphore::new(1), open: Mutex::new(Some(Open { jobs, runners })) }
    }

    /// One group at a time, on a separate thread: it may block.
    pub fn start_thread(engine: E, name: &str) -> io::Result<Self> {
        let (shared, jobs, waiting) = Shared::new(engine);
        let (runtime, run) = (Handle::current(), Arc::clone(&shared).run(waiting));
        let (ended, end) = oneshot::channel::<()>();
        thread::Builder::new().name(name.to_owned()).spawn(move || {
            runtime.block_on(run);
            drop(ended);
        })?;
        let runners = iter::once(async { drop(end.await) }).collect();
        Ok(Self { shared, lone: Semaphore::new(1), open: Mutex::new(Some(Open { jobs, runners })) })
    }

    pub fn engine(&self) -> &E {
        &self.shared.engine
    }

    /// Changes when pets were added, or may have been.
    pub fn additions(&self) -> watch::Receiver<()> {
        self.shared.additions.subscribe()
    }

    /// What came of `work`. Where the caller goes away, it is not done unless it is under way already.
    pub async fn work<W: Work>(&self, work: W) -> Outcome<W::Output> {
        let Shared { engine, was_lone, .. } = &*self.shared;
        if let Some(why) = engine.refusal() {
            return Err(why);
        }
        let (job, outcome) = awaited(work);
        let mut group = vec![job];
        if let Ok(_lone) = self.lone.try_acquire()
            && was_lone.load(Ordering::Relaxed)
            && self.is_idle()?
            && engine.lets_callers_run()
        {
            // What another process keeps from being written waits with the others.
            let _ = self.shared.finish(&mut group, true).await;
        }
        group.into_iter().try_for_each(|job| self.queue(job))?;
        outcome.await.unwrap_or(Err(FailureKind::Closed.into()))
    }

    /// The same, but never in the task of the caller.
    pub async fn work_elsewhere<W: Work>(&self, work: W) -> Outcome<W::Output> {
        let (job, outcome) = awaited(work);
        self.queue(job)?;
        outcome.await.unwrap_or(Err(FailureKind::Closed.into()))
    }

    /// The same in the background; the result is dropped.
    pub fn work_later<W: Work>(&self, work: W) {
        if let Err(error) = self.queue(unawaited(work)) {
            tracing::debug!(%error, "a background write was skipped");
        }
    }

    /// Whether no job waits; an error once none can be done any more.
    pub fn is_idle(&self) -> Outcome<bool> {
        let open = self.open.lock();
        let open = open.as_ref().filter(|open| !open.jobs.is_closed()).ok_or(FailureKind::Closed)?;
        Ok(open.jobs.capacity() == QUEUE)
    }

    fn queue(&self, job: Box<dyn Job>) -> Outcome {
        let open = self.open.lock();
        open.as_ref().ok_or(FailureKind::Closed)?.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => FailureKind::QueueFull.into(),
            TrySendError::Closed(_) => FailureKind::Closed.into(),
        })
    }

    /// Does what waits. When this is dropped before, tasks are ended.
    pub async fn close(&self) {
        let open = self.open.lock().take();
        let Some(Open { jobs, mut runners }) = open else { return };
        drop(jobs);
        while runners.join_next().await.is_some() {}
    }
}

impl<E: Engine> Shared<E> {
    fn new(engine: E) -> (Arc<Self>, mpsc::Sender<Box<dyn Job>>, Waiting) {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let (was_lone, additions) = (AtomicBool::new(true), watch::Sender::default());
        (Arc::new(Self { engine, was_lone, additions }), jobs, Arc::new(AsyncMutex::new(waiting)))
    }

    /// Ends when the last sender is gone and the queue is empty.
    async fn run(self: Arc<Self>, waiting: Waiting) {
        let mut group = Vec::with_capacity(GROUP);
        loop {
            let finished = {
                let mut jobs = waiting.lock().await;
                if jobs.recv_many(&mut group, GROUP).await == 0 {
                    return self.engine.close();
                }
                self.was_lone.store(group.len() == 1, Ordering::Relaxed);
                let (mut turn, mut time) = (E::PATIENCE.map(|_| jobs), E::PATIENCE.unwrap_or(LONG));
                let mut work = pin!(self.finish(&mut group, false));
                loop {
                    if let Ok(finished) = timeout(time, work.as_mut()).await {
                        break finished;
                    }
                    // The next one's turn.
                    drop(turn.take());
                    time = LONG;
                    // Every other runner may be stuck, too.
                    refuse(&waiting, &mut Vec::new(), || self.engine.refusal());
                }
            };
            if let Err(locked) = finished {
                refuse(&waiting, &mut group, || Some(locked));
            }
            self.engine.clean_up();
        }
    }

    /// Ends all jobs of `group` once they are done or have failed, and empties it. Fails if another process has locked the
    /// database, and then leaves what is not done in the group.
    async fn finish(&self, group: &mut Jobs, is_lone: bool) -> Outcome {
        // A caller that gave up while the database was locked may retry.
        group.retain(|job| job.is_wanted());
        if group.is_empty() {
            return Ok(());
        }
        let done = self.engine.commit(group, is_lone).await;
        if done.as_ref().is_err_and(|error| error.kind() == FailureKind::Locked) {
            return done;
        }
        if let Err(StoreFailure::Database(error)) = &done
            && group.len() > 1
            && error.is_about_data()
        {
            // One of them cannot be written; the others can.
            let mut jobs = take(group).into_iter();
            while let Some(job) = jobs.next() {
                group.push(job);
                if let Err(locked) = Box::pin(self.finish(group, is_lone)).await {
                    group.extend(jobs);
                    return Err(locked);
                }
            }
            return Ok(());
        }
        if group.iter().any(|job| job.writes_pets()) {
            // Also where the outcome is unknown.
            self.additions.send_replace(());
        }
        end(group, &done);
        Ok(())
    }
}

/// Ends the jobs of `group` and those that wait, if there is a reason. First all of them are taken: what comes after an
/// answer waits separately.
fn refuse(waiting: &Waiting, group: &mut Jobs, why: impl FnOnce() -> Option<StoreFailure>) {
    let Ok(mut waiting) = waiting.try_lock() else { return };
    let Some(why) = why() else { return };
    while let Ok(job) = waiting.try_recv() {
        group.push(job);
    }
    end(group, &Err(why));
}

pub fn end(group: &mut Jobs, ended: &Outcome) {
    group.drain(..).for_each(|job| job.end(ended.clone()));
}

/// Some that are done together.
pub type Jobs = Vec<Box<dyn Job>>;

/// Work of any kind, with the receiver of its result.
pub trait Job: Send {
    /// Whether a caller still waits for it. A caller that gave up may retry, so an abandoned write must not be done as
    /// well.
    fn is_wanted(&self) -> bool;

    /// See [`Work::IS_ONE_STATEMENT`].
    fn is_one_statement(&self) -> bool;

    fn writes_pets(&self) -> bool;

    fn run<'a>(&'a mut self, on: &'a Connection<'_>) -> BoxFuture<'a, DbResult<()>>;

    fn end(self: Box<Self>, ended: Outcome);
}

/// A piece of work as a job, with the waiting caller, if there is one.
struct Task<W: Work> {
    work: W,
    output: Option<W::Output>,
    reply: Option<oneshot::Sender<Outcome<W::Output>>>,
}

impl<W: Work> Job for Task<W> {
    fn is_wanted(&self) -> bool {
        self.reply.as_ref().is_none_or(|reply| !reply.is_closed())
    }

    fn is_one_statement(&self) -> bool {
        W::IS_ONE_STATEMENT
    }

    fn writes_pets(&self) -> bool {
        W::WRITES_PETS
    }

    fn run<'a>(&'a mut self, on: &'a Connection<'_>) -> BoxFuture<'a, DbResult<()>> {
        Box::pin(async {
            self.output = Some(self.work.run(on).await?);
            Ok(())
        })
    }

    fn end(self: Box<Self>, ended: Outcome) {
        let Self { work, output, reply, .. } = *self;
        // What it holds is free before the caller goes on.
        drop(work);
        if let Some(reply) = reply {
            // The caller may have gone away.
            let _ = reply.send(ended.and_then(|()| output.ok_or(FailureKind::Closed.into())));
        }
    }
}

/// A job, and where its outcome arrives.
pub fn awaited<W: Work>(work: W) -> (Box<dyn Job>, oneshot::Receiver<Outcome<W::Output>>) {
    let (reply, outcome) = oneshot::channel();
    (Box::new(Task { work, output: None, reply: Some(reply) }), outcome)
}

/// A job without a waiting caller.
pub fn unawaited<W: Work>(work: W) -> Box<dyn Job> {
    Box::new(Task { work, output: None, reply: None })
}
