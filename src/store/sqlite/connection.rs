//! What connections to a file have in common, the one that writes, those that only read, and the tables that they find
//! there.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use parking_lot::Mutex;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use sha2::{Digest as _, Sha256};
use tokio::time::sleep;

use super::file::Files;
use crate::store::error::{Objects, migrations, require_same};
use crate::store::job::{self};
use crate::store::{DatabaseError, DatabaseUrl, DbResult, FailureKind, Outcome, Result, StoreError, Work};

/// How long a write waits for a lock that another process holds.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// If SQLite itself cannot wait: how often to try again, and the pause. A second in all.
const BUSY_TRIES: u32 = 100;
pub const BUSY_PAUSE: Duration = Duration::from_millis(10);

/// An existing file; a locked one is waited for so long.
pub fn connect(path: &Path, mode: OpenFlags, patience: Duration) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(patience)?;
    Ok(connection)
}

pub fn connect_for_writing(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, BUSY_TIMEOUT)?;
    keep_plans(&connection)?;
    switch_to_wal(&connection)?;
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
fn keep_plans(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(drop)
}

/// Patiently: two that switch the same new file to WAL at once cannot wait for each other in SQLite, which tells one of
/// them at once that the file is busy.
fn switch_to_wal(connection: &Connection) -> rusqlite::Result<()> {
    let switch = || connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()));
    for _ in 0..BUSY_TRIES {
        match switch() {
            Err(error) if is_busy(&error) => std::thread::sleep(BUSY_PAUSE),
            done => return done,
        }
    }
    switch()
}

/// For [`Result::map_err`].
pub fn cannot_open<E: Into<DatabaseError>>(path: &Path) -> impl FnOnce(E) -> StoreError {
    let database = DatabaseUrl::Sqlite(path.to_owned());
    move |source| StoreError::cannot_open(&database)(source.into())
}

/// What SQLite answers is there at once.
pub fn at_once<T>(answer: impl Future<Output = DbResult<T>>) -> DbResult<T> {
    answer.now_or_never().unwrap_or(Err(DatabaseError::Vanished))
}

pub fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// In order; `PRAGMA user_version` counts those that were run. Each may be run again, since files from before that count
/// have tables too.
const MIGRATIONS: [&str; 9] = migrations!(
    "sqlite",
    "0001_pets",
    "0002_pets_by_status",
    "0003_api_keys",
    "0004_idempotency_keys",
    "0005_idempotency_keys_by_age",
    "0006_key_events",
    "0007_pets_added_by",
    "0008_pet_changes",
    "0009_pet_changes_by_pet"
);

/// What this program knows.
pub const VERSION: u32 = MIGRATIONS.len() as u32;

/// All or nothing, in one transaction, which also keeps a second process out meanwhile. A file of a newer program is
/// left as it is.
pub fn migrate(connection: &mut Connection, path: &Path) -> Result<()> {
    let database = DatabaseUrl::Sqlite(path.to_owned());
    let cannot = &StoreError::because(format!("cannot update the schema of {database}"));
    if version(connection).map_err(cannot)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction().map_err(cannot)?;
    let found = version(&transaction).map_err(cannot)?;
    if found > VERSION {
        return Err(StoreError::of_version(&database, found, VERSION));
    }
    for sql in MIGRATIONS.iter().skip(found as usize) {
        match transaction.execute_batch(sql) {
            // SQLite cannot say IF NOT EXISTS of a column.
            Err(error) if error.to_string().contains("duplicate column name") => {}
            run => run.map_err(cannot)?,
        }
    }
    transaction.pragma_update(None, "user_version", VERSION).map_err(cannot)?;
    transaction.commit().map_err(cannot)
}

/// An error where another program has changed the schema: a trigger or a constraint could have pets refused, or lose them
/// after they were acknowledged. Tables of others are left alone.
pub fn require_ours(connection: &Connection) -> DbResult<()> {
    let run = match version(connection)? {
        known @ 1..=VERSION => known,
        _ => return Ok(()),
    };
    let found = objects(connection)?;
    if fingerprint(&found) == OURS {
        return Ok(());
    }
    let ours = Connection::open_in_memory()?;
    MIGRATIONS.iter().take(run as usize).try_for_each(|sql| ours.execute_batch(sql))?;
    let ours = objects(&ours)?;
    let is_left_alone = |name: &str, table: &str| {
        (name.starts_with("table ") || name.starts_with("index ")) && !ours.contains_key(&format!("table {table}"))
    };
    let found = found.into_iter().filter(|(name, (table, _))| !is_left_alone(name, table)).collect();
    require_same(&ours, &found)
}

/// What [`fingerprint`] makes of the whole schema: running the migrations takes longer than a write.
const OURS: &str = "60e695cc81865e30edabb6c2382769892d6eb2fb7829f9c5619f98a41e764d29";

/// The SHA-256 of all objects.
fn fingerprint(objects: &Objects<(String, Option<String>)>) -> String {
    let lines = objects.iter().map(|(name, (of, sql))| format!("{name}\n{of}\n{}\n", sql.as_deref().unwrap_or("")));
    Sha256::digest(lines.collect::<String>()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Each object by its kind and name, with the table that it belongs to and its statement, but for those that SQLite makes
/// itself.
fn objects(connection: &Connection) -> rusqlite::Result<Objects<(String, Option<String>)>> {
    let all =
        r"SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'";
    let mut statement = connection.prepare(all)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// Whether there is the table that every version of this program has made first.
pub fn has_pets(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'pets'", [], |row| row.get(0))
}

/// Refuses a database of another program, before anything in it is changed. If it cannot be read, opening it reports why.
pub fn refuse_foreign(path: &Path) -> Result<()> {
    let foreign = Connection::open(path).is_ok_and(|file| is_ours(&file) == Ok(false));
    if foreign { Err(StoreError::foreign(path)) } else { Ok(()) }
}

/// As it is at one moment: another process may be making the tables of a new file.
fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let moment = connection.unchecked_transaction()?;
    Ok(has_pets(&moment)?
        || version(&moment)? == 0
            && moment.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))?)
}

pub fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[derive(Debug)]
pub struct Readers {
    path: PathBuf,
    files: Arc<Files>,
    /// Nothing once closed. There are never more of them than threads that read at once.
    idle: Mutex<Option<Vec<Connection>>>,
}

impl Readers {
    /// Nothing is opened before the first use.
    pub fn new(path: &Path, files: Arc<Files>) -> Self {
        Self { path: path.to_owned(), files, idle: Mutex::new(Some(Vec::new())) }
    }

    /// Reads in this thread, and waits outside of SQLite while it is busy, as it is while another process repairs the
    /// write-ahead log.
    pub async fn read<W: Work>(&self, work: &W) -> Outcome<W::Output> {
        self.patiently(|connection| at_once(work.run(&job::Connection::sqlite(connection)))).await
    }

    /// Whether it can be read, and its schema is as this program has made it.
    pub async fn ping(&self) -> Outcome {
        // As it is at one moment: another process may be bringing it up to date.
        self.patiently(|connection| require_ours(&*connection.unchecked_transaction()?)).await
    }

    async fn patiently<T>(&self, read: impl Fn(&mut Connection) -> DbResult<T>) -> Outcome<T> {
        for _ in 0..BUSY_TRIES {
            match self.read_at_once(&read) {
                Err(error) if error.kind() == FailureKind::Locked => sleep(BUSY_PAUSE).await,
                read_or_not => return read_or_not,
            }
        }
        self.read_at_once(&read)
    }

    fn read_at_once<T>(&self, read: impl Fn(&mut Connection) -> DbResult<T>) -> Outcome<T> {
        let idle = self.idle.lock().as_mut().ok_or(FailureKind::Closed)?.pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect()?,
        };
        // A connection whose statement failed is closed, and replaced by a new one.
        let read = read(&mut connection)?;
        if let Some(idle) = self.idle.lock().as_mut() {
            idle.push(connection);
        }
        Ok(read)
    }

    /// Never to another file than the one that is written: those that are open go on.
    fn connect(&self) -> Outcome<Connection> {
        let open = || {
            let connection = connect(&self.path, OpenFlags::SQLITE_OPEN_READ_ONLY, Duration::ZERO)?;
            keep_plans(&connection)?;
            Ok(connection)
        };
        let connection = open().map_err(DatabaseError::Sqlite);
        if self.files.are_there() { Ok(connection?) } else { Err(FailureKind::Moved.into()) }
    }

    /// Those in use close when they are given back.
    pub fn close(&self) {
        self.idle.lock().take();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

    use super::*;

    #[test]
    fn a_new_file_is_not_taken_for_foreign_while_another_process_makes_its_tables() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let mut other = Connection::open(&path).unwrap();
        other.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())).unwrap();
        let migrated = Arc::new(AtomicBool::new(false));
        let mut judging = Connection::open(&path).unwrap();
        let (done, of) = (Arc::clone(&migrated), path.clone());
        let migrate_before_the_version = move |context: AuthContext<'_>| {
            if matches!(context.action, AuthAction::Pragma { .. }) && !done.swap(true, Ordering::Relaxed) {
                migrate(&mut other, &of).unwrap();
            }
            Authorization::Allow
        };
        judging.authorizer(Some(migrate_before_the_version)).unwrap();
        assert!(is_ours(&judging).unwrap());
        assert!(migrated.load(Ordering::Relaxed));
        assert!(has_pets(&judging).unwrap());
    }

    #[test]
    fn the_fingerprint_is_that_of_what_the_migrations_make() {
        let ours = Connection::open_in_memory().unwrap();
        MIGRATIONS.iter().for_each(|sql| ours.execute_batch(sql).unwrap());
        assert_eq!(fingerprint(&objects(&ours).unwrap()), OURS);
    }
}
