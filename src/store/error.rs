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
    /// There is no such file.
    #[error("there is no database {}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is there but is no database of ours, or may not be read and written.
    #[error("the database {} cannot be opened", .path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// SQLite's locks and shared memory do not reach across machines.
    #[error("the database {} is on a disk of another machine ({kind}), where SQLite would lose animals: use a disk of this machine", .path.display())]
    NetworkFileSystem {
        /// The file.
        path: PathBuf,
        /// The kind of file system.
        kind: &'static str,
    },
    /// A newer version of this program has changed the schema.
    #[error("the database {} is of a newer petstore (its schema is version {found}, this one knows {known}): use that one", .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// The schema cannot be brought up to date.
    #[error("the database {} cannot be brought up to date", .path.display())]
    Migrate {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// This build is linked with a SQLite that can corrupt a database in WAL mode. Carries its version number.
    #[error("SQLite {0} is older than 3051003 (3.51.3), and can corrupt a database that is read and written at once")]
    OldSqlite(i32),
    /// The system has no thread for the writer.
    #[error("no thread can be started")]
    Thread(#[source] io::Error),
    /// The name of an API key breaks the rules for names.
    #[error(transparent)]
    KeyName(FieldError),
    /// The system has no random numbers to make a key of.
    #[error("the system gives no random numbers")]
    Random(#[source] getrandom::Error),
    /// A creation with the same Idempotency-Key is being written.
    #[error("the same creation is under way")]
    IdempotencyInProgress,
    /// The Idempotency-Key was used for another creation.
    #[error("the Idempotency-Key stands for another creation")]
    IdempotencyMismatch,
    /// Not now: repeating later may work. After this error an animal has *not* been added, except where a commit was
    /// under way.
    #[error("the database cannot take this now")]
    Unavailable(#[from] Why),
}

/// Why the database cannot take something now.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Why {
    /// More is waiting to be written than the queue holds.
    #[error("too many writes are waiting")]
    QueueFull,
    /// The disk failed to keep a write. Only a restart finds out what it holds.
    #[error("the disk failed: nothing is written until the service is started anew")]
    ReadOnly,
    /// [`Store::close`](super::Store::close) was called.
    #[error("the store is closed")]
    Closed,
    /// The database refused: locked by another process, disk full, damaged.
    #[error(transparent)]
    Database(Arc<rusqlite::Error>),
}

impl From<rusqlite::Error> for Why {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(Arc::new(error))
    }
}
