//! Every reason to refuse, and the one place where it becomes a status and an Error body (section 7 of the
//! description; codes and the statuses beyond 400, 401 and 404 are additions).
//!
//! The message is for people: it names the field, the value and the remedy. Causes are logged, never sent.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::limits::Limit;
use crate::model::text::display_safe;
use crate::model::{Field, FieldError, Pet, Problem, ProblemCode as Code, short};
use crate::store::keys::Scope;
use crate::store::{FailureKind, StoreError, StoreFailure};

/// What a request gets, unless it is refused.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

/// Why a request gets no 2xx. The text is the message that is sent.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("The API key is missing or invalid. Send it as \"Authorization: Bearer <API_KEY>\".")]
    Unauthorized,
    #[error("Too many {0}")]
    TooMany(Limit),
    #[error("This API key lacks the scope {0}. Use a key that has it.")]
    Forbidden(Scope),
    #[error("No such path. The pets are at /v1/pets.")]
    NoSuchPath,
    #[error("No pet has the id \"{}\".", short(.0))]
    NoSuchPet(String),
    #[error("{} is not supported here, only {allow}.", short(.method))]
    MethodNotAllowed { method: String, allow: &'static str },
    #[error("{name} must be {rule}, not \"{}\".", short(.value))]
    Parameter { name: &'static str, rule: &'static str, value: String },
    #[error("{0} was sent more than once. Send it once.")]
    RepeatedParameter(&'static str),
    #[error("Use after with order=asc, which is the default, and before with order=desc.")]
    OtherOrder,
    #[error("The body must be sent as {0} in UTF-8, without a content encoding.")]
    MediaType(&'static str),
    #[error("The body is larger than {0} bytes.")]
    BodyTooLarge(usize),
    #[error("The body did not arrive in time.")]
    BodyTooSlow,
    #[error("The body ended before it was complete.")]
    BodyCut,
    #[error("The body is not UTF-8.")]
    BodyNotUtf8,
    #[error("The body must be one JSON object with name and categoryId, and nothing after it.")]
    BodyNotAnObject,
    #[error("The body must be one JSON array of operations, and nothing after it.")]
    BodyNotAPatch,
    #[error("{member} of an operation must be {rule}, not {}.", short(.value))]
    Operation { member: &'static str, rule: &'static str, value: String },
    #[error("The body is not valid JSON: {}.", display_safe(&.0.to_string()))]
    BodyMalformed(#[source] serde_json::Error),
    #[error("The name must be a string, not {}.", short(.0))]
    NameNotText(String),
    #[error(transparent)]
    Field(#[from] FieldError),
    #[error("The first request with this Idempotency-Key is still running. Try again in a moment.")]
    IdempotencyInProgress,
    #[error("This Idempotency-Key was used for another pet or change. Send a new key for a new one.")]
    IdempotencyMismatch,
    #[error("The pet is not as this change expects it. Nothing was changed; the pet as it is now is in this answer.")]
    Changed(Box<Pet>),
    #[error("The database is not available now. Try again in a moment.")]
    Storage(#[source] Option<StoreError>),
    #[error("The pet was not {}: {}. Try again later.", .0, .1.in_short())]
    NotWritten(Write, #[source] StoreError),
    #[error("Not ready: {}.", .0.in_short())]
    NotReady(StoreFailure),
    #[error("The pet may or may not have been {write}. {}", .write.once_more(*.keyed))]
    Unclear { cause: Option<StoreError>, write: Write, keyed: bool },
    #[error("Internal error. The log has the details, under the request id of this answer.")]
    Internal,
}

/// What a request writes.
#[derive(Clone, Copy, Debug, derive_more::Display)]
pub enum Write {
    #[display("added")]
    Addition,
    #[display("changed")]
    Change,
}

/// What the frame logs and counts of an answer, and the client never sees; nothing where the store took too long.
#[derive(Clone, Debug)]
pub struct Cause(pub Option<Arc<StoreError>>);

impl Failure {
    const fn code(&self) -> Code {
        match self {
            Self::Unauthorized => Code::Unauthorized,
            Self::TooMany(_) => Code::RateLimited,
            Self::Forbidden(_) => Code::Forbidden,
            Self::NoSuchPath | Self::NoSuchPet(_) => Code::NotFound,
            Self::MethodNotAllowed { .. } => Code::MethodNotAllowed,
            Self::Parameter { .. } | Self::RepeatedParameter(_) | Self::OtherOrder => Code::InvalidParameter,
            Self::MediaType(_) => Code::UnsupportedMediaType,
            Self::BodyTooLarge(_) => Code::PayloadTooLarge,
            Self::BodyTooSlow => Code::RequestTimeout,
            Self::BodyCut | Self::BodyNotUtf8 | Self::BodyMalformed(_) => Code::InvalidBody,
            Self::BodyNotAnObject | Self::BodyNotAPatch | Self::Operation { .. } => Code::InvalidBody,
            Self::NameNotText(_) => Code::InvalidName,
            Self::Field(error) => match error.field() {
                Field::Name => Code::InvalidName,
                Field::CategoryId => Code::InvalidCategory,
                Field::Status => Code::InvalidStatus,
            },
            Self::IdempotencyInProgress => Code::IdempotencyInProgress,
            Self::IdempotencyMismatch => Code::IdempotencyMismatch,
            Self::Storage(_) | Self::NotReady(_) | Self::Unclear { .. } => Code::StorageUnavailable,
            Self::Changed(_) => Code::Changed,
            Self::NotWritten(Write::Addition, _) => Code::NotAdded,
            Self::NotWritten(Write::Change, _) => Code::NotChanged,
            Self::Internal => Code::InternalError,
        }
    }

    /// The same of a request that writes, with or without an Idempotency-Key: a repeat could do it twice.
    pub fn of(self, write: Write, keyed: bool) -> Self {
        match self {
            Self::Storage(Some(cause)) if cause.kind() != FailureKind::UnknownOutcome => Self::NotWritten(write, cause),
            Self::Storage(cause) => Self::Unclear { cause, write, keyed },
            known => known,
        }
    }
}

impl Write {
    /// What to do if it is unknown whether it was done.
    fn once_more(self, keyed: bool) -> String {
        if keyed {
            return format!("Send it again with the same Idempotency-Key: it will be {self} only once.");
        }
        let place = if matches!(self, Self::Addition) { "list" } else { "pet" };
        format!("Check the {place} before you send it again. With an Idempotency-Key, sending it again is safe.")
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::IdempotencyInProgress => Self::IdempotencyInProgress,
            StoreError::IdempotencyMismatch => Self::IdempotencyMismatch,
            error => Self::Storage(Some(error)),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let code = self.code();
        let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut problem = Problem::new(code, code.status(), self.to_string());
        if let Self::Changed(pet) = &self {
            problem.pet = Some((**pet).clone());
        }
        // Two strings and a number always serialise.
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        let extra = match &self {
            Self::Unauthorized => Some((header::WWW_AUTHENTICATE, "Bearer")),
            // Limits are whole numbers per second, so the next request is possible within a second.
            Self::TooMany(_)
            | Self::Storage(_)
            | Self::NotWritten(..)
            | Self::NotReady(_)
            | Self::IdempotencyInProgress
            | Self::Unclear { keyed: true, .. } => Some((header::RETRY_AFTER, "1")),
            _ => None,
        };
        response.headers_mut().extend(extra.map(|(name, value)| (name, HeaderValue::from_static(value))));
        let cause = match self {
            Self::Storage(error) | Self::Unclear { cause: error, .. } => Some(error),
            Self::NotWritten(_, error) => Some(Some(error)),
            Self::NotReady(why) => Some(Some(why.into())),
            _ => None,
        };
        if let Some(error) = cause {
            response.extensions_mut().insert(Cause(error.map(Arc::new)));
        }
        response
    }
}
