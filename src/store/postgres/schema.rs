//! The tables: made and brought up to date by one instance, which holds a lease meanwhile; the others wait.
//!
//! Each migration is one statement that may be run again, since neither CockroachDB nor YugabyteDB changes a schema
//! within a transaction as PostgreSQL does: an interrupted migration is completed by the next run.

use std::time::Duration;

use tokio::time::{Instant, interval_at, sleep};
use tokio_postgres::error::SqlState;
use uuid::Uuid;

use super::connections::Connections;
use super::session::{Session, has_code};
use crate::clock;
use crate::store::job::Work;
use crate::store::purpose::Purpose;
use crate::store::value_row::{Connection, DatabaseError, Value};
use crate::store::{DatabaseUrl, StoreError, sql};

/// In order; the table `schema_versions` has the number of each that was run, from 1.
const MIGRATIONS: [&str; 8] = [
    include_str!("../../../assets/migrations/postgres/0001_pets.sql"),
    include_str!("../../../assets/migrations/postgres/0002_pets_by_status.sql"),
    include_str!("../../../assets/migrations/postgres/0003_api_keys.sql"),
    include_str!("../../../assets/migrations/postgres/0004_idempotency_keys.sql"),
    include_str!("../../../assets/migrations/postgres/0005_idempotency_keys_by_age.sql"),
    include_str!("../../../assets/migrations/postgres/0006_key_events.sql"),
    include_str!("../../../assets/migrations/postgres/0007_pet_turn.sql"),
    include_str!("../../../assets/migrations/postgres/0008_pets_added_by.sql"),
];

/// What this program knows.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// How long a lease holds for an instance that has gone silent, in seconds, and how often it is renewed.
const LEASE: i64 = 15;
const RENEWED_EVERY: Duration = Duration::from_secs(5);

/// How long to wait for another instance's migrations, and how often to look.
const PATIENCE: Duration = Duration::from_secs(60);
const CHECK_EVERY: Duration = Duration::from_millis(100);

/// The number of the last migration that was run.
pub(super) struct Version;

impl Work for Version {
    type Output = u32;

    async fn run(&self, on: &Connection<'_>) -> Result<u32, DatabaseError> {
        match on.row(sql::VERSION, &[], |row| row.int(0)).await {
            Ok(version) => Ok(version.map_or(0, |version| u32::try_from(version).unwrap_or(u32::MAX))),
            Err(error) if has_code(&error, &SqlState::UNDEFINED_TABLE) => Ok(0),
            Err(error) => Err(error),
        }
    }
}

/// Runs what is missing, or waits until another instance has. A schema of a newer program is left as it is.
pub(super) async fn migrate(
    connections: &Connections,
    database: &DatabaseUrl,
    purpose: Purpose,
) -> Result<(), StoreError> {
    let cannot = |source| StoreError::Migrate { database: database.clone(), source };
    let begun = clock::now().mono;
    let holder = format!("{}", Uuid::new_v4());
    loop {
        let session = connections.take().await?;
        if is_current(&session, database, purpose).await? {
            session.release(true);
            return Ok(());
        }
        if lease(&session, &holder).await.map_err(cannot)? {
            if connections.by_name {
                // Making an index may take long. This connection is not used for anything else.
                session.batch("SET statement_timeout = 0").await.map_err(cannot)?;
            }
            let renewer = connections.take().await?;
            let run = while_renewed(run(&session, purpose), &renewer, &holder).await;
            end(&renewer, &holder).await.map_err(cannot)?;
            renewer.release(true);
            return run.map_err(cannot);
        }
        if clock::now().mono.duration_since(begun) > PATIENCE {
            return Err(StoreError::MigrationUnderWay { database: database.clone() });
        }
        session.release(true);
        sleep(CHECK_EVERY).await;
    }
}

/// An error where the schema is not the one of this program.
pub(super) async fn require(session: &Session, database: &DatabaseUrl) -> Result<(), StoreError> {
    let found = version(session, database).await?;
    if found == VERSION { Ok(()) } else { Err(StoreError::of_version(database.clone(), found, VERSION)) }
}

async fn is_current(session: &Session, database: &DatabaseUrl, purpose: Purpose) -> Result<bool, StoreError> {
    let found = version(session, database).await?;
    let run = purpose.migrations_run(found);
    if run > VERSION {
        return Err(StoreError::of_version(database.clone(), found, VERSION));
    }
    Ok(run == VERSION)
}

async fn version(session: &Session, database: &DatabaseUrl) -> Result<u32, StoreError> {
    let version = Version.run(&Connection::Postgres(session)).await;
    version.map_err(|source| StoreError::Open { database: database.clone(), source })
}

/// Whether `holder` may run migrations.
async fn lease(session: &Session, holder: &str) -> Result<bool, DatabaseError> {
    for make in [sql::MAKE_VERSIONS, sql::MAKE_LEASE, sql::ADD_LEASE] {
        match session.batch(make).await {
            Err(error) if OTHERS_WERE_FASTER.iter().any(|code| has_code(&error, code)) => return Ok(false),
            made => made?,
        }
    }
    match session.execute(sql::TAKE_LEASE, &[Value::Text(holder), Value::Int(LEASE)]).await {
        Err(error) if OTHERS_WERE_FASTER.iter().any(|code| has_code(&error, code)) => Ok(false),
        taken => Ok(taken? > 0),
    }
}

/// The errors of instances that create the same table or take the lease at once. All but one of them check again.
const OTHERS_WERE_FASTER: [SqlState; 4] = [
    SqlState::UNIQUE_VIOLATION,
    SqlState::DUPLICATE_TABLE,
    SqlState::DUPLICATE_OBJECT,
    SqlState::T_R_SERIALIZATION_FAILURE,
];

async fn end(session: &Session, holder: &str) -> Result<(), DatabaseError> {
    session.execute(sql::END_LEASE, &[Value::Text(holder)]).await.map(drop)
}

/// Those that are missing by now.
async fn run(session: &Session, purpose: Purpose) -> Result<(), DatabaseError> {
    let run = purpose.migrations_run(Version.run(&Connection::Postgres(session)).await?);
    for (migration, version) in MIGRATIONS.iter().zip(1..).skip(run as usize) {
        session.batch(migration).await?;
        session.execute(sql::ADD_VERSION, &[Value::Int(version)]).await?;
    }
    Ok(())
}

/// Does `work`, and keeps the lease meanwhile by another connection.
async fn while_renewed<T>(
    work: impl Future<Output = Result<T, DatabaseError>>,
    renewer: &Session,
    holder: &str,
) -> Result<T, DatabaseError> {
    let mut ticks = interval_at(Instant::from_std(clock::now().mono + RENEWED_EVERY), RENEWED_EVERY);
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            done = work.as_mut() => return done,
            _ = ticks.tick() => {
                renewer.execute(sql::TAKE_LEASE, &[Value::Text(holder), Value::Int(LEASE)]).await?;
            }
        }
    }
}
