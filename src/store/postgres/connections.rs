//! All connections to the server, how one of them is taken, and what is done on it.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use deadpool::managed::{Object, PoolError};
use futures_util::{StreamExt as _, TryStreamExt as _, pin_mut};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Mutex as AsyncMutex;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Row, RowStream};

use super::pool::{self, Commit, CommitMonitor, ConnectionPool, MonitoredClient, PooledConnection};
use crate::store::sql::{self, Value};
use crate::store::url::PostgresUrl;
use crate::store::{DatabaseError, DatabaseUrl, DbResult, FailureKind, Outcome, Result, StoreError, StoreFailure};

/// Until what age a connection is one that was made just now.
const FRESH: Duration = Duration::from_secs(1);

/// All connections to the server.
#[derive(Clone, Debug)]
pub struct Connections {
    pub pool: ConnectionPool,
    pub commits: Arc<CommitMonitor>,
    /// Held while a transaction of this process adds pets: only one of each instance then waits in the server for its turn.
    pub turn: Arc<AsyncMutex<()>>,
    /// Whether there is another host to go to from one whose commits wait.
    pub are_several_hosts: bool,
}

impl Connections {
    pub fn open(url: &PostgresUrl) -> Result<Self> {
        let commits = Arc::<CommitMonitor>::default();
        let pool = pool::open(url, Arc::clone(&commits))?;
        Ok(Self { pool, commits, turn: Arc::default(), are_several_hosts: url.are_several_hosts() })
    }

    /// Closes what is idle and not new: it may lead to a server that was left.
    pub fn leave(&self) {
        drop(self.pool.retain(|_, metrics| metrics.age() < FRESH));
    }

    pub async fn take(&self) -> Outcome<Session> {
        match self.pool.get().await {
            Ok(client) => Ok(Session::new(client)),
            Err(PoolError::Closed) => Err(FailureKind::Closed.into()),
            Err(PoolError::Backend(error)) => Err(StoreFailure::NoConnection(Arc::new(error))),
            Err(error) => Err(StoreFailure::NoConnection(Arc::new(error))),
        }
    }

    /// The same at the start.
    pub async fn take_first(&self, database: &DatabaseUrl) -> Result<Session> {
        self.take().await.map_err(|why| match why {
            StoreFailure::NoConnection(source) => StoreError::because(format!("no connection to {database}"))(source),
            other => other.into(),
        })
    }
}

/// A connection, which goes back to the others only by [`release`](Self::release): one that is dropped half-way is
/// closed, and with it the transaction that it was in.
///
/// But one whose commit the server has not answered is kept until it has: the commit continues there without its
/// connection, and must not overlap with another one.
pub struct Session {
    client: Option<PooledConnection>,
    commit: Mutex<Option<Commit>>,
    /// Whether what follows is in a transaction that takes its turn to add pets first.
    pub has_turn: AtomicBool,
    preparing: AtomicUsize,
}

impl Session {
    pub fn new(client: PooledConnection) -> Self {
        let (has_turn, preparing) = (AtomicBool::new(false), AtomicUsize::new(0));
        Self { client: Some(client), commit: Mutex::new(None), has_turn, preparing }
    }

    /// Gives it back; closes it where it is not `sound`.
    pub fn release(mut self, sound: bool) {
        if sound {
            drop(self.client.take());
        }
    }

    fn client(&self) -> DbResult<&MonitoredClient> {
        self.client.as_deref().ok_or(DatabaseError::Vanished)
    }

    /// What comes next commits.
    pub fn begin(&self, monitor: &Arc<CommitMonitor>) {
        *self.commit.lock() = Some(monitor.begin(self.host()));
        if let Some(client) = &self.client {
            client.take_warning();
        }
    }

    /// A `statement` that adds pets, with what it needs to wait in the server until no other transaction adds any.
    pub fn with_turn(&self, statement: &str) -> String {
        let turn = if self.has_turn.load(Ordering::Relaxed) { "SELECT 1" } else { sql::TAKE_TURN };
        format!("WITH turn AS ({turn}){statement}")
    }

    /// Whether a statement was not sent yet: it is prepared first, once on each connection.
    pub fn is_preparing(&self) -> bool {
        self.preparing.load(Ordering::Relaxed) > 0
    }

    /// Whether a pooler gives its session to others, too.
    pub fn is_shared(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.is_shared)
    }

    /// Which of the hosts it leads to.
    pub fn host(&self) -> usize {
        self.client.as_ref().map_or(0, |client| client.host)
    }

    /// The server has answered, and this is what it was about; nothing where it has warned of that.
    pub fn end(&self) -> Option<Commit> {
        let commit = self.commit.lock().take();
        let has_warned = self.client.as_ref().is_some_and(|client| client.take_warning());
        commit.filter(|_| !has_warned)
    }

    /// What `read` makes of each row.
    pub async fn rows<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(&Row) -> DbResult<T>,
    ) -> DbResult<Vec<T>> {
        self.query(sql, values).await?.map(|row| read(&row?)).try_collect().await
    }

    /// The first column of each row.
    pub async fn texts(&self, sql: &str) -> DbResult<Vec<String>> {
        self.rows(sql, &[], |row| Ok(row.try_get(0)?)).await
    }

    /// How many rows were written.
    pub async fn execute(&self, sql: &str, values: &[Value<'_>]) -> DbResult<u64> {
        let rows = self.query(sql, values).await?;
        pin_mut!(rows);
        while rows.try_next().await?.is_some() {}
        Ok(rows.rows_affected().unwrap_or_default())
    }

    /// Statements without values and answers.
    pub async fn batch(&self, sql: &str) -> DbResult<()> {
        Ok(self.client()?.client.batch_execute(sql).await?)
    }

    async fn query(&self, sql: &str, values: &[Value<'_>]) -> DbResult<RowStream> {
        let client = &self.client()?.client;
        self.preparing.fetch_add(1, Ordering::Relaxed);
        let statement = client.prepare_cached(sql).await;
        self.preparing.fetch_sub(1, Ordering::Relaxed);
        Ok(client.query_raw(&statement?, values).await?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let Some(client) = self.client.take() else { return };
        let commit = self.commit.get_mut().take();
        match (commit, Handle::try_current()) {
            (Some(commit), Ok(runtime)) => drop(runtime.spawn(async move {
                // Behind whatever the server is at.
                let _ = client.client.batch_execute("").await;
                drop((Object::take(client), commit));
            })),
            _ => drop(Object::take(client)),
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Key(id) => id.as_str().to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

/// Whether the server has answered with this code.
pub fn has_code(error: &DatabaseError, code: &SqlState) -> bool {
    error.postgres().is_some_and(|error| error.code() == Some(code))
}
