//! Requests by method, route and status, and how long they took.
//!
//! Each series is one number at a fixed place, so that counting takes no lock and no look-up by name.

use std::array;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::{Method, StatusCode};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Unit;

use crate::server::paths::{
    EVENTS_PATH, HEALTH_PATH, OPENAPI_PATH, PET_PATH, PETS_PATH, PROVENANCE_PATH, READINESS_PATH, id_of_provenance,
    is_get_pet,
};

// The last of each list stands for all that is not in it.
const METHODS: [&str; 10] = ["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "other"];
const ROUTES: [&str; 8] =
    [PETS_PATH, EVENTS_PATH, PET_PATH, PROVENANCE_PATH, OPENAPI_PATH, HEALTH_PATH, READINESS_PATH, "other"];
const STATUSES: [&str; 18] = [
    "200", "201", "204", "304", "400", "401", "403", "404", "405", "408", "409", "413", "415", "422", "429", "500",
    "503", "other",
];

/// The upper ends of the buckets in seconds, from an answer out of memory to the end of all patience.
const BOUNDS: [f64; 15] =
    [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// What is known of requests.
#[derive(Debug)]
pub(in crate::server) struct Requests {
    in_flight: Gauge,
    aborted: Counter,
    /// By route, then by method, then by status.
    answered: [[[AtomicU64; STATUSES.len()]; METHODS.len()]; ROUTES.len()],
    /// By route.
    durations: [Durations; ROUTES.len()],
}

#[derive(Debug, Default)]
struct Durations {
    /// The last one is for what took longer than every bound.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    nanoseconds: AtomicU64,
}

/// A request that is being answered. When this is dropped before, the connection has ended first.
#[derive(Debug)]
pub(in crate::server) struct InFlight<'a> {
    requests: &'a Requests,
    method: usize,
    route: usize,
    is_answered: bool,
}

impl Default for Requests {
    fn default() -> Self {
        let zeros = || array::from_fn(|_| array::from_fn(|_| AtomicU64::new(0)));
        Self {
            in_flight: Gauge::default(),
            aborted: Counter::default(),
            answered: array::from_fn(|_| zeros()),
            durations: array::from_fn(|_| Durations::default()),
        }
    }
}

impl Requests {
    pub(in crate::server) fn begin(&self, method: &Method, path: &str) -> InFlight<'_> {
        self.in_flight.inc();
        let route = match path {
            _ if is_get_pet(path) => PET_PATH,
            _ if id_of_provenance(path).is_some() => PROVENANCE_PATH,
            path => path,
        };
        let (method, route) = (place(&METHODS, method.as_str()), place(&ROUTES, route));
        InFlight { requests: self, method, route, is_answered: false }
    }
}

impl Requests {
    /// Whether a request is being answered.
    pub(in crate::server) fn are_in_flight(&self) -> bool {
        self.in_flight.get() > 0
    }
}

impl InFlight<'_> {
    pub(in crate::server) fn answered(mut self, status: StatusCode, after: Duration) {
        self.is_answered = true;
        let status = place(&STATUSES, status.as_str());
        self.requests.answered[self.route][self.method][status].fetch_add(1, Ordering::Relaxed);
        self.requests.durations[self.route].observe(after);
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

impl Durations {
    fn observe(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::Relaxed);
    }

    /// The sum in seconds, and each bucket separately.
    fn read(&self) -> (f64, [(f64, u64); BOUNDS.len() + 1]) {
        let bound = |bucket: usize| BOUNDS.get(bucket).copied().unwrap_or(f64::INFINITY);
        let buckets = array::from_fn(|bucket| (bound(bucket), self.buckets[bucket].load(Ordering::Relaxed)));
        (Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed)).as_secs_f64(), buckets)
    }
}

impl Collector for Requests {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let help = "Requests that were answered.";
        let mut counters = encoder.encode_descriptor("http_requests", help, None, MetricType::Counter)?;
        for (route, methods) in ROUTES.iter().zip(&self.answered) {
            for (method, statuses) in METHODS.iter().zip(methods) {
                for (status, count) in STATUSES.iter().zip(statuses) {
                    let count = count.load(Ordering::Relaxed);
                    if count > 0 {
                        let labels = [("method", *method), ("route", *route), ("status", *status)];
                        ConstCounter::new(count).encode(counters.encode_family(&labels)?)?;
                    }
                }
            }
        }
        let (name, help) = ("http_request_duration", "From the head of the request to the head of the answer.");
        let mut histograms = encoder.encode_descriptor(name, help, Some(&Unit::Seconds), MetricType::Histogram)?;
        for (route, durations) in ROUTES.iter().zip(&self.durations) {
            let (sum, buckets) = durations.read();
            let count = buckets.iter().map(|(_, count)| count).sum();
            let labels = [("route", *route)];
            histograms.encode_family(&labels)?.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)?;
        }
        let help = "Requests that are being answered.";
        self.in_flight.encode(encoder.encode_descriptor(
            "http_requests_in_flight",
            help,
            None,
            MetricType::Gauge,
        )?)?;
        let help = "Requests whose connection ended before the answer.";
        self.aborted.encode(encoder.encode_descriptor("http_requests_aborted", help, None, MetricType::Counter)?)
    }
}

/// Where `word` is in the list, or the last place.
fn place(list: &[&str], word: &str) -> usize {
    list.iter().position(|listed| *listed == word).unwrap_or(list.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::OPENAPI;

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
            let begun = requests.begin(&Method::from_bytes(method.as_bytes()).unwrap(), path);
            begun.answered(StatusCode::from_u16(status).unwrap(), Duration::ZERO);
        }
        let count = &requests.answered[ROUTES.len() - 1][METHODS.len() - 1][STATUSES.len() - 1];
        assert_eq!(count.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_bound_belongs_to_its_bucket_and_the_last_bucket_has_no_end() {
        let durations = Durations::default();
        for microseconds in [0, 500, 501, 30_000_000, 30_000_001] {
            durations.observe(Duration::from_micros(microseconds));
        }
        let (sum, buckets) = durations.read();
        assert!((sum - 60.001_002).abs() < 1e-9, "{sum}");
        assert_eq!((buckets[0], buckets[1]), ((0.000_5, 2), (0.001, 1)));
        assert_eq!(buckets[14..], [(30.0, 1), (f64::INFINITY, 1)]);
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
