//! An answer that came whole, and what is read of it.

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::de::DeserializeOwned;

use crate::api::error::RetryAfter;
use crate::api::{ApiError, Defect};
use crate::model::Problem;

/// How much of a body that could not be read is kept for the error, in bytes.
const EXCERPT: usize = 800;

/// An answer that came whole.
pub(super) struct FullResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// What an answer with an unexpected status means.
pub(super) fn refusal(FullResponse { status, headers, body }: &FullResponse) -> ApiError {
    if status.is_success() || *status == StatusCode::NOT_MODIFIED {
        ApiError::Malformed(Defect::Status(status.as_u16()))
    } else {
        let problem = serde_json::from_slice::<Problem>(body).ok();
        let excerpt = if problem.is_some() { String::new() } else { excerpt(body) };
        let retry_after = headers.get(RETRY_AFTER).map(|value| retry_after(value.to_str().unwrap_or("")));
        ApiError::Refused { status: status.as_u16(), problem, excerpt, retry_after }
    }
}

pub(in crate::api) fn read_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|source| json_defect(source, body))
}

pub(super) fn json_defect(source: serde_json::Error, body: &[u8]) -> ApiError {
    ApiError::Malformed(Defect::Json { source, excerpt: excerpt(body) })
}

fn excerpt(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(EXCERPT)]).into_owned()
}

fn retry_after(value: &str) -> RetryAfter {
    value.trim().parse().map_or(RetryAfter::Other, RetryAfter::Seconds)
}
