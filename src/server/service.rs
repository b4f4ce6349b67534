//! What requests share, and the API key (section 5 of the description), which is checked before anything else in them
//! is read.
//!
//! A key has 190 random bits, so it cannot be guessed. An address with too many failures gets a 429. That saves neither
//! the database query nor the log line: valid keys still pass, since many clients may share an address.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::config::Config;
use super::connection::Waiting;
use super::extract::at_most_one;
use super::failure::{Failure, Result};
use super::feed::{Feed, Streams};
use super::limits::{Client, FailedAuthentications, Limit, RateLimits, SlowBodies};
use super::metrics::Metrics;
use super::names::{HISTORY_PATH, PROVENANCE_PATH, route};
use crate::clock;
use crate::store::Store;
use crate::store::keys::Scope;

/// What every request may need.
#[derive(Clone, Debug)]
pub struct Service {
    pub store: Store,
    pub config: Arc<Config>,
    pub metrics: Arc<Metrics>,
    pub failed_authentications: Option<Arc<FailedAuthentications>>,
    pub rate_limits: Option<Arc<RateLimits>>,
    pub slow_bodies: Arc<SlowBodies>,
    pub streams: Arc<Streams>,
    pub feed: Arc<Feed>,
}

impl Service {
    /// Counts that a limit was met, and says so.
    pub fn too_many(&self, limit: Limit) -> Failure {
        self.metrics.rate_limited.get_or_create(&[("limit", limit.into())]).inc();
        Failure::TooMany(limit)
    }
}

/// Lets requests with a valid key through that may do what they ask for and do not ask too often, and tells those behind
/// and the frame whose key it was.
pub async fn require_key(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Extension(waiting): Extension<Arc<Waiting>>,
    mut request: Request,
    next: Next,
) -> Result<Response> {
    let identity = match bearer(request.headers()) {
        Some(key) => service.store.verify_key(key, clock::now()).await?,
        None => None,
    };
    let Some(identity) = identity else {
        service.metrics.failed_authentications.inc();
        if service.failed_authentications.as_ref().is_none_or(|failed| failed.allow_one_more(client)) {
            return Err(Failure::Unauthorized);
        }
        return Err(service.too_many(Limit::Address));
    };
    waiting.had_key.store(true, Ordering::Relaxed);
    let bucket = service.rate_limits.as_ref().map(|limits| limits.take(identity.key));
    let scope = match *request.method() {
        Method::POST | Method::PATCH => Scope::Write,
        _ if [PROVENANCE_PATH, HISTORY_PATH].contains(&route(request.uri().path()).0) => Scope::Audit,
        _ => Scope::Read,
    };
    let mut response = if bucket.as_ref().is_some_and(|(is_allowed, _)| !is_allowed) {
        service.too_many(Limit::Key).into_response()
    } else if !identity.scopes.allow(scope) {
        Failure::Forbidden(scope).into_response()
    } else {
        request.extensions_mut().insert(identity);
        next.run(request).await
    };
    response.extensions_mut().insert(identity.key);
    response.headers_mut().extend(bucket.into_iter().flat_map(|(_, fields)| fields));
    Ok(response)
}

/// The key of the one Authorization header. With two of them it is not clear who asks, so there is none. The scheme's
/// case does not count (RFC 9110, 11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = at_most_one(headers, "Authorization").ok()??.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| key.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderValue, header};

    use super::*;

    #[test]
    fn one_bearer_key_is_taken_whatever_the_case_of_the_scheme() {
        let headers = |values: &[&'static str]| {
            values.iter().map(|value| (header::AUTHORIZATION, HeaderValue::from_static(value))).collect::<HeaderMap>()
        };
        for value in ["Bearer k", "bearer k", "BEARER  k "] {
            assert_eq!(bearer(&headers(&[value])), Some("k"), "{value:?}");
        }
        for values in [&[][..], &["Bearer"], &["Basic k"], &["Bearerk"], &["k"], &["Bearer k", "Bearer k"]] {
            assert_eq!(bearer(&headers(values)), None, "{values:?}");
        }
    }
}
