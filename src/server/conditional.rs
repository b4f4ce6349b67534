//! Conditional requests: a strong ETag, and 304 if the client sends it again (RFC 9110, 8.8.3 and 13.1.2; an addition).
//! Polling then costs a slow connection next to nothing.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

pub(super) const APPLICATION_JSON: [(HeaderName, HeaderValue); 1] =
    [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];

/// `body` as JSON with its ETag, or 304 where `request` names that. `link` is part of what the ETag stands for, since
/// a full last page gets its link without any change of its body.
pub(super) fn answer(request: &HeaderMap, body: Bytes, link: Option<HeaderValue>) -> Response {
    let etag = etag(&body, link.as_ref());
    let mut headers = HeaderMap::with_capacity(8);
    let is_known = is_known(request, &etag);
    headers.insert(header::ETAG, etag);
    headers.extend(link.map(|link| (header::LINK, link)));
    if is_known {
        (StatusCode::NOT_MODIFIED, headers).into_response()
    } else {
        (headers, APPLICATION_JSON, body).into_response()
    }
}

/// The first 128 bits of a hash, in quotes.
fn etag(body: &[u8], link: Option<&HeaderValue>) -> HeaderValue {
    let mut hasher = Sha256::new().chain_update(body);
    // What follows JSON cannot be taken for a part of it.
    hasher.update(link.map_or(&b""[..], HeaderValue::as_bytes));
    let hash: [u8; 32] = hasher.finalize().into();
    let half = hash.first_chunk().copied().unwrap_or_default();
    let text = format!("\"{:032x}\"", u128::from_be_bytes(half));
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("\"\""))
}

/// Whether `If-None-Match` names `etag`, or whatever there is. Weak ones compare equal too.
fn is_known(request: &HeaderMap, etag: &HeaderValue) -> bool {
    let mut values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.any(|value| {
        let mut tags = value.split(',').map(|tag| tag.trim().trim_start_matches("W/"));
        tags.any(|tag| tag == "*" || tag.as_bytes() == etag.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_etag_in_a_list_a_weak_one_and_a_star_are_known() {
        let etag = etag(b"[]", None);
        let known = |value: &str| {
            let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::try_from(value).unwrap())]);
            is_known(&headers, &etag)
        };
        let text = etag.to_str().unwrap();
        assert!(known(text) && known(&format!("\"a\", W/{text}")) && known("*"));
        assert!(!known("") && !known("\"a\"") && !known(text.trim_matches('"')));
    }

    #[test]
    fn a_page_that_got_a_successor_is_another_one() {
        let link = HeaderValue::from_static("</v1/pets?limit=1&after=1>; rel=\"next\"");
        assert_ne!(etag(b"[]", None), etag(b"[]", Some(&link)));
    }
}
