//! What an operator does with a database that may be in use: a copy of it, and a check of every page.

mod report;

use std::path::Path;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

pub use self::report::{BackupError, IntegrityReport, QuickChecked};

use super::{DatabaseUrl, StoreError, StoreFailure, sqlite};

/// Copies the database as it is at one moment to the new `file`, for its owner only, and returns once that is on disk.
/// Nobody who uses the database waits for it. Ends early once `cancel` is cancelled.
pub async fn backup(url: &DatabaseUrl, file: &Path, cancel: CancellationToken) -> Result<(), BackupError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else {
        let why = "a server is backed up with its own tools (pg_dump); petstore copy makes a SQLite file of it";
        return Err(BackupError::Failed(why.to_owned()));
    };
    let file = file.to_owned();
    let copied = spawn_blocking(move || sqlite::backup(&path, &file, &cancel)).await;
    copied.unwrap_or(Err(BackupError::Cancelled))
}

/// Reads every page and every animal. Changes nothing; nobody who uses the database waits for it.
pub async fn check(url: &DatabaseUrl) -> Result<IntegrityReport, StoreError> {
    look(url, sqlite::check).await
}

/// Reads the pages, but not what is in them. Changes nothing; nobody who uses the database waits for it.
pub async fn quick_check(url: &DatabaseUrl) -> Result<QuickChecked, StoreError> {
    look(url, sqlite::quick_check).await
}

async fn look<T: Send + 'static>(url: &DatabaseUrl, at: fn(&Path) -> Result<T, StoreError>) -> Result<T, StoreError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else { return Err(StoreError::CheckOfServer) };
    spawn_blocking(move || at(&path)).await.unwrap_or(Err(StoreFailure::Closed.into()))
}
