//! A whole store from one database to another: pets with their ids, API keys, what was done to them, and the
//! Idempotency-Keys.
//!
//! The source is read as it is at one moment. The target gets everything in one transaction, in which every row is compared
//! with the source: it has all of it then, or nothing.

mod tables;

use std::os::unix::fs::MetadataExt as _;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::try_join_all;
use tokio::task::yield_now;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::tables::{Record, Sum, TABLES, Table};
use super::database::Database;
use super::postgres::{ANSWER_TIME, Session};
use super::value_row::{Connection, DatabaseError};
use super::{DatabaseUrl, StoreError, StoreFailure, postgres, sql, sqlite};

/// Rows at a time: enough to be fast, few enough for little memory.
const AT_ONCE: i64 = 5000;

/// How far a copy is. It can be read at any time.
#[derive(Debug, Default)]
pub struct CopyProgress {
    copied: AtomicU64,
    verified: AtomicU64,
}

/// What a copy has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopySummary {
    /// Pets that this copy has added: none where the target had all of them.
    pub added: u64,
    /// Pets in both databases now, each with the same id, name, category, status and time.
    pub pets: u64,
}

/// Why a store was not copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// One of the databases cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Both are the same.
    #[error("a store cannot be copied onto itself")]
    Same,
    /// One of them could not be read or written.
    #[error("cannot copy to {database}: run the same command again")]
    Failed {
        /// The target.
        database: DatabaseUrl,
        /// What one of them answered.
        source: StoreFailure,
    },
    /// The target does not contain the same rows.
    #[error("{database} has {table} that are not those of the store: choose an empty database")]
    Differs {
        /// The target.
        database: DatabaseUrl,
        /// Which rows.
        table: &'static str,
    },
    /// It was called off.
    #[error("stopped; nothing was copied")]
    Cancelled,
}

impl CopyProgress {
    /// Pets that were read from the source, and that were read again at the target.
    pub fn counts(&self) -> [u64; 2] {
        [&self.copied, &self.verified].map(|count| count.load(Ordering::Relaxed))
    }
}

/// Copies all of `from` to `to`, which is made as needed, and verifies it. Ends early once `cancel` is cancelled.
pub async fn copy(
    from: &DatabaseUrl,
    to: &DatabaseUrl,
    progress: &CopyProgress,
    cancel: &CancellationToken,
) -> Result<CopySummary, CopyError> {
    if from == to || is_one_file(from, to) {
        return Err(CopyError::Same);
    }
    let mut source = End::source(from).await?;
    Database::open(to).await?.close().await;
    let mut target = End::target(to).await?;
    let failed = |source| CopyError::Failed { database: to.clone(), source };
    let mut is_empty = true;
    for table in &TABLES {
        is_empty &= target.page(table, None).await.map_err(failed)?.is_empty();
    }
    let mut sums = [Sum::default(); TABLES.len()];
    for (table, sum) in TABLES.iter().zip(&mut sums) {
        let (mut last, count) = (None, table.is_of_pets().then_some(&progress.copied));
        while let Some(rows) = source.next(table, &mut last, (sum, count), cancel).await.map_err(failed)? {
            if is_empty {
                target.import(table, &rows).await.map_err(failed)?;
            }
        }
    }
    for (table, sum) in TABLES.iter().zip(&sums) {
        let (mut last, mut there) = (None, Sum::default());
        let count = table.is_of_pets().then_some(&progress.verified);
        while target.next(table, &mut last, (&mut there, count), cancel).await.map_err(failed)?.is_some() {}
        if cancel.is_cancelled() {
            return Err(CopyError::Cancelled);
        }
        if there != *sum {
            return Err(CopyError::Differs { database: to.clone(), table: table.name });
        }
    }
    target.commit().await.map_err(failed)?;
    let pets = sums[0].rows;
    Ok(CopySummary { added: if is_empty { pets } else { 0 }, pets })
}

/// Whether two names are those of one file.
pub(super) fn is_one_file(from: &DatabaseUrl, to: &DatabaseUrl) -> bool {
    let file = |url: &DatabaseUrl| match url {
        DatabaseUrl::Sqlite(path) => std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino())),
        DatabaseUrl::Postgres(_) => None,
    };
    file(from).is_some_and(|from| file(to) == Some(from))
}

/// A connection in a transaction. Without [`commit`](Self::commit), what it has written is taken back.
enum End {
    Sqlite(rusqlite::Connection),
    Postgres(Session),
}

impl End {
    /// As it is at one moment.
    async fn source(url: &DatabaseUrl) -> Result<Self, StoreError> {
        match url {
            DatabaseUrl::Sqlite(path) => Ok(Self::Sqlite(sqlite::moment(path)?)),
            DatabaseUrl::Postgres(url) => Ok(Self::Postgres(postgres::begin(url, sql::BEGIN_TO_READ).await?)),
        }
    }

    /// While nobody else writes to it.
    async fn target(url: &DatabaseUrl) -> Result<Self, StoreError> {
        match url {
            DatabaseUrl::Sqlite(path) => Ok(Self::Sqlite(sqlite::begin(path)?)),
            DatabaseUrl::Postgres(url) => Ok(Self::Postgres(postgres::begin(url, sql::BEGIN_TO_WRITE).await?)),
        }
    }

    fn on(&mut self) -> Connection<'_> {
        match self {
            Self::Sqlite(connection) => Connection::sqlite(connection),
            Self::Postgres(session) => Connection::Postgres(session),
        }
    }

    async fn page(&mut self, table: &Table, last: Option<&Record>) -> Result<Vec<Record>, StoreFailure> {
        in_time(table.page(&self.on(), last, AT_ONCE)).await
    }

    /// The rows after `last`, which are summed and counted; nothing at the end, or once it is called off.
    async fn next(
        &mut self,
        table: &Table,
        last: &mut Option<Record>,
        (sum, count): (&mut Sum, Option<&AtomicU64>),
        cancel: &CancellationToken,
    ) -> Result<Option<Vec<Record>>, StoreFailure> {
        // SQLite never waits; others may have something to do.
        yield_now().await;
        if cancel.is_cancelled() {
            return Ok(None);
        }
        let rows = self.page(table, last.as_ref()).await?;
        let Some(end) = rows.last() else { return Ok(None) };
        *last = Some(end.clone());
        rows.iter().for_each(|row| sum.add(row));
        count.inspect(|count| _ = count.fetch_add(rows.len() as u64, Ordering::Relaxed));
        Ok(Some(rows))
    }

    async fn import(&mut self, table: &Table, rows: &[Record]) -> Result<(), StoreFailure> {
        let (on, sql) = (self.on(), table.import());
        let import = async |row: &Record| on.execute(&sql, &row.values().collect::<Vec<_>>()).await;
        in_time(try_join_all(rows.iter().map(import))).await.map(drop)
    }

    /// Makes the ids of later pets start after the copied ones, which SQLite does itself, and commits.
    async fn commit(&mut self) -> Result<(), StoreFailure> {
        let commit = async {
            match &self {
                Self::Sqlite(connection) => Ok(connection.execute_batch("COMMIT")?),
                Self::Postgres(session) => {
                    for sql in sql::GO_ON_WITH_IDS {
                        session.execute(sql, &[]).await?;
                    }
                    session.batch("COMMIT").await
                }
            }
        };
        in_time(commit).await
    }
}

async fn in_time<T>(work: impl Future<Output = Result<T, DatabaseError>>) -> Result<T, StoreFailure> {
    Ok(timeout(ANSWER_TIME, work).await.map_err(|_| StoreFailure::NoAnswer)??)
}
