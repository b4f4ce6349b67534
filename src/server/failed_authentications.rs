//! Requests without a valid key, counted by address.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::proxies::Client;

/// From how many addresses on those that are quiet again are forgotten.
const ADDRESSES: usize = 10_000;

/// Counts requests without a valid key, by address.
#[derive(Debug)]
pub(super) struct FailedAuthentications(DefaultKeyedRateLimiter<IpAddr>);

impl FailedAuthentications {
    pub(super) fn new(each_second: NonZeroU32) -> Self {
        Self(RateLimiter::keyed(Quota::per_second(each_second)))
    }

    /// Whether the next one from `client` is not slowed yet.
    pub(super) fn allow_one_more(&self, client: Client) -> bool {
        if self.0.len() > ADDRESSES {
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
    use super::*;

    #[test]
    fn addresses_of_one_holder_count_as_one() {
        let network = |address: &str| network(address.parse().unwrap()).to_string();
        assert_eq!(network("192.0.2.7"), "192.0.2.7");
        assert_eq!(network("::ffff:192.0.2.7"), "192.0.2.7");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
    }
}
