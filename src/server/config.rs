//! How the service runs.

use std::num::NonZeroU32;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;

use super::limits::{Proxy, RateLimit};
use super::tls::Tls;

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
    /// Event streams at once, beside these connections: 2,048, half of them with the same key at most.
    pub streams: usize,
    /// How often a comment shows that an event stream is alive: 15 s.
    pub comment_every: Duration,
    /// How often it is checked whether the keys of event streams are still valid: 1 s.
    pub check_keys_every: Duration,
    /// Requests without a valid key that one address gets a 401 for each second: 10. Further ones get a 429; none do
    /// without a limit.
    pub failed_authentications: Option<NonZeroU32>,
    /// How often one API key may ask: without a limit.
    pub rate_limit: Option<RateLimit>,
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
            streams: 2048,
            comment_every: Duration::from_secs(15),
            check_keys_every: Duration::from_secs(1),
            failed_authentications: NonZeroU32::new(10),
            rate_limit: None,
            proxies: Vec::new(),
            tls: None,
            dropped_log_lines: Counter::default(),
            drain: Duration::from_secs(8),
        }
    }
}
