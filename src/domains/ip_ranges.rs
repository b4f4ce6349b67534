//! Which addresses are not public, and which are Cloudflare's.

use std::iter;
use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;

/// Ranges that are not public: loopback, private, link-local, carrier, metadata, multicast, reserved (IANA's
/// special-purpose registries); and Azure's metadata server, 168.63.129.16, in a public range. Documentation ranges are
/// left out: nothing answers there, and nothing is exposed.
const NOT_PUBLIC: &str = "\
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 \
    192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 ::/128 ::1/128 100::/64 fc00::/7 \
    fe80::/9 ff00::/8";

/// Cloudflare's published ranges (cloudflare.com/ips, unchanged since 2023).
const CLOUDFLARE: &str = "\
    103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 104.16.0.0/13 104.24.0.0/14 108.162.192.0/18 \
    131.0.72.0/22 141.101.64.0/18 162.158.0.0/15 172.64.0.0/13 173.245.48.0/20 188.114.96.0/20 \
    190.93.240.0/20 197.234.240.0/22 198.41.128.0/17 2400:cb00::/32 2405:8100::/32 2405:b500::/32 \
    2606:4700::/32 2803:f800::/32 2a06:98c0::/29 2c0f:f248::/32";

fn within(address: IpAddr, ranges: &str) -> bool {
    ranges.split_whitespace().filter_map(|range| range.parse::<IpNet>().ok()).any(|range| range.contains(&address))
}

/// Whether an address is public. An IPv4 address inside an IPv6 one counts as itself.
pub(super) fn is_public(address: IpAddr) -> bool {
    !iter::once(address).chain(embedded_v4(address)).any(|address| within(address, NOT_PUBLIC))
}

/// The IPv4 address that translators and tunnels send to: mapped and compatible (RFC 4291), NAT64 (RFC 6052), 6to4
/// (RFC 3056).
fn embedded_v4(address: IpAddr) -> Option<IpAddr> {
    let IpAddr::V6(address) = address else { return None };
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, _, _, _, _, high, low] | [0x2002, high, low, ..] => {
            Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)).into())
        }
        _ => None,
    }
}

/// Whether an address belongs to Cloudflare.
pub(super) fn is_cloudflare(address: IpAddr) -> bool {
    within(address, CLOUDFLARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_can_be_read() {
        for range in NOT_PUBLIC.split_whitespace().chain(CLOUDFLARE.split_whitespace()) {
            assert!(range.parse::<IpNet>().is_ok(), "{range}");
        }
    }

    #[test]
    fn addresses_that_only_some_reach_are_distinguished() {
        let private = "127.0.0.1 10.1.2.3 192.168.0.1 172.31.255.255 169.254.169.254 100.100.100.200 0.0.0.0 168.63.129.16 \
             192.0.0.192 255.255.255.255 224.0.0.1 ::1 :: fe80::1 fec0::1 fd00:ec2::254 ::ffff:127.0.0.1 \
             ::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b:1::a00:1 2002:7f00:1:: ff02::1";
        for address in private.split(' ') {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in ["192.0.2.10", "1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "2001:db8::1"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        assert!(is_cloudflare("104.21.3.4".parse().unwrap()) && is_cloudflare("2606:4700:3030::1".parse().unwrap()));
        assert!(!is_cloudflare("192.0.2.1".parse().unwrap()));
    }
}
