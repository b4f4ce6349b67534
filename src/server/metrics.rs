//! The metrics of the service for Prometheus, at `/metrics` on a separate listener.
//!
//! Every label comes from a fixed list, never from a client, so the number of series is bounded.

mod requests;

use std::fmt;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use strum::VariantArray as _;

use self::requests::Requests;
use super::config::Config;
use crate::clock::Now;
use crate::store::{FailureKind, StoreError};

type OneLabel = [(&'static str, &'static str); 1];

/// What is counted, and how it is written out.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    pub(super) requests: Requests,
    pub(super) connections: Connections,
    /// Requests without a valid key.
    pub(super) failed_authentications: Counter,
    /// Open event streams.
    pub(super) streams: Gauge,
    rate_limited: Family<OneLabel, Counter>,
    storage_failures: Family<OneLabel, Counter>,
    ready: Family<OneLabel, Gauge>,
    not_ready: Family<[(&'static str, &'static str); 2], Gauge>,
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
    /// The ones for event streams.
    Streams,
}

impl Metrics {
    pub(super) fn new(started: Now, config: &Config) -> Self {
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
        registry.register(
            "petstore_ready",
            "Whether pets can be added (writes) and listed (reads)",
            self.ready.clone(),
        );
        registry.register("petstore_not_ready", "Why they cannot", self.not_ready.clone());
        if let Some(tls) = &config.tls {
            let help = "When the first certificate of the chain to expire does, in Unix time";
            registry.register_with_unit("petstore_certificate_expires", help, Unit::Seconds, tls.expires());
        }
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
        let kind = error.map_or(FailureKind::Timeout, StoreError::kind);
        self.storage_failures.get_or_create(&[("kind", kind.into())]).inc();
    }

    /// `purpose` is one of two.
    pub(super) fn set_ready(&self, purpose: &'static str, ready: Result<(), FailureKind>) {
        self.ready.get_or_create(&[("for", purpose)]).set(i64::from(ready.is_ok()));
        for kind in FailureKind::VARIANTS {
            let why = self.not_ready.get_or_create(&[("for", purpose), ("reason", kind.into())]);
            why.set(i64::from(ready == Err(*kind)));
        }
    }

    /// As OpenMetrics.
    pub(super) fn encode(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}
