//! Either of the two databases.

use std::time::Duration;

use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::job::Work;
use super::postgres::Postgres;
use super::sqlite::{LogWatch, Sqlite};
use super::url::DatabaseUrl;
use super::{StoreError, StoreFailure};

/// How often to read what other processes have added, to a file and on a server.
const SQLITE_POLL: Duration = Duration::from_secs(1);
const POSTGRES_POLL: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(super) enum Database {
    Sqlite(Sqlite),
    Postgres(Box<Postgres>),
}

impl Database {
    /// Creates a file, and brings the schema up to date, as needed.
    pub(super) async fn open(url: &DatabaseUrl) -> Result<Self, StoreError> {
        match url.clone() {
            DatabaseUrl::Sqlite(path) => {
                let opened = spawn_blocking(move || Sqlite::open(&path)).await;
                Ok(Self::Sqlite(opened.map_err(|_| StoreFailure::Closed)??))
            }
            DatabaseUrl::Postgres(url) => {
                let postgres = Postgres::connect(&url).await?;
                postgres.migrate().await?;
                Ok(Self::Postgres(Box::new(postgres)))
            }
        }
    }

    /// As [`open`](Self::open), but only where the database is there.
    pub(super) async fn open_existing(url: &DatabaseUrl) -> Result<Self, StoreError> {
        match url {
            DatabaseUrl::Sqlite(path) if !path.exists() => {
                Err(StoreError::new(format!("there is no database {}", path.display())))
            }
            DatabaseUrl::Sqlite(_) => Self::open(url).await,
            DatabaseUrl::Postgres(url) => {
                let postgres = Postgres::connect(url).await?;
                postgres.require_schema().await?;
                Ok(Self::Postgres(Box::new(postgres)))
            }
        }
    }

    /// What `work` reads.
    pub(super) async fn read<W: Work>(&self, work: W) -> Result<W::Output, StoreFailure> {
        match self {
            Self::Sqlite(sqlite) => sqlite.readers.read(&work).await,
            Self::Postgres(postgres) => postgres.reads.work(work).await,
        }
    }

    /// What `work` wrote, once it is on disk. All or nothing of it is written; the work is not done where the caller
    /// has gone away before its turn came.
    pub(super) async fn write<W: Work>(&self, work: W) -> Result<W::Output, StoreFailure> {
        match self {
            Self::Sqlite(sqlite) => sqlite.writer.write(work).await,
            Self::Postgres(postgres) => postgres.writes.work(work).await,
        }
    }

    /// Writes `work` in the background, if possible; the result is dropped.
    pub(super) fn write_later<W: Work>(&self, work: W) {
        match self {
            Self::Sqlite(sqlite) => sqlite.writer.write_later(work),
            Self::Postgres(postgres) => postgres.write_later(work),
        }
    }

    /// The same in a transaction without the work of others.
    pub(super) async fn write_apart<W: Work>(&self, work: W) -> Result<W::Output, StoreFailure> {
        match self {
            Self::Sqlite(sqlite) => sqlite.writer.write(work).await,
            Self::Postgres(postgres) => postgres.writes_apart.work(work).await,
        }
    }

    /// Whether a commit is confirmed by other servers too, so that what is there is not all safe.
    pub(super) async fn is_replicated(&self) -> Result<bool, StoreFailure> {
        match self {
            Self::Sqlite(_) => Ok(false),
            Self::Postgres(postgres) => postgres.is_replicated().await,
        }
    }

    /// Whether it can be read, and its schema is one that this program can use.
    pub(super) async fn ping(&self) -> Result<(), StoreFailure> {
        match self {
            Self::Sqlite(sqlite) => sqlite.readers.ping().await,
            Self::Postgres(postgres) => postgres.ping().await,
        }
    }

    /// Whether pets can be added.
    pub(super) async fn can_write(&self) -> Result<(), StoreFailure> {
        match self {
            Self::Sqlite(sqlite) => sqlite.writer.can_write().await,
            Self::Postgres(postgres) => postgres.can_write().await,
        }
    }

    /// Changes when pets were added, as far as this process learns of it.
    pub(super) fn additions(&self) -> watch::Receiver<()> {
        match self {
            Self::Sqlite(sqlite) => sqlite.writer.additions(),
            Self::Postgres(postgres) => postgres.additions(),
        }
    }

    /// News that any process has written to the database; nothing on a server.
    pub(super) fn log_watch(&self) -> Option<LogWatch> {
        match self {
            Self::Sqlite(sqlite) => sqlite.log_watch(),
            Self::Postgres(_) => None,
        }
    }

    /// How often to read what was added, although nothing has changed that.
    pub(super) const fn poll_interval(&self) -> Duration {
        match self {
            Self::Sqlite(_) => SQLITE_POLL,
            Self::Postgres(_) => POSTGRES_POLL,
        }
    }

    /// Does what waits, then closes every connection.
    pub(super) async fn close(&self) {
        match self {
            Self::Sqlite(sqlite) => sqlite.close().await,
            Self::Postgres(postgres) => postgres.close().await,
        }
    }
}
