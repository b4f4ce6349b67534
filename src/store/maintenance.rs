//! What an operator does with a database that may be in use: a copy of it, and a check of every page.

use std::path::Path;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::copy::is_one_file;
use super::{BackupError, DatabaseUrl, IntegrityReport, StoreError, StoreFailure, sqlite};

/// Copies the database as it is at one moment to the new `file`, for its owner only, and returns once that is on disk.
/// Users of the database do not wait for it. Ends early once `cancel` is cancelled. Returns that another program has changed
/// the schema.
pub async fn backup(url: &DatabaseUrl, file: &Path, cancel: CancellationToken) -> Result<Option<String>, BackupError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else {
        let why = "back up a server with its own tools (pg_dump), or copy it to a SQLite file with petstore copy";
        return Err(BackupError::Failed(why.to_owned()));
    };
    let file = file.to_owned();
    let copied = spawn_blocking(move || sqlite::backup(&path, &file, &cancel)).await;
    copied.unwrap_or(Err(BackupError::Cancelled))
}

/// Puts a verified copy of the backup `file` in the place of the database, which no program may use, and returns what
/// it has. An existing database is replaced only if `replaces`. Ends early once `cancel` is cancelled.
pub async fn restore(
    file: &Path,
    url: &DatabaseUrl,
    replaces: bool,
    cancel: CancellationToken,
) -> Result<IntegrityReport, BackupError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else {
        let why = "restore a server with its own tools (pg_restore), or copy the backup to it with petstore copy";
        return Err(BackupError::Failed(why.to_owned()));
    };
    if is_one_file(&DatabaseUrl::Sqlite(file.to_owned()), url) {
        return Err(BackupError::Failed(format!("{url} is the backup itself")));
    }
    let file = file.to_owned();
    let restored = spawn_blocking(move || sqlite::restore(&file, &path, replaces, &cancel)).await;
    restored.unwrap_or(Err(BackupError::Cancelled))
}

/// Reads every page and every pet. Changes nothing; users of the database do not wait for it.
pub async fn check(url: &DatabaseUrl) -> Result<IntegrityReport, StoreError> {
    inspect(url, false).await
}

/// Reads the pages, but not their contents. Changes nothing; users of the database do not wait for it.
pub async fn quick_check(url: &DatabaseUrl) -> Result<IntegrityReport, StoreError> {
    inspect(url, true).await
}

async fn inspect(url: &DatabaseUrl, is_quick: bool) -> Result<IntegrityReport, StoreError> {
    let DatabaseUrl::Sqlite(path) = url.clone() else {
        let why = "only SQLite files can be checked; for a server use its own tools (pg_amcheck)";
        return Err(StoreError::new(why));
    };
    let check = move || sqlite::check(&path, is_quick, &CancellationToken::new());
    spawn_blocking(check).await.unwrap_or(Err(StoreFailure::Closed.into()))
}
