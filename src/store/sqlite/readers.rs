//! A few connections that only read, each used by one reader at a time.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use tokio::time::sleep;

use super::{BUSY_PAUSE, BUSY_TRIES, is_busy, keep_plans};
use crate::store::Why;

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    /// Nothing once closed. There are never more of them than threads that read at once.
    idle: Mutex<Option<Vec<Connection>>>,
}

impl Readers {
    /// Nothing is opened before the first use.
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Some(Vec::new())) }
    }

    /// Reads in this thread, and waits outside of SQLite while it is busy, as it is while another process repairs the
    /// write-ahead log.
    pub(super) async fn read<T>(&self, ask: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, Why> {
        for _ in 0..BUSY_TRIES {
            match self.read_at_once(&ask) {
                Err(Why::Database(error)) if is_busy(&error) => sleep(BUSY_PAUSE).await,
                read_or_not => return read_or_not,
            }
        }
        self.read_at_once(&ask)
    }

    fn read_at_once<T>(&self, ask: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T, Why> {
        let idle = self.idle().as_mut().ok_or(Why::Closed)?.pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        // A connection whose statement failed is closed, and the next one opened anew.
        let read = ask(&connection)?;
        if let Some(idle) = self.idle().as_mut() {
            idle.push(connection);
        }
        Ok(read)
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(Duration::ZERO)?;
        keep_plans(&connection)?;
        Ok(connection)
    }

    /// Those in use close when they are given back.
    pub(super) fn close(&self) {
        self.idle().take();
    }

    fn idle(&self) -> MutexGuard<'_, Option<Vec<Connection>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
