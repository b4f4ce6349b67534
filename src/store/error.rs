//! What can go wrong with a database, and what it refuses.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;
use tokio_util::sync::CancellationToken;

use super::url::DatabaseUrl;
use crate::model::short;

/// The schema version by which earlier versions of this program marked a copy that was not finished.
const UNFINISHED: u32 = 1_000_000;

/// What the system, the database or a driver says.
pub type Cause = Box<dyn Error + Send + Sync>;

/// What the store gives, unless it could not be opened, or could not answer.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// What the database does, unless it cannot take that now.
pub type Outcome<T = ()> = Result<T, StoreFailure>;

/// What the database answers, unless it refuses.
pub type DbResult<T> = Result<T, DatabaseError>;

/// Why the store could not be opened, or could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It is not one that can keep pets, or not now: which one, why not, and what to do.
    #[error("{what}")]
    Unusable {
        /// A sentence.
        what: String,
        /// What the system, the database or a driver says.
        source: Option<Cause>,
    },
    /// The first API key could not be handed over, so that it was not stored.
    #[error("cannot hand over the first API key")]
    HandOver(#[source] io::Error),
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
    pub(super) fn because<E: Into<Cause>>(what: impl Display) -> impl Fn(E) -> Self {
        move |source| Self::Unusable { what: what.to_string(), source: Some(source.into()) }
    }

    /// Neither the file nor its directory is there, and they cannot be made.
    pub(super) fn cannot_create<E: Into<Cause>>(path: &Path) -> impl FnOnce(E) -> Self {
        Self::because(format!("cannot create the database file {}", path.display()))
    }

    /// It exists but is not a petstore database, or cannot be read and written.
    pub(super) fn cannot_open<E: Into<Cause>>(database: &DatabaseUrl) -> impl FnOnce(E) -> Self {
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
            found => {
                format!("{database} has schema {found}, and this petstore needs {known}: run petstore database migrate")
            }
        })
    }
}

/// Why the database cannot take something now.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreFailure {
    /// Of a kind that says it all.
    #[error(transparent)]
    Kind(#[from] FailureKind),
    /// No connection to the database server could be had in time.
    #[error("no connection to the database")]
    NoConnection(#[source] Arc<dyn Error + Send + Sync>),
    /// The database refused: locked by another process, disk full, damaged.
    #[error(transparent)]
    Database(Arc<DatabaseError>),
}

impl StoreFailure {
    /// What callers decide on; for metrics.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Kind(kind) => *kind,
            Self::NoConnection(_) => FailureKind::NoConnection,
            Self::Database(error) => error.kind(),
        }
    }

    /// The same without what only the log may know.
    pub fn in_short(&self) -> String {
        match (self, self.kind()) {
            (Self::Database(error), FailureKind::Schema) => error.to_string(),
            (_, kind) => kind.to_string(),
        }
    }
}

impl From<DatabaseError> for StoreFailure {
    fn from(error: DatabaseError) -> Self {
        Self::Database(Arc::new(error))
    }
}

/// A closed list, so that it can be a label; some have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum FailureKind {
    /// The database server did not answer in time. What was asked for has not been done.
    #[error("the database did not answer in time")]
    Timeout,
    /// More is waiting to be written than the queue holds.
    #[error("too many requests are waiting for the database")]
    QueueFull,
    /// The database, or the role at it, may only read.
    #[error("the database is read-only")]
    ReadOnly,
    /// The disk failed to keep a write. Only a restart finds out what it holds.
    #[error("the disk failed: no pets can be added until the service is restarted")]
    #[strum(serialize = "read_only")]
    DiskFailed,
    /// The file no longer has its name, so what is written to it would be lost.
    #[error("the database file was removed, renamed or replaced: no pets can be added until the service is restarted")]
    #[strum(serialize = "read_only")]
    Moved,
    /// [`Store::close`](super::Store::close) was called.
    #[error("the store is closed")]
    Closed,
    /// No connection to the database server could be had in time.
    #[error("no connection to the database")]
    NoConnection,
    /// The connection was lost or silent while a transaction was being committed: it may or may not have been.
    #[error("the database did not confirm the commit")]
    UnknownOutcome,
    /// The database has asked again and again to repeat the transaction.
    #[error("the transaction kept conflicting with others")]
    Conflicts,
    /// A commit has been waiting for seconds, so that no other is begun. What was asked for has not been done.
    #[error("commits are waiting for the disk or a synchronous standby of the database server")]
    Stuck,
    /// Nothing more fits on the disk of the database.
    #[error("the disk of the database is full")]
    DiskFull,
    /// Another process has locked the file for too long.
    #[error("another process holds the database")]
    Locked,
    /// The role at the database lacks one.
    #[error("the role at the database lacks a privilege")]
    Privilege,
    /// A prepared statement was not where it had been prepared.
    #[error(
        "a connection pooler is in front of the database: it must be PgBouncer 1.21 or later with max_prepared_statements, \
         and with ignore_startup_parameters = options"
    )]
    Pooler,
    /// Another version of this program is needed, or `petstore database migrate`.
    #[error("the database schema is not up to date: run petstore database migrate")]
    Schema,
    /// Anything else that the database answered.
    #[error("the database does not work")]
    Database,
    /// Not a failure of the database.
    #[error("not a failure of the database")]
    Other,
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

/// Why a database was not copied, backed up, restored or checked. No file is left under the name of the copy.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// One of the databases cannot be used: why not, and what to do.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Both are the same.
    #[error("a store cannot be copied onto itself")]
    Same,
    /// What was copied is damaged, a line for each problem. Foreign text: clean it before showing it.
    #[error("the copy is damaged")]
    Damaged(Vec<String>),
    /// It was called off.
    #[error("stopped; nothing was copied")]
    Cancelled,
}

impl CopyError {
    pub(super) fn new(what: impl Into<String>) -> Self {
        StoreError::new(what).into()
    }

    /// Fails once `cancel` is cancelled.
    pub(super) fn if_cancelled(cancel: &CancellationToken) -> Result<(), Self> {
        if cancel.is_cancelled() { Err(Self::Cancelled) } else { Ok(()) }
    }
}

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
    #[error("{}", FailureKind::Pooler)]
    Pooler(#[source] tokio_postgres::Error),
    /// A stored text that only this program writes is not as this program writes it.
    #[error("a stored text cannot be read")]
    Text(#[source] Cause),
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
        if let Self::Postgres(error) | Self::Pooler(error) = self { Some(error) } else { None }
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
pub type Objects<T> = BTreeMap<String, T>;

/// An error that says how `found` differs from `ours`.
pub fn require_same<T: PartialEq>(ours: &Objects<T>, found: &Objects<T>) -> Result<(), DatabaseError> {
    let gone = ours.keys().filter(|name| !found.contains_key(*name)).map(|name| format!("{} is missing", short(name)));
    let other = found.iter().filter_map(|(name, definition)| match ours.get(name) {
        None => Some(format!("{} was added", short(name))),
        Some(ours) => (ours != definition).then(|| format!("{} was changed", short(name))),
    });
    let all: Vec<_> = gone.chain(other).take(MOST).collect();
    if all.is_empty() { Ok(()) } else { Err(DatabaseError::Changed(all.join(", "))) }
}
