//! Pieces of work, each written once for both databases: what they run on, and the values that come from it.
//!
//! Only three kinds of values are used, which both databases have: whole numbers of 64 bits, text and bytes.

use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use parking_lot::Mutex;
use rusqlite::params_from_iter;
use uuid::Uuid;

pub use super::error::DatabaseError;
use super::error::DbResult;
pub use super::sql::Value;

use super::postgres::Session;
use super::sql;
use crate::model::{ObservedStatus, Pet};

/// What reads, or writes in one transaction.
pub trait Work: Send + Sync + 'static {
    type Output: Send + 'static;

    /// Whether it is a single statement on PostgreSQL: alone it needs no explicit transaction, and with others a COMMIT
    /// can follow before it is answered.
    const IS_ONE_STATEMENT: bool = false;

    /// Whether it adds or changes pets.
    const WRITES_PETS: bool = false;

    /// May be called again where the database asks to repeat a transaction; nothing beside it is touched. On SQLite
    /// every statement is ready at once, so that this never waits.
    fn run(&self, on: &Connection<'_>) -> impl Future<Output = DbResult<Self::Output>> + Send;
}

/// A statement with its values, and what is made of each row that it finds.
pub struct Query<T, const N: usize = 0>(pub &'static str, pub [Value<'static>; N], pub fn(Row<'_>) -> DbResult<T>);

impl<T: Send + 'static, const N: usize> Work for Query<T, N> {
    type Output = Vec<T>;

    const IS_ONE_STATEMENT: bool = true;

    async fn run(&self, on: &Connection<'_>) -> DbResult<Vec<T>> {
        on.rows(self.0, &self.1, self.2).await
    }
}

/// How long a caller waits for a heartbeat.
pub const HEARTBEAT_TIME: Duration = Duration::from_millis(1500);

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

    async fn run(&self, on: &Connection<'_>) -> DbResult<()> {
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
        read: impl Fn(Row<'_>) -> DbResult<T> + Send,
    ) -> DbResult<Vec<T>> {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock();
                let mut statement = connection.prepare_cached(sql)?;
                let rows = statement.query_and_then(params_from_iter(values), |row| read(Row::Sqlite(row)))?;
                rows.collect()
            }
            Self::Postgres(session) => session.rows(sql, values, |row| read(Row::Postgres(row))).await,
        }
    }

    /// How many rows were written.
    pub async fn execute(&self, sql: &str, values: &[Value<'_>]) -> DbResult<u64> {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock();
                let written = connection.prepare_cached(sql)?.execute(params_from_iter(values))?;
                Ok(written as u64)
            }
            Self::Postgres(session) => session.execute(sql, values).await,
        }
    }
}

impl Row<'_> {
    /// A number or a text, or one that may be missing.
    pub fn get<T>(&self, column: usize) -> DbResult<T>
    where
        T: rusqlite::types::FromSql + for<'a> tokio_postgres::types::FromSql<'a>,
    {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub fn text(&self, column: usize) -> DbResult<&str> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub fn bytes<const N: usize>(&self, column: usize) -> DbResult<[u8; N]> {
        let bytes: &[u8] = match self {
            Self::Sqlite(row) => row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?,
            Self::Postgres(row) => row.try_get(column)?,
        };
        bytes.try_into().map_err(|error| DatabaseError::Text(Box::new(error)))
    }

    /// A text that stands for something else.
    pub fn parsed<T>(&self, column: usize) -> DbResult<T>
    where
        T: FromStr<Err: Error + Send + Sync + 'static>,
    {
        self.text(column)?.parse().map_err(|error| DatabaseError::Text(Box::new(error)))
    }
}

/// The pet in a row.
pub fn pet(row: Row<'_>) -> DbResult<Pet> {
    let status = row.text(3)?;
    let status = status.parse().map_or_else(|_| ObservedStatus::Unknown(status.to_owned()), ObservedStatus::Known);
    Ok(Pet { id: row.get(0)?, name: row.text(1)?.to_owned(), category_id: row.get(2)?, status: Some(status) })
}
