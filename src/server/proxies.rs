//! The client of a request that a trusted proxy forwards, by `X-Forwarded-For`.
//!
//! Each proxy appends its client, so the field is read from the right, as long as the writer is a trusted proxy; anything
//! further left may be forged. `Forwarded` (RFC 7239) is not read: nginx and HAProxy set the other field, and a proxy
//! passes on a field that it does not set as the client wrote it.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that a connection comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

/// The address that a request comes from, as far as can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client(pub(super) IpAddr);

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
    pub(super) fn of(Peer(peer): Peer, headers: &HeaderMap, proxies: &[Proxy]) -> Self {
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

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

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
}
