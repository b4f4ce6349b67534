//! An open database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::SignedDuration;

use super::database::Database;
use super::error::{StoreError, StoreFailure};
use super::idempotency::Running;
use super::keys::KeyCache;
use super::url::DatabaseUrl;
use crate::clock::{self, Now};

/// A change of the clock that is worth a warning: more than is corrected in daily life.
const CLOCK_CHANGE: SignedDuration = SignedDuration::from_mins(5);

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
    pub(super) is_provenance_recorded: AtomicBool,
    /// Whether a change of the clock was logged.
    pub(super) clock_changed: AtomicBool,
}

impl Store {
    /// Opens the database, creating and migrating it as needed. No row is counted or read, so that a large store opens
    /// as fast as an empty one. Needs a tokio runtime.
    ///
    /// A new file is readable by its owner only (0600, in a directory made with 0700).
    pub async fn open(url: &DatabaseUrl) -> Result<Self, StoreError> {
        Ok(Self::on(Database::open(url).await?, clock::now()))
    }

    /// As [`open`](Self::open), but only an existing database; a server's schema must be up to date.
    pub async fn open_existing(url: &DatabaseUrl) -> Result<Self, StoreError> {
        Ok(Self::on(Database::open_existing(url).await?, clock::now()))
    }

    fn on(database: Database, opened: Now) -> Self {
        let (keys, creations, clock_changed) = (KeyCache::default(), Running::default(), AtomicBool::new(false));
        let is_provenance_recorded = AtomicBool::new(true);
        Self { inner: Arc::new(Inner { database, keys, creations, opened, is_provenance_recorded, clock_changed }) }
    }

    /// Logs once if the clock was changed while the database was open: the expiry of keys and the times of pets follow it.
    pub(super) fn watch_clock(&self, now: Now) {
        let Inner { opened, clock_changed, .. } = &*self.inner;
        let change = now.clock_change_since(*opened);
        if change.abs() >= CLOCK_CHANGE && !clock_changed.swap(true, Ordering::Relaxed) {
            let seconds = change.as_secs();
            tracing::warn!(
                seconds,
                "the system clock was changed, or the machine slept; API keys expire by this clock"
            );
        }
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
