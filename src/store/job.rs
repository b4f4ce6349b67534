//! Pieces of work, each written once for both databases: what they run on, and the values that come from it.
//!
//! Only three kinds of values are used, which both databases have: whole numbers of 64 bits, text and bytes.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

pub use super::error::DatabaseError;
pub use super::sql::Value;

use super::postgres::Session;
use super::{StoreFailure, sql};
use crate::model::{ObservedStatus, Pet};

/// What reads, or writes in one transaction.
pub trait Work: Send + Sync + 'static {
    type Output: Send + 'static;

    /// Whether it is a single statement on PostgreSQL: alone it needs no explicit transaction, and with others a COMMIT
    /// can follow before it is answered.
    const IS_ONE_STATEMENT: bool = false;

    /// Whether it adds pets.
    const ADDS_PETS: bool = false;

    /// May be called again where the database asks to repeat a transaction; nothing beside it is touched. On SQLite
    /// every statement is ready at once, so that this never waits.
    fn run(&self, on: &Connection<'_>) -> impl Future<Output = Result<Self::Output, DatabaseError>> + Send;
}

/// A statement with its values, and what is made of each row that it finds.
pub struct Query<T, const N: usize = 0>(
    pub &'static str,
    pub [Value<'static>; N],
    pub fn(Row<'_>) -> Result<T, DatabaseError>,
);

impl<T: Send + 'static, const N: usize> Work for Query<T, N> {
    type Output = Vec<T>;

    async fn run(&self, on: &Connection<'_>) -> Result<Vec<T>, DatabaseError> {
        on.rows(self.0, &self.1, self.2).await
    }
}

/// Work of any kind, with the receiver of its result.
pub trait Job: Send {
    /// Whether a caller still waits for it. A caller that gave up may retry, so an abandoned write must not be done as
    /// well.
    fn is_wanted(&self) -> bool;

    /// See [`Work::IS_ONE_STATEMENT`].
    fn is_one_statement(&self) -> bool;

    fn adds_pets(&self) -> bool;

    fn run<'a>(&'a mut self, on: &'a Connection<'_>) -> BoxFuture<'a, Result<(), DatabaseError>>;

    fn end(self: Box<Self>, ended: Result<(), StoreFailure>);
}

/// A piece of work as a job, with the waiting caller, if there is one.
struct Task<W: Work> {
    work: W,
    output: Option<W::Output>,
    reply: Option<oneshot::Sender<Result<W::Output, StoreFailure>>>,
}

impl<W: Work> Job for Task<W> {
    fn is_wanted(&self) -> bool {
        self.reply.as_ref().is_none_or(|reply| !reply.is_closed())
    }

    fn is_one_statement(&self) -> bool {
        W::IS_ONE_STATEMENT
    }

    fn adds_pets(&self) -> bool {
        W::ADDS_PETS
    }

    fn run<'a>(&'a mut self, on: &'a Connection<'_>) -> BoxFuture<'a, Result<(), DatabaseError>> {
        Box::pin(async {
            self.output = Some(self.work.run(on).await?);
            Ok(())
        })
    }

    fn end(self: Box<Self>, ended: Result<(), StoreFailure>) {
        let Self { work, output, reply, .. } = *self;
        // What it holds is free before the caller goes on.
        drop(work);
        if let Some(reply) = reply {
            // The caller may have gone away.
            let _ = reply.send(ended.and_then(|()| output.ok_or(StoreFailure::Closed)));
        }
    }
}

/// Where what became of a job arrives.
pub type Outcome<W> = oneshot::Receiver<Result<<W as Work>::Output, StoreFailure>>;

/// A job, and its outcome.
pub fn awaited<W: Work>(work: W) -> (Box<dyn Job>, Outcome<W>) {
    let (reply, outcome) = oneshot::channel();
    (Box::new(Task { work, output: None, reply: Some(reply) }), outcome)
}

/// A job without a waiting caller.
pub fn unawaited<W: Work>(work: W) -> Box<dyn Job> {
    Box::new(Task { work, output: None, reply: None })
}

/// How many jobs may wait in a queue. One more is refused rather than kept.
pub const QUEUE: usize = 1024;

/// Puts a job into a queue; `jobs` is `None` once it is closed.
pub fn queue(jobs: Option<&mpsc::Sender<Box<dyn Job>>>, job: Box<dyn Job>) -> Result<(), StoreFailure> {
    jobs.ok_or(StoreFailure::Closed)?.try_send(job).map_err(|error| match error {
        TrySendError::Full(_) => StoreFailure::QueueFull,
        TrySendError::Closed(_) => StoreFailure::Closed,
    })
}

/// How long a caller waits for it.
pub const BEAT_TIME: Duration = Duration::from_millis(1500);

/// Writes as adding a pet does, and leaves nothing behind.
pub struct Heartbeat(String);

impl Heartbeat {
    /// No two of them write the same row, so that no instance waits for another.
    pub fn new() -> Self {
        Self(Uuid::new_v4().to_string())
    }
}

impl Work for Heartbeat {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        on.execute(sql::MAY_ADD, &[]).await?;
        let key = Value::Text(&self.0);
        on.execute(sql::ADD_HEARTBEAT, &[key, Value::Bytes(&[0; 32])]).await?;
        on.execute(sql::END_HEARTBEAT, &[key]).await.map(drop)
    }
}

/// Where statements run.
pub enum Connection<'a> {
    /// The lock is never contended: it lets work that runs on SQLite be sent between threads, as the other needs.
    Sqlite(Mutex<&'a mut rusqlite::Connection>),
    Postgres(&'a Session),
}

/// One row of an answer.
pub enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl<'a> Connection<'a> {
    pub fn sqlite(connection: &'a mut rusqlite::Connection) -> Self {
        Self::Sqlite(Mutex::new(connection))
    }

    /// What `read` makes of each row.
    pub async fn rows<T: Send>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(Row<'_>) -> Result<T, DatabaseError> + Send,
    ) -> Result<Vec<T>, DatabaseError> {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock();
                let mut statement = connection.prepare_cached(sql)?;
                let mut rows = statement.query(rusqlite::params_from_iter(values))?;
                let mut all = Vec::new();
                while let Some(row) = rows.next()? {
                    all.push(read(Row::Sqlite(row))?);
                }
                Ok(all)
            }
            Self::Postgres(session) => session.rows(sql, values, |row| read(Row::Postgres(row))).await,
        }
    }

    /// What `read` makes of the one row, if there is one.
    pub async fn row<T: Send>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(Row<'_>) -> Result<T, DatabaseError> + Send,
    ) -> Result<Option<T>, DatabaseError> {
        Ok(self.rows(sql, values, read).await?.pop())
    }

    /// How many rows were written.
    pub async fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, DatabaseError> {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock();
                let written = connection.prepare_cached(sql)?.execute(rusqlite::params_from_iter(values))?;
                Ok(written as u64)
            }
            Self::Postgres(session) => session.execute(sql, values).await,
        }
    }
}

impl Row<'_> {
    /// An `i64`, or one that may be missing.
    pub fn int<T>(&self, column: usize) -> Result<T, DatabaseError>
    where
        T: rusqlite::types::FromSql + for<'a> tokio_postgres::types::FromSql<'a>,
    {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub fn text(&self, column: usize) -> Result<&str, DatabaseError> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub fn optional_text(&self, column: usize) -> Result<Option<&str>, DatabaseError> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub fn bytes<const N: usize>(&self, column: usize) -> Result<[u8; N], DatabaseError> {
        let bytes: &[u8] = match self {
            Self::Sqlite(row) => row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?,
            Self::Postgres(row) => row.try_get(column)?,
        };
        bytes.try_into().map_err(|error| DatabaseError::Text(Box::new(error)))
    }

    /// A text that stands for something else.
    pub fn parsed<T>(&self, column: usize) -> Result<T, DatabaseError>
    where
        T: FromStr<Err: Error + Send + Sync + 'static>,
    {
        self.text(column)?.parse().map_err(|error| DatabaseError::Text(Box::new(error)))
    }
}

/// The pet in a row.
pub fn pet(row: Row<'_>) -> Result<Pet, DatabaseError> {
    let status = row.text(3)?;
    let status = status.parse().map_or_else(|_| ObservedStatus::Unknown(status.to_owned()), ObservedStatus::Known);
    Ok(Pet { id: row.int(0)?, name: row.text(1)?.to_owned(), category_id: row.int(2)?, status: Some(status) })
}
