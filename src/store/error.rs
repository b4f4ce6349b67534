//! What can go wrong with the database.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::database_error::DatabaseError;
use super::failure_kind::FailureKind;
use super::purpose::UNFINISHED;
use super::url::DatabaseUrl;
use crate::model::FieldError;

/// Why the store could not be opened, or could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Neither the file nor its directory is there, and they cannot be made.
    #[error("cannot create the database file {}", .path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// No such file.
    #[error("there is no database {}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// It exists but is not a petstore database, or cannot be read and written.
    #[error("cannot open the database {database}")]
    Open {
        /// Which one.
        database: DatabaseUrl,
        /// Its error.
        source: DatabaseError,
    },
    /// It is a database, and has none of our tables.
    #[error("{database} is not a petstore database: choose another file, or a new one")]
    Foreign {
        /// Which one.
        database: DatabaseUrl,
    },
    /// A newer version of this program has changed the schema.
    #[error(
        "the database {database} was made by a newer petstore (schema {found}; this one supports {known}): use that version"
    )]
    Newer {
        /// Which one.
        database: DatabaseUrl,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// An older version of this program has made the schema, or none has.
    #[error("{database} has schema {found}, and this petstore needs {known}: run petstore migrate")]
    Older {
        /// Which one.
        database: DatabaseUrl,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A copy to it was interrupted, so that it lacks rows.
    #[error("{database} is an unfinished copy: run the same petstore copy again to finish it")]
    Unfinished {
        /// Which one.
        database: DatabaseUrl,
    },
    /// The schema cannot be brought up to date.
    #[error("cannot update the schema of {database}")]
    Migrate {
        /// Which one.
        database: DatabaseUrl,
        /// Its error.
        source: DatabaseError,
    },
    /// It is not one that can keep pets, or not now: which one, why not, and what to do.
    #[error("{0}")]
    Unusable(String),
    /// No connection to the server.
    #[error("no connection to {database}")]
    Connect {
        /// Which one.
        database: DatabaseUrl,
        /// Why.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// It acknowledges commits before they are safe, and no setting can be changed behind a pooler.
    #[error(
        "{database} has synchronous_commit = {setting}, which can lose acknowledged pets, and petstore cannot change it behind a pooler: run ALTER ROLE ... SET synchronous_commit = on"
    )]
    WeakCommit {
        /// Which one.
        database: DatabaseUrl,
        /// Its value.
        setting: String,
    },
    /// What is needed to verify the server's certificate is not there.
    #[error("cannot read the certificates of sslrootcert={}", .path.display())]
    RootCertificates {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The system has no thread for the writer.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// The first API key could not be handed over, so that it was not stored.
    #[error("cannot hand over the first API key")]
    HandOver(#[source] io::Error),
    /// The name of an API key breaks the rules for names.
    #[error(transparent)]
    KeyName(FieldError),
    /// The system has no random numbers to make a key of.
    #[error("the system has no random numbers")]
    Random(#[source] getrandom::Error),
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

    /// The schema is another than the `known` one.
    pub(super) const fn of_version(database: DatabaseUrl, found: u32, known: u32) -> Self {
        match found {
            UNFINISHED => Self::Unfinished { database },
            found if found > known => Self::Newer { database, found, known },
            found => Self::Older { database, found, known },
        }
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
    /// It is being copied to, or such a copy was interrupted.
    #[error("the database is an unfinished copy: run the same petstore copy again to finish it")]
    Unfinished,
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
            Self::Outdated | Self::Unfinished => FailureKind::Schema,
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
