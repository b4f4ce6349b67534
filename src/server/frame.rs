//! What is around every answer: the request id, the headers that all have, the deprecation of `GET /pets/{petId}`,
//! a panic turned into a 500, and one log line.
//!
//! Before it, what HTTP/1.1 demands of the head of a request and hyper does not check (RFC 9112, 3.2 and 6.1). Programs
//! on the way that read such a head otherwise could take one request for two, or for one to another host.

use std::any::Any;
use std::net::Ipv6Addr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use uuid::{NoContext, Timestamp, Uuid};

use super::config::Config;
use super::extract::at_most_one;
use super::failure::{Cause, Failure};
use super::limits::{Client, Peer};
use super::metrics::Metrics;
use super::names::{
    ACCEPT_PATCH, IDEMPOTENCY_KEY_RETENTION, JSON_PATCH, OPENAPI_PATH, PET_PATH, PETS_PATH, X_REQUEST_ID, route,
};
use crate::clock::{self, Now};
use crate::model::{safe_causes, short, sunset};
use crate::store::KeyId;

/// 24 hours in seconds, which is how long a key is kept.
const RETENTION: HeaderValue = HeaderValue::from_static("86400");

/// The answers beside successes that say how pets can be changed (RFC 5789, 2.2 and 3.1).
const HAS_ACCEPT_PATCH: [StatusCode; 2] = [StatusCode::NOT_MODIFIED, StatusCode::UNSUPPORTED_MEDIA_TYPE];

/// The longest request id that is taken over from the client.
const REQUEST_ID_MAX: usize = 64;

/// What it needs of the service.
type Around = (Arc<Metrics>, Arc<Config>);

pub async fn frame(State((metrics, config)): State<Around>, mut request: Request, next: Next) -> Response {
    let started = clock::now();
    let request_id = request_id(request.headers(), started);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let (route, _) = route(&path);
    let peer = request.extensions().get::<Peer>().copied();
    let client = peer.map(|peer| Client::of(peer, request.headers(), &config.proxies));
    if let Some(client) = client {
        request.extensions_mut().insert(client);
    }
    let in_flight = metrics.requests.begin(&method, route);

    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let id = request_id.to_str().unwrap_or_default();
    let mut response = answer.unwrap_or_else(|panic| {
        tracing::error!(request_id = id, panic = panic_message(&*panic), "a handler panicked");
        Failure::Internal.into_response()
    });
    if let Some(Cause(error)) = response.extensions().get() {
        metrics.storage_failure(error.as_deref());
        match error.as_deref() {
            Some(error) => tracing::error!(request_id = id, error = safe_causes(error), "the store failed"),
            None => tracing::error!(request_id = id, "the store took too long"),
        }
    }
    let key = response.extensions().get::<KeyId>().copied();
    let took = clock::now().mono - started.mono;
    in_flight.answered(response.status(), took);
    tracing::info!(
        request_id = id,
        client = client.map(|Client(address)| display(address)),
        method = short(method.as_str()),
        path = short(&path),
        status = response.status().as_u16(),
        key = key.as_ref().map(KeyId::as_str),
        ms = took.as_secs_f64() * 1e3,
        "answered"
    );
    let status = response.status();
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, request_id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let (is_change, is_of_pet) = (method == Method::PATCH, route == PET_PATH);
    if route == PETS_PATH || is_of_pet && is_change {
        headers.insert(IDEMPOTENCY_KEY_RETENTION, RETENTION);
    }
    // Who adds pets has no use for it.
    let is_addition = method == Method::POST;
    if (route == PETS_PATH || is_of_pet) && !is_addition && (status.is_success() || HAS_ACCEPT_PATCH.contains(&status))
    {
        headers.insert(ACCEPT_PATCH, HeaderValue::from_static(JSON_PATCH));
    }
    if is_of_pet && !is_change {
        mark_as_deprecated(headers);
    }
    response
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message")
}

/// The client's own id where it cannot harm a log, else a new UUID of version 7.
fn request_id(headers: &HeaderMap, now: Now) -> HeaderValue {
    let harmless = |id: &&HeaderValue| {
        let harmless_byte = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        (1..=REQUEST_ID_MAX).contains(&id.len()) && id.as_bytes().iter().all(harmless_byte)
    };
    headers.get(X_REQUEST_ID).filter(harmless).cloned().unwrap_or_else(|| {
        let seconds = u64::try_from(now.wall.as_second()).unwrap_or_default();
        let nanos = u32::try_from(now.wall.subsec_nanosecond()).unwrap_or_default();
        let id = Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, nanos));
        // Hexadecimal digits and hyphens are always a header value.
        HeaderValue::from_str(&id.to_string()).unwrap_or_else(|_| HeaderValue::from_static("-"))
    })
}

/// Sections 4.3 and 9 of the description. Only a release removes the operation: no clock is asked here.
fn mark_as_deprecated(headers: &mut HeaderMap) {
    headers.insert("deprecation", HeaderValue::from_static(sunset::GET_PET_DEPRECATION_HEADER));
    headers.insert("sunset", HeaderValue::from_static(sunset::GET_PET_SUNSET_HEADER));
    let link = format!("<{OPENAPI_PATH}>; rel=\"deprecation\"; type=\"application/yaml\"");
    headers.extend(HeaderValue::from_str(&link).ok().map(|link| (header::LINK, link)));
}

/// Refuses a request that has no single valid Host, or a transfer coding other than `chunked`, and ends its connection.
pub async fn require_sound(request: Request, next: Next) -> Response {
    if is_sound(request.version(), request.headers()) {
        next.run(request).await
    } else {
        (StatusCode::BAD_REQUEST, [(header::CONNECTION, "close")]).into_response()
    }
}

fn is_sound(version: Version, headers: &HeaderMap) -> bool {
    let has_host = at_most_one(headers, "Host").is_ok_and(|host| match host {
        Some(host) => host.to_str().is_ok_and(is_host),
        None => version == Version::HTTP_10,
    });
    let is_chunked = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"chunked");
    has_host && at_most_one(headers, "Transfer-Encoding").is_ok_and(|coding| coding.is_none_or(is_chunked))
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
    let is_port = |port: &str| port.is_empty() || !port.starts_with('+') && port.parse::<u16>().is_ok();
    is_name && (rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;
    use crate::model::Problem;
    use crate::store::Idempotency;

    #[test]
    fn a_harmless_request_id_is_taken_over_and_any_other_replaced() {
        let taken = |id: &str| {
            let headers = HeaderMap::from_iter([(X_REQUEST_ID, HeaderValue::from_str(id).unwrap())]);
            request_id(&headers, clock::now()) == id
        };
        assert!(taken("order-7_a.B") && taken(&"x".repeat(64)));
        assert!(!taken("") && !taken(&"x".repeat(65)) && !taken("a b") && !taken("a\tb") && !taken("\"}"));
        let made = request_id(&HeaderMap::new(), clock::now());
        assert_eq!(Uuid::parse_str(made.to_str().unwrap()).unwrap().get_version_num(), 7);
    }

    #[tokio::test]
    async fn a_panic_in_a_handler_is_a_500_error_and_its_text_is_not_sent() {
        let panics = async || -> Response { panic!("secret") };
        let state = (Arc::new(Metrics::new(clock::now(), &Config::default())), Arc::new(Config::default()));
        let router = Router::new().route("/v1/pets", get(panics)).layer(from_fn_with_state(state, frame));
        let request = Request::get("/v1/pets").body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        assert!(response.headers().contains_key(X_REQUEST_ID));
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let problem: Problem = serde_json::from_slice(&body).unwrap();
        assert_eq!((problem.code.as_str(), problem.status), ("internal_error", 500));
        assert!(!problem.message.contains("secret"));
    }

    #[test]
    fn the_retention_of_idempotency_keys_is_what_the_store_keeps() {
        assert_eq!(RETENTION.to_str().unwrap(), Idempotency::RETENTION.as_secs().to_string());
    }

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
