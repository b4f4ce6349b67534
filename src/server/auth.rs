//! The API key (section 5 of the description): asked for before anything else of the request is looked at.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::Response;

use super::Service;
use super::failure::Failure;
use crate::clock;

/// Lets requests with a valid key through, and tells the frame whose key it was.
pub(super) async fn require_key(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let key = bearer(request.headers()).ok_or(Failure::Unauthorized)?;
    let id = service.store.verify_key(key, clock::now()).await?.ok_or(Failure::Unauthorized)?;
    let mut response = next.run(request).await;
    response.extensions_mut().insert(id);
    Ok(response)
}

/// The key of the one Authorization header. With two of them it is not clear who asks, so there is none. The scheme's
/// case does not count (RFC 9110, 11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("Bearer").then(|| key.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

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
