//! Why a request gave nothing, in words for people: one set for the app and the command line.
//!
//! The one place where an [`ApiError`] becomes sentences. Exhaustive, so that a new error cannot stay without words.

use std::time::Duration;

use super::error::{ApiError, Defect};
use crate::model::text::{causes, cut, without_keys};
use crate::model::{ProblemCode, display_safe};

/// A failed request, comparable and cleaned: every text in it is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Nothing was sent.
    NotSent {
        /// The cause, for example `connection refused`.
        why: String,
    },
    /// The service inside the program, or the client, could not be started; asking again gives the same.
    NotStarted {
        /// The cause.
        why: String,
    },
    /// A session over SSH may not do it.
    NotOverSsh,
    /// It may have arrived; no whole answer came.
    NoAnswer {
        /// How long it was waited for.
        after: Duration,
    },
    /// It may have arrived; the connection broke.
    Broken {
        /// The cause.
        why: String,
    },
    /// An answer that is not a success.
    Refused {
        /// The HTTP status code.
        status: u16,
        /// `code` of the Error body, where there was one.
        code: Option<String>,
        /// `message` of the Error body, or how the body began.
        message: String,
        /// Seconds that the service asks to wait.
        retry_after: Option<u64>,
    },
    /// A success that is not what the description promises.
    Malformed {
        /// What was wrong.
        why: String,
        /// How the body began.
        excerpt: String,
    },
    /// The app has more to do than it can take.
    Busy,
    /// The job ended by a fault of the program.
    Crashed {
        /// The message of the panic.
        why: String,
    },
}

/// What can be done about a failure. Each front end says it in its own way: by a key, a command or a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Another key is needed.
    EnterKey,
    /// A key that may do this is needed.
    GetPermission,
    /// The service asks to wait for so many seconds.
    Wait(u64),
    /// Asking again later may help.
    TryLater,
    /// A value that was sent must be corrected.
    CorrectValue,
    /// The address may be wrong, or nothing runs there.
    CheckAddress,
    /// The path of the address may be wrong.
    CheckPath,
    /// Something else may answer at the address.
    CheckService,
    /// The certificate's CA is not trusted.
    TrustAuthority,
    /// Asking again gives the same.
    None,
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::from(&error)
    }
}

impl From<&ApiError> for Failure {
    fn from(error: &ApiError) -> Self {
        match error {
            ApiError::NotSent(source) => Self::NotSent { why: safe(&root_cause(source)) },
            ApiError::ConnectTimeout(limit) => {
                Self::NotSent { why: format!("no connection within {} s", limit.as_secs()) }
            }
            ApiError::Timeout(after) => Self::NoAnswer { after: *after },
            ApiError::Broken(source) => Self::Broken { why: safe(&root_cause(source)) },
            ApiError::Refused { status, problem, excerpt, .. } => Self::Refused {
                status: *status,
                code: problem.as_ref().map(|problem| safe(&problem.code)),
                message: safe(problem.as_ref().map_or(excerpt, |problem| &problem.message)),
                retry_after: error.asked_pause().map(|pause| pause.as_secs()),
            },
            ApiError::Malformed(defect) => Self::Malformed {
                why: safe(&causes(defect)),
                excerpt: match defect {
                    Defect::Json { excerpt, .. } => safe(excerpt),
                    Defect::TooLarge(_) | Defect::Status(_) | Defect::Events(_) => String::new(),
                    Defect::Circle | Defect::Endless(_) => String::new(),
                },
            },
        }
    }
}

impl ApiError {
    /// Whether the request may have been carried out although no answer came. Such a creation must not be repeated
    /// blindly: it could add the pet twice.
    pub fn outcome_unknown(&self) -> bool {
        Failure::from(self).outcome_unknown()
    }
}

/// The innermost cause says what happened; the layers above it only say where.
pub(super) fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let text = cause.to_string();
    // The error number adds nothing to the message.
    let text = text.split_once(" (os error").map_or(text.as_str(), |(words, _)| words);
    if text.contains("closed before message completed") { "it closed the connection".into() } else { text.to_owned() }
}

fn safe(text: &str) -> String {
    cut(&display_safe(&without_keys(text)), 400)
}

impl Failure {
    /// Whether the request may have been carried out all the same; see [`ApiError::outcome_unknown`].
    pub fn outcome_unknown(&self) -> bool {
        match self {
            Self::NotSent { .. } | Self::NotStarted { .. } | Self::NotOverSsh | Self::Busy => false,
            Self::NoAnswer { .. } | Self::Broken { .. } | Self::Malformed { .. } | Self::Crashed { .. } => true,
            // An earlier one with the same idempotency key is being carried out.
            Self::Refused { status: 409, code, .. } => {
                code.as_deref() == Some(ProblemCode::IdempotencyInProgress.as_str())
            }
            // The service behind it has answered.
            Self::Refused { status: 503, code: Some(code), .. } => code != ProblemCode::NotAdded.as_str(),
            // A gateway that gave up says nothing about the service behind it.
            Self::Refused { status, .. } => matches!(status, 500..=599) && *status != 501,
        }
    }

    /// What can be done about it, the most likely thing.
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Refused { status: 401, .. } => Remedy::EnterKey,
            Self::Refused { retry_after: Some(seconds), .. } => Remedy::Wait(*seconds),
            Self::Refused { status: 403, .. } => Remedy::GetPermission,
            Self::Refused { status: 404, .. } => Remedy::CheckPath,
            Self::Refused { status: 400 | 422, .. } => Remedy::CorrectValue,
            Self::NotSent { why } if why.contains("certificate") => Remedy::TrustAuthority,
            Self::NotSent { .. } => Remedy::CheckAddress,
            Self::Malformed { .. } => Remedy::CheckService,
            Self::Refused { status: 408 | 429 | 500..=599, .. } => Remedy::TryLater,
            Self::NoAnswer { .. } | Self::Broken { .. } | Self::Busy => Remedy::TryLater,
            Self::Refused { .. } | Self::NotStarted { .. } | Self::NotOverSsh | Self::Crashed { .. } => Remedy::None,
        }
    }

    /// Whether waiting may be enough.
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 408 | 429 | 500 | 502..=599),
            Self::NotSent { .. } | Self::NoAnswer { .. } | Self::Broken { .. } | Self::Busy => true,
            Self::NotStarted { .. } | Self::NotOverSsh | Self::Malformed { .. } | Self::Crashed { .. } => false,
        }
    }

    /// Whether a creation was certainly not carried out, and may be later.
    pub fn can_wait(&self) -> bool {
        self.may_pass() && !self.outcome_unknown()
    }

    /// One sentence: what happened when `service` was asked.
    pub fn sentence(&self, service: &str) -> String {
        match self {
            Self::NotSent { why } => format!("No connection to {service} ({why})."),
            Self::NotStarted { why } => format!("Not started: {why}. Fix that, then restart petstore."),
            Self::NotOverSsh => "A session over SSH opens no files of the server.".to_owned(),
            Self::NoAnswer { after } => format!("No answer from {service} within {} s.", after.as_secs()),
            Self::Broken { why } => format!("The connection to {service} broke ({why})."),
            Self::Refused { status: 401, code: Some(_), message, .. } => {
                format!("{service} did not accept the API key: \"{message}\"")
            }
            Self::Refused { status: 401, .. } => format!("{service} did not accept the API key (401)."),
            Self::Refused { status, code: Some(code), message, .. } => {
                format!("{service} answered {status} ({code}): \"{message}\"")
            }
            Self::Refused { status, code: None, .. } => {
                format!("{service} answered {status}, without an Error body.")
            }
            Self::Malformed { why, .. } => format!("The answer does not match the API description: {why}."),
            Self::Busy => "The program is busy. Try again in a moment.".to_owned(),
            Self::Crashed { why } => format!("Internal error: {why}."),
        }
    }

    /// Every line that is known about it, for the full view.
    pub fn details(&self, service: &str) -> Vec<String> {
        let mut lines = vec![self.sentence(service)];
        if let Self::Refused { status, code, message, retry_after } = self {
            lines.push(format!("status   {status}"));
            lines.push(format!("code     {}", code.as_deref().unwrap_or("(no Error body)")));
            lines.push(format!("message  {}", if message.is_empty() { "(empty)" } else { message }));
            lines.extend(retry_after.map(|seconds| format!("The service asks you to wait {seconds} s.")));
        }
        if let Self::Malformed { excerpt, .. } = self
            && !excerpt.is_empty()
        {
            lines.push("The answer starts with:".to_owned());
            lines.push(excerpt.clone());
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_is_one_that_helps() {
        let refused = |status, retry_after| {
            let failure = Failure::Refused { status, code: None, message: String::new(), retry_after };
            (failure.remedy(), failure.may_pass())
        };
        // Waiting does not make the key valid.
        assert_eq!(refused(401, Some(5)), (Remedy::EnterKey, false));
        assert_eq!(refused(404, Some(5)), (Remedy::Wait(5), false));
        assert_eq!(refused(429, Some(5)), (Remedy::Wait(5), true));
        assert_eq!((refused(408, None), refused(503, None)), ((Remedy::TryLater, true), (Remedy::TryLater, true)));
        // An operation that the service does not offer is not retried automatically.
        assert_eq!(refused(501, None), (Remedy::TryLater, false));
    }
}
