//! A few connections that only read.
//!
//! sqlx's own pool sends a ping through the connection's thread and spawns a task each time one is given back, which
//! costs as much as a small query; a SQLite connection cannot go stale, so it is simply put back here.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::Why;

/// How long to wait for a free connection.
const ACQUIRE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Readers {
    options: SqliteConnectOptions,
    /// How many may be in use at once, each holding a permit.
    most: u32,
    permits: Semaphore,
    idle: Mutex<Vec<SqliteConnection>>,
}

/// A connection taken out. When it is dropped instead of put back (its statement failed, or whoever asked went away),
/// it is closed, and the next one is opened anew.
pub(super) struct Reader<'a> {
    pub(super) connection: SqliteConnection,
    permit: SemaphorePermit<'a>,
}

impl Readers {
    /// Nothing is opened before the first use.
    pub(super) fn new(options: SqliteConnectOptions) -> Self {
        let cores = std::thread::available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok());
        let most = cores.unwrap_or(2).clamp(2, 8);
        Self { options, most, permits: Semaphore::new(most as usize), idle: Mutex::default() }
    }

    pub(super) async fn take(&self) -> Result<Reader<'_>, Why> {
        let acquired = timeout(ACQUIRE, self.permits.acquire()).await.map_err(|_| Why::ReadersBusy)?;
        let permit = acquired.map_err(|_| Why::Closed)?;
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        Ok(Reader { connection, permit })
    }

    pub(super) fn put_back(&self, reader: Reader<'_>) {
        self.idle().push(reader.connection);
        drop(reader.permit);
    }

    /// Waits for those in use, then closes all.
    pub(super) async fn close(&self) {
        let all = self.permits.acquire_many(self.most).await;
        self.permits.close();
        drop(all);
        let idle = std::mem::take(&mut *self.idle());
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::warn!(%error, "a reading connection did not close");
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<SqliteConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
