//! The Error body (sections 2 and 7): `code`, `message`, `status`, and nothing else.

use std::fmt;

use serde::{Deserialize, Serialize};

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

macro_rules! codes {
    ($($(#[$meta:meta])* $name:ident = $word:literal,)*) => {
        /// The codes our service sends (an addition: the description leaves the set open). Closed and documented in
        /// `assets/openapi.yaml`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ProblemCode { $($(#[$meta])* $name,)* }

        impl ProblemCode {
            /// Every code, in the order of the documentation.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word in the body.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

codes! {
    /// 401: the API key is missing or invalid.
    Unauthorized = "unauthorized",
    /// 400: the body is not one JSON object of the right shape.
    InvalidBody = "invalid_body",
    /// 400: `name` is missing or breaks the rules.
    InvalidName = "invalid_name",
    /// 400: `categoryId` is missing or not an int64.
    InvalidCategory = "invalid_category",
    /// 400: `status` is none of the three words.
    InvalidStatus = "invalid_status",
    /// 400: a query parameter or header of ours has a wrong value.
    InvalidParameter = "invalid_parameter",
    /// 404: no such animal or path.
    NotFound = "not_found",
    /// 405: the path exists, the method does not.
    MethodNotAllowed = "method_not_allowed",
    /// 408: the request did not arrive in time.
    RequestTimeout = "request_timeout",
    /// 413: the body is larger than the service takes.
    PayloadTooLarge = "payload_too_large",
    /// 415: the body is not `application/json`.
    UnsupportedMediaType = "unsupported_media_type",
    /// 403: the key is valid, its scope does not allow this.
    Forbidden = "forbidden",
    /// 409: a request with the same Idempotency-Key is still running.
    IdempotencyInProgress = "idempotency_in_progress",
    /// 422: the same Idempotency-Key came with another body.
    IdempotencyMismatch = "idempotency_mismatch",
    /// 429: too many requests.
    RateLimited = "rate_limited",
    /// 500: our mistake; the cause is in the log.
    InternalError = "internal_error",
    /// 503: the database cannot take this now.
    StorageUnavailable = "storage_unavailable",
    /// 503: the service is stopping.
    ShuttingDown = "shutting_down",
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
