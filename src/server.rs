//! The service: the Petstore Animals API over HTTP/1.1, on top of a [`Store`].
//!
//! A request passes, from the outside in: `accept` (the places for connections), `connection` (its time limits), `frame`
//! (request id, the client behind `proxies`, common headers, panics, the log line, the metrics), `cors`, `auth` (the API key and its
//! `limits`, before anything else is looked at), the routes, and `pets`.
//! Everything that is refused becomes an Error body in one place, `failure`. This room knows the store and the model;
//! it knows nothing of the app and of the client.

mod accept;
mod auth;
mod conditional;
mod connection;
mod cors;
mod extract;
mod failure;
mod frame;
mod limits;
mod metrics;
mod new_pet;
mod pets;
mod proxies;
mod routes;
mod slow_bodies;
mod tls;

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::cors::{AllowedOrigin, NotAnOrigin};
pub use self::limits::RateLimit;
pub use self::proxies::{NotAProxy, Proxy};
pub use self::tls::{Tls, TlsError};

use self::auth::FailedAuthentications;
use self::limits::RateLimits;
use self::metrics::Metrics;
use self::slow_bodies::SlowBodies;
use crate::clock;
use crate::store::Store;

/// The description of the API, as it is served at `/v1/openapi.yaml`.
pub const OPENAPI: &str = include_str!("../assets/openapi.yaml");

/// Connections at once that ask for the metrics: far more than there are Prometheus servers.
const METRICS_CONNECTIONS: usize = 16;

/// The limits that keep one client from taking the service away from the others.
#[derive(Clone, Debug)]
pub struct Config {
    /// The largest body of a request, in bytes: 64 KiB.
    pub body_bytes: usize,
    /// The largest request line with headers, in bytes: 32 KiB. There may be 100 headers. Beyond either, hyper itself
    /// answers 431 without a body.
    pub header_bytes: usize,
    /// The time for the request line and headers to arrive, counted from their first byte or the end of the answer
    /// before: 10 s. So a connection may also be idle for that long.
    pub header_time: Duration,
    /// The time for the body to arrive: 30 s.
    pub body_time: Duration,
    /// The time for the work between the last byte of the request and the answer: 30 s.
    pub request_time: Duration,
    /// The time for a client to take any further part of an answer: 30 s.
    pub write_time: Duration,
    /// Connections at once: 1,024. A further one takes the place of the one that has waited longest for a request or its
    /// body, first of those that never had a valid key. A quarter of them may be slow bodies with the same key.
    pub connections: usize,
    /// Requests without a valid key that one address gets a 401 for each second: 10. Further ones get a 429; none do
    /// where there is no limit.
    pub failed_authentications: Option<NonZeroU32>,
    /// How often one API key may ask: without a limit.
    pub rate_limit: Option<RateLimit>,
    /// Origins whose web pages may use the service: none.
    pub cors_origins: Vec<AllowedOrigin>,
    /// Proxies whose `X-Forwarded-For` tells whose request it is: none.
    pub proxies: Vec<Proxy>,
    /// The certificate, where connections are encrypted: they are not.
    pub tls: Option<Tls>,
    /// Lines that the log dropped, for the metrics: whatever writes the log counts them.
    pub dropped_log_lines: Counter,
    /// What running requests get to end after the order to stop: 8 s, so that the whole stop stays within 10 s.
    pub drain: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            body_bytes: 64 * 1024,
            header_bytes: 32 * 1024,
            header_time: Duration::from_secs(10),
            body_time: Duration::from_secs(30),
            request_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            connections: 1024,
            failed_authentications: NonZeroU32::new(10),
            rate_limit: None,
            cors_origins: Vec::new(),
            proxies: Vec::new(),
            tls: None,
            dropped_log_lines: Counter::default(),
            drain: Duration::from_secs(8),
        }
    }
}

/// What every request may need.
#[derive(Clone, Debug)]
struct Service {
    store: Store,
    config: Arc<Config>,
    metrics: Arc<Metrics>,
    failed_authentications: Option<Arc<FailedAuthentications>>,
    rate_limits: Option<Arc<RateLimits>>,
    slow_bodies: Arc<SlowBodies>,
}

/// A running service. When this is dropped, the service stops by itself in the background.
#[derive(Debug)]
pub struct ServerHandle {
    address: SocketAddr,
    config: Arc<Config>,
    metrics: Arc<Metrics>,
    stop: DropGuard,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts to accept on `listener`; needs a tokio runtime. Fails only where the listener has no address.
pub fn start(config: Config, store: Store, listener: TcpListener) -> io::Result<ServerHandle> {
    let address = listener.local_addr()?;
    let stop = CancellationToken::new();
    let metrics = Arc::new(Metrics::new(clock::now(), config.dropped_log_lines.clone()));
    let config = Arc::new(config);
    let service = Service {
        store,
        slow_bodies: Arc::new(SlowBodies::new(config.connections)),
        config: Arc::clone(&config),
        metrics: Arc::clone(&metrics),
        failed_authentications: config.failed_authentications.map(FailedAuthentications::new).map(Arc::new),
        rate_limits: config.rate_limit.map(RateLimits::new).map(Arc::new),
    };
    let (router, connections) = (routes::router(service), metrics.connections.clone());
    let task = tokio::spawn(accept::run(listener, router, Arc::clone(&config), connections, stop.clone()));
    Ok(ServerHandle { address, config, metrics, stop: stop.drop_guard(), tasks: vec![task] })
}

impl ServerHandle {
    /// Where it listens.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The base address of the API, for example `http://127.0.0.1:8080/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        let scheme = if self.config.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}/v1", self.address)
    }

    /// Also answers `GET /metrics` on `listener`, for Prometheus, until the service stops. No key is asked for. Returns
    /// where that is; fails only where the listener has no address.
    pub fn serve_metrics(&mut self, listener: TcpListener) -> io::Result<SocketAddr> {
        let address = listener.local_addr()?;
        let config = Arc::new(Config { connections: METRICS_CONNECTIONS, tls: None, ..Config::clone(&self.config) });
        let router = metrics::router(Arc::clone(&self.metrics));
        let stop = self.stop.token().clone();
        // Those who ask for the figures are not among the figures.
        self.tasks.push(tokio::spawn(accept::run(listener, router, config, metrics::Connections::default(), stop)));
        Ok(address)
    }

    /// Accepts nothing more, lets running requests end within [`Config::drain`], then drops what is left. The store
    /// stays open.
    pub async fn shutdown(self) {
        drop(self.stop);
        for task in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "the accept loop ended badly");
            }
        }
    }
}
