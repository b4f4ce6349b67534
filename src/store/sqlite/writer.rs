//! The one connection that writes, on a thread when more than one write is under way.
//!
//! Only that thread waits for another process that has locked the file. When it gives up, so does everything that has come
//! meanwhile: no caller waits for several such limits.
//!
//! After a failed fsync the contents of the disk are unknown, and a retry would only seem to help: the kernel has dropped
//! the pages by then. So nothing more is written until the file is opened again, which reads what is there. The same holds
//! if the file was renamed or replaced.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::wal::CheckpointMode;
use rusqlite::{Connection, ErrorCode, MAIN_DB, ffi};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

use super::connection::{BUSY_TIMEOUT, at_once, is_busy, require_ours};
use super::file::Files;
use crate::clock;
use crate::model::safe_causes;
use crate::store::group::{Engine, Jobs};
use crate::store::{DatabaseError, DbResult, FailureKind, Outcome, StoreFailure, job};

/// For how long a write shows that others can be written: an idle service is not to keep its disk awake.
const SHOWN: Duration = Duration::from_secs(10);

/// From how many pages on the write-ahead log is folded into the file. SQLite's own number; about 4 MiB.
const CHECKPOINT_PAGES: c_int = 1000;

/// What only one can write with at a time.
#[derive(Debug)]
pub struct Writer {
    /// Nothing once closed.
    connection: Mutex<Option<Connection>>,
    files: Arc<Files>,
    /// SQLite's number of the schema that was compared last.
    schema: AtomicI64,
    /// Why nothing more may be written.
    broken: OnceLock<FailureKind>,
    /// When something was written last; nothing where the last try failed.
    written: Mutex<Option<Instant>>,
    /// Whether the write-ahead log should be folded into the file, for which the thread has the time.
    is_log_long: AtomicBool,
}

impl Engine for Writer {
    /// The thread waits itself.
    const PATIENCE: Option<Duration> = None;

    /// If its thread may wait for the disk: a lone write takes as long as a whole group.
    fn lets_callers_run(&self) -> bool {
        let may_wait = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
        may_wait && !self.connection.is_locked() && !self.is_log_long.load(Ordering::Relaxed)
    }

    async fn commit(&self, group: &mut Jobs, is_lone: bool) -> Outcome {
        let patience = if is_lone { Duration::ZERO } else { BUSY_TIMEOUT };
        block_in_place(|| {
            // Only the thread waits, also for what another caller began just now.
            let connection = if is_lone { self.connection.try_lock() } else { Some(self.connection.lock()) };
            let mut connection = connection.ok_or(FailureKind::Locked)?;
            let connection = connection.as_mut().ok_or(FailureKind::Closed)?;
            connection.busy_timeout(patience).map_err(DatabaseError::from)?;
            self.write(connection, group, is_lone)
        })
    }

    /// Keeps the write-ahead log short.
    fn clean_up(&self) {
        let connection = self.connection.lock();
        let is_long = self.is_log_long.swap(false, Ordering::Relaxed);
        let Some(connection) = connection.as_ref().filter(|_| is_long) else { return };
        match connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::PASSIVE) {
            // Another process may be at it.
            Err(error) if !is_busy(&error) => {
                tracing::error!(error = safe_causes(&error), "the write-ahead log could not be checkpointed");
                self.judge(connection, &error);
            }
            _ => {}
        }
    }

    fn close(&self) {
        if let Some(Err((_, error))) = self.connection.lock().take().map(Connection::close) {
            tracing::warn!(%error, "the writing connection did not close");
        }
    }
}

impl Writer {
    pub fn new(connection: Connection, files: Arc<Files>) -> Self {
        let (schema, is_log_long) = (AtomicI64::new(-1), AtomicBool::new(false));
        let (broken, written, connection) = (OnceLock::new(), Mutex::new(None), Mutex::new(Some(connection)));
        Self { connection, files, schema, broken, written, is_log_long }
    }

    /// Whether the file is sound, and something was written to it lately.
    pub fn has_written(&self) -> Outcome<bool> {
        self.is_sound()?;
        let now = clock::now().mono;
        // Who replaces the file does not come by here.
        let is_recent = |at| now.saturating_duration_since(at) < SHOWN;
        Ok(self.files.are_there() && self.written.lock().is_some_and(is_recent))
    }

    fn write(&self, connection: &mut Connection, group: &mut Jobs, is_lone: bool) -> Outcome {
        self.is_sound()?;
        if !self.files.are_there() {
            self.end(connection, FailureKind::Moved);
            return Err(FailureKind::Moved.into());
        }
        let before = connection.total_changes();
        let committed = self.try_commit(connection, group).map_err(|error| {
            if let DatabaseError::Sqlite(error) = &error {
                self.judge(connection, error);
            }
            let (text, failure) = (safe_causes(&error), StoreFailure::from(error));
            if failure.kind() != FailureKind::Locked || !is_lone {
                let writes = group.len();
                tracing::error!(error = text, writes, "a transaction failed and was rolled back");
            }
            failure
        });
        // A transaction that has changed nothing says nothing of the disk.
        if committed.is_err() || connection.total_changes() != before {
            *self.written.lock() = committed.is_ok().then(|| clock::now().mono);
        }
        committed?;
        let pages = connection.wal_checkpoint_v2(Some(MAIN_DB), CheckpointMode::NOOP);
        let is_long = pages.is_ok_and(|(pages, folded)| pages - folded >= CHECKPOINT_PAGES);
        self.is_log_long.fetch_or(is_long, Ordering::Relaxed);
        Ok(())
    }

    /// All or nothing.
    fn try_commit(&self, connection: &mut Connection, group: &mut Jobs) -> DbResult<()> {
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
    fn require_same_schema(&self, connection: &Connection) -> DbResult<()> {
        let count = connection.prepare_cached("PRAGMA schema_version")?.query_row([], |row| row.get(0))?;
        if self.schema.load(Ordering::Relaxed) != count {
            require_ours(connection)?;
            self.schema.store(count, Ordering::Relaxed);
        }
        Ok(())
    }

    fn is_sound(&self) -> Outcome {
        self.broken.get().map_or(Ok(()), |why| Err((*why).into()))
    }

    /// Stops writing for good when `error` means that the file cannot be trusted.
    fn judge(&self, connection: &Connection, error: &rusqlite::Error) {
        if is_fatal(error) {
            self.end(connection, FailureKind::DiskFailed);
        }
    }

    fn end(&self, connection: &Connection, why: FailureKind) {
        if self.broken.set(why).is_ok() {
            tracing::error!("{why}");
            // Closing must not touch the file either, nor what has its name now.
            let kept = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
            debug_assert!(matches!(kept, Ok(true)));
        }
    }
}

fn run(connection: &mut Connection, group: &mut Jobs) -> DbResult<()> {
    let connection = job::Connection::sqlite(connection);
    // A caller that gave up while the file was locked may retry.
    group.iter_mut().filter(|job| job.is_wanted()).try_for_each(|job| at_once(job.run(&connection)))
}

fn is_fatal(error: &rusqlite::Error) -> bool {
    let damaged = matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase));
    let extended = error.sqlite_error().map(|error| error.extended_code);
    damaged || matches!(extended, Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC))
}
