//! How often each API key may ask, where the operator wants a limit: a bucket of tokens for each key, filled evenly.
//!
//! This process counts for itself: a second one over the same database allows as much again. The fields are those of
//! draft-ietf-httpapi-ratelimit-headers, with one policy.

use std::num::NonZeroU32;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use crate::store::KeyId;

pub(super) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(super) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// From how many keys on those that are quiet again are forgotten.
const KEYS: usize = 10_000;

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
pub(super) struct RateLimits<C: Clock = DefaultClock> {
    each_second: u32,
    burst: u32,
    policy: HeaderValue,
    buckets: Buckets<C>,
}

/// What a request finds in the bucket of its key.
#[derive(Debug)]
pub(super) struct BucketState {
    pub(super) is_allowed: bool,
    policy: HeaderValue,
    limit: HeaderValue,
}

impl RateLimits {
    pub(super) fn new(limit: RateLimit) -> Self {
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

    /// Takes a token for a request, if there is one.
    pub(super) fn take(&self, key: KeyId) -> BucketState {
        if self.buckets.len() > KEYS {
            self.buckets.retain_recent();
        }
        let left = self.buckets.check_key(&key).map(|bucket| bucket.remaining_burst_capacity());
        let is_allowed = left.is_ok();
        let left = left.unwrap_or(0);
        let full_in = (self.burst - left).div_ceil(self.each_second);
        let limit = field(format!("\"default\";r={left};t={full_in}"));
        BucketState { is_allowed, policy: self.policy.clone(), limit }
    }
}

impl BucketState {
    pub(super) fn tell(self, headers: &mut HeaderMap) {
        headers.insert(RATE_LIMIT_POLICY, self.policy);
        headers.insert(RATE_LIMIT, self.limit);
    }
}

/// Letters, digits and `";=` are always a header value.
fn field(text: String) -> HeaderValue {
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"default\""))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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

    fn fields(bucket: BucketState) -> (bool, String, String) {
        let (is_allowed, mut headers) = (bucket.is_allowed, HeaderMap::new());
        bucket.tell(&mut headers);
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
            while limits.take(key("AAAAAAAA")).is_allowed {}
            clock.advance(Duration::from_secs(1));
            assert!(limits.take(key("AAAAAAAA")).is_allowed, "{each_second} {burst}");
        }
    }

    #[test]
    fn each_key_has_a_separate_bucket() {
        let (limits, _clock) = limits(1, 1);
        assert!(limits.take(key("AAAAAAAA")).is_allowed);
        assert!(!limits.take(key("AAAAAAAA")).is_allowed);
        assert!(limits.take(key("BBBBBBBB")).is_allowed);
    }
}
