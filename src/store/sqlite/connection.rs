//! What every connection to a file has in common, and the one that writes.

use std::path::Path;
use std::time::Duration;

use futures_util::FutureExt as _;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::store::value_row::DatabaseError;
use crate::store::{DatabaseUrl, StoreError};

/// How long a write waits for a lock that another process holds.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// If SQLite itself cannot wait: how often to try again, and the pause. A second in all.
pub(super) const BUSY_TRIES: u32 = 100;
pub(super) const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// An existing file; a locked one is waited for so long.
pub(super) fn connect(path: &Path, mode: OpenFlags, patience: Duration) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(patience)?;
    Ok(connection)
}

pub(super) fn connect_for_writing(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, BUSY_TIMEOUT)?;
    keep_plans(&connection)?;
    turn_to_wal(&connection)?;
    // Anything below FULL acknowledges what a power cut then loses.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The writer does it after it has answered, and sees whether it failed.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    // That of the schema: one that begins by reading could not wait for the lock later.
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    Ok(connection)
}

/// Otherwise SQLite, which is built with statistics, would plan again for other values, which takes longer than reading a
/// page of pets.
pub(super) fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Patiently: two that turn the same new file to WAL at once cannot wait for each other in SQLite, which tells one of
/// them at once that the file is busy.
fn turn_to_wal(connection: &Connection) -> rusqlite::Result<()> {
    let turn = || connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()));
    for _ in 0..BUSY_TRIES {
        match turn() {
            Err(error) if is_busy(&error) => std::thread::sleep(BUSY_PAUSE),
            turned_or_not => return turned_or_not,
        }
    }
    turn()
}

/// For [`Result::map_err`].
pub(super) fn cannot_open<E: Into<DatabaseError>>(path: &Path) -> impl FnOnce(E) -> StoreError {
    let database = DatabaseUrl::Sqlite(path.to_owned());
    move |source| StoreError::cannot_open(&database)(source.into())
}

/// What SQLite answers is there at once.
pub(super) fn at_once<T>(answer: impl Future<Output = Result<T, DatabaseError>>) -> Result<T, DatabaseError> {
    answer.now_or_never().unwrap_or(Err(DatabaseError::Vanished))
}

pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
