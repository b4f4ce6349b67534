//! What can come back instead of an answer, typed by what the caller can do about it.

use std::time::Duration;

use crate::model::{Problem, ProblemCode};

/// Why a request gave no result.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// Nothing was sent: the name did not resolve, the connection was refused, or TLS failed.
    #[error("no connection")]
    NotSent(#[source] reqwest::Error),
    /// No connection within the time allowed for it; nothing was sent.
    #[error("no connection within {} s", .0.as_secs())]
    ConnectTimeout(Duration),
    /// The request may have arrived; its answer did not, or not whole, within the time allowed. Carries how long it took.
    #[error("no answer within {} s", .0.as_secs())]
    Timeout(Duration),
    /// The request may have arrived; the connection broke before the answer was whole.
    #[error("the connection broke")]
    Broken(#[source] reqwest::Error),
    /// An answer that is not a success.
    #[error("the service answered {status}")]
    Refused {
        /// The HTTP status code.
        status: u16,
        /// The Error body, where the answer was one.
        problem: Option<Problem>,
        /// The first characters of the body where it was not. Foreign text: clean it before showing it.
        excerpt: String,
        /// How long the service asks to wait (`Retry-After`).
        retry_after: Option<RetryAfter>,
    },
    /// A success whose body is not what the description promises.
    #[error("the answer does not match the API description")]
    Malformed(#[source] Defect),
}

/// The value of a `Retry-After` header (RFC 9110, section 10.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// Seconds from now.
    Seconds(u64),
    /// A date, or something that is neither: not to be waited for blindly.
    Other,
}

/// What is wrong with the body of a success.
#[derive(Debug, thiserror::Error)]
pub enum Defect {
    /// Larger than the client takes.
    #[error("larger than {} MiB", .0 >> 20)]
    TooLarge(usize),
    /// Not JSON of the promised shape; `excerpt` is how it begins.
    #[error("{source}")]
    Json {
        /// Where and why reading stopped.
        source: serde_json::Error,
        /// The first characters of the body. Foreign text: clean it before showing it.
        excerpt: String,
    },
    /// A success of another kind than the operation has, or one that only a question of another kind has.
    #[error("unexpected status {0}")]
    Status(u16),
    /// Not the stream of events that it should be.
    #[error("{0}")]
    Events(&'static str),
    /// A list whose pages lead back to one of them.
    #[error("its pages form a loop")]
    Circle,
    /// A list that has not ended after so many requests.
    #[error("the list has not ended after {0} requests")]
    Endless(u32),
}

impl ApiError {
    /// Whether an earlier request with the same Idempotency-Key is being carried out.
    pub fn is_in_progress(&self) -> bool {
        matches!(self, Self::Refused { status: 409, problem: Some(problem), .. }
            if problem.code == ProblemCode::IdempotencyInProgress.as_str())
    }

    /// The pause that the service asks for, where it says how long that is.
    pub const fn asked_pause(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after: Some(RetryAfter::Seconds(seconds)), .. } => {
                Some(Duration::from_secs(*seconds))
            }
            _ => None,
        }
    }

    /// Whether the key was missing or not accepted (section 5).
    pub const fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Refused { status: 401, .. })
    }
}
