//! The metrics of the service for Prometheus, at `/metrics` on a separate listener.
//!
//! Every label comes from a fixed list, never from a client, so the number of series is bounded.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use strum::VariantArray as _;

use super::config::Config;
use super::limits::Limit;
use super::names::{OTHER, ROUTES};
use crate::clock::Now;
use crate::store::{FailureKind, StoreError};

type OneLabel = [(&'static str, &'static str); 1];

/// What is counted, and how it is written out.
#[derive(Debug, Default)]
pub struct Metrics {
    pub requests: Requests,
    pub connections: Connections,
    /// Requests without a valid key.
    pub failed_authentications: Counter,
    /// Open event streams.
    pub streams: Gauge,
    pub rate_limited: Family<OneLabel, Counter>,
    storage_failures: Family<OneLabel, Counter>,
    ready: Family<OneLabel, Gauge>,
    not_ready: Family<[(&'static str, &'static str); 2], Gauge>,
    registry: Registry,
}

/// The metrics of one listener. Cheap to clone; not exported unless registered.
#[derive(Clone, Debug, Default)]
pub struct Connections {
    pub open: Gauge,
    pub accepted: Counter,
    pub evicted: Counter,
    pub failed: Counter,
}

impl Metrics {
    pub fn new(started: Now, config: &Config) -> Self {
        let metrics = Self::default();
        // From the start on, so that the first failure is a growth and not a new series.
        for kind in FailureKind::VARIANTS {
            drop(metrics.storage_failures.get_or_create(&[("kind", kind.into())]));
        }
        for limit in Limit::VARIANTS {
            drop(metrics.rate_limited.get_or_create(&[("limit", limit.into())]));
        }
        Self { registry: metrics.register(started, config), ..metrics }
    }

    fn register(&self, started: Now, config: &Config) -> Registry {
        let mut registry = Registry::default();
        self.requests.register(&mut registry);
        let Connections { open, accepted, evicted, failed } = self.connections.clone();
        registry.register("petstore_connections_open", "Connections that have a place", open);
        registry.register("petstore_connections_accepted", "Connections that got a place", accepted);
        registry.register("petstore_connections_evicted", "Connections that had to make room for others", evicted);
        registry.register("petstore_connections_failed", "Failures to accept a connection", failed);
        let failed = self.failed_authentications.clone();
        registry.register("petstore_failed_authentications", "Requests without a valid API key", failed);
        registry.register("petstore_streams_open", "Event streams that are open", self.streams.clone());
        let limited = self.rate_limited.clone();
        registry.register("petstore_rate_limited", "Requests answered 429, by the limit that they met", limited);
        let failures = self.storage_failures.clone();
        registry.register("petstore_storage_failures", "Requests that the database did not serve", failures);
        let dropped = "Lines of the log that were dropped because nothing read them in time";
        registry.register("petstore_log_lines_dropped", dropped, config.dropped_log_lines.clone());
        let help = "Whether pets can be added (writes) and listed (reads)";
        registry.register("petstore_ready", help, self.ready.clone());
        registry.register("petstore_not_ready", "Why they cannot", self.not_ready.clone());
        if let Some(tls) = &config.tls {
            let help = "When the first certificate of the chain to expire does, in Unix time";
            registry.register_with_unit("petstore_certificate_expires", help, Unit::Seconds, tls.expires.clone());
        }
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("petstore_build", "The program that runs", version);
        let since = Gauge::<f64, AtomicU64>::default();
        since.set(started.wall.as_duration().as_secs_f64());
        registry.register_with_unit("process_start_time", "When it was started, in Unix time", Unit::Seconds, since);
        registry
    }

    /// `error` is why; nothing where there was no answer in time.
    pub fn storage_failure(&self, error: Option<&StoreError>) {
        let kind = error.map_or(FailureKind::Timeout, StoreError::kind);
        self.storage_failures.get_or_create(&[("kind", kind.into())]).inc();
    }

    /// `purpose` is one of two.
    pub fn set_ready(&self, purpose: &'static str, ready: Result<(), FailureKind>) {
        self.ready.get_or_create(&[("for", purpose)]).set(i64::from(ready.is_ok()));
        for kind in FailureKind::VARIANTS {
            let why = self.not_ready.get_or_create(&[("for", purpose), ("reason", kind.into())]);
            // Some kinds have the same label.
            why.set(i64::from(ready.is_err_and(|why| <&str>::from(why) == <&str>::from(kind))));
        }
    }

    /// As OpenMetrics.
    pub fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"];
const STATUSES: [&str; 17] = [
    "200", "201", "204", "304", "400", "401", "403", "404", "405", "408", "409", "413", "415", "422", "429", "500",
    "503",
];

/// The upper ends of the buckets in seconds, from an answer out of memory to the end of all patience.
const BOUNDS: [f64; 15] =
    [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// What is known of requests.
#[derive(Debug)]
pub struct Requests {
    pub in_flight: Gauge,
    aborted: Counter,
    answered: Family<[(&'static str, &'static str); 3], Counter>,
    durations: Family<OneLabel, Histogram>,
}

/// A request that is being answered. When this is dropped before, the connection has ended first.
#[derive(Debug)]
pub struct InFlight<'a> {
    requests: &'a Requests,
    method: &'static str,
    route: &'static str,
    is_answered: bool,
}

impl Default for Requests {
    fn default() -> Self {
        let durations = Family::new_with_constructor((|| Histogram::new(BOUNDS)) as fn() -> Histogram);
        ROUTES.iter().for_each(|route| drop(durations.get_or_create(&[("route", *route)])));
        Self { in_flight: Gauge::default(), aborted: Counter::default(), answered: Family::default(), durations }
    }
}

impl Requests {
    fn register(&self, registry: &mut Registry) {
        registry.register("http_requests", "Requests that were answered", self.answered.clone());
        let help = "From the head of the request to the head of the answer";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, self.durations.clone());
        registry.register("http_requests_in_flight", "Requests that are being answered", self.in_flight.clone());
        let help = "Requests whose connection ended before the answer";
        registry.register("http_requests_aborted", help, self.aborted.clone());
    }

    pub fn begin(&self, method: &Method, route: &'static str) -> InFlight<'_> {
        self.in_flight.inc();
        InFlight { requests: self, method: listed(&METHODS, method.as_str()), route, is_answered: false }
    }
}

impl InFlight<'_> {
    pub fn answered(mut self, status: StatusCode, after: Duration) {
        self.is_answered = true;
        let (method, route, status) = (self.method, self.route, listed(&STATUSES, status.as_str()));
        let labels = [("method", method), ("route", route), ("status", status)];
        self.requests.answered.get_or_create(&labels).inc();
        self.requests.durations.get_or_create(&[("route", route)]).observe(after.as_secs_f64());
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.requests.in_flight.dec();
        if !self.is_answered {
            self.requests.aborted.inc();
        }
    }
}

/// `word` where it is in the list, else what stands for all that is not.
fn listed(list: &[&'static str], word: &str) -> &'static str {
    list.iter().find(|listed| **listed == word).copied().unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::OPENAPI;
    use crate::server::names::{PETS_PATH, route};

    #[test]
    fn every_described_status_has_a_separate_place() {
        let described = OPENAPI.lines().filter_map(|line| line.trim().strip_prefix('\'')?.split_once("':"));
        let statuses: Vec<_> = described.map(|(status, _)| status).filter(|status| status.len() == 3).collect();
        assert!(statuses.len() > 20, "{statuses:?}");
        for status in statuses {
            assert!(STATUSES.contains(&status), "{status}");
        }
    }

    #[test]
    fn what_is_in_no_list_counts_as_other() {
        let requests = Requests::default();
        for (method, path, status) in [("BREW", "/v1/tea", 418), ("STEEP", "/v1/pets/1/photo", 299)] {
            let begun = requests.begin(&Method::from_bytes(method.as_bytes()).unwrap(), route(path).0);
            begun.answered(StatusCode::from_u16(status).unwrap(), Duration::ZERO);
        }
        let labels = [("method", OTHER), ("route", OTHER), ("status", OTHER)];
        assert_eq!(requests.answered.get_or_create(&labels).get(), 2);
    }

    #[test]
    fn a_request_that_is_dropped_is_no_longer_in_flight_and_counts_as_aborted() {
        let requests = Requests::default();
        let begun = requests.begin(&Method::GET, PETS_PATH);
        assert_eq!((requests.in_flight.get(), requests.aborted.get()), (1, 0));
        drop(begun);
        assert_eq!((requests.in_flight.get(), requests.aborted.get()), (0, 1));
    }
}
