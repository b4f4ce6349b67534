//! What the instances on one server report to each other: that pets were added (LISTEN and NOTIFY).
//!
//! Only PostgreSQL has this, and no pooler passes it on. So it only makes reading sooner: everyone also reads at
//! intervals, which are shorter where nothing is reported.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool::managed::Manager as _;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_postgres::error::SqlState;

use super::connections::Connections;
use super::pool::{ANSWER_TIME, MonitoredClient};
use crate::model::text::safe_causes;
use crate::store::addition_signal::{POLL_ALONE, POLL_REPORTED};

const LISTEN: &str = "LISTEN petstore_pets";
const NOTIFY: &str = "NOTIFY petstore_pets";

/// The time from one report to the next: what is added meanwhile needs no more of them.
const PACE: Duration = Duration::from_millis(20);

/// How often to find out whether the connection is still there.
const CHECK_EVERY: Duration = Duration::from_secs(5);

/// How long to wait before connecting again.
const PAUSE: Duration = Duration::from_secs(1);

/// A connection that reports and hears of additions, once someone asks for it.
#[derive(Debug)]
pub(super) struct Listener {
    connections: Connections,
    task: Mutex<Option<JoinHandle<()>>>,
    is_listening: Arc<AtomicBool>,
}

impl Listener {
    pub(super) fn new(connections: &Connections) -> Self {
        Self { connections: connections.clone(), task: Mutex::default(), is_listening: Arc::default() }
    }

    /// Connects in the background, and again whenever the connection is lost.
    pub(super) fn start(&self) {
        let mut task = self.task.lock();
        if self.connections.by_name && task.is_none() {
            let (connections, is_listening) = (self.connections.clone(), Arc::clone(&self.is_listening));
            *task = Some(tokio::spawn(async move {
                while let Outcome::Lost = listen(&connections, &is_listening).await {
                    is_listening.store(false, Ordering::Relaxed);
                    sleep(PAUSE).await;
                }
            }));
        }
    }

    pub(super) fn poll_interval(&self) -> Duration {
        if self.is_listening.load(Ordering::Relaxed) { POLL_REPORTED } else { POLL_ALONE }
    }

    pub(super) fn close(&self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.close();
    }
}

enum Outcome {
    /// The server does not have it.
    Unsupported,
    /// It may work later.
    Lost,
}

/// Listens until the connection is lost, and reports what this process adds meanwhile.
async fn listen(connections: &Connections, is_listening: &AtomicBool) -> Outcome {
    let Ok(client) = connections.pool.manager().create().await else { return Outcome::Lost };
    let mut added = connections.added_here.subscribe();
    client.take_warning();
    match client.batch_execute(LISTEN).await {
        // YugabyteDB warns that it does nothing.
        Ok(()) if client.take_warning() => return Outcome::Unsupported,
        Ok(()) => {}
        Err(error) => {
            tracing::debug!(error = safe_causes(&error), "the database server reports no additions");
            return if is_unsupported(&error) { Outcome::Unsupported } else { Outcome::Lost };
        }
    }
    is_listening.store(true, Ordering::Relaxed);
    // What was added before it listened.
    connections.additions.report();
    while hear(&client, &mut added).await {}
    Outcome::Lost
}

/// Whether the connection is still there, after a while or a report.
async fn hear(client: &MonitoredClient, added: &mut watch::Receiver<()>) -> bool {
    let statement = match timeout(CHECK_EVERY, added.changed()).await {
        Ok(Ok(())) => NOTIFY,
        Ok(Err(_closed)) => return false,
        Err(_) => LISTEN,
    };
    let is_there = matches!(timeout(ANSWER_TIME, client.batch_execute(statement)).await, Ok(Ok(())));
    sleep(PACE).await;
    is_there
}

fn is_unsupported(error: &tokio_postgres::Error) -> bool {
    [SqlState::FEATURE_NOT_SUPPORTED, SqlState::SYNTAX_ERROR].iter().any(|code| error.code() == Some(code))
}
