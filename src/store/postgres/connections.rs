//! All connections to the server, and how one of them is taken.

use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::PoolError;
use tokio::sync::{Mutex, watch};

use super::commit_monitor::CommitMonitor;
use super::pool::{self, ConnectionPool};
use super::session::Session;
use super::url::PostgresUrl;
use crate::store::{DatabaseUrl, StoreError, StoreFailure};

/// Until what age a connection is one that was made just now.
const FRESH: Duration = Duration::from_secs(1);

/// All connections to the server.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    pub(super) pool: ConnectionPool,
    pub(super) pulse: Arc<CommitMonitor>,
    /// Held while a transaction of this process adds pets: only one of each instance then waits in the server for its turn.
    pub(super) turn: Arc<Mutex<()>>,
    /// Reports what this process has added.
    pub(super) additions: Arc<watch::Sender<()>>,
    /// Whether there is another host to go to from one whose commits wait.
    pub(super) are_several_hosts: bool,
}

impl Connections {
    pub(super) fn open(url: &PostgresUrl) -> Result<Self, StoreError> {
        let pulse = Arc::<CommitMonitor>::default();
        let pool = pool::open(url, Arc::clone(&pulse))?;
        let (turn, additions) = (Arc::default(), Arc::default());
        Ok(Self { pool, pulse, turn, additions, are_several_hosts: url.are_several_hosts() })
    }

    /// Closes what is idle and not new: it may lead to a server that was left.
    pub(super) fn leave(&self) {
        drop(self.pool.retain(|_, metrics| metrics.age() < FRESH));
    }

    pub(super) async fn take(&self) -> Result<Session, StoreFailure> {
        match self.pool.get().await {
            Ok(client) => Ok(Session::new(client)),
            Err(PoolError::Closed) => Err(StoreFailure::Closed),
            Err(PoolError::Backend(error)) => Err(StoreFailure::NoConnection(Arc::new(error))),
            Err(error) => Err(StoreFailure::NoConnection(Arc::new(error))),
        }
    }

    /// The same at the start.
    pub(super) async fn take_first(&self, database: &DatabaseUrl) -> Result<Session, StoreError> {
        self.take().await.map_err(|why| match why {
            StoreFailure::NoConnection(source) => StoreError::because(format!("no connection to {database}"))(source),
            other => other.into(),
        })
    }
}
