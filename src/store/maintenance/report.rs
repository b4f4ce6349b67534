//! What a check or a copy comes to.

use std::io;
use std::path::PathBuf;

use crate::store::StoreError;

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrityReport {
    /// How many animals there are.
    pub pets: u64,
    /// What is wrong, a line each; 100 at most. Foreign text: clean it before showing it.
    pub problems: Vec<String>,
}

/// What a quick look has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickChecked {
    /// The version of its tables.
    pub schema: u32,
    /// What is wrong, a line each; few. Foreign text: clean it before showing it.
    pub problems: Vec<String>,
}

/// Why there is no copy. Nothing is left behind under the name of the copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A copy never replaces what is there.
    #[error("{} is there already: name another file", .0.display())]
    Exists(PathBuf),
    /// The copy cannot be written.
    #[error("the copy {} cannot be written", .path.display())]
    Write {
        /// The copy.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Reading the database or writing the copy failed.
    #[error("copying to {} failed", .path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Servers have tools of their own for that.
    #[error("a server is backed up with its own tools (pg_dump); petstore copy makes a SQLite file of it")]
    Server,
    /// It was called off.
    #[error("the copy was called off")]
    Cancelled,
}
