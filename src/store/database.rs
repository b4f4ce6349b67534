//! An open database, which is either of two.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::error::{StoreError, StoreFailure};
use super::idempotency::Running;
use super::job::Heartbeat;
use super::keys::KeyCache;
use super::postgres::Postgres;
use super::sqlite::{LogWatch, Sqlite};
use super::url::DatabaseUrl;
use super::{Connection, DbResult, FailureKind, Outcome, Query, Result, Work, sql};
use crate::clock::{self, Now};

/// How often to read what other processes have added, to a file and on a server.
const SQLITE_POLL: Duration = Duration::from_secs(1);
const POSTGRES_POLL: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub enum Database {
    Sqlite(Sqlite),
    Postgres(Box<Postgres>),
}

impl Database {
    /// Brings the schema up to date and creates a file, as needed, if it `migrates`; else the database must be there, and a
    /// server's schema up to date.
    pub async fn open(url: &DatabaseUrl, migrates: bool) -> Result<Self> {
        match url.clone() {
            DatabaseUrl::Sqlite(path) if !migrates && !path.exists() => {
                Err(StoreError::new(format!("there is no database {}", path.display())))
            }
            DatabaseUrl::Sqlite(path) => {
                let opened = spawn_blocking(move || Sqlite::open(&path)).await;
                Ok(Self::Sqlite(opened.map_err(|_| StoreFailure::from(FailureKind::Closed))??))
            }
            DatabaseUrl::Postgres(url) => {
                let postgres = Postgres::connect(&url).await?;
                if migrates {
                    postgres.migrate().await?
                } else {
                    postgres.require_schema().await?
                }
                Ok(Self::Postgres(Box::new(postgres)))
            }
        }
    }

    /// What `work` reads.
    pub async fn read<W: Work>(&self, work: W) -> Outcome<W::Output> {
        match self {
            Self::Sqlite(sqlite) => sqlite.readers.read(&work).await,
            Self::Postgres(postgres) => postgres.reads.work(work).await,
        }
    }

    /// What `work` wrote, once it is on disk. All or nothing of it is written; the work is not done where the caller
    /// has gone away before its turn came.
    pub async fn write<W: Work>(&self, work: W) -> Outcome<W::Output> {
        match self {
            Self::Sqlite(sqlite) => sqlite.writes.work(work).await,
            Self::Postgres(postgres) => postgres.writes.work(work).await,
        }
    }

    /// Writes `work` in the background, if possible; the result is dropped.
    pub fn write_later<W: Work>(&self, work: W) {
        match self {
            Self::Sqlite(sqlite) => sqlite.writes.work_later(work),
            Self::Postgres(postgres) => postgres.write_later(work),
        }
    }

    /// Where commits wait for standbys, not all that can be seen survives a failover, which gives its ids to other pets:
    /// someone may have cancelled the wait. There, this reads in a transaction whose commit waits for all before it; in a
    /// separate one, where it sees nothing that is taken back before the commit.
    pub async fn confirmed<W: Work>(&self, work: W) -> Outcome<Option<W::Output>> {
        match self {
            Self::Postgres(postgres) if self.is_replicated().await? => {
                postgres.writes_apart.work(Confirmed(work, Heartbeat::new())).await.map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Whether a commit is confirmed by other servers too, so that what is there is not all safe; or this is such a server:
    /// one that led until just now is named by no other, and still shows what it alone has.
    pub async fn is_replicated(&self) -> Outcome<bool> {
        let Self::Postgres(postgres) = self else { return Ok(false) };
        Ok(!postgres.reads.work(Query(sql::IS_REPLICATED, [], |_| Ok(()))).await?.is_empty())
    }

    /// What changes when pets were added, as far as this process learns of it; how often to read what other processes have
    /// added, although nothing has changed that; and news that any process has written to the database, of a file.
    pub fn news(&self) -> (watch::Receiver<()>, Duration, Option<LogWatch>) {
        match self {
            Self::Sqlite(sqlite) => (sqlite.writes.additions(), SQLITE_POLL, sqlite.files.log_watch()),
            Self::Postgres(postgres) => (postgres.writes.additions(), POSTGRES_POLL, None),
        }
    }

    /// Does what waits, then closes every connection.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(sqlite) => sqlite.close().await,
            Self::Postgres(postgres) => postgres.close().await,
        }
    }
}

/// What is read, and something that has to be committed.
struct Confirmed<W>(W, Heartbeat);

impl<W: Work> Work for Confirmed<W> {
    type Output = W::Output;

    async fn run(&self, on: &Connection<'_>) -> DbResult<W::Output> {
        let output = self.0.run(on).await?;
        self.1.run(on).await?;
        Ok(output)
    }
}

/// A change of the clock that is worth a warning: more than is corrected in daily life.
const CLOCK_CHANGE: SignedDuration = SignedDuration::from_mins(5);

/// An open database. Cloning is cheap and shares it.
#[derive(Clone, Debug)]
pub struct Store {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub struct Inner {
    pub database: Database,
    pub keys: KeyCache,
    pub creations: Running,
    pub opened: Now,
    pub is_provenance_recorded: AtomicBool,
    /// Whether a change of the clock was logged.
    pub clock_changed: AtomicBool,
}

impl Store {
    /// Opens the database, creating and migrating it as needed. No row is counted or read, so that a large store opens
    /// as fast as an empty one. Needs a tokio runtime.
    ///
    /// A new file is readable by its owner only (0600, in a directory made with 0700).
    pub async fn open(url: &DatabaseUrl) -> Result<Self> {
        Ok(Self::on(Database::open(url, true).await?))
    }

    /// As [`open`](Self::open), but only an existing database; a server's schema must be up to date.
    pub async fn open_existing(url: &DatabaseUrl) -> Result<Self> {
        Ok(Self::on(Database::open(url, false).await?))
    }

    fn on(database: Database) -> Self {
        let (keys, creations, opened) = (KeyCache::default(), Running::default(), clock::now());
        let (is_provenance_recorded, clock_changed) = (true.into(), false.into());
        Self { inner: Arc::new(Inner { database, keys, creations, opened, is_provenance_recorded, clock_changed }) }
    }

    /// Logs once if the clock was changed while the database was open: the expiry of keys and the times of pets follow it.
    pub(super) fn watch_clock(&self, now: Now) {
        let Inner { opened, clock_changed, .. } = &*self.inner;
        let change = now.clock_change_since(*opened);
        if change.abs() >= CLOCK_CHANGE && !clock_changed.swap(true, Ordering::Relaxed) {
            let why = "the system clock was changed, or the machine slept; API keys expire by this clock";
            tracing::warn!(seconds = change.as_secs(), "{why}");
        }
    }

    /// Whether pets can be listed and added now. Where none was added lately, that is found out by a write that
    /// leaves nothing behind.
    pub async fn ping(&self) -> Outcome {
        self.ping_for_reading().await?;
        match &self.inner.database {
            Database::Sqlite(sqlite) => sqlite.can_write().await,
            Database::Postgres(postgres) => postgres.can_write().await,
        }
    }

    /// Whether pets can be listed now, and the schema is one that this program can use.
    pub async fn ping_for_reading(&self) -> Outcome {
        match &self.inner.database {
            Database::Sqlite(sqlite) => sqlite.readers.ping().await,
            Database::Postgres(postgres) => postgres.ping().await,
        }
    }

    /// Commits what waits, then closes every connection. Whatever is asked of any clone afterwards is refused.
    pub async fn close(&self) {
        self.inner.database.close().await;
    }
}
