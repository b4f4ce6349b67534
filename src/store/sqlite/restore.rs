//! A backup takes the place of a file that no program uses.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tokio_util::sync::CancellationToken;

use super::connection::{connect, is_busy};
use super::file;
use super::snapshot::{check, copied};
use crate::store::{BackupError, IntegrityReport};

/// Puts a verified copy of `backup` at `path`, and returns what it has. What is there is replaced only if
/// `replaces`, and until the copy is complete it stays as it is.
pub(in crate::store) fn restore(
    backup: &Path,
    path: &Path,
    replaces: bool,
    cancel: &CancellationToken,
) -> Result<IntegrityReport, BackupError> {
    // A link stays a link, and the other files of a database are beside its target.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.display();
    let cannot_write = |why: io::Error| BackupError::Failed(format!("cannot write {name}: {why}"));
    if path.exists() && !replaces {
        return Err(BackupError::Failed(format!(
            "{name} already exists and was not changed; to overwrite it: --force"
        )));
    }
    if path.exists() {
        file::judge_file(path, false)?;
    }
    let alone = alone(path)?;
    let in_backup = check(backup, false, cancel)?;
    if !in_backup.problems.is_empty() && !cancel.is_cancelled() {
        return Err(BackupError::Damaged(in_backup.problems));
    }
    file::create_directory(path).map_err(cannot_write)?;
    let copy = copied(backup, path, cancel)?;
    let in_copy = check(copy.file.path(), false, cancel)?;
    if cancel.is_cancelled() {
        return Err(BackupError::Cancelled);
    }
    if in_copy != in_backup {
        return Err(BackupError::Failed(format!("{name} was not changed: its disk did not keep what was written")));
    }
    give_to_owner(copy.file.as_file(), path).map_err(cannot_write)?;
    // SQLite would put the pages of an old log into the new file. After a power cut it must not find both.
    for other in file::OTHERS {
        file::remove(&file::beside(path, other)).map_err(cannot_write)?;
    }
    file::sync_directory(path).map_err(cannot_write)?;
    copy.file.persist(path).map_err(|error| cannot_write(error.error))?;
    file::sync_directory(path).map_err(cannot_write)?;
    drop(alone);
    Ok(in_copy)
}

/// Keeps other programs from using the file at `path` until it is closed. Its write-ahead log is folded in first, so that
/// an interruption leaves it complete.
fn alone(path: &Path) -> Result<Option<Connection>, BackupError> {
    if !path.exists() {
        return Ok(None);
    }
    match lock(path) {
        Ok(connection) => Ok(Some(connection)),
        Err(error) if is_busy(&error) => {
            let name = path.display();
            Err(BackupError::Failed(format!("{name} is in use and was not changed: stop the service first")))
        }
        // A damaged file cannot be locked, and is used by nobody: SQLite locks it before it reads it.
        Err(_) => Ok(None),
    }
}

fn lock(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, Duration::ZERO)?;
    // When it is closed, another file has its name.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update_and_check(None, "locking_mode", "exclusive", |_| Ok(()))?;
    connection.execute_batch("BEGIN EXCLUSIVE; COMMIT")?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(connection)
}

/// The administrator restores what the user of a service opens: it belongs to the owner of the old file, or of the
/// directory.
fn give_to_owner(copy: &File, path: &Path) -> io::Result<()> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let owner = fs::metadata(path).or_else(|_| fs::metadata(path.parent().unwrap_or(path)))?;
    fchown(copy, Some(owner.uid()), Some(owner.gid()))
}
