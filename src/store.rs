//! The database: animals and API keys, behind one cheap handle.
//!
//! What is read and written is `work`, written once for SQLite and PostgreSQL: the SQL keeps to their common ground.
//! Each database runs it in its own way, and commits what waits together in one transaction. This room knows nothing of
//! HTTP, and takes the time as a parameter.

mod copy;
mod database;
mod error;
mod heartbeat;
mod idempotency;
mod job;
pub mod keys;
mod maintenance;
mod pets;
mod postgres;
mod sql;
mod sqlite;
mod url;
mod value_row;

use std::sync::Arc;

pub use self::copy::{CopyError, CopyProgress, CopySummary, copy};
pub use self::error::{StoreError, StoreFailure};
pub use self::idempotency::Idempotency;
pub use self::keys::KeyId;
pub use self::maintenance::{BackupError, IntegrityReport, QuickChecked, backup, check, quick_check};
pub use self::pets::{CreateOutcome, PetPage};
pub use self::postgres::{PostgresUrl, PostgresUrlError};
pub use self::url::{DatabaseUrl, DatabaseUrlError};
pub use self::value_row::DatabaseError;

use self::database::Database;
use self::idempotency::Running;
use self::keys::KeyCache;
use crate::clock::{self, Now};

/// An open database. Cloning is cheap and shares it.
#[derive(Clone, Debug)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    database: Database,
    keys: KeyCache,
    creations: Running,
    opened: Now,
}

impl Store {
    /// Opens the database, creating and migrating it as needed. No row is counted or read, so that a large store opens
    /// as fast as an empty one. Needs a tokio runtime.
    ///
    /// A new file is readable by its owner only (0600, in a directory made with 0700).
    pub async fn open(url: &DatabaseUrl) -> Result<Self, StoreError> {
        Ok(Self::on(Database::open(url).await?, clock::now()))
    }

    /// As [`open`](Self::open), but only where there is a database; a server's schema must be up to date.
    pub async fn open_existing(url: &DatabaseUrl) -> Result<Self, StoreError> {
        Ok(Self::on(Database::open_existing(url).await?, clock::now()))
    }

    fn on(database: Database, opened: Now) -> Self {
        Self { inner: Arc::new(Inner { database, keys: KeyCache::default(), creations: Running::default(), opened }) }
    }

    /// Whether animals can be listed and added now. Where none was added lately, that is found out by a write that
    /// leaves nothing behind.
    pub async fn ping(&self) -> Result<(), StoreFailure> {
        self.inner.database.ping().await?;
        self.inner.database.can_write().await
    }

    /// Whether animals can be listed now.
    pub async fn ping_for_reading(&self) -> Result<(), StoreFailure> {
        self.inner.database.ping().await
    }

    /// Commits what waits, then closes every connection. Whatever is asked of any clone afterwards is refused.
    pub async fn close(&self) {
        self.inner.database.close().await;
    }
}

#[cfg(test)]
mod tests;
