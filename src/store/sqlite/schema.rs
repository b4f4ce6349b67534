//! The tables: made and brought up to date when a file is opened.

use std::path::Path;

use rusqlite::Connection;

use crate::store::purpose::{Purpose, UNFINISHED};
use crate::store::{DatabaseUrl, StoreError};

/// In order; `PRAGMA user_version` counts those that were run. Each may be run again, since files from before that count
/// have tables too.
const MIGRATIONS: [&str; 7] = [
    include_str!("../../../assets/migrations/sqlite/0001_pets.sql"),
    include_str!("../../../assets/migrations/sqlite/0002_pets_by_status.sql"),
    include_str!("../../../assets/migrations/sqlite/0003_api_keys.sql"),
    include_str!("../../../assets/migrations/sqlite/0004_idempotency_keys.sql"),
    include_str!("../../../assets/migrations/sqlite/0005_idempotency_keys_by_age.sql"),
    include_str!("../../../assets/migrations/sqlite/0006_key_events.sql"),
    include_str!("../../../assets/migrations/sqlite/0007_pets_added_by.sql"),
];

/// What this program knows.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// All or nothing, in one transaction, which also keeps a second process out meanwhile. A file of a newer program is
/// left as it is.
pub(super) fn migrate(connection: &mut Connection, path: &Path, purpose: Purpose) -> Result<(), StoreError> {
    let database = || DatabaseUrl::Sqlite(path.to_owned());
    let cannot = |source: rusqlite::Error| StoreError::Migrate { database: database(), source: source.into() };
    if version(connection).map_err(cannot)? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction().map_err(cannot)?;
    let found = version(&transaction).map_err(cannot)?;
    let run = purpose.migrations_run(found);
    if run > VERSION {
        return Err(StoreError::of_version(database(), found, VERSION));
    }
    for sql in MIGRATIONS.iter().skip(run as usize) {
        match transaction.execute_batch(sql) {
            // SQLite cannot say IF NOT EXISTS of a column.
            Err(error) if error.to_string().contains("duplicate column name") => {}
            run => run.map_err(cannot)?,
        }
    }
    if found != UNFINISHED {
        transaction.pragma_update(None, "user_version", VERSION).map_err(cannot)?;
    }
    transaction.commit().map_err(cannot)
}

/// Marks it as a copy that is not finished, or removes the mark. Its tables are up to date.
pub(in crate::store) fn mark(connection: &Connection, is_unfinished: bool) -> rusqlite::Result<()> {
    connection.pragma_update(None, "user_version", if is_unfinished { UNFINISHED } else { VERSION })
}

/// Whether there is the table that every version of this program has made first.
pub(super) fn has_pets(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'pets')", [], |row| row.get(0))
}

/// Refuses a database of another program, before anything in it is changed. If it cannot be read, opening it reports why.
pub(super) fn refuse_foreign(path: &Path) -> Result<(), StoreError> {
    let is_ours = Connection::open(path)
        .and_then(|connection| Ok(has_pets(&connection)? || version(&connection)? == 0 && is_empty(&connection)?));
    if is_ours.unwrap_or(true) {
        Ok(())
    } else {
        Err(StoreError::Foreign { database: DatabaseUrl::Sqlite(path.to_owned()) })
    }
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
