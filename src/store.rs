//! The database: animals and API keys, behind one cheap handle.
//!
//! One writer commits what waits together in one transaction; readers work beside it. The SQL keeps to the common
//! ground of SQLite and PostgreSQL. This room knows nothing of HTTP, and takes the time as a parameter.

mod error;
mod idempotency;
pub mod keys;
mod pets;
mod sql;
mod sqlite;
mod upkeep;
mod url;

use std::sync::Arc;

use tokio::task::spawn_blocking;

pub use self::error::{StoreError, Why};
pub use self::idempotency::Idempotency;
pub use self::keys::KeyId;
pub use self::pets::{Added, Page};
pub use self::upkeep::{BackupError, Checked, backup, check};
pub use self::url::{DatabaseUrl, DatabaseUrlError};

use self::idempotency::Running;
use self::keys::KeyCache;
use self::sqlite::Sqlite;

/// An open database. Cloning is cheap and shares it.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: Sqlite,
    keys: KeyCache,
    creations: Running,
}

impl Store {
    /// Opens the database, creating and migrating it as needed. No row is counted or read, so that a large store opens
    /// as fast as an empty one. Needs a tokio runtime.
    ///
    /// A new file is readable by its owner only (0600, in a directory made with 0700).
    pub async fn open(url: &DatabaseUrl) -> Result<Self, StoreError> {
        let DatabaseUrl::Sqlite(path) = url.clone();
        let opened = spawn_blocking(move || Sqlite::open(&path)).await;
        let database = opened.map_err(|_| Why::Closed)??;
        Ok(Self { inner: Arc::new(Inner { database, keys: KeyCache::default(), creations: Running::default() }) })
    }

    /// As [`open`](Self::open), but only where there is a database.
    pub async fn open_existing(url: &DatabaseUrl) -> Result<Self, StoreError> {
        let DatabaseUrl::Sqlite(path) = url;
        if !path.exists() {
            return Err(StoreError::Missing { path: path.clone() });
        }
        Self::open(url).await
    }

    /// Whether the database answers, and takes writes as far as is known.
    pub async fn ping(&self) -> Result<(), StoreError> {
        Ok(self.inner.database.ping().await?)
    }

    /// Commits what waits, then closes every connection. Whatever is asked of any clone afterwards is refused.
    pub async fn close(&self) {
        self.inner.database.close().await;
    }
}

#[cfg(test)]
mod tests;
