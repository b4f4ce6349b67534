//! The one thread that writes.
//!
//! Whatever waits when it becomes free is committed in one transaction, so that many writers share one fsync. A caller
//! hears of success only after that commit; when anything in the transaction fails, all of it is rolled back and every
//! caller in it is told so.
//!
//! After an fsync that failed nobody knows what the disk holds, and asking again would only seem to help: the kernel
//! has dropped the pages by then. So nothing more is written until the file is opened anew, which reads what is there.

use std::ffi::c_int;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::config::DbConfig;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode, MAIN_DB, ffi};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

use super::is_busy;
use crate::store::Why;

/// How many writes may wait. One more is refused rather than kept.
const QUEUE: usize = 1024;

/// The most writes in one transaction: enough to hide the fsync, few enough to keep each of them prompt.
const GROUP: usize = 128;

/// From how many pages on the write-ahead log is folded into the file. SQLite's own number; about 4 MiB.
const CHECKPOINT_PAGES: c_int = 1000;

/// What reads and writes in the transaction of a group, and then hears how that ended.
trait Job: Send {
    fn run(&mut self, connection: &Connection) -> rusqlite::Result<()>;
    fn end(self: Box<Self>, committed: Result<(), Why>);
}

/// A write that somebody waits for.
struct Awaited<F, T> {
    work: Option<F>,
    written: Option<T>,
    reply: oneshot::Sender<Result<T, Why>>,
}

impl<T: Send, F: FnOnce(&Connection) -> rusqlite::Result<T> + Send> Job for Awaited<F, T> {
    fn run(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        // Whoever was told "not now" meanwhile may ask again: a write that was given up must not come on top of that.
        if !self.reply.is_closed() {
            self.written = self.work.take().map(|work| work(connection)).transpose()?;
        }
        Ok(())
    }

    fn end(self: Box<Self>, committed: Result<(), Why>) {
        let Self { written, reply, .. } = *self;
        // Whoever asked may have gone away.
        let _ = reply.send(committed.and_then(|()| written.ok_or(Why::Closed)));
    }
}

/// A write that nobody waits for.
struct Unawaited<F>(Option<F>);

impl<F: FnOnce(&Connection) -> rusqlite::Result<()> + Send> Job for Unawaited<F> {
    fn run(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        self.0.take().map_or(Ok(()), |work| work(connection))
    }

    fn end(self: Box<Self>, _: Result<(), Why>) {}
}

#[derive(Debug)]
pub(super) struct Writer {
    /// Nothing once closed.
    running: Mutex<Option<Running>>,
    /// Set once, when nothing more may be written.
    broken: Arc<OnceLock<Broken>>,
}

#[derive(Debug)]
struct Running {
    jobs: mpsc::Sender<Box<dyn Job>>,
    thread: JoinHandle<()>,
}

/// The file may not hold what it should.
#[derive(Clone, Copy, Debug)]
struct Broken;

impl Writer {
    pub(super) fn start(connection: Connection) -> io::Result<Self> {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let broken = Arc::default();
        let write = Write { connection, broken: Arc::clone(&broken) };
        let thread = thread::Builder::new().name("store writer".into()).spawn(|| write.until_closed(waiting))?;
        Ok(Self { running: Mutex::new(Some(Running { jobs, thread })), broken })
    }

    pub(super) fn is_sound(&self) -> Result<(), Why> {
        self.broken.get().map_or(Ok(()), |Broken| Err(Why::ReadOnly))
    }

    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Why> {
        let (reply, done) = oneshot::channel();
        self.queue(Box::new(Awaited { work: Some(work), written: None, reply }))?;
        done.await.unwrap_or(Err(Why::Closed))
    }

    pub(super) fn write_later(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<()> + Send + 'static) {
        if let Err(error) = self.queue(Box::new(Unawaited(Some(work)))) {
            tracing::debug!(%error, "a write was left out");
        }
    }

    fn queue(&self, job: Box<dyn Job>) -> Result<(), Why> {
        let running = self.running();
        let Running { jobs, .. } = running.as_ref().ok_or(Why::Closed)?;
        jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) => Why::QueueFull,
            TrySendError::Closed(_) => Why::Closed,
        })
    }

    /// Writes what waits, then closes the connection.
    pub(super) async fn close(&self) {
        let running = self.running().take();
        let Some(Running { jobs, thread }) = running else { return };
        drop(jobs);
        let ended = spawn_blocking(|| thread.join()).await;
        if !matches!(ended, Ok(Ok(()))) {
            tracing::error!("the writer ended badly");
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread's side.
struct Write {
    connection: Connection,
    broken: Arc<OnceLock<Broken>>,
}

impl Write {
    /// Ends when the last sender is gone and the queue is empty.
    fn until_closed(mut self, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
        let mut group = Vec::with_capacity(GROUP);
        while waiting.blocking_recv_many(&mut group, GROUP) > 0 {
            let committed = self.commit(&mut group);
            for job in group.drain(..) {
                job.end(committed.clone());
            }
            if committed.is_ok()
                && let Err(error) = self.checkpoint()
            {
                tracing::error!(error = &error as &dyn std::error::Error, "the write-ahead log was not folded in");
                self.judge(&error);
            }
        }
        if let Err((_, error)) = self.connection.close() {
            tracing::warn!(%error, "the writing connection did not close");
        }
    }

    /// Returns once the whole group is on disk.
    fn commit(&mut self, group: &mut [Box<dyn Job>]) -> Result<(), Why> {
        if self.broken.get().is_some() {
            return Err(Why::ReadOnly);
        }
        self.try_commit(group).map_err(|error| {
            let writes = group.len();
            tracing::error!(error = &error as &dyn std::error::Error, writes, "nothing of this group was written");
            self.judge(&error);
            Why::from(error)
        })
    }

    fn try_commit(&mut self, group: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        for job in group {
            job.run(&transaction)?;
        }
        transaction.commit()
    }

    /// Keeps the write-ahead log short. Not part of a commit, so that nobody waits for it who need not.
    fn checkpoint(&self) -> rusqlite::Result<()> {
        let (pages, folded) = self.connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::NOOP)?;
        if pages - folded < CHECKPOINT_PAGES {
            return Ok(());
        }
        match self.connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::PASSIVE) {
            // Another process is at it.
            Err(error) if is_busy(&error) => Ok(()),
            done => done.map(drop),
        }
    }

    /// Stops writing for good when `error` means that the file cannot be trusted.
    fn judge(&self, error: &rusqlite::Error) {
        if is_fatal(error) && self.broken.set(Broken).is_ok() {
            tracing::error!("nothing more is written until the service is started anew");
            // Closing must not touch the file either.
            let kept = self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            debug_assert!(matches!(kept, Ok(true)));
        }
    }
}

fn is_fatal(error: &rusqlite::Error) -> bool {
    let damaged = matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
    let extended = error.sqlite_error().map(|error| error.extended_code);
    damaged || matches!(extended, Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC))
}
