//! A connection to either database, and the values that go to it and come from it.
//!
//! Only three kinds of values are used, which both databases have: whole numbers of 64 bits, text and bytes.

use std::error::Error;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

use super::postgres::Session;

/// One value of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Int(i64),
    OptionalInt(Option<i64>),
    Text(&'a str),
    Bytes(&'a [u8]),
}

/// Where statements run.
pub(super) enum Connection<'a> {
    /// The lock is never contended: it lets work that runs on SQLite be sent between threads, as the other needs.
    Sqlite(Mutex<&'a mut rusqlite::Connection>),
    Postgres(&'a Session),
}

/// One row of an answer.
pub(super) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

/// What a database refuses, or answers against all expectation.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// SQLite.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL.
    #[error(transparent)]
    Postgres(#[from] tokio_postgres::Error),
    /// A stored text that only this program writes is not as this program writes it.
    #[error("a stored text cannot be read")]
    Text(#[source] Box<dyn Error + Send + Sync>),
    /// A row that must be there is not.
    #[error("a row that was there is gone")]
    Vanished,
}

impl DatabaseError {
    pub(super) fn in_short(&self) -> &'static str {
        const READ_ONLY: &str = "the database is read-only";
        const FULL: &str = "the disk of the database is full";
        match self {
            Self::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::ReadOnly) => READ_ONLY,
                Some(ErrorCode::DiskFull) => FULL,
                Some(ErrorCode::DatabaseBusy) => "another process holds the database",
                _ => "the database does not work",
            },
            Self::Postgres(error) => match error.code() {
                Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => READ_ONLY,
                Some(&SqlState::DISK_FULL) => FULL,
                Some(&SqlState::INSUFFICIENT_PRIVILEGE) => "the role at the database lacks a privilege",
                _ => "the database does not work",
            },
            Self::Text(_) | Self::Vanished => "the database does not work",
        }
    }
}

impl<'a> Connection<'a> {
    pub(super) fn sqlite(connection: &'a mut rusqlite::Connection) -> Self {
        Self::Sqlite(Mutex::new(connection))
    }

    /// What `read` makes of each row.
    pub(super) async fn rows<T: Send>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        read: impl Fn(Row<'_>) -> Result<T, DatabaseError> + Send,
    ) -> Result<Vec<T>, DatabaseError> {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
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

    /// What `read` makes of the one row, where there is one.
    pub(super) async fn row<T: Send>(
        &self,
        sql: &'static str,
        values: &[Value<'_>],
        read: impl Fn(Row<'_>) -> Result<T, DatabaseError> + Send,
    ) -> Result<Option<T>, DatabaseError> {
        Ok(self.rows(sql, values, read).await?.pop())
    }

    /// How many rows were written.
    pub(super) async fn execute(&self, sql: &'static str, values: &[Value<'_>]) -> Result<u64, DatabaseError> {
        match self {
            Self::Sqlite(connection) => {
                let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                let written = connection.prepare_cached(sql)?.execute(rusqlite::params_from_iter(values))?;
                Ok(written as u64)
            }
            Self::Postgres(session) => session.execute(sql, values).await,
        }
    }
}

impl Row<'_> {
    pub(super) fn int(&self, column: usize) -> Result<i64, DatabaseError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(super) fn optional_int(&self, column: usize) -> Result<Option<i64>, DatabaseError> {
        match self {
            Self::Sqlite(row) => Ok(row.get(column)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(super) fn text(&self, column: usize) -> Result<&str, DatabaseError> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }

    pub(super) fn bytes<const N: usize>(&self, column: usize) -> Result<[u8; N], DatabaseError> {
        let bytes: &[u8] = match self {
            Self::Sqlite(row) => row.get_ref(column)?.as_blob().map_err(rusqlite::Error::from)?,
            Self::Postgres(row) => row.try_get(column)?,
        };
        bytes.try_into().map_err(|error| DatabaseError::Text(Box::new(error)))
    }

    /// A text that stands for something else.
    pub(super) fn parsed<T>(&self, column: usize) -> Result<T, DatabaseError>
    where
        T: FromStr<Err: Error + Send + Sync + 'static>,
    {
        self.text(column)?.parse().map_err(|error| DatabaseError::Text(Box::new(error)))
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(match *self {
            Self::Int(number) => number.into(),
            Self::OptionalInt(number) => number.map_or_else(|| rusqlite::types::Null.into(), Into::into),
            Self::Text(text) => text.into(),
            Self::Bytes(bytes) => bytes.into(),
        })
    }
}
