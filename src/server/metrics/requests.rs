//! Requests by method, route and status, and how long they took.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::server::names::{
    EVENTS_PATH, HEALTH_PATH, OPENAPI_PATH, PET_PATH, PETS_PATH, PROVENANCE_PATH, READINESS_PATH, id_of_provenance,
    is_get_pet,
};

/// What stands for all that is not in a list.
const OTHER: &str = "other";
const METHODS: [&str; 9] = ["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT"];
const ROUTES: [&str; 8] =
    [PETS_PATH, EVENTS_PATH, PET_PATH, PROVENANCE_PATH, OPENAPI_PATH, HEALTH_PATH, READINESS_PATH, OTHER];
const STATUSES: [&str; 17] = [
    "200", "201", "204", "304", "400", "401", "403", "404", "405", "408", "409", "413", "415", "422", "429", "500",
    "503",
];

/// The upper ends of the buckets in seconds, from an answer out of memory to the end of all patience.
const BOUNDS: [f64; 15] =
    [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// What is known of requests.
#[derive(Debug)]
pub(in crate::server) struct Requests {
    in_flight: Gauge,
    aborted: Counter,
    answered: Family<[(&'static str, &'static str); 3], Counter>,
    durations: Family<[(&'static str, &'static str); 1], Histogram>,
}

/// A request that is being answered. When this is dropped before, the connection has ended first.
#[derive(Debug)]
pub(in crate::server) struct InFlight<'a> {
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
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register("http_requests", "Requests that were answered", self.answered.clone());
        let help = "From the head of the request to the head of the answer";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, self.durations.clone());
        registry.register("http_requests_in_flight", "Requests that are being answered", self.in_flight.clone());
        let help = "Requests whose connection ended before the answer";
        registry.register("http_requests_aborted", help, self.aborted.clone());
    }

    pub(in crate::server) fn begin(&self, method: &Method, path: &str) -> InFlight<'_> {
        self.in_flight.inc();
        let route = match path {
            _ if is_get_pet(path) => PET_PATH,
            _ if id_of_provenance(path).is_some() => PROVENANCE_PATH,
            path => listed(&ROUTES, path),
        };
        InFlight { requests: self, method: listed(&METHODS, method.as_str()), route, is_answered: false }
    }

    /// Whether a request is being answered.
    pub(in crate::server) fn are_in_flight(&self) -> bool {
        self.in_flight.get() > 0
    }
}

impl InFlight<'_> {
    pub(in crate::server) fn answered(mut self, status: StatusCode, after: Duration) {
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

/// `word` where it is in the list.
fn listed(list: &[&'static str], word: &str) -> &'static str {
    list.iter().find(|listed| **listed == word).copied().unwrap_or(OTHER)
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
