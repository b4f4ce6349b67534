//! What HTTP/1.1 demands of the head of a request and hyper does not check (RFC 9112, 3.2 and 6.1). Programs on the way
//! that read such a head otherwise could take one request for two, or for one to another host.

use std::net::Ipv6Addr;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Refuses a request that has no single valid Host, or a transfer coding other than `chunked`, and ends its connection.
pub(super) async fn require_sound(request: Request, next: Next) -> Response {
    if is_sound(request.version(), request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::BAD_REQUEST, [(header::CONNECTION, "close")]).into_response()
    }
}

fn is_sound(version: Version, headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let has_host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().is_ok_and(is_host),
        (None, _) => version == Version::HTTP_10,
        (Some(_), Some(_)) => false,
    };
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let is_chunked_at_most = match (codings.next(), codings.next()) {
        (Some(coding), None) => coding.as_bytes().eq_ignore_ascii_case(b"chunked"),
        (None, _) => true,
        (Some(_), Some(_)) => false,
    };
    has_host && is_chunked_at_most
}

/// Whether it is a name or an address, and a port if there is a colon (RFC 3986, 3.2.2). It may be empty.
fn is_host(text: &str) -> bool {
    let (is_name, rest) = match text.strip_prefix('[') {
        Some(text) => {
            let Some((address, rest)) = text.split_once(']') else { return false };
            (address.parse::<Ipv6Addr>().is_ok(), rest)
        }
        None => {
            let (name, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
            (name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%".contains(&byte)), rest)
        }
    };
    let is_port =
        |port: &str| port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    is_name && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_name_or_an_address_with_a_port_or_without() {
        for host in ["", "localhost", "shop.example:8080", "192.0.2.7", "[::1]", "[2001:db8::7]:443", "a_b", "x:"] {
            assert!(is_host(host), "{host:?}");
        }
        for no_host in [
            "a b", "a/b", "u@h", "a,b/", "h:x", "h:65536", "h:-1", "h:+1", "[::1", "[::1]x", "[x]", "::1", "h:1:2",
            "<>", "ä",
        ] {
            assert!(!is_host(no_host), "{no_host:?}");
        }
    }
}
