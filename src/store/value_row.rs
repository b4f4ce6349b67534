//! A connection to either database, and the values that go to it and come from it.
//!
//! Only three kinds of values are used, which both databases have: whole numbers of 64 bits, text and bytes.

use std::error::Error;
use std::str::FromStr;

use parking_lot::Mutex;

pub(super) use super::database_error::DatabaseError;
pub(super) use super::value::Value;

use super::postgres::Session;
use crate::model::{ObservedStatus, Pet};

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

impl<'a> Connection<'a> {
    pub(super) fn sqlite(connection: &'a mut rusqlite::Connection) -> Self {
        Self::Sqlite(Mutex::new(connection))
    }

    /// What `read` makes of each row.
    pub(super) async fn rows<T: Send>(
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
    pub(super) async fn row<T: Send>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(Row<'_>) -> Result<T, DatabaseError> + Send,
    ) -> Result<Option<T>, DatabaseError> {
        Ok(self.rows(sql, values, read).await?.pop())
    }

    /// How many rows were written.
    pub(super) async fn execute(&self, sql: &str, values: &[Value<'_>]) -> Result<u64, DatabaseError> {
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
    pub(super) fn int<T>(&self, column: usize) -> Result<T, DatabaseError>
    where
        T: rusqlite::types::FromSql + for<'a> tokio_postgres::types::FromSql<'a>,
    {
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

    pub(super) fn optional_text(&self, column: usize) -> Result<Option<&str>, DatabaseError> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?),
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

/// The pet in a row.
pub(super) fn pet(row: Row<'_>) -> Result<Pet, DatabaseError> {
    let status = row.text(3)?;
    let status = status.parse().map_or_else(|_| ObservedStatus::Unknown(status.to_owned()), ObservedStatus::Known);
    Ok(Pet { id: row.int(0)?, name: row.text(1)?.to_owned(), category_id: row.int(2)?, status: Some(status) })
}
