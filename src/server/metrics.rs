//! The metrics of the service for Prometheus, at `/metrics` on a separate listener.
//!
//! Every label comes from a fixed list, never from a client, so the number of series is bounded.

mod requests;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use strum::VariantArray as _;

use self::requests::Requests;
use crate::clock::Now;
use crate::store::{StoreError, StoreFailure};

/// This form ends with `# EOF`, so that half of it is not taken for the whole.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Why the database did not serve a request.
const FAILURES: [&str; 10] = [
    "timeout",
    "queue_full",
    "read_only",
    "closed",
    "no_connection",
    "unknown_outcome",
    "conflicts",
    "stuck",
    "database",
    "other",
];

type OneLabel = [(&'static str, &'static str); 1];

/// What is counted, and how it is written out.
#[derive(Debug)]
pub(super) struct Metrics {
    pub(super) requests: Arc<Requests>,
    pub(super) connections: Connections,
    /// Requests without a valid key.
    pub(super) failed_authentications: Counter,
    rate_limited: Family<OneLabel, Counter>,
    storage_failures: Family<OneLabel, Counter>,
    registry: Registry,
}

/// The metrics of one listener. Cheap to clone; not exported unless registered.
#[derive(Clone, Debug, Default)]
pub(super) struct Connections {
    pub(super) open: Gauge,
    pub(super) accepted: Counter,
    pub(super) evicted: Counter,
    pub(super) failed: Counter,
}

/// Which limit a request met.
#[derive(Clone, Copy, Debug, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Limit {
    /// The one for requests without a valid key, by address.
    Address,
    /// The one for each API key.
    Key,
    /// The one for slow bodies with the same API key.
    Bodies,
}

impl Metrics {
    pub(super) fn new(started: Now, dropped_log_lines: Counter) -> Self {
        let metrics = Self {
            requests: Arc::default(),
            connections: Connections::default(),
            failed_authentications: Counter::default(),
            rate_limited: Family::default(),
            storage_failures: Family::default(),
            registry: Registry::default(),
        };
        // From the start on, so that the first failure is a growth and not a new series.
        for kind in FAILURES {
            drop(metrics.storage_failures.get_or_create(&[("kind", kind)]));
        }
        for limit in Limit::VARIANTS {
            drop(metrics.rate_limited.get_or_create(&[("limit", limit.into())]));
        }
        Self { registry: metrics.register(started, dropped_log_lines), ..metrics }
    }

    fn register(&self, started: Now, dropped_log_lines: Counter) -> Registry {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Arc::clone(&self.requests)));
        let Connections { open, accepted, evicted, failed } = self.connections.clone();
        registry.register("petstore_connections_open", "Connections that have a place", open);
        registry.register("petstore_connections_accepted", "Connections that got a place", accepted);
        registry.register("petstore_connections_evicted", "Connections that had to make room for others", evicted);
        registry.register("petstore_connections_failed", "Failures to accept a connection", failed);
        let failed = self.failed_authentications.clone();
        registry.register("petstore_failed_authentications", "Requests without a valid API key", failed);
        let limited = self.rate_limited.clone();
        registry.register("petstore_rate_limited", "Requests answered 429, by the limit that they met", limited);
        let failures = self.storage_failures.clone();
        registry.register("petstore_storage_failures", "Requests that the database did not serve", failures);
        let dropped = "Lines of the log that were dropped because nothing read them in time";
        registry.register("petstore_log_lines_dropped", dropped, dropped_log_lines);
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("petstore_build", "The program that runs", version);
        let since = Gauge::<f64, AtomicU64>::default();
        since.set(started.wall.as_duration().as_secs_f64());
        registry.register_with_unit("process_start_time", "When it was started, in Unix time", Unit::Seconds, since);
        registry
    }

    pub(super) fn rate_limited(&self, limit: Limit) {
        self.rate_limited.get_or_create(&[("limit", limit.into())]).inc();
    }

    /// `error` is why; nothing where there was no answer in time.
    pub(super) fn storage_failure(&self, error: Option<&StoreError>) {
        let kind = match error {
            None => "timeout",
            Some(StoreError::Unavailable(failure)) => match failure {
                StoreFailure::NoAnswer => "timeout",
                StoreFailure::NoConnection(_) => "no_connection",
                StoreFailure::OutcomeUnknown => "unknown_outcome",
                StoreFailure::Conflicts => "conflicts",
                StoreFailure::Stuck => "stuck",
                StoreFailure::QueueFull => "queue_full",
                StoreFailure::ReadOnly | StoreFailure::Moved => "read_only",
                StoreFailure::Closed => "closed",
                StoreFailure::Outdated | StoreFailure::Unfinished | StoreFailure::Database(_) => "database",
            },
            Some(_) => "other",
        };
        self.storage_failures.get_or_create(&[("kind", kind)]).inc();
    }
}

/// What is served on the listener of the metrics.
pub(super) fn router(metrics: Arc<Metrics>) -> Router {
    Router::new().route("/metrics", get(write)).with_state(metrics)
}

async fn write(State(metrics): State<Arc<Metrics>>) -> Response {
    let mut text = String::new();
    match encode(&mut text, &metrics.registry) {
        Ok(()) => ([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        // A string takes all that is written to it.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
