//! The Error body (sections 2 and 7): `code`, `message`, `status`, and nothing else.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The Error body as any service sends it. The set of `code` values is open in the description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Machine-readable error code. Ours are listed in [`ProblemCode`].
    pub code: String,
    /// Human-readable description. Foreign text: clean it before showing it.
    pub message: String,
    /// The HTTP status code, repeated.
    pub status: u16,
}

impl Problem {
    /// An Error body with one of our own codes.
    pub fn new(code: ProblemCode, status: u16, message: impl Into<String>) -> Self {
        Self { code: code.as_str().to_owned(), message: message.into(), status }
    }
}

/// The codes that our service sends, documented in `assets/openapi.yaml` (an addition: the description leaves the set
/// open).
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ProblemCode {
    /// 401: the API key is missing or invalid.
    Unauthorized,
    /// 400: the body is not one JSON object of the right shape.
    InvalidBody,
    /// 400: `name` is missing or breaks the rules.
    InvalidName,
    /// 400: `categoryId` is missing or not an int64.
    InvalidCategory,
    /// 400: `status` is not one of the three words.
    InvalidStatus,
    /// 400: a query parameter or one of our headers has an invalid value.
    InvalidParameter,
    /// 404: no such pet or path.
    NotFound,
    /// 405: the path does not support the method.
    MethodNotAllowed,
    /// 408: the request did not arrive in time.
    RequestTimeout,
    /// 413: the body is too large.
    PayloadTooLarge,
    /// 415: the body is not `application/json`.
    UnsupportedMediaType,
    /// 403: the key is valid, its scope does not allow this.
    Forbidden,
    /// 409: a request with the same Idempotency-Key is still running.
    IdempotencyInProgress,
    /// 422: the same Idempotency-Key came with another body.
    IdempotencyMismatch,
    /// 429: too many requests.
    RateLimited,
    /// 500: a bug in the service; the cause is in the log.
    InternalError,
    /// 503: the database is not available now.
    StorageUnavailable,
    /// 503: the same, and the pet of this request was certainly not added.
    NotAdded,
    /// 503: the service is stopping.
    ShuttingDown,
}

impl ProblemCode {
    /// Every code, in the order of the documentation.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The value in the body.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
