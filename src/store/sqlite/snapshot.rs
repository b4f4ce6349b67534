//! A copy and a check of a file, each at one moment of it, while others write; and a backup that takes the place of a
//! file that no program uses.

use std::ffi::c_int;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt, fchown};
use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tempfile::{NamedTempFile, TempDir};
use tokio_util::sync::CancellationToken;

use super::connection::{
    self, BUSY_PAUSE, BUSY_TIMEOUT, VERSION, cannot_open, connect_for_writing, has_pets, is_busy, require_ours, version,
};
use super::file;
use crate::model::draft::check_name;
use crate::model::text::causes;
use crate::store::job::{DatabaseError, pet};
use crate::store::{CopyError, DatabaseUrl, IntegrityReport, Result, Row, StoreError, sql};

/// Pages copied before it is asked again whether to go on: about 4 MiB.
const PAGES_AT_ONCE: c_int = 1000;

/// Steps of a check before it is asked again whether to go on: far less than a second.
const STEPS_AT_ONCE: c_int = 10_000;

/// The most lines about what is wrong.
const MOST_PROBLEMS: usize = 100;

pub fn backup(path: &Path, copy: &Path, cancel: &CancellationToken) -> Result<Option<String>, CopyError> {
    let name = copy.display();
    let exists = || CopyError::new(format!("{name} already exists: choose another file"));
    let cannot_write = cannot_write(copy);
    if copy.exists() {
        return Err(exists());
    }
    let partial = copied(path, copy, cancel)?;
    let IntegrityReport { problems, changed, .. } = check(partial.file.path(), true, cancel)?;
    CopyError::if_cancelled(cancel)?;
    if !problems.is_empty() {
        return Err(CopyError::Damaged(problems));
    }
    partial.file.persist_noclobber(copy).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => exists(),
        _ => cannot_write(error.error),
    })?;
    file::sync_directory(&std::path::absolute(copy).map_err(&cannot_write)?).map_err(&cannot_write)?;
    Ok(changed)
}

fn cannot_write(copy: &Path) -> impl Fn(io::Error) -> CopyError {
    move |why| CopyError::new(format!("cannot write the copy {}: {why}", copy.display()))
}

/// A copy in the making, in a separate private directory on the disk that it is for: what SQLite puts beside it goes with it.
pub struct Partial {
    pub file: NamedTempFile,
    _directory: TempDir,
    /// Locked while the copy is made.
    _held: File,
}

/// How the names of such directories begin.
const PARTIAL: &str = ".petstore-backup-";

impl Partial {
    fn beside(copy: &Path) -> io::Result<Self> {
        let place = copy.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
        remove_left(place);
        loop {
            match Self::within(place) {
                // Another program took its directory, which was empty still, for one that was left.
                Err(error) if error.kind() == io::ErrorKind::NotFound && place.is_dir() => {}
                made => return made,
            }
        }
    }

    fn within(place: &Path) -> io::Result<Self> {
        let (private, of_owner) = (Permissions::from_mode(0o600), Permissions::from_mode(0o700));
        let directory = tempfile::Builder::new().prefix(PARTIAL).permissions(of_owner).tempdir_in(place)?;
        let held = File::open(directory.path())?;
        held.lock()?;
        let file = tempfile::Builder::new().permissions(private).tempfile_in(directory.path())?;
        Ok(Self { file, _directory: directory, _held: held })
    }
}

/// Removes what programs that were killed have left in `place`. One that is at work holds a lock.
fn remove_left(place: &Path) {
    let left = fs::read_dir(place).into_iter().flatten().flatten().filter(|left| {
        left.file_name().as_encoded_bytes().starts_with(PARTIAL.as_bytes())
            && left.file_type().is_ok_and(|kind| kind.is_dir())
    });
    for left in left.map(|left| left.path()) {
        let Ok(held) = File::open(&left) else { continue };
        if held.try_lock().is_ok() {
            // What cannot be removed stays.
            let _ = fs::remove_dir_all(&left);
        }
    }
}

/// The database at `path` as it is at one moment, for `copy`, whose name it does not have yet.
pub fn copied(path: &Path, copy: &Path, cancel: &CancellationToken) -> Result<Partial, CopyError> {
    let name = copy.display();
    let cannot_write = cannot_write(copy);
    let from = connect(path)?;
    let partial = Partial::beside(copy).map_err(&cannot_write)?;
    copy_pages(&from, partial.file.path(), cancel)
        .map_err(|why| CopyError::new(format!("cannot copy to {name}: {}", causes(&why))))?;
    CopyError::if_cancelled(cancel)?;
    partial.file.as_file().sync_all().map_err(&cannot_write)?;
    Ok(partial)
}

fn copy_pages(from: &Connection, partial: &Path, cancel: &CancellationToken) -> rusqlite::Result<()> {
    // Whatever is written meanwhile, all pages are of the moment when this transaction began to read.
    let moment = from.unchecked_transaction()?;
    version(&moment)?;
    let mut to = Connection::open(partial)?;
    {
        let backup = Backup::new(&moment, &mut to)?;
        while !cancel.is_cancelled() {
            match backup.step(PAGES_AT_ONCE)? {
                StepResult::Done => break,
                StepResult::More => {}
                _ => std::thread::sleep(BUSY_PAUSE),
            }
        }
    }
    // A single file: the write-ahead log comes back when it is served.
    to.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()))?;
    to.close().map_err(|(_, error)| error)
}

/// A connection that reads the file as it is now, whatever is written meanwhile.
pub fn moment(path: &Path) -> Result<Connection> {
    let connection = connect(path)?;
    let found = version(&connection).map_err(cannot_open(path))?;
    if found != VERSION {
        return Err(StoreError::of_version(&DatabaseUrl::Sqlite(path.to_owned()), found, VERSION));
    }
    // The moment is that of its first question.
    let begun = connection.execute_batch("BEGIN").and_then(|()| version(&connection));
    begun.map_err(cannot_open(path))?;
    Ok(connection)
}

/// A connection in a transaction that keeps others from writing. Its schema is up to date.
pub fn begin(path: &Path) -> Result<Connection> {
    let begin = |connection: Connection| connection.execute_batch("BEGIN IMMEDIATE").map(|()| connection);
    let connection = connect_for_writing(path).and_then(begin).map_err(cannot_open(path))?;
    require_ours(&connection).map_err(cannot_open(path))?;
    Ok(connection)
}

/// Ends early once `cancel` is cancelled; what is reported then says nothing.
pub fn check(path: &Path, is_quick: bool, cancel: &CancellationToken) -> Result<IntegrityReport> {
    let (connection, schema) = known(path, cancel)?;
    let mut checked = IntegrityReport { schema, pets: 0, problems: Vec::new(), changed: None };
    let pragma = if is_quick { "quick_check" } else { "integrity_check" };
    let mut read = pages(&connection, pragma, &mut checked.problems);
    if !is_quick {
        read = read.and_then(|()| pets(&connection, &mut checked));
    }
    // What cannot be read at all is the worst of what is wrong.
    checked.problems.extend(read.err().map(|error| error.to_string()));
    checked.changed = changed(&connection, &mut checked.problems);
    Ok(checked)
}

/// That another program has changed the schema. One that cannot be read is a problem.
fn changed(connection: &Connection, problems: &mut Vec<String>) -> Option<String> {
    let why = require_ours(connection).err()?;
    if matches!(why, DatabaseError::Changed(_)) {
        return Some(why.to_string());
    }
    problems.push(why.to_string());
    None
}

/// A connection to a file whose tables this program knows, and their version.
fn known(path: &Path, cancel: &CancellationToken) -> Result<(Connection, u32)> {
    let mut connection = connect(path)?;
    let cancel = cancel.clone();
    let interruptible = connection.progress_handler(STEPS_AT_ONCE, Some(move || cancel.is_cancelled()));
    interruptible.map_err(cannot_open(path))?;
    let found = version(&connection).map_err(cannot_open(path))?;
    // What cannot be read of it is not foreign, but damaged.
    if !has_pets(&connection).unwrap_or(true) {
        return Err(StoreError::foreign(path));
    }
    if found > VERSION {
        return Err(StoreError::of_version(&DatabaseUrl::Sqlite(path.to_owned()), found, VERSION));
    }
    Ok((connection, found))
}

fn pages(connection: &Connection, pragma: &str, problems: &mut Vec<String>) -> rusqlite::Result<()> {
    connection.pragma_query(None, pragma, |row| {
        let line: String = row.get(0)?;
        if line != "ok" {
            problems.push(line);
        }
        Ok(())
    })
}

/// Checks that every pet is valid.
fn pets(connection: &Connection, checked: &mut IntegrityReport) -> rusqlite::Result<()> {
    let mut all = connection.prepare(sql::LIST)?;
    let mut rows = all.query([i64::MIN, i64::MAX])?;
    while let Some(row) = rows.next()? {
        checked.pets += 1;
        let id: i64 = row.get(0)?;
        let wrong = match pet(Row::Sqlite(row)) {
            Ok(pet) => check_name(&pet.name).err().map(|error| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(wrong) = wrong.filter(|_| checked.problems.len() < MOST_PROBLEMS) {
            checked.problems.push(format!("pet {id}: {wrong}"));
        }
    }
    Ok(())
}

fn connect(path: &Path) -> Result<Connection> {
    if !path.exists() {
        return Err(StoreError::new(format!("there is no database {}", path.display())));
    }
    file::judge_file(path, true)?;
    let connection = connection::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, BUSY_TIMEOUT);
    // Fails here, and not later, if it is not a database.
    connection.and_then(|connection| version(&connection).map(|_| connection)).map_err(cannot_open(path))
}

/// Puts a verified copy of `backup` at `path`, and returns what it has. What is there is replaced only if
/// `replaces`, and until the copy is complete it stays as it is.
pub fn restore(
    backup: &Path,
    path: &Path,
    replaces: bool,
    cancel: &CancellationToken,
) -> Result<IntegrityReport, CopyError> {
    // A link stays a link, and the other files of a database are beside its target.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.display();
    let cannot_write = |why: io::Error| CopyError::new(format!("cannot write {name}: {why}"));
    if path.exists() && !replaces {
        return Err(CopyError::new(format!("{name} already exists and was not changed; to overwrite it: --force")));
    }
    if path.exists() {
        file::judge_file(path, false)?;
    }
    let alone = alone(path)?;
    let in_backup = check(backup, false, cancel)?;
    if !in_backup.problems.is_empty() && !cancel.is_cancelled() {
        return Err(CopyError::Damaged(in_backup.problems));
    }
    file::create_directory(path).map_err(cannot_write)?;
    let copy = copied(backup, path, cancel)?;
    let in_copy = check(copy.file.path(), false, cancel)?;
    CopyError::if_cancelled(cancel)?;
    if in_copy != in_backup {
        return Err(CopyError::new(format!("{name} was not changed: its disk did not keep what was written")));
    }
    put(copy.file, path).map_err(cannot_write)?;
    drop(alone);
    Ok(in_copy)
}

/// Gives `copy` the name of the file at `path`.
fn put(copy: NamedTempFile, path: &Path) -> io::Result<()> {
    give_to_owner(copy.as_file(), path)?;
    // SQLite would put the pages of an old log into the new file. After a power cut it must not find both.
    file::OTHERS.iter().try_for_each(|other| file::remove(&file::beside(path, other)))?;
    file::sync_directory(path)?;
    copy.persist(path)?;
    file::sync_directory(path)
}

/// Keeps other programs from using the file at `path` until it is closed. Its write-ahead log is folded in first, so that
/// an interruption leaves it complete.
fn alone(path: &Path) -> Result<Option<Connection>, CopyError> {
    if !path.exists() {
        return Ok(None);
    }
    match lock(path) {
        Ok(connection) => Ok(Some(connection)),
        Err(error) if is_busy(&error) => {
            let name = path.display();
            Err(CopyError::new(format!("{name} is in use and was not changed: stop the service first")))
        }
        // A damaged file cannot be locked, and is used by nobody: SQLite locks it before it reads it.
        Err(_) => Ok(None),
    }
}

fn lock(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connection::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, Duration::ZERO)?;
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
