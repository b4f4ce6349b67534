//! What can go wrong with the database.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::database_error::{DatabaseError, FailureKind};
use super::url::DatabaseUrl;
use crate::model::FieldError;

/// The schema version by which earlier versions of this program marked a copy that was not finished.
const UNFINISHED: u32 = 1_000_000;

/// Why the store could not be opened, or could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is not one that can keep pets, or not now: which one, why not, and what to do.
    #[error("{what}")]
    Unusable {
        /// A sentence.
        what: String,
        /// What the system, the database or a driver says.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The first API key could not be handed over, so that it was not stored.
    #[error("cannot hand over the first API key")]
    HandOver(#[source] io::Error),
    /// The name of an API key breaks the rules for names.
    #[error(transparent)]
    KeyName(FieldError),
    /// A creation with the same Idempotency-Key is being written.
    #[error("a creation with this Idempotency-Key is running")]
    IdempotencyInProgress,
    /// The Idempotency-Key was used for another creation.
    #[error("the Idempotency-Key was used for another creation")]
    IdempotencyMismatch,
    /// Not now: repeating later may work. After this error a pet has *not* been added, except where a commit was
    /// under way.
    #[error("the database is not available now")]
    Unavailable(#[from] StoreFailure),
}

impl StoreError {
    /// For metrics.
    pub fn kind(&self) -> FailureKind {
        if let Self::Unavailable(failure) = self { failure.kind() } else { FailureKind::Other }
    }

    /// The same without what only the log may know.
    pub fn in_short(&self) -> String {
        if let Self::Unavailable(failure) = self { failure.in_short() } else { self.to_string() }
    }

    pub(super) fn new(what: impl Into<String>) -> Self {
        Self::Unusable { what: what.into(), source: None }
    }

    /// For [`Result::map_err`].
    pub(super) fn because<E: Into<Box<dyn Error + Send + Sync>>>(what: impl Display) -> impl FnOnce(E) -> Self {
        move |source| Self::Unusable { what: what.to_string(), source: Some(source.into()) }
    }

    /// Neither the file nor its directory is there, and they cannot be made.
    pub(super) fn cannot_create<E: Into<Box<dyn Error + Send + Sync>>>(path: &Path) -> impl FnOnce(E) -> Self {
        Self::because(format!("cannot create the database file {}", path.display()))
    }

    /// It exists but is not a petstore database, or cannot be read and written.
    pub(super) fn cannot_open<E: Into<Box<dyn Error + Send + Sync>>>(database: &DatabaseUrl) -> impl FnOnce(E) -> Self {
        Self::because(format!("cannot open the database {database}"))
    }

    /// It is a database, and has none of our tables.
    pub(super) fn foreign(path: &Path) -> Self {
        let database = DatabaseUrl::Sqlite(path.to_owned());
        Self::new(format!("{database} is not a petstore database: choose another file, or a new one"))
    }

    /// The schema is another than the `known` one.
    pub(super) fn of_version(database: &DatabaseUrl, found: u32, known: u32) -> Self {
        Self::new(match found {
            UNFINISHED => {
                format!("{database} is an unfinished copy of an earlier petstore: copy to an empty database")
            }
            found if found > known => format!(
                "the database {database} was made by a newer petstore (schema {found}; this one supports {known}): use that \
                 version"
            ),
            found => format!("{database} has schema {found}, and this petstore needs {known}: run petstore migrate"),
        })
    }
}

/// Why the database cannot take something now.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreFailure {
    /// More is waiting to be written than the queue holds.
    #[error("too many requests are waiting for the database")]
    QueueFull,
    /// The disk failed to keep a write. Only a restart finds out what it holds.
    #[error("the disk failed: no pets can be added until the service is restarted")]
    ReadOnly,
    /// The file no longer has its name, so what is written to it would be lost.
    #[error("the database file was removed, renamed or replaced: no pets can be added until the service is restarted")]
    Moved,
    /// [`Store::close`](super::Store::close) was called.
    #[error("the store is closed")]
    Closed,
    /// No connection to the database server could be had in time.
    #[error("no connection to the database")]
    NoConnection(#[source] Arc<dyn Error + Send + Sync>),
    /// The database server did not answer in time. What was asked for has not been done.
    #[error("the database did not answer in time")]
    NoAnswer,
    /// The connection was lost or silent while a transaction was being committed: it may or may not have been.
    #[error("the database did not confirm the commit")]
    OutcomeUnknown,
    /// A commit has been waiting for seconds, so that no other is begun. What was asked for has not been done.
    #[error("commits are waiting for the disk or a synchronous standby of the database server")]
    Stuck,
    /// The database has asked again and again to repeat the transaction.
    #[error("the transaction kept conflicting with others")]
    Conflicts,
    /// Another version of this program is needed, or `petstore migrate`.
    #[error("the database schema is not up to date: run petstore migrate")]
    Outdated,
    /// The database refused: locked by another process, disk full, damaged.
    #[error(transparent)]
    Database(Arc<DatabaseError>),
}

impl StoreFailure {
    /// For metrics.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::QueueFull => FailureKind::QueueFull,
            Self::ReadOnly | Self::Moved => FailureKind::ReadOnly,
            Self::Closed => FailureKind::Closed,
            Self::NoConnection(_) => FailureKind::NoConnection,
            Self::NoAnswer => FailureKind::Timeout,
            Self::OutcomeUnknown => FailureKind::UnknownOutcome,
            Self::Stuck => FailureKind::Stuck,
            Self::Conflicts => FailureKind::Conflicts,
            Self::Outdated => FailureKind::Schema,
            Self::Database(error) => error.kind(),
        }
    }

    /// The same without what only the log may know.
    pub fn in_short(&self) -> String {
        match self {
            Self::Database(error) => error.in_short(),
            other => other.to_string(),
        }
    }
}

impl From<DatabaseError> for StoreFailure {
    fn from(error: DatabaseError) -> Self {
        Self::Database(Arc::new(error))
    }
}

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrityReport {
    /// The version of the tables.
    pub schema: u32,
    /// How many pets there are; a quick check counts none.
    pub pets: u64,
    /// What is wrong, a line each; 100 at most. Foreign text: clean it before showing it.
    pub problems: Vec<String>,
    /// That another program has changed the schema, which is not damage; safe to show.
    pub changed: Option<String>,
}

/// Why there is no copy. No file is left under the name of the copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be made: why not, and what to do.
    #[error("{0}")]
    Failed(String),
    /// What was copied is damaged, a line for each problem. Foreign text: clean it before showing it.
    #[error("the copy is damaged")]
    Damaged(Vec<String>),
    /// It was called off.
    #[error("the copy was cancelled")]
    Cancelled,
}
