//! The tables: made and brought up to date by one instance, in one transaction; the others wait for its end.

use tokio_postgres::error::SqlState;

use super::connections::Connections;
use super::session::{Session, has_code};
use crate::store::database_error::{Objects, migrations, require_same};
use crate::store::job::Work;
use crate::store::value_row::{Connection, DatabaseError, Value};
use crate::store::{DatabaseUrl, StoreError, sql};

/// In order; the table `schema_versions` has the number of each that was run, from 1.
const MIGRATIONS: [&str; 8] = migrations!(
    "postgres",
    "0001_pets",
    "0002_pets_by_status",
    "0003_api_keys",
    "0004_idempotency_keys",
    "0005_idempotency_keys_by_age",
    "0006_key_events",
    "0007_pet_turn",
    "0008_pets_added_by"
);

/// What this program knows.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// Waits up to a minute for another instance that migrates, and then for as long as the migration takes.
const BEGIN: [&str; 4] = [
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 60000",
    sql::MIGRATION_LOCK,
    "SET LOCAL lock_timeout = 0",
    sql::MAKE_VERSIONS,
];

/// The number of the last migration that was run.
pub(super) struct Version;

impl Work for Version {
    type Output = u32;

    async fn run(&self, on: &Connection<'_>) -> Result<u32, DatabaseError> {
        match on.row(sql::VERSION, &[], |row| row.int::<i64>(0)).await {
            Ok(version) => Ok(version.map_or(0, |version| u32::try_from(version).unwrap_or(u32::MAX))),
            Err(error) if has_code(&error, &SqlState::UNDEFINED_TABLE) => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// An error where a schema of this version is not as the migrations have made it: a trigger or a constraint could have pets
/// refused, or lose them after they were acknowledged.
pub(super) struct IsOurs;

impl Work for IsOurs {
    type Output = ();

    async fn run(&self, on: &Connection<'_>) -> Result<(), DatabaseError> {
        let objects = on.rows(sql::OBJECTS, &[], |row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned())));
        require_same(&ours(), &objects.await?.into_iter().collect())
    }
}

/// What the migrations make, as [`sql::OBJECTS`] finds it.
fn ours() -> Objects<String> {
    let mut ours = Objects::from([("constraint pets_status_check".to_owned(), String::new())]);
    let mut table = "pets";
    for line in MIGRATIONS.iter().flat_map(|sql| sql.lines()) {
        if let Some(rest) = line.strip_prefix("CREATE TABLE IF NOT EXISTS ") {
            table = rest.trim_end_matches(" (");
            ours.insert(format!("constraint {table}_pkey"), String::new());
        }
        let added = line.strip_prefix("ALTER TABLE pets ADD COLUMN IF NOT EXISTS ").map(|column| ("pets", column));
        let column = added.or(line.strip_prefix("    ").map(|column| (table, column)));
        let Some((table, Some((name, definition)))) = column.map(|(table, column)| (table, column.split_once(' ')))
        else {
            continue;
        };
        let has = |words: &[&str]| words.iter().any(|words| definition.contains(words));
        let kind = definition.split([' ', ',', ';']).next().unwrap_or_default().to_lowercase();
        let not_null = if has(&["NOT NULL", "PRIMARY KEY"]) { " not null" } else { "" };
        let identity = if has(&["IDENTITY"]) { " identity" } else { "" };
        if name != "PRIMARY" {
            ours.insert(format!("column {table}.{name}"), format!("{kind}{not_null}{identity}"));
        }
    }
    ours
}

/// Runs what is missing, after another instance that does. A schema of a newer program is left as it is.
pub(super) async fn migrate(connections: &Connections, database: &DatabaseUrl) -> Result<(), StoreError> {
    let session = connections.take().await?;
    let found = version(&session, database).await?;
    if found > VERSION {
        return Err(StoreError::of_version(database, found, VERSION));
    }
    if found < VERSION {
        run(&session).await.map_err(|source| match has_code(&source, &SqlState::LOCK_NOT_AVAILABLE) {
            true => {
                StoreError::new(format!("another instance is still updating the schema of {database}: try again later"))
            }
            false => StoreError::because(format!("cannot update the schema of {database}"))(source),
        })?;
    }
    // One that has migrated is closed: nothing else is to wait for what it still has to report.
    session.release(found == VERSION);
    Ok(())
}

/// An error where the schema is not the one of this program.
pub(super) async fn require(session: &Session, database: &DatabaseUrl) -> Result<(), StoreError> {
    let found = version(session, database).await?;
    if found == VERSION { Ok(()) } else { Err(StoreError::of_version(database, found, VERSION)) }
}

async fn version(session: &Session, database: &DatabaseUrl) -> Result<u32, StoreError> {
    Version.run(&Connection::Postgres(session)).await.map_err(StoreError::cannot_open(database))
}

/// Those that are missing by now, all or nothing.
async fn run(session: &Session) -> Result<(), DatabaseError> {
    for statement in BEGIN {
        session.batch(statement).await?;
    }
    let run = Version.run(&Connection::Postgres(session)).await?;
    for (migration, version) in MIGRATIONS.iter().zip(1..).skip(run as usize) {
        session.batch(migration).await?;
        session.execute(sql::ADD_VERSION, &[Value::Int(version)]).await?;
    }
    session.batch("COMMIT").await
}
