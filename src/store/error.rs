//! What can go wrong with the database.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::FieldError;

/// Why the store could not be opened, or could not answer.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Neither the file nor its directory is there, and they cannot be made.
    #[error("the database file {} cannot be created", .path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is there but is no database of ours, or may not be read and written.
    #[error("the database {} cannot be opened", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: sqlx::Error,
    },
    /// The schema cannot be brought up to date: the file is newer than this program, or was changed by hand.
    #[error("the database {} cannot be brought up to date", .path.display())]
    Migrate {
        /// The file.
        path: PathBuf,
        /// What the migrator said.
        source: sqlx::migrate::MigrateError,
    },
    /// This build is linked with a SQLite that can corrupt a database in WAL mode.
    #[error("SQLite {0} is too old: before 3.51.3 it can corrupt a database that is read and written at once")]
    OldSqlite(String),
    /// The name of an API key breaks the rules for names.
    #[error(transparent)]
    KeyName(FieldError),
    /// The system has no random numbers to make a key of.
    #[error("the system gives no random numbers")]
    Random(#[source] getrandom::Error),
    /// Not now: repeating later may work. After this error an animal has *not* been added, except where a commit was
    /// under way.
    #[error("the database cannot take this now")]
    Unavailable(#[source] Why),
}

/// Why the database cannot take something now.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Why {
    /// More is waiting to be written than the queue holds.
    #[error("too many writes are waiting")]
    QueueFull,
    /// Every reading connection was busy for too long.
    #[error("no reading connection became free in time")]
    ReadersBusy,
    /// [`Store::close`](super::Store::close) was called.
    #[error("the store is closed")]
    Closed,
    /// The database refused: locked by another process, disk full, damaged.
    #[error(transparent)]
    Database(Arc<sqlx::Error>),
}

impl From<Why> for StoreError {
    fn from(why: Why) -> Self {
        Self::Unavailable(why)
    }
}

impl From<sqlx::Error> for Why {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Unavailable(error.into())
    }
}
