//! A PostgreSQL server: a few connections, each of which serves many requests at once, and its tables.
//!
//! Whatever waits when a connection becomes free goes to the server in one go: reads one behind the other without
//! waiting for the answers between them, writes together in one transaction. So neither the distance to the server nor
//! its fsync is paid for each request, and ten connections are plenty.
//!
//! Nothing waits for ever: a server that is away, frozen or cut off is given up after seconds, and its connection with
//! it.

mod connections;
mod engine;
mod hosts;
mod pool;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join3;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;

pub use self::connections::Session;
pub use self::pool::ANSWER_TIME;

use self::connections::{Connections, has_code};
use self::engine::{Reads, Writes};
use super::error::{Objects, migrations, require_same};
use super::group::Group;
use super::job::HEARTBEAT_TIME;
use super::{
    Connection, DatabaseUrl, DbResult, FailureKind, Outcome, PostgresUrl, Query, Result, Row, StoreError, StoreFailure,
    Value, Work, sql,
};
use crate::model::safe_causes;

/// How many of them read, and how many write; the others are for what is neither.
const READERS: usize = 3;
const WRITERS: usize = 3;

/// What waits gets this long when the store is closed.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// A connected server.
#[derive(Debug)]
pub struct Postgres {
    database: DatabaseUrl,
    connections: Connections,
    pub reads: Group<Reads>,
    pub writes: Group<Writes>,
    /// For work that others must not share a transaction with: they may take back what they have added.
    pub writes_apart: Group<Writes>,
    /// For writes without a waiting caller: one at a time.
    spare: Arc<Semaphore>,
}

impl Postgres {
    /// Reaches the server once, so that a wrong address is noticed at the start.
    pub async fn connect(url: &PostgresUrl) -> Result<Self> {
        let database = DatabaseUrl::Postgres(url.clone());
        let connections = Connections::open(url)?;
        let session = connections.take_first(&database).await?;
        let texts = async |sql| session.texts(sql).await.map_err(StoreError::cannot_open(&database));
        let encoding = texts(sql::OTHER_ENCODING).await?;
        let (weak, without) = (texts(sql::WEAK_COMMIT).await?, texts(sql::UNSAFE_SETTINGS).await?);
        if let Some(encoding) = encoding.into_iter().next() {
            let why =
                format!("{database} has the encoding {encoding}: create one with ENCODING 'UTF8' TEMPLATE template0");
            return Err(StoreError::new(why));
        }
        // Without a pooler each session has set it itself.
        if let Some(setting) = weak.into_iter().next() {
            return Err(StoreError::new(format!(
                "{database} has synchronous_commit = {setting}, which can lose acknowledged pets, and petstore cannot change \
                 it behind a pooler: run ALTER ROLE ... SET synchronous_commit = on"
            )));
        }
        for setting in without {
            tracing::warn!(%database, "{setting} is off on the database server: a power cut can lose or corrupt acknowledged pets");
        }
        session.release(true);
        let reads = Group::start(Reads(connections.clone()), READERS);
        let writes = Group::start(Writes(connections.clone()), WRITERS);
        let writes_apart = Group::start(Writes(connections.clone()), 1);
        Ok(Self { database, connections, reads, writes, writes_apart, spare: Arc::new(Semaphore::new(1)) })
    }

    /// Runs what is missing, after another instance that does. A schema of a newer program is left as it is.
    pub async fn migrate(&self) -> Result<()> {
        let database = &self.database;
        let session = self.connections.take().await?;
        let found = version(&session, database).await?;
        if found > VERSION {
            return Err(StoreError::of_version(database, found, VERSION));
        }
        if found < VERSION {
            run(&session).await.map_err(|source| match has_code(&source, &SqlState::LOCK_NOT_AVAILABLE) {
                true => StoreError::new(format!(
                    "another instance is still updating the schema of {database}: try again later"
                )),
                false => StoreError::because(format!("cannot update the schema of {database}"))(source),
            })?;
        }
        // One that has migrated is closed: nothing else is to wait for what it still has to report.
        session.release(found == VERSION);
        Ok(())
    }

    /// An error where the schema is not up to date.
    pub async fn require_schema(&self) -> Result<()> {
        let session = self.connections.take().await?;
        require(&session, &self.database).await?;
        session.release(true);
        Ok(())
    }

    /// Separately, so that no transaction with a waiting caller holds its locks.
    pub fn write_later<W: Work>(&self, work: W) {
        let Ok(permit) = Arc::clone(&self.spare).try_acquire_owned() else { return };
        if self.connections.commits.is_stuck(None) {
            return;
        }
        let connections = self.connections.clone();
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = connections.write_alone(work).await {
                tracing::debug!(error = safe_causes(&error), "a background write was skipped");
            }
        });
    }

    /// Whether it can be read, and its schema is one that this program can use: if it knows the version, as the migrations
    /// have made it. A trigger or a constraint could have pets refused, or lose them after they were acknowledged.
    pub async fn ping(&self) -> Outcome {
        match self.reads.work(Version).await? {
            found if found < VERSION => Err(FailureKind::Schema.into()),
            VERSION => {
                let object = |row: Row<'_>| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()));
                let objects = self.reads.work(Query(sql::OBJECTS, [], object)).await?;
                Ok(require_same(&ours(), &objects.into_iter().collect())?)
            }
            // A newer program has added to it.
            _ => Ok(()),
        }
    }

    /// Whether it can be written: a commit was done just now, or one is done now.
    pub async fn can_write(&self) -> Outcome {
        let commits = &self.connections.commits;
        if commits.has_committed_lately() {
            return Ok(());
        }
        let mut heartbeats = commits.heartbeats.subscribe();
        self.connections.start_heartbeat();
        match timeout(HEARTBEAT_TIME, heartbeats.changed()).await {
            Ok(_) => heartbeats.borrow().clone(),
            Err(_) if commits.is_quiet() => Err(FailureKind::Timeout.into()),
            Err(_) => Err(FailureKind::Stuck.into()),
        }
    }

    pub async fn close(&self) {
        let closing = join3(self.reads.close(), self.writes.close(), self.writes_apart.close());
        let closed = timeout(CLOSE_TIME, closing).await;
        if closed.is_err() {
            tracing::warn!("the database does not answer; waiting requests were dropped");
        }
        self.connections.pool.close();
    }
}

/// A connection in the transaction that `begin` begins. Its schema is up to date.
pub async fn begin(url: &PostgresUrl, begin: &str) -> Result<Session> {
    let database = DatabaseUrl::Postgres(url.clone());
    let connections = Connections::open(url)?;
    let session = connections.take_first(&database).await?;
    require(&session, &database).await?;
    let begun = timeout(ANSWER_TIME, session.batch(begin)).await;
    let begun = begun.map_err(|_| StoreFailure::from(FailureKind::Timeout))?;
    begun.map_err(StoreError::cannot_open(&database))?;
    Ok(session)
}

/// In order; the table `schema_versions` has the number of each that was run, from 1.
const MIGRATIONS: [&str; 10] = migrations!(
    "postgres",
    "0001_pets",
    "0002_pets_by_status",
    "0003_api_keys",
    "0004_idempotency_keys",
    "0005_idempotency_keys_by_age",
    "0006_key_events",
    "0007_pet_turn",
    "0008_pets_added_by",
    "0009_pet_changes",
    "0010_pet_changes_by_pet"
);

/// What this program knows.
const VERSION: u32 = MIGRATIONS.len() as u32;

/// Waits up to a minute for another instance that migrates, and then for as long as the migration takes.
const BEGIN: [&str; 4] = [
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 60000",
    sql::MIGRATION_LOCK,
    "SET LOCAL lock_timeout = 0",
    sql::MAKE_VERSIONS,
];

/// The number of the last migration that was run.
struct Version;

impl Work for Version {
    type Output = u32;

    async fn run(&self, on: &Connection<'_>) -> DbResult<u32> {
        match on.rows(sql::VERSION, &[], |row| row.get::<i64>(0)).await {
            Ok(mut versions) => Ok(versions.pop().map_or(0, |version| u32::try_from(version).unwrap_or(u32::MAX))),
            Err(error) if has_code(&error, &SqlState::UNDEFINED_TABLE) => Ok(0),
            Err(error) => Err(error),
        }
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

/// An error where the schema is not the one of this program.
async fn require(session: &Session, database: &DatabaseUrl) -> Result<()> {
    let found = version(session, database).await?;
    if found == VERSION { Ok(()) } else { Err(StoreError::of_version(database, found, VERSION)) }
}

async fn version(session: &Session, database: &DatabaseUrl) -> Result<u32> {
    Version.run(&Connection::Postgres(session)).await.map_err(StoreError::cannot_open(database))
}

/// Those that are missing by now, all or nothing.
async fn run(session: &Session) -> DbResult<()> {
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
