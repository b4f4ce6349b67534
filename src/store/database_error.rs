//! What a database refuses.

use std::error::Error;

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

/// What a database refuses, or answers against all expectation.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// SQLite.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL.
    #[error(transparent)]
    Postgres(tokio_postgres::Error),
    /// A prepared statement was not where it had been prepared.
    #[error("a connection pooler in transaction mode is in front of the database: add pgbouncer=true to its address")]
    Pooler(#[source] tokio_postgres::Error),
    /// A stored text that only this program writes is not as this program writes it.
    #[error("a stored text cannot be read")]
    Text(#[source] Box<dyn Error + Send + Sync>),
    /// A row that must be there is not.
    #[error("a row that was there is gone")]
    Vanished,
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.code() {
            Some(&SqlState::INVALID_SQL_STATEMENT_NAME | &SqlState::DUPLICATE_PSTATEMENT) => Self::Pooler(error),
            _ => Self::Postgres(error),
        }
    }
}

impl DatabaseError {
    /// The driver's error.
    pub(super) fn postgres(&self) -> Option<&tokio_postgres::Error> {
        match self {
            Self::Postgres(error) | Self::Pooler(error) => Some(error),
            Self::Sqlite(_) | Self::Text(_) | Self::Vanished => None,
        }
    }

    /// Whether it is about the written values (SQLSTATE classes 22 and 23), rather than the database.
    pub(super) fn is_about_data(&self) -> bool {
        match self {
            Self::Sqlite(error) => matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch)
            ),
            Self::Postgres(error) => error.code().is_some_and(|code| ["22", "23"].contains(&&code.code()[..2])),
            Self::Pooler(_) | Self::Text(_) | Self::Vanished => false,
        }
    }

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
            Self::Pooler(_) => "a connection pooler in transaction mode needs pgbouncer=true in the database address",
            Self::Text(_) | Self::Vanished => "the database does not work",
        }
    }
}
