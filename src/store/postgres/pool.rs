//! How connections are made, kept and renewed, and whether commits get through.
//!
//! With synchronous standbys that are all away a commit waits for ever, and neither a time limit of the server nor the
//! end of the connection ends that. So every commit is counted while it is under way. Where one has waited too long, no
//! other is begun, but for one at a time that finds out whether it is over.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, RecycleError, RecycleResult};
use deadpool_postgres::ClientWrapper;
use parking_lot::Mutex;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use smart_default::SmartDefault;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Semaphore, watch};
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::hosts::{ConnectError, Hosts};
use crate::clock;
use crate::model::safe_causes;
use crate::model::text::whole;
use crate::store::url::PostgresUrl;
use crate::store::{DbResult, Outcome, Result, StoreError, StoreFailure, sql};

/// Connections at once; with several instances, each has as many.
const CONNECTIONS: usize = 10;

/// How long to wait for an answer: if the server does not even end a statement at its limit, the connection is given up.
pub const ANSWER_TIME: Duration = Duration::from_millis(5500);

/// How long to wait for a connection that others use.
const WAIT: Duration = Duration::from_secs(5);

/// How long a new connection may take, all hosts of the server together: longer where the address has a longer
/// `connect_timeout` for each.
const CREATE: Duration = Duration::from_secs(4);
const BEYOND_HANDSHAKE: Duration = Duration::from_secs(1);

/// The age at which a connection is not reused, so that addresses and certificates are checked again; spread by up to five
/// minutes.
const LIFETIME: Duration = Duration::from_secs(20 * 60);

/// What raises a notice in PL/pgSQL: a trigger of the operator's own may warn as it likes.
const RAISED_BY_A_TRIGGER: &str = "exec_stmt_raise";

/// How often a warning of the server is logged at most: a trigger can warn for each row.
const WARN_EVERY: Duration = Duration::from_secs(1);

/// All open connections that are not in use.
pub type ConnectionPool = Pool<Connector>;

/// A connection in use.
pub type PooledConnection = Object<Connector>;

/// A connection, and whether the server has warned of anything on it.
#[derive(Debug)]
pub struct MonitoredClient {
    pub client: ClientWrapper,
    /// Which of the hosts it leads to.
    pub host: usize,
    /// Whether a pooler gives its session to others, too.
    pub is_shared: bool,
    warned: Arc<AtomicBool>,
}

impl MonitoredClient {
    /// Whether there was a warning since this was asked last.
    pub fn take_warning(&self) -> bool {
        self.warned.swap(false, Ordering::Relaxed)
    }
}

/// How a connection is made and judged. The pool's own connector would only log what the server warns of.
#[derive(Debug)]
pub struct Connector {
    hosts: Hosts,
    tls: Option<ClientConfig>,
    monitor: Arc<CommitMonitor>,
    are_several_hosts: bool,
    warnings: Arc<Warnings>,
}

/// When one was logged last, and how many were not logged since.
#[derive(Debug, Default)]
struct Warnings(Mutex<(Option<Instant>, u64)>);

impl Warnings {
    fn log(&self, notice: &DbError) {
        let (now, mut state) = (clock::now().mono, self.0.lock());
        let (last, skipped) = &mut *state;
        if last.is_some_and(|last| now.saturating_duration_since(last) < WARN_EVERY) {
            *skipped += 1;
            return;
        }
        tracing::warn!(warning = whole(notice.message()), skipped = take(skipped), "the database server warns");
        *last = Some(now);
    }
}

/// Nothing is connected before the first use.
pub fn open(url: &PostgresUrl, monitor: Arc<CommitMonitor>) -> Result<ConnectionPool> {
    let roots = url.root_certificates.as_deref();
    let shown = roots.unwrap_or(Path::new("the system's")).display();
    let no_roots = StoreError::because(format!("cannot read the certificates of sslrootcert={shown}"));
    let connector = Connector {
        hosts: Hosts::of(&url.hosts, &url.config),
        tls: url.is_encrypted.then(|| tls(roots)).transpose().map_err(no_roots)?,
        monitor,
        are_several_hosts: url.are_several_hosts(),
        warnings: Arc::default(),
    };
    let handshake = url.config.get_connect_timeout().copied().unwrap_or_default();
    let pool = Pool::builder(connector)
        .max_size(CONNECTIONS)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(CREATE.max(handshake.saturating_add(BEYOND_HANDSHAKE))))
        .recycle_timeout(Some(WAIT));
    pool.build().map_err(|error| StoreFailure::NoConnection(Arc::new(error)).into())
}

impl Manager for Connector {
    type Type = MonitoredClient;
    type Error = ConnectError;

    async fn create(&self) -> Result<MonitoredClient, ConnectError> {
        let connected =
            self.hosts.connect(|host| self.monitor.is_stuck(Some(host)), |config| Box::pin(self.connect(config)));
        let (host, client) = Box::pin(connected).await?;
        Ok(MonitoredClient { host, ..client })
    }

    async fn recycle(&self, client: &mut MonitoredClient, metrics: &Metrics) -> RecycleResult<ConnectError> {
        // Spread by where it lies in memory.
        let spread = Duration::from_millis(Arc::as_ptr(&client.warned).addr() as u64 / 64 % 300_000);
        if client.client.is_closed() {
            return Err(RecycleError::message("closed"));
        }
        // The other hosts were tried first when it was made; they are tried again now and then.
        if self.are_several_hosts && metrics.age() >= STUCK && self.monitor.is_stuck(Some(client.host)) {
            return Err(RecycleError::message("its host does not commit"));
        }
        if metrics.age() < LIFETIME + spread { Ok(()) } else { Err(RecycleError::message("too old")) }
    }
}

impl Connector {
    /// Connected to the host of `config`.
    async fn connect(&self, config: Config) -> DbResult<MonitoredClient> {
        let mut client = match &self.tls {
            None => self.driven(config.connect(NoTls).await?),
            Some(tls) => self.driven(config.connect(MakeRustlsConnect::new(tls.clone())).await?),
        };
        // What is set here would be set for the others, and not for what goes through another session.
        let answer = client.client.simple_query(sql::HAS_OPTIONS).await?;
        client.is_shared = !answer.iter().any(|message| matches!(message, SimpleQueryMessage::Row(_)));
        if !client.is_shared {
            client.client.batch_execute(sql::COMMIT_DURABLY).await?;
        }
        Ok(client)
    }

    /// The connection, with a task that reads and writes it and notes the warnings on it. What the server says of a
    /// statement it says before the answer to that.
    fn driven<S, T>(&self, (client, mut connection): (Client, Connection<S, T>)) -> MonitoredClient
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let warned = Arc::<AtomicBool>::default();
        let (has_warned, warnings) = (Arc::clone(&warned), Arc::clone(&self.warnings));
        let task = tokio::spawn(async move {
            while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
                match message {
                    Ok(AsyncMessage::Notice(notice)) if is_warning(&notice) => {
                        warnings.log(&notice);
                        has_warned.store(true, Ordering::Relaxed);
                    }
                    Ok(_) => {}
                    Err(error) => {
                        tracing::warn!(error = safe_causes(&error), "a connection to the database ended");
                        return;
                    }
                }
            }
        });
        MonitoredClient { client: ClientWrapper::new(client, task), host: 0, is_shared: false, warned }
    }
}

fn is_warning(notice: &DbError) -> bool {
    notice.parsed_severity() == Some(Severity::Warning) && notice.routine() != Some(RAISED_BY_A_TRIGGER)
}

/// Certificates are verified against those that the system trusts, or the ones in `roots`, and the server's name.
fn tls(roots: Option<&Path>) -> Result<ClientConfig, Box<dyn std::error::Error + Send + Sync>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = match roots {
        None => builder.with_platform_verifier()?,
        Some(path) => {
            let mut store = RootCertStore::empty();
            for certificate in CertificateDer::pem_file_iter(path)? {
                store.add(certificate?)?;
            }
            builder.with_root_certificates(store)
        }
    };
    Ok(builder.with_no_client_auth())
}

/// How long a commit may take before no other is begun.
pub const STUCK: Duration = Duration::from_secs(2);

/// For how long a commit shows that others get through.
const SHOWN: Duration = Duration::from_secs(1);

#[derive(Debug, SmartDefault)]
pub struct CommitMonitor {
    commits: Mutex<Commits>,
    /// For the one that finds out.
    #[default(Arc::new(Semaphore::new(1)))]
    pub heartbeat_permit: Arc<Semaphore>,
    /// How the last one of these ended.
    #[default(watch::Sender::new(Ok(())))]
    pub heartbeats: watch::Sender<Outcome>,
}

#[derive(Debug, Default)]
struct Commits {
    ever: u64,
    /// When each that is under way was begun, and at which host.
    pending: BTreeMap<u64, (Instant, usize)>,
    /// When the last one that is known to be done was begun, and was done.
    done: Option<(Instant, Instant)>,
}

/// A commit that is under way until this is dropped.
#[derive(Debug)]
pub struct Commit {
    monitor: Arc<CommitMonitor>,
    number: u64,
    begun: Instant,
}

impl CommitMonitor {
    pub fn begin(self: &Arc<Self>, host: usize) -> Commit {
        let begun = clock::now().mono;
        let mut commits = self.commits.lock();
        commits.ever += 1;
        let number = commits.ever;
        commits.pending.insert(number, (begun, host));
        Commit { monitor: Arc::clone(self), number, begun }
    }

    /// Whether a commit, of those at one host if that is given, has waited too long, and none that was begun after it is
    /// done.
    pub fn is_stuck(&self, at: Option<usize>) -> bool {
        let (now, commits) = (clock::now().mono, self.commits.lock());
        let passed = |begun: Instant| commits.done.is_some_and(|(later, _)| later > begun);
        let has_waited = |begun| now.saturating_duration_since(begun) >= STUCK && !passed(begun);
        commits.pending.values().any(|&(begun, host)| at.is_none_or(|at| at == host) && has_waited(begun))
    }

    /// Whether no commit is under way, not even one whose caller has gone away.
    pub fn is_quiet(&self) -> bool {
        self.commits.lock().pending.is_empty()
    }

    /// Whether a commit was done just now.
    pub fn has_committed_lately(&self) -> bool {
        let now = clock::now().mono;
        self.commits.lock().done.is_some_and(|(_, at)| now.saturating_duration_since(at) < SHOWN)
    }
}

impl Commit {
    /// It is done, and has written something.
    pub fn done(self) {
        let now = clock::now().mono;
        let mut commits = self.monitor.commits.lock();
        let done = commits.done.filter(|(begun, _)| *begun > self.begun);
        commits.done = Some((done.map_or(self.begun, |(begun, _)| begun), now));
    }
}

impl Drop for Commit {
    fn drop(&mut self) {
        self.monitor.commits.lock().pending.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_connect_timeout_of_the_address_is_kept() {
        let create = |options: &str| {
            let url = format!("postgres://ada@localhost/pets{options}").parse().unwrap();
            open(&url, Arc::default()).unwrap().timeouts().create.unwrap()
        };
        assert_eq!(create(""), CREATE);
        assert_eq!(create("?connect_timeout=1"), CREATE);
        assert!(create("?connect_timeout=30") > Duration::from_secs(30));
    }
}
