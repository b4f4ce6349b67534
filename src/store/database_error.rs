//! What a database refuses.

use std::collections::BTreeMap;
use std::error::Error;

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

use crate::model::text::short;

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
    #[error(
        "a connection pooler is in front of the database: it must be PgBouncer 1.21 or later with max_prepared_statements, \
         and with ignore_startup_parameters = options"
    )]
    Pooler(#[source] tokio_postgres::Error),
    /// A stored text that only this program writes is not as this program writes it.
    #[error("a stored text cannot be read")]
    Text(#[source] Box<dyn Error + Send + Sync>),
    /// Something in the schema is not as this program has made it, so that pets could be refused, or lost. Carries what
    /// differs, safe to show.
    #[error("the schema of the database was changed by another program ({0}): undo that")]
    Changed(String),
    /// A row that must be there is not.
    #[error("a row that was there is gone")]
    Vanished,
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        // The settings of the session were refused, or it was given to others after a statement was prepared.
        let is_of_pooler = match error.code() {
            Some(&SqlState::INVALID_SQL_STATEMENT_NAME | &SqlState::DUPLICATE_PSTATEMENT) => true,
            Some(&SqlState::PROTOCOL_VIOLATION) => {
                error.as_db_error().is_some_and(|error| error.message().starts_with("unsupported startup parameter"))
            }
            _ => false,
        };
        if is_of_pooler { Self::Pooler(error) } else { Self::Postgres(error) }
    }
}

impl DatabaseError {
    /// The driver's error.
    pub(super) fn postgres(&self) -> Option<&tokio_postgres::Error> {
        match self {
            Self::Postgres(error) | Self::Pooler(error) => Some(error),
            Self::Sqlite(_) | Self::Text(_) | Self::Changed(_) | Self::Vanished => None,
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
            Self::Pooler(_) | Self::Text(_) | Self::Changed(_) | Self::Vanished => false,
        }
    }

    pub(super) fn kind(&self) -> FailureKind {
        match self {
            Self::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::ReadOnly) => FailureKind::ReadOnly,
                Some(ErrorCode::DiskFull) => FailureKind::DiskFull,
                Some(ErrorCode::DatabaseBusy) => FailureKind::Locked,
                _ => FailureKind::Database,
            },
            Self::Postgres(error) => match error.code() {
                Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => FailureKind::ReadOnly,
                Some(&SqlState::DISK_FULL) => FailureKind::DiskFull,
                Some(&SqlState::INSUFFICIENT_PRIVILEGE) => FailureKind::Privilege,
                _ => FailureKind::Database,
            },
            Self::Pooler(_) => FailureKind::Pooler,
            Self::Changed(_) => FailureKind::Schema,
            Self::Text(_) | Self::Vanished => FailureKind::Database,
        }
    }

    pub(super) fn in_short(&self) -> String {
        let what = match self.kind() {
            FailureKind::ReadOnly => "the database is read-only",
            FailureKind::DiskFull => "the disk of the database is full",
            FailureKind::Locked => "another process holds the database",
            FailureKind::Privilege => "the role at the database lacks a privilege",
            FailureKind::Pooler | FailureKind::Schema => return self.to_string(),
            _ => "the database does not work",
        };
        what.to_owned()
    }
}

/// A closed list, so that it can be a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "each name says what it is")]
pub enum FailureKind {
    Timeout,
    QueueFull,
    ReadOnly,
    Closed,
    NoConnection,
    UnknownOutcome,
    Conflicts,
    Stuck,
    DiskFull,
    Locked,
    Privilege,
    Pooler,
    Schema,
    Database,
    Other,
}

/// The statements that change the tables of one kind of database, in order.
macro_rules! migrations {
    ($kind:literal, $($name:literal),*) => {
        [$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/migrations/", $kind, "/", $name, ".sql"))),*]
    };
}
pub(super) use migrations;

/// The most differences that are named.
const MOST: usize = 5;

/// What a schema consists of: each object by its kind and name, and how it is defined.
pub(super) type Objects<T> = BTreeMap<String, T>;

/// An error that says how `found` differs from `ours`.
pub(super) fn require_same<T: PartialEq>(ours: &Objects<T>, found: &Objects<T>) -> Result<(), DatabaseError> {
    let missing =
        ours.keys().filter(|name| !found.contains_key(*name)).map(|name| format!("{} is missing", short(name)));
    let other = found.iter().filter_map(|(name, definition)| match ours.get(name) {
        None => Some(format!("{} was added", short(name))),
        Some(ours) => (ours != definition).then(|| format!("{} was changed", short(name))),
    });
    let all: Vec<_> = missing.chain(other).take(MOST).collect();
    if all.is_empty() { Ok(()) } else { Err(DatabaseError::Changed(all.join(", "))) }
}

/// Why a text is not the address of a database. Repeats nothing that could be a password.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DatabaseUrlError(pub(super) String);
