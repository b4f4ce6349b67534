//! The Error body (sections 2 and 7): `code`, `message`, `status`; and where a change was refused, the pet (an addition).

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use super::pet::Pet;

/// The Error body as any service sends it. The set of `code` values is open in the description.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Machine-readable error code. Ours are listed in [`ProblemCode`].
    pub code: String,
    /// Human-readable description. Foreign text: clean it before showing it.
    pub message: String,
    /// The HTTP status code, repeated.
    pub status: u16,
    /// The pet as it is now, where it is not as a change expects it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pet: Option<Pet>,
}

impl Problem {
    /// An Error body with one of our own codes.
    pub fn new(code: ProblemCode, status: u16, message: impl Into<String>) -> Self {
        Self { code: code.as_str().to_owned(), message: message.into(), status, pet: None }
    }
}

/// The codes that our service sends, documented in `assets/openapi.yaml` (an addition: the description leaves the set
/// open). Each has its status, and a digit that tells it from the others with that status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum ProblemCode {
    /// The API key is missing or invalid.
    Unauthorized = 4010,
    /// The body is not one JSON object of the right shape.
    InvalidBody = 4000,
    /// `name` is missing or breaks the rules.
    InvalidName = 4001,
    /// `categoryId` is missing or not an int64.
    InvalidCategory = 4002,
    /// `status` is not one of the three words.
    InvalidStatus = 4003,
    /// A query parameter or one of our headers has an invalid value.
    InvalidParameter = 4004,
    /// No such pet or path.
    NotFound = 4040,
    /// The path does not support the method.
    MethodNotAllowed = 4050,
    /// The request did not arrive in time.
    RequestTimeout = 4080,
    /// The body is too large.
    PayloadTooLarge = 4130,
    /// The body is not `application/json`.
    UnsupportedMediaType = 4150,
    /// The key is valid, its scope does not allow this.
    Forbidden = 4030,
    /// A request with the same Idempotency-Key is still running.
    IdempotencyInProgress = 4090,
    /// The pet is not as the change expects it: nothing was changed.
    Changed = 4091,
    /// The same Idempotency-Key came with another body.
    IdempotencyMismatch = 4220,
    /// Too many requests.
    RateLimited = 4290,
    /// A bug in the service; the cause is in the log.
    InternalError = 5000,
    /// The database is not available now.
    StorageUnavailable = 5030,
    /// The same, and the pet of this request was certainly not added.
    NotAdded = 5031,
    /// The same, and the pet of this request was certainly not changed.
    NotChanged = 5033,
    /// The service is stopping.
    ShuttingDown = 5032,
}

impl ProblemCode {
    /// Every code, in the order of the documentation.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The value in the body.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The HTTP status code.
    pub const fn status(self) -> u16 {
        self as u16 / 10
    }
}
