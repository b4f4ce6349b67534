//! An open database.

use std::sync::Arc;

use super::database::Database;
use super::error::{StoreError, StoreFailure};
use super::idempotency::Running;
use super::keys::KeyCache;
use super::url::DatabaseUrl;
use crate::clock::{self, Now};

use super::purpose::Purpose;
/// An open database. Cloning is cheap and shares it.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) database: Database,
    pub(super) keys: KeyCache,
    pub(super) creations: Running,
    pub(super) opened: Now,
}

impl Store {
    /// Opens the database, creating and migrating it as needed. No row is counted or read, so that a large store opens
    /// as fast as an empty one. Needs a tokio runtime.
    ///
    /// A new file is readable by its owner only (0600, in a directory made with 0700).
    pub async fn open(url: &DatabaseUrl) -> Result<Self, StoreError> {
        Ok(Self::on(Database::open(url, Purpose::Use).await?, clock::now()))
    }

    /// As [`open`](Self::open), but only an existing database; a server's schema must be up to date.
    pub async fn open_existing(url: &DatabaseUrl) -> Result<Self, StoreError> {
        Ok(Self::on(Database::open_existing(url).await?, clock::now()))
    }

    fn on(database: Database, opened: Now) -> Self {
        Self { inner: Arc::new(Inner { database, keys: KeyCache::default(), creations: Running::default(), opened }) }
    }

    /// Whether pets can be listed and added now. Where none was added lately, that is found out by a write that
    /// leaves nothing behind.
    pub async fn ping(&self) -> Result<(), StoreFailure> {
        self.inner.database.ping().await?;
        self.inner.database.can_write().await
    }

    /// Whether pets can be listed now.
    pub async fn ping_for_reading(&self) -> Result<(), StoreFailure> {
        self.inner.database.ping().await
    }

    /// Commits what waits, then closes every connection. Whatever is asked of any clone afterwards is refused.
    pub async fn close(&self) {
        self.inner.database.close().await;
    }
}
