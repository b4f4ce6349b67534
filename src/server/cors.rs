//! CORS (the Fetch standard): web pages of other origins may use the service only if they are configured.
//!
//! A key in a web page is public, so all origins cannot be allowed at once.

use std::str::FromStr;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderValue, Method, header};
use axum::response::Response;
use futures_util::future::Either;
use tower::Layer;
use tower_http::cors::{AllowOrigin, Cors, CorsLayer};
use url::Url;

use super::headers::{
    IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_RETENTION, IDEMPOTENCY_REPLAYED, LAST_EVENT_ID, PETS_EVENTS, X_REQUEST_ID,
};
use super::limits::{RATE_LIMIT, RATE_LIMIT_POLICY};

/// How long a browser need not ask again: an hour.
const MAX_AGE: Duration = Duration::from_secs(3600);

/// Where a web page comes from: scheme, host and port, for example `https://shop.example`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedOrigin(HeaderValue);

/// The text is not an origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an origin is scheme, host and perhaps port, without anything after them: https://shop.example")]
pub struct NotAnOrigin;

impl FromStr for AllowedOrigin {
    type Err = NotAnOrigin;

    /// Only as browsers send it, so that it can be compared byte by byte.
    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let url = Url::parse(text).map_err(|_| NotAnOrigin)?;
        let is_origin = url.origin().is_tuple() && url.origin().ascii_serialization() == text;
        let value = is_origin.then(|| HeaderValue::try_from(text).ok()).flatten();
        value.map(Self).ok_or(NotAnOrigin)
    }
}

/// Answers the questions of browsers, which come without a key, and lets pages of `origins` read answers.
pub(super) fn layer(origins: &[AllowedOrigin]) -> Preflights {
    let cors = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins.iter().map(|AllowedOrigin(origin)| origin.clone())))
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_NONE_MATCH,
            LAST_EVENT_ID,
            IDEMPOTENCY_KEY,
            X_REQUEST_ID,
        ])
        .expose_headers([
            header::ETAG,
            header::LINK,
            header::RETRY_AFTER,
            RATE_LIMIT,
            RATE_LIMIT_POLICY,
            IDEMPOTENCY_KEY_RETENTION,
            IDEMPOTENCY_REPLAYED,
            PETS_EVENTS,
            X_REQUEST_ID,
        ])
        .max_age(MAX_AGE);
    Preflights(cors)
}

/// The layer of the library takes every OPTIONS for the question of a browser; this one only what is one.
#[derive(Clone)]
pub(super) struct Preflights(CorsLayer);

impl<S: Clone> Layer<S> for Preflights {
    type Service = Parted<S>;

    fn layer(&self, inner: S) -> Parted<S> {
        Parted { cors: self.0.layer(inner.clone()), plain: inner }
    }
}

/// The service behind that layer, and without it.
#[derive(Clone)]
pub(super) struct Parted<S> {
    cors: Cors<S>,
    plain: S,
}

impl<S: tower::Service<Request, Response = Response>> tower::Service<Request> for Parted<S> {
    type Response = Response;
    type Error = S::Error;
    type Future = Either<<Cors<S> as tower::Service<Request>>::Future, S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        ready!(self.cors.poll_ready(context))?;
        self.plain.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let has = |name| request.headers().contains_key(name);
        let asks = has(header::ORIGIN) && has(header::ACCESS_CONTROL_REQUEST_METHOD);
        if request.method() == Method::OPTIONS && !asks {
            return Either::Right(self.plain.call(request));
        }
        Either::Left(self.cors.call(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_has_no_path_and_is_written_as_browsers_do() {
        for good in ["https://shop.example", "http://localhost:3000", "https://[::1]:8443"] {
            assert!(good.parse::<AllowedOrigin>().is_ok(), "{good}");
        }
        for bad in ["*", "null", "shop.example", "https://shop.example/", "https://Shop.example", "file:///x"] {
            assert_eq!(bad.parse::<AllowedOrigin>(), Err(NotAnOrigin), "{bad}");
        }
    }
}
