//! A few connections that only read, each used by one reader at a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::OpenFlags;
use tokio::time::sleep;

use super::connection::{BUSY_PAUSE, BUSY_TRIES, at_once, connect, is_busy, keep_plans};
use super::file::Files;
use super::schema;
use crate::store::StoreFailure;
use crate::store::job::Work;
use crate::store::value_row::{Connection, DatabaseError};

#[derive(Debug)]
pub(in crate::store) struct Readers {
    path: PathBuf,
    files: Arc<Files>,
    /// Nothing once closed. There are never more of them than threads that read at once.
    idle: Mutex<Option<Vec<rusqlite::Connection>>>,
}

impl Readers {
    /// Nothing is opened before the first use.
    pub(super) fn new(path: &Path, files: Arc<Files>) -> Self {
        Self { path: path.to_owned(), files, idle: Mutex::new(Some(Vec::new())) }
    }

    /// Reads in this thread, and waits outside of SQLite while it is busy, as it is while another process repairs the
    /// write-ahead log.
    pub(in crate::store) async fn read<W: Work>(&self, work: &W) -> Result<W::Output, StoreFailure> {
        for _ in 0..BUSY_TRIES {
            match self.read_at_once(work) {
                Err(StoreFailure::Database(error)) if matches!(&*error, DatabaseError::Sqlite(error) if is_busy(error)) =>
                {
                    sleep(BUSY_PAUSE).await;
                }
                read_or_not => return read_or_not,
            }
        }
        self.read_at_once(work)
    }

    fn read_at_once<W: Work>(&self, work: &W) -> Result<W::Output, StoreFailure> {
        let idle = self.idle.lock().as_mut().ok_or(StoreFailure::Closed)?.pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        // A connection whose statement failed is closed, and replaced by a new one.
        let read = at_once(work.run(&Connection::sqlite(&mut connection)))?;
        if let Some(idle) = self.idle.lock().as_mut() {
            idle.push(connection);
        }
        Ok(read)
    }

    /// Whether it can be read, and its schema is as this program has made it.
    pub(in crate::store) async fn ping(&self) -> Result<(), StoreFailure> {
        self.read(&IsOurs).await
    }

    /// Never to another file than the one that is written: those that are open go on.
    fn connect(&self) -> Result<rusqlite::Connection, StoreFailure> {
        let open = || {
            let connection = connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY, Duration::ZERO)?;
            keep_plans(&connection)?;
            Ok(connection)
        };
        let connection = open().map_err(DatabaseError::Sqlite);
        if self.files.are_there() { Ok(connection?) } else { Err(StoreFailure::Moved) }
    }

    /// Those in use close when they are given back.
    pub(super) fn close(&self) {
        self.idle.lock().take();
    }
}

struct IsOurs;

impl Work for IsOurs {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        let Connection::Sqlite(connection) = on else { return Ok(()) };
        // As it is at one moment: another process may be bringing it up to date.
        schema::require_ours(&*connection.lock().unchecked_transaction()?)
    }
}
