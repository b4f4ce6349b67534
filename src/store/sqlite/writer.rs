//! The one connection that writes, and the thread that uses it when more than one write is under way.
//!
//! Whatever waits when the connection becomes free is committed in one transaction, so that many writers share one
//! fsync. A lone caller commits in its own thread: waking another thread and being woken takes half as long as an fsync of
//! a good disk. A caller learns of success only after the commit; if anything in the transaction fails, all of it is rolled
//! back and every caller in it gets the error.
//!
//! Only the thread waits for another process that has locked the file. When it gives up, so does everything that has come
//! meanwhile: no caller waits for several such limits.
//!
//! After a failed fsync the contents of the disk are unknown, and a retry would only seem to help: the kernel has dropped
//! the pages by then. So nothing more is written until the file is opened again, which reads what is there. The same holds
//! if the file was renamed or replaced.

use std::ffi::c_int;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::wal::CheckpointMode;
use rusqlite::{ErrorCode, MAIN_DB, ffi};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{mpsc, watch};
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::timeout;

use super::connection::{BUSY_TIMEOUT, at_once, is_busy, require_ours};
use super::file::Files;
use crate::clock;
use crate::model::text::safe_causes;
use crate::store::StoreFailure;
use crate::store::job::{BEAT_TIME, Connection, DatabaseError, Heartbeat, Job, QUEUE, Work, awaited, queue, unawaited};

/// The most writes in one transaction: enough to hide the fsync, few enough to keep each of them prompt.
const GROUP: usize = 128;

/// How long closing may take: another process can hold the file, and nothing that was acknowledged is lost without it.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// For how long a write shows that others can be written: an idle service is not to keep its disk awake.
const SHOWN: Duration = Duration::from_secs(10);

/// From how many pages on the write-ahead log is folded into the file. SQLite's own number; about 4 MiB.
const CHECKPOINT_PAGES: c_int = 1000;

#[derive(Debug)]
pub struct Writer {
    /// Nothing once closed.
    running: Mutex<Option<Running>>,
    pen: Arc<WriteConnection>,
}

#[derive(Debug)]
struct Running {
    jobs: mpsc::Sender<Box<dyn Job>>,
    thread: JoinHandle<()>,
}

impl Writer {
    pub fn start(connection: rusqlite::Connection, files: Arc<Files>) -> io::Result<Self> {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let (was_alone, schema) = (AtomicBool::new(true), AtomicI64::new(-1));
        let (broken, written) = (OnceLock::new(), Mutex::new(None));
        let (connection, additions) = (Mutex::new(Some(connection)), Arc::<watch::Sender<()>>::default());
        let pen = Arc::new(WriteConnection { connection, files, was_alone, schema, broken, written, additions });
        let shared = Arc::clone(&pen);
        let thread = thread::Builder::new().name("store writer".into()).spawn(move || shared.until_closed(waiting))?;
        Ok(Self { running: Mutex::new(Some(Running { jobs, thread })), pen })
    }

    /// Whether anything can be written: it was lately, or is now.
    pub async fn can_write(&self) -> Result<(), StoreFailure> {
        let runs = self.running.lock().as_ref().is_some_and(|running| !running.thread.is_finished());
        if !runs {
            return Err(StoreFailure::Closed);
        }
        self.pen.is_sound()?;
        if self.pen.has_written() {
            return Ok(());
        }
        let (job, done) = awaited(Heartbeat::new());
        self.queue(job)?;
        timeout(BEAT_TIME, done).await.map_err(|_| StoreFailure::NoAnswer)?.unwrap_or(Err(StoreFailure::Closed))
    }

    pub async fn write<W: Work>(&self, work: W) -> Result<W::Output, StoreFailure> {
        let (job, done) = awaited(work);
        // In this thread, if it may wait for the disk and no other writes are running or likely: a lone write takes as long
        // as a whole group.
        let may_wait = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
        let is_alone = self.pen.was_alone.load(Ordering::Relaxed) && self.none_waits();
        match self.pen.connection.try_lock() {
            Some(mut connection) if may_wait && is_alone => {
                let connection = connection.as_mut().ok_or(StoreFailure::Closed)?;
                let mut group = vec![job];
                if block_in_place(|| self.pen.write(connection, &mut group, Duration::ZERO)).is_ok_and(|long| long) {
                    // The thread has the time to fold the log in.
                    self.write_later(Nothing);
                }
                // Another process has locked the file.
                group.into_iter().try_for_each(|job| self.queue(job))?;
            }
            _ => self.queue(job)?,
        }
        done.await.unwrap_or(Err(StoreFailure::Closed))
    }

    pub fn write_later<W: Work>(&self, work: W) {
        if let Err(error) = self.queue(unawaited(work)) {
            tracing::debug!(%error, "a background write was skipped");
        }
    }

    /// Changes when pets were added.
    pub fn additions(&self) -> watch::Receiver<()> {
        self.pen.additions.subscribe()
    }

    fn none_waits(&self) -> bool {
        self.running.lock().as_ref().is_some_and(|running| running.jobs.capacity() == QUEUE)
    }

    fn queue(&self, job: Box<dyn Job>) -> Result<(), StoreFailure> {
        queue(self.running.lock().as_ref().map(|running| &running.jobs), job)
    }

    /// Writes what waits, then closes the connection.
    pub async fn close(&self) {
        let running = self.running.lock().take();
        let Some(Running { jobs, thread }) = running else { return };
        drop(jobs);
        match timeout(CLOSE_TIME, spawn_blocking(|| thread.join())).await {
            Ok(Ok(Ok(()))) => {}
            Ok(_) => tracing::error!("the writer thread failed"),
            Err(_) => tracing::error!("the database was not closed: another process has locked it"),
        }
    }
}

/// What only one can write with at a time.
#[derive(Debug)]
struct WriteConnection {
    /// Nothing once closed.
    connection: Mutex<Option<rusqlite::Connection>>,
    /// Whether the last group was of one.
    was_alone: AtomicBool,
    files: Arc<Files>,
    /// SQLite's number of the schema that was compared last.
    schema: AtomicI64,
    /// Why nothing more may be written.
    broken: OnceLock<StoreFailure>,
    /// When something was written last; nothing where the last try failed.
    written: Mutex<Option<Instant>>,
    additions: Arc<watch::Sender<()>>,
}

impl WriteConnection {
    /// Ends when the last sender is gone and the queue is empty.
    fn until_closed(&self, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
        let mut group = Vec::with_capacity(GROUP);
        while waiting.blocking_recv_many(&mut group, GROUP) > 0 {
            let mut connection = self.connection.lock();
            let Some(connection) = connection.as_mut() else { return };
            match self.write(connection, &mut group, BUSY_TIMEOUT) {
                Ok(true) => {
                    if let Err(error) = checkpoint(connection) {
                        tracing::error!(error = safe_causes(&error), "the write-ahead log could not be checkpointed");
                        self.judge(connection, &error);
                    }
                }
                Ok(false) => {}
                Err(locked) => {
                    // First all of them: what comes after an answer waits separately.
                    while let Ok(job) = waiting.try_recv() {
                        group.push(job);
                    }
                    group.drain(..).for_each(|job| job.end(Err(locked.clone())));
                }
            }
        }
        if let Some(Err((_, error))) = self.connection.lock().take().map(rusqlite::Connection::close) {
            tracing::warn!(%error, "the writing connection did not close");
        }
    }

    /// Ends all jobs of `group` once they are on disk or failed, and empties it. Returns whether the write-ahead log should
    /// be folded in; fails if another process has locked the file for longer than `patience`, and then leaves what is not
    /// written in the group.
    fn write(
        &self,
        connection: &mut rusqlite::Connection,
        group: &mut Vec<Box<dyn Job>>,
        patience: Duration,
    ) -> Result<bool, StoreFailure> {
        self.was_alone.store(group.len() == 1, Ordering::Relaxed);
        // Drops jobs whose callers gave up: another process may have locked the file for long.
        group.retain(|job| job.is_wanted());
        if group.is_empty() {
            return Ok(false);
        }
        let committed = self.commit(connection, group, patience);
        if let Err(failure) = &committed
            && is_locked(failure)
        {
            return Err(failure.clone());
        }
        if group.len() > 1
            && let Err(StoreFailure::Database(error)) = &committed
            && error.is_about_data()
        {
            // One of them cannot be written; the others can.
            let mut is_long = false;
            let mut jobs = std::mem::take(group).into_iter();
            while let Some(job) = jobs.next() {
                group.push(job);
                match self.write(connection, group, patience) {
                    Ok(long) => is_long |= long,
                    Err(locked) => {
                        group.extend(jobs);
                        return Err(locked);
                    }
                }
            }
            return Ok(is_long);
        }
        if committed.is_ok() && group.iter().any(|job| job.adds_pets()) {
            self.additions.send_replace(());
        }
        for job in group.drain(..) {
            job.end(committed.clone());
        }
        Ok(committed.is_ok() && is_log_long(connection))
    }

    fn commit(
        &self,
        connection: &mut rusqlite::Connection,
        group: &mut [Box<dyn Job>],
        patience: Duration,
    ) -> Result<(), StoreFailure> {
        self.is_sound()?;
        if !self.files.are_there() {
            self.end(connection, StoreFailure::Moved);
            return Err(StoreFailure::Moved);
        }
        let before = connection.total_changes();
        let committed = self.try_commit(connection, group, patience).map_err(|error| {
            if let DatabaseError::Sqlite(error) = &error {
                self.judge(connection, error);
            }
            let (text, failure) = (safe_causes(&error), StoreFailure::from(error));
            if !(is_locked(&failure) && patience.is_zero()) {
                let writes = group.len();
                tracing::error!(error = text, writes, "a transaction failed and was rolled back");
            }
            failure
        });
        // A transaction that has changed nothing says nothing of the disk.
        if committed.is_err() || connection.total_changes() != before {
            *self.written.lock() = committed.is_ok().then(|| clock::now().mono);
        }
        committed
    }

    /// All or nothing.
    fn try_commit(
        &self,
        connection: &mut rusqlite::Connection,
        group: &mut [Box<dyn Job>],
        patience: Duration,
    ) -> Result<(), DatabaseError> {
        connection.busy_timeout(patience)?;
        // A transaction that begins by reading could not wait for the lock later.
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let run = self.require_same_schema(connection).and_then(|()| run(connection, group));
        let committed = run.and_then(|()| Ok(connection.execute_batch("COMMIT")?));
        if committed.is_err() && !connection.is_autocommit() {
            connection.execute_batch("ROLLBACK")?;
        }
        committed
    }

    /// Compares the schema only when SQLite has counted a change of it.
    fn require_same_schema(&self, connection: &rusqlite::Connection) -> Result<(), DatabaseError> {
        let count = connection.prepare_cached("PRAGMA schema_version")?.query_row([], |row| row.get(0))?;
        if self.schema.load(Ordering::Relaxed) != count {
            require_ours(connection)?;
            self.schema.store(count, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_sound(&self) -> Result<(), StoreFailure> {
        self.broken.get().map_or(Ok(()), |why| Err(why.clone()))
    }

    fn has_written(&self) -> bool {
        let now = clock::now().mono;
        // Who replaces the file does not come by here.
        self.files.are_there() && self.written.lock().is_some_and(|at| now.saturating_duration_since(at) < SHOWN)
    }

    /// Stops writing for good when `error` means that the file cannot be trusted.
    fn judge(&self, connection: &rusqlite::Connection, error: &rusqlite::Error) {
        if is_fatal(error) {
            self.end(connection, StoreFailure::ReadOnly);
        }
    }

    fn end(&self, connection: &rusqlite::Connection, why: StoreFailure) {
        if self.broken.set(why.clone()).is_ok() {
            tracing::error!("{why}");
            // Closing must not touch the file either, nor what has its name now.
            let kept = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            debug_assert!(matches!(kept, Ok(true)));
        }
    }
}

/// Whether another process has the lock.
fn is_locked(failure: &StoreFailure) -> bool {
    matches!(failure, StoreFailure::Database(error) if matches!(&**error, DatabaseError::Sqlite(error) if is_busy(error)))
}

fn run(connection: &mut rusqlite::Connection, group: &mut [Box<dyn Job>]) -> Result<(), DatabaseError> {
    let connection = Connection::sqlite(connection);
    // A caller that gave up while the file was locked may retry.
    group.iter_mut().filter(|job| job.is_wanted()).try_for_each(|job| at_once(job.run(&connection)))
}

/// For the thread to wake up.
struct Nothing;

impl Work for Nothing {
    type Output = ();

    async fn run(&self, _: &Connection<'_>) -> Result<(), DatabaseError> {
        Ok(())
    }
}

fn is_log_long(connection: &rusqlite::Connection) -> bool {
    let pages = connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::NOOP);
    pages.is_ok_and(|(pages, folded)| pages - folded >= CHECKPOINT_PAGES)
}

/// Keeps the write-ahead log short. Not part of a commit, so that callers do not wait for it.
fn checkpoint(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    match connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::PASSIVE) {
        // Another process is at it.
        Err(error) if is_busy(&error) => Ok(()),
        done => done.map(drop),
    }
}

fn is_fatal(error: &rusqlite::Error) -> bool {
    let damaged = matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
    let extended = error.sqlite_error().map(|error| error.extended_code);
    damaged || matches!(extended, Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC))
}
