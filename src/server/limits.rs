//! How much each client may do: requests of an API key, where the operator wants a limit; its bodies that are slow to
//! arrive; and requests without a valid key by their address, which a trusted proxy reports in `X-Forwarded-For`.
//!
//! A rate is a bucket of tokens for each key, filled evenly. This process counts for itself: a second one over the same
//! database allows as much again. The fields are those of draft-ietf-httpapi-ratelimit-headers, with one policy.
//!
//! Each proxy appends its client, so the field is read from the right, as long as the writer is a trusted proxy;
//! anything further left may be forged. `Forwarded` (RFC 7239) is not read: nginx and HAProxy set the other field, and
//! a proxy passes on a field that it does not set as the client wrote it.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use ipnet::IpNet;
use parking_lot::Mutex;

use crate::store::KeyId;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Which limit a request met. The text follows "Too many"; the name is its label in the metrics.
#[derive(Clone, Copy, Debug, derive_more::Display, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Limit {
    /// The one for requests without a valid key, by address.
    #[display("requests without a valid API key from this address. Wait a second.")]
    Address,
    /// The one for each API key.
    #[display("requests with this API key. Wait a second.")]
    Key,
    /// The one for slow bodies with the same API key.
    #[display("requests with this API key send their bodies slowly. Wait a second.")]
    Bodies,
    /// The ones for event streams.
    #[display("event streams are open, or too many with this API key. Close some, or try another instance.")]
    Streams,
}

/// From how many keys or addresses on those that are quiet again are forgotten.
const MOST_KNOWN: usize = 10_000;

/// How often one API key may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Sustained requests per second; at most [`RateLimit::MAX`].
    pub each_second: NonZeroU32,
    /// Requests at once, after a time without any.
    pub burst: NonZeroU32,
}

impl RateLimit {
    /// The greatest limit: a million per second, more than any service answers.
    pub const MAX: NonZeroU32 = NonZeroU32::new(1_000_000).unwrap();
}

type Buckets<C> = RateLimiter<KeyId, DefaultKeyedStateStore<KeyId>, C, StateInformationMiddleware>;

/// The bucket of each key.
#[derive(Debug)]
pub struct RateLimits<C: Clock = DefaultClock> {
    each_second: u32,
    burst: u32,
    policy: HeaderValue,
    buckets: Buckets<C>,
}

impl RateLimits {
    pub fn new(limit: RateLimit) -> Self {
        Self::with_clock(limit, DefaultClock::default())
    }
}

impl<C: Clock> RateLimits<C> {
    fn with_clock(RateLimit { each_second, burst }: RateLimit, clock: C) -> Self {
        let each_second = each_second.min(RateLimit::MAX);
        let quota = Quota::per_second(each_second).allow_burst(burst);
        let buckets = RateLimiter::new(quota, DefaultKeyedStateStore::default(), clock);
        let (each_second, burst) = (each_second.get(), burst.get());
        let policy = field(format!("\"default\";q={burst};w={}", burst.div_ceil(each_second)));
        Self { each_second, burst, policy, buckets }
    }

    /// Takes a token for a request, and returns whether there was one, and what to tell of the bucket.
    pub fn take(&self, key: KeyId) -> (bool, [(HeaderName, HeaderValue); 2]) {
        if self.buckets.len() > MOST_KNOWN {
            self.buckets.retain_recent();
        }
        let left = self.buckets.check_key(&key).map(|bucket| bucket.remaining_burst_capacity());
        let is_allowed = left.is_ok();
        let left = left.unwrap_or(0);
        let full_in = (self.burst - left).div_ceil(self.each_second);
        let limit = field(format!("\"default\";r={left};t={full_in}"));
        (is_allowed, [(RATE_LIMIT_POLICY, self.policy.clone()), (RATE_LIMIT, limit)])
    }
}

/// Letters, digits and `";=` are always a header value.
fn field(text: String) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"default\""))
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that a connection comes from.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// The address that a request comes from, as far as can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client(pub IpAddr);

/// Trusted proxies: one address, or a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proxy(IpNet);

/// The text is not a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAProxy {
    /// Not what an address looks like.
    #[error("a proxy is an address or a network: 192.0.2.7 or 10.0.0.0/8")]
    NoAddress,
    /// It is unclear whether it is the one address or the whole network.
    #[error("this is one address in the network {0}: give the network, or only the address")]
    InsideOf(IpNet),
}

impl FromStr for Proxy {
    type Err = NotAProxy;

    fn from_str(text: &str) -> Result<Self, NotAProxy> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self(address.to_canonical().into()));
        }
        let network: IpNet = text.parse().map_err(|_| NotAProxy::NoAddress)?;
        if network.trunc() == network { Ok(Self(network)) } else { Err(NotAProxy::InsideOf(network.trunc())) }
    }
}

impl Client {
    /// The client behind `peer`, if that is one of `proxies`; else `peer` itself.
    pub fn of(Peer(peer): Peer, headers: &HeaderMap, proxies: &[Proxy]) -> Self {
        let mut client = peer.to_canonical();
        let is_named = |address| proxies.iter().any(|Proxy(network)| network.contains(&address));
        let lines = headers.get_all(X_FORWARDED_FOR).iter().rev();
        let mut addresses = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
        while is_named(client)
            && let Some(before) = addresses.next().and_then(address)
        {
            client = before;
        }
        Self(client)
    }
}

/// An address as proxies write it: some with the port.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?.trim_matches([' ', '\t']);
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse().map(|with_port: SocketAddr| with_port.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// What part of all connections may be slow bodies with the same key.
const PART: usize = 4;

/// Those with each key. One of them lasts until what [`Self::begin`] gives is dropped.
#[derive(Debug)]
pub struct SlowBodies {
    most: usize,
    of_key: Mutex<HashMap<KeyId, Arc<()>>>,
}

impl SlowBodies {
    pub fn new(connections: usize) -> Self {
        Self { most: connections.div_ceil(PART), of_key: Mutex::default() }
    }

    /// One more, unless there are too many with this key.
    pub fn begin(&self, key: KeyId) -> Option<Arc<()>> {
        let mut of_key = self.of_key.lock();
        of_key.retain(|_, body| Arc::strong_count(body) > 1);
        let body = of_key.entry(key).or_default();
        (Arc::strong_count(body) <= self.most).then(|| Arc::clone(body))
    }
}

/// Counts requests without a valid key, by address.
#[derive(Debug)]
pub struct FailedAuthentications(DefaultKeyedRateLimiter<IpAddr>);

impl FailedAuthentications {
    pub fn new(each_second: NonZeroU32) -> Self {
        Self(RateLimiter::keyed(Quota::per_second(each_second)))
    }

    /// Whether the next one from `client` is not slowed yet.
    pub fn allow_one_more(&self, client: Client) -> bool {
        if self.0.len() > MOST_KNOWN {
            self.0.retain_recent();
        }
        self.0.check_key(&network(client.0)).is_ok()
    }
}

/// What one holder of addresses can hardly change: of an IPv6 address the first 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::http::HeaderValue;
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limits(each_second: u32, burst: u32) -> (RateLimits<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        let number = |number| NonZeroU32::new(number).unwrap();
        let limit = RateLimit { each_second: number(each_second), burst: number(burst) };
        (RateLimits::with_clock(limit, clock.clone()), clock)
    }

    fn key(id: &str) -> KeyId {
        id.parse().unwrap()
    }

    fn fields((is_allowed, fields): (bool, [(HeaderName, HeaderValue); 2])) -> (bool, String, String) {
        let headers = HeaderMap::from_iter(fields);
        let header = |name| headers[name].to_str().unwrap().to_owned();
        (is_allowed, header(RATE_LIMIT_POLICY), header(RATE_LIMIT))
    }

    #[test]
    fn a_burst_passes_then_one_request_for_each_token() {
        let (limits, clock) = limits(2, 4);
        let take = || {
            let (is_allowed, policy, limit) = fields(limits.take(key("AAAAAAAA")));
            assert_eq!(policy, "\"default\";q=4;w=2");
            (is_allowed, limit)
        };
        for (left, full_in) in [(3, 1), (2, 1), (1, 2), (0, 2)] {
            assert_eq!(take(), (true, format!("\"default\";r={left};t={full_in}")));
        }
        let refused = (false, "\"default\";r=0;t=2".to_owned());
        assert_eq!(take(), refused);
        clock.advance(Duration::from_millis(499));
        assert_eq!(take(), refused);
        // What was refused has cost nothing.
        clock.advance(Duration::from_millis(1));
        assert_eq!(take(), (true, "\"default\";r=0;t=2".to_owned()));
        clock.advance(Duration::from_secs(60));
        assert_eq!(take(), (true, "\"default\";r=3;t=1".to_owned()));
    }

    #[test]
    fn after_a_second_a_refused_key_always_passes() {
        for (each_second, burst) in [(1, 1), (1, 100), (3, 1), (1000, 7), (u32::MAX, 1)] {
            let (limits, clock) = limits(each_second, burst);
            while limits.take(key("AAAAAAAA")).0 {}
            clock.advance(Duration::from_secs(1));
            assert!(limits.take(key("AAAAAAAA")).0, "{each_second} {burst}");
        }
    }

    #[test]
    fn each_key_has_a_separate_bucket() {
        let (limits, _clock) = limits(1, 1);
        assert!(limits.take(key("AAAAAAAA")).0);
        assert!(!limits.take(key("AAAAAAAA")).0);
        assert!(limits.take(key("BBBBBBBB")).0);
    }

    fn client(peer: &str, proxies: &[&str], lines: &[&[u8]]) -> String {
        let proxies: Vec<Proxy> = proxies.iter().map(|proxy| proxy.parse().unwrap()).collect();
        let line = |line: &&[u8]| (X_FORWARDED_FOR, HeaderValue::from_bytes(line).unwrap());
        let headers = lines.iter().map(line).collect();
        Client::of(Peer(peer.parse().unwrap()), &headers, &proxies).0.to_string()
    }

    #[test]
    fn a_peer_that_is_not_trusted_is_the_client() {
        assert_eq!(client("192.0.2.1", &[], &[b"192.0.2.9"]), "192.0.2.1");
        assert_eq!(client("192.0.2.1", &["192.0.2.2", "10.0.0.0/8"], &[b"192.0.2.9"]), "192.0.2.1");
        assert_eq!(client("::ffff:192.0.2.1", &[], &[]), "192.0.2.1");
    }

    #[test]
    fn the_client_of_trusted_proxies_is_the_rightmost_other_address() {
        let of = |lines: &[&[u8]]| client("10.0.0.1", &["10.0.0.0/8", "2001:db8::/32"], lines);
        assert_eq!(of(&[b"192.0.2.9"]), "192.0.2.9");
        assert_eq!(of(&[b"198.51.100.66, 192.0.2.9"]), "192.0.2.9");
        assert_eq!(of(&[b"198.51.100.66,192.0.2.9 ,\t10.7.7.7, 2001:db8::1"]), "192.0.2.9");
        // HAProxy adds a separate line.
        assert_eq!(of(&[b"198.51.100.66", b"192.0.2.9", b"10.7.7.7"]), "192.0.2.9");
        assert_eq!(client("::ffff:10.0.0.1", &["10.0.0.1"], &[b"192.0.2.9"]), "192.0.2.9");
        assert_eq!(client("10.0.0.1", &["::ffff:10.0.0.1"], &[b"::ffff:192.0.2.9"]), "192.0.2.9");
    }

    #[test]
    fn addresses_may_have_ports() {
        let of = |line: &str| client("10.0.0.1", &["10.0.0.1"], &[line.as_bytes()]);
        assert_eq!(of("192.0.2.9:4711"), "192.0.2.9");
        assert_eq!(of("[2001:db8::9]:4711"), "2001:db8::9");
        assert_eq!(of("[2001:db8::9]"), "2001:db8::9");
        assert_eq!(of("2001:db8::9"), "2001:db8::9");
    }

    #[test]
    fn an_invalid_address_ends_the_chain_at_the_last_valid_one() {
        let of = |line: &[u8]| client("10.0.0.1", &["10.0.0.0/8"], &[b"192.0.2.9", line]);
        let bad = [&b""[..], b"unknown", b"192.0.2", b"for=192.0.2.9", b"\"192.0.2.9\"", b"192.0.2.9;", b"\xff", b","];
        for bad in bad {
            assert_eq!(of(bad), "10.0.0.1", "{bad:?}");
            assert_eq!(of(&[bad, b", 10.7.7.7"].concat()), "10.7.7.7", "{bad:?}");
            assert_eq!(of(&[bad, b", 192.0.2.8"].concat()), "192.0.2.8", "{bad:?}");
        }
        assert_eq!(client("10.0.0.1", &["10.0.0.1"], &[]), "10.0.0.1");
    }

    #[test]
    fn a_proxy_is_named_by_its_address_or_network() {
        for good in ["192.0.2.7", "10.0.0.0/8", "2001:db8::1", "2001:db8::/32", "127.0.0.1/32"] {
            assert!(good.parse::<Proxy>().is_ok(), "{good}");
        }
        for bad in ["", "localhost", "10.0.0.0/33", "10.0.0.0/", "10.0.0", "192.0.2.7:80", "*"] {
            assert_eq!(bad.parse::<Proxy>(), Err(NotAProxy::NoAddress), "{bad}");
        }
        let inside = "10.0.0.7/8".parse::<Proxy>().unwrap_err();
        assert!(inside.to_string().contains("10.0.0.0/8"), "{inside}");
    }

    #[test]
    fn addresses_of_one_holder_count_as_one() {
        let network = |address: &str| network(address.parse().unwrap()).to_string();
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
