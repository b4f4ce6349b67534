//! What an operator does with a database that may be in use: a copy of it, and a check of every page.

use std::io;
use std::path::{Path, PathBuf};

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::{DatabaseUrl, StoreError, StoreFailure, sqlite};

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

/// Copies the database as it is at one moment to the new `file`, for its owner only, and returns once that is on disk.
/// Nobody who uses the database waits for it. Ends early once `cancel` is cancelled.
pub async fn backup(url: &DatabaseUrl, file: &Path, cancel: CancellationToken) -> Result<(), BackupError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else { return Err(BackupError::Server) };
    let file = file.to_owned();
    let copied = spawn_blocking(move || sqlite::backup(&path, &file, &cancel)).await;
    copied.unwrap_or(Err(BackupError::Cancelled))
}

/// Reads every page and every animal. Changes nothing; nobody who uses the database waits for it.
pub async fn check(url: &DatabaseUrl) -> Result<IntegrityReport, StoreError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else { return Err(StoreError::CheckOfServer) };
    let checked = spawn_blocking(move || sqlite::check(&path)).await;
    checked.unwrap_or(Err(StoreFailure::Closed.into()))
}

/// Reads the pages, but not what is in them. Changes nothing; nobody who uses the database waits for it.
pub async fn quick_check(url: &DatabaseUrl) -> Result<QuickChecked, StoreError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else { return Err(StoreError::CheckOfServer) };
    let checked = spawn_blocking(move || sqlite::quick_check(&path)).await;
    checked.unwrap_or(Err(StoreFailure::Closed.into()))
}
