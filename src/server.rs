//! The service: the Petstore Animals API over HTTP/1.1, on top of a [`Store`].
//!
//! A request passes, from the outside in: `connection` (the places for connections and their time limits), `frame`
//! (request id, the client behind a proxy, common headers, panics, the log line, the metrics, and what HTTP/1.1 demands
//! of a head), `service` (the API key and its `limits`, before anything else is read), the routes, and `pets`.
//! Everything that is refused becomes an Error body in one place, `failure`. This room knows the store and the model;
//! it knows nothing of the app and of the client.

#![warn(missing_docs)]

mod config;
mod connection;
mod events;
mod extract;
mod failure;
mod feed;
mod frame;
mod limits;
mod metrics;
mod names;
mod pets;
mod routes;
mod service;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::config::{Config, Tls, TlsError};
pub use self::limits::{NotAProxy, Proxy, RateLimit};
pub use self::routes::OPENAPI;

use self::connection::{Acceptor, run};
use self::feed::{Feed, Streams};
use self::limits::{FailedAuthentications, RateLimits, SlowBodies};
use self::metrics::Metrics;
use self::service::Service;
use crate::clock;
use crate::store::Store;

/// Connections at once that ask for the metrics: far more than there are Prometheus servers.
const METRICS_CONNECTIONS: usize = 16;

/// How often to check whether the last requests are answered.
const CHECK_EVERY: Duration = Duration::from_millis(5);

/// A running service. When this is dropped, the service stops in the background.
#[derive(Debug)]
pub struct ServerHandle {
    /// At least one.
    addresses: Vec<SocketAddr>,
    service: Service,
    stop: DropGuard,
    tasks: Vec<JoinHandle<()>>,
}

/// Starts to accept on all of `listeners`; needs a tokio runtime. Fails only where one has no address, or there is none.
pub fn start(config: Config, store: Store, listeners: Vec<TcpListener>) -> io::Result<ServerHandle> {
    let addresses = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<Vec<_>>>()?;
    if addresses.is_empty() {
        return Err(io::ErrorKind::AddrNotAvailable.into());
    }
    let stop = CancellationToken::new();
    let metrics = Arc::new(Metrics::new(clock::now(), &config));
    let config = Arc::new(config);
    let streams = Arc::new(Streams::new(config.streams, metrics.streams.clone()));
    let service = Service {
        feed: Feed::new(store.clone(), Arc::clone(&streams), config.check_keys_every),
        streams,
        store,
        slow_bodies: Arc::new(SlowBodies::new(config.connections)),
        config: Arc::clone(&config),
        metrics: Arc::clone(&metrics),
        failed_authentications: config.failed_authentications.map(FailedAuthentications::new).map(Arc::new),
        rate_limits: config.rate_limit.map(RateLimits::new).map(Arc::new),
    };
    let (router, connections) = (routes::router(service.clone()), metrics.connections.clone());
    let ends_streams = tokio::spawn(end_streams(service.clone(), stop.clone()));
    let task = tokio::spawn(run(listeners, Acceptor::new(config, router, stop.clone()), connections));
    Ok(ServerHandle { addresses, service, stop: stop.drop_guard(), tasks: vec![task, ends_streams] })
}

/// Ends the streams after `stop`, once the requests that may still add something are answered.
async fn end_streams(service: Service, stop: CancellationToken) {
    stop.cancelled().await;
    let answered = async {
        while service.metrics.requests.in_flight.get() > 0 {
            sleep(CHECK_EVERY).await;
        }
    };
    // The streams need some of the time, too.
    let _ = timeout(service.config.drain / 2, answered).await;
    service.feed.finish();
}

impl ServerHandle {
    /// Where it listens: at the first listener.
    pub fn local_addr(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// The base address of the API, for example `http://127.0.0.1:8080/v1`: at the first listener.
    pub fn base_url(&self) -> String {
        self.base_urls().next().unwrap_or_default()
    }

    /// The base addresses of the API, one for each listener.
    pub fn base_urls(&self) -> impl Iterator<Item = String> {
        let scheme = if self.service.config.tls.is_some() { "https" } else { "http" };
        self.addresses.iter().map(move |address| format!("{scheme}://{address}/v1"))
    }

    /// Also answers `GET /metrics` on `listener`, for Prometheus, until the service stops. No key is asked for. Returns
    /// where that is; fails only where the listener has no address.
    pub fn serve_metrics(&mut self, listener: TcpListener) -> io::Result<SocketAddr> {
        let address = listener.local_addr()?;
        let config = Config { connections: METRICS_CONNECTIONS, tls: None, ..(*self.service.config).clone() };
        let router = routes::metrics_router(self.service.clone());
        let acceptor = Acceptor::new(Arc::new(config), router, self.stop.token().clone());
        // Requests for the metrics are not counted in the metrics.
        self.tasks.push(tokio::spawn(run(vec![listener], acceptor, metrics::Connections::default())));
        Ok(address)
    }

    /// Accepts nothing more, lets running requests end within [`Config::drain`], then drops what is left. The store
    /// stays open.
    pub async fn shutdown(self) {
        drop(self.stop);
        for task in self.tasks {
            if let Err(error) = task.await {
                tracing::error!(%error, "the accept loop failed");
            }
        }
    }
}
