//! Opening a SQLite file: created for its owner only, in WAL mode, migrated.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqlSafeStr};
use tokio::time::sleep;

use super::StoreError;

/// How long a statement waits for a lock that another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// While another process turns a new file to WAL: how often to look again, and after how long.
const BUSY_TRIES: u32 = 100;
const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// The result code as sqlx gives it.
const SQLITE_BUSY: &str = "5";

/// Versions before it can corrupt a WAL database (<https://sqlite.org/wal.html#walresetbug>).
const OLDEST_SQLITE: [u32; 3] = [3, 51, 3];

/// One statement each, and each may be run again.
const MIGRATIONS: [(i64, &str, &str); 3] = [
    (1, "pets", include_str!("../../assets/migrations/sqlite/0001_pets.sql")),
    (2, "pets by status", include_str!("../../assets/migrations/sqlite/0002_pets_by_status.sql")),
    (3, "api keys", include_str!("../../assets/migrations/sqlite/0003_api_keys.sql")),
];

/// The options for further connections, which may only read, and the connection that writes.
pub(super) async fn open(path: &Path) -> Result<(SqliteConnectOptions, SqliteConnection), StoreError> {
    create_private(path).map_err(|source| StoreError::Create { path: path.to_owned(), source })?;
    let cannot_open = |source| StoreError::Open { path: path.to_owned(), source };
    // sqlx itself warns of statements that take more than a second, without their values.
    let options = SqliteConnectOptions::new().filename(path).busy_timeout(BUSY_TIMEOUT);
    // Any synchronous below FULL acknowledges what a power cut then loses.
    let writing = options.clone().journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Full);
    let mut writer = connect(&writing).await.map_err(cannot_open)?;
    let version: String =
        sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut writer).await.map_err(cannot_open)?;
    if is_too_old(&version) {
        return Err(StoreError::OldSqlite(version));
    }
    migrate(&mut writer).await.map_err(|source| StoreError::Migrate { path: path.to_owned(), source })?;
    Ok((options.read_only(true), writer))
}

/// Creates the file before SQLite does, with the mode that SQLite then gives to its -wal and -shm files too.
fn create_private(path: &Path) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Connects, patiently: two that turn the same new file to WAL at once cannot wait for each other in SQLite, which tells
/// one of them at once that the file is busy.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    for _ in 0..BUSY_TRIES {
        match options.connect().await {
            Err(error) if is_busy(&error) => sleep(BUSY_PAUSE).await,
            connected_or_not => return connected_or_not,
        }
    }
    options.connect().await
}

fn is_busy(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == SQLITE_BUSY)
}

fn is_too_old(version: &str) -> bool {
    let parts: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    parts.as_slice() < OLDEST_SQLITE.as_slice()
}

/// All or nothing in one transaction, which also keeps a second process out meanwhile.
async fn migrate(connection: &mut SqliteConnection) -> Result<(), sqlx::migrate::MigrateError> {
    let migrations = MIGRATIONS.map(|(version, description, sql)| {
        Migration::new(version, description.into(), MigrationType::Simple, sql.into_sql_str(), true)
    });
    let mut migrator = Migrator::with_migrations(migrations.into());
    migrator.set_locking(false);
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    // Not `run`: its future is not known to be Send.
    migrator.run_direct(None, &mut *transaction, false).await?;
    Ok(transaction.commit().await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_that_can_corrupt_is_known_by_its_version() {
        for (version, too_old) in
            [("3.51.3", false), ("3.53.0", false), ("4.0.0", false), ("3.51.2", true), ("3.7.17", true), ("", true)]
        {
            assert_eq!(is_too_old(version), too_old, "{version:?}");
        }
    }
}
