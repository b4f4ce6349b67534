//! The tables: made and brought up to date when a file is opened.

use std::path::Path;

use rusqlite::Connection;
use sha2::{Digest as _, Sha256};

use crate::store::database_error::{Objects, migrations, require_same};
use crate::store::value_row::DatabaseError;
use crate::store::{DatabaseUrl, StoreError};

/// In order; `PRAGMA user_version` counts those that were run. Each may be run again, since files from before that count
/// have tables too.
const MIGRATIONS: [&str; 7] = migrations!(
    "sqlite",
    "0001_pets",
    "0002_pets_by_status",
    "0003_api_keys",
    "0004_idempotency_keys",
    "0005_idempotency_keys_by_age",
    "0006_key_events",
    "0007_pets_added_by"
);

/// What this program knows.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// All or nothing, in one transaction, which also keeps a second process out meanwhile. A file of a newer program is
/// left as it is.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let database = DatabaseUrl::Sqlite(path.to_owned());
    let cannot =
        |source: rusqlite::Error| StoreError::because(format!("cannot update the schema of {database}"))(source);
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
pub(super) fn require_ours(connection: &Connection) -> Result<(), DatabaseError> {
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
const OURS: &str = "cbf8f8450a1f967545298e1c7b8cd527b92293b2d8785f075c555d8570619444";

/// The SHA-256 of all objects.
fn fingerprint(objects: &Objects<(String, Option<String>)>) -> String {
    let lines =
        objects.iter().map(|(name, (table, sql))| format!("{name}\n{table}\n{}\n", sql.as_deref().unwrap_or("")));
    Sha256::digest(lines.collect::<String>()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Each object by its kind and name, with the table that it belongs to and its statement, but for those that SQLite makes
/// itself.
fn objects(connection: &Connection) -> rusqlite::Result<Objects<(String, Option<String>)>> {
    let all =
        "SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut statement = connection.prepare(all)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    rows.collect()
}

/// Whether there is the table that every version of this program has made first.
pub(super) fn has_pets(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'pets'", [], |row| row.get(0))
}

/// Refuses a database of another program, before anything in it is changed. If it cannot be read, opening it reports why.
pub(super) fn refuse_foreign(path: &Path) -> Result<(), StoreError> {
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

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
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
