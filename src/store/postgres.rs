//! A PostgreSQL server: a few connections, each of which serves many requests at once.
//!
//! Whatever waits when a connection becomes free goes to the server in one go: reads one behind the other without
//! waiting for the answers between them, writes together in one transaction. So neither the distance to the server nor
//! its fsync is paid for each request, and ten connections are plenty.
//!
//! Nothing waits for ever: a server that is away, frozen or cut off is given up after seconds, and its connection with
//! it.

mod batcher;
mod commit_monitor;
mod connections;
mod hosts;
mod pool;
mod schema;
mod session;
mod transaction;
mod url;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join3;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

pub use self::url::PostgresUrl;

pub(super) use self::pool::ANSWER_TIME;
pub(super) use self::session::Session;

use self::batcher::{Batcher, Kind};
use self::connections::Connections;
use super::job::{BEAT_TIME, Query, Work};
use super::url::DatabaseUrl;
use super::{StoreError, StoreFailure, sql};
use crate::model::text::safe_causes;

/// How many of them read, and how many write; the others are for what is neither.
const READERS: usize = 3;
const WRITERS: usize = 3;

/// What waits gets this long when the store is closed.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// A connected server.
#[derive(Debug)]
pub(super) struct Postgres {
    database: DatabaseUrl,
    connections: Connections,
    pub(super) reads: Batcher,
    pub(super) writes: Batcher,
    /// For work that others must not share a transaction with: they may take back what they have added.
    pub(super) writes_apart: Batcher,
    /// For writes without a waiting caller: one at a time.
    spare: Arc<Semaphore>,
}

impl Postgres {
    /// Reaches the server once, so that a wrong address is noticed at the start.
    pub(super) async fn connect(url: &PostgresUrl) -> Result<Self, StoreError> {
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
        let reads = Batcher::start(Kind::Read, READERS, &connections);
        let writes = Batcher::start(Kind::Write, WRITERS, &connections);
        let writes_apart = Batcher::start(Kind::Write, 1, &connections);
        Ok(Self { database, connections, reads, writes, writes_apart, spare: Arc::new(Semaphore::new(1)) })
    }

    /// Brings the schema up to date; one instance does it, the others wait for that.
    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        schema::migrate(&self.connections, &self.database).await
    }

    /// An error where the schema is not up to date.
    pub(super) async fn require_schema(&self) -> Result<(), StoreError> {
        let session = self.connections.take().await?;
        schema::require(&session, &self.database).await?;
        session.release(true);
        Ok(())
    }

    /// Whether a commit waits for other servers too, or this is such a server: one that led until just now is named by no
    /// other, and still shows what it alone has.
    pub(super) async fn is_replicated(&self) -> Result<bool, StoreFailure> {
        Ok(!self.reads.work(Query(sql::IS_REPLICATED, [], |_| Ok(()))).await?.is_empty())
    }

    /// Separately, so that no transaction with a waiting caller holds its locks.
    pub(super) fn write_later<W: Work>(&self, work: W) {
        let Ok(permit) = Arc::clone(&self.spare).try_acquire_owned() else { return };
        if self.connections.pulse.is_stuck() {
            return;
        }
        let connections = self.connections.clone();
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = transaction::write_alone(&connections, work).await {
                tracing::debug!(error = safe_causes(&error), "a background write was skipped");
            }
        });
    }

    /// Whether it can be read, and its schema is one that this program can use.
    pub(super) async fn ping(&self) -> Result<(), StoreFailure> {
        match self.reads.work(schema::Version).await? {
            found if found < schema::VERSION => Err(StoreFailure::Outdated),
            schema::VERSION => self.reads.work(schema::IsOurs).await,
            // A newer program has added to it.
            _ => Ok(()),
        }
    }

    /// Whether it can be written: a commit was done just now, or one is done now.
    pub(super) async fn can_write(&self) -> Result<(), StoreFailure> {
        let pulse = &self.connections.pulse;
        if pulse.is_felt() {
            return Ok(());
        }
        let mut beats = pulse.beats.subscribe();
        self.connections.start_beat();
        match timeout(BEAT_TIME, beats.changed()).await {
            Ok(_) => beats.borrow().clone(),
            Err(_) if pulse.is_quiet() => Err(StoreFailure::NoAnswer),
            Err(_) => Err(StoreFailure::Stuck),
        }
    }

    /// Changes when this process has added pets.
    pub(super) fn additions(&self) -> watch::Receiver<()> {
        self.connections.additions.subscribe()
    }

    pub(super) async fn close(&self) {
        let closing = join3(self.reads.close(), self.writes.close(), self.writes_apart.close());
        let closed = timeout(CLOSE_TIME, closing).await;
        if closed.is_err() {
            tracing::warn!("the database does not answer; waiting requests were dropped");
        }
        self.connections.pool.close();
    }
}

/// A connection in the transaction that `begin` begins. Its schema is up to date.
pub(super) async fn begin(url: &PostgresUrl, begin: &str) -> Result<Session, StoreError> {
    let database = DatabaseUrl::Postgres(url.clone());
    let connections = Connections::open(url)?;
    let session = connections.take_first(&database).await?;
    schema::require(&session, &database).await?;
    let begun = timeout(ANSWER_TIME, session.batch(begin)).await.map_err(|_| StoreFailure::NoAnswer)?;
    begun.map_err(StoreError::cannot_open(&database))?;
    Ok(session)
}
