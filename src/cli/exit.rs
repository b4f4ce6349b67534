//! Exit statuses, and failures that carry one.

use std::fmt;
use std::process::ExitCode;

use crate::api::{ApiError, Failure};
use crate::config::ConfigError;
use crate::domains::list::ListError;
use crate::model::text::safe_causes;
use crate::store::CopyError;

use super::keys::KeysError;
use super::serve::ServeError;
use super::upkeep::UpkeepError;

/// How the program ends. Scripts may rely on these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Anything else that failed.
    Failure = 1,
    /// Wrong use or configuration.
    Usage = 2,
    /// Some of several animals were added, others not; an export is not complete that was to be; or several domains were
    /// checked, with different results.
    Partly = 3,
    /// No API key, or one that was not accepted.
    Unauthorized = 4,
    /// No such animal or key.
    NotFound = 5,
    /// No answer, and nothing was changed.
    NoAnswer = 6,
    /// The service refused what was sent.
    Refused = 7,
    /// A check of a domain: somebody must act.
    DomainFails = 8,
    /// A check of a domain: time will do it, or the time to watch is up.
    DomainWaits = 9,
    /// An animal was sent and no answer came: it may have been added.
    Unknown = 10,
    /// SIGHUP, or the terminal is gone.
    Hangup = 129,
    /// SIGINT.
    Interrupt = 130,
    /// SIGTERM.
    Terminate = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure in words, with the status to end with.
#[derive(Debug)]
pub struct Failed {
    /// The exit status.
    pub exit: Exit,
    what: String,
    hint: Option<String>,
}

impl Failed {
    /// A failure; `what` is safe to show.
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), hint: None }
    }

    /// With the next thing to try.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Wrong use or configuration.
    pub fn config(error: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }

    /// A request to `service` that failed; `creating` when it may have added an animal.
    pub fn request(error: &ApiError, service: &str, creating: bool) -> Self {
        let failure = Failure::from(error);
        let exit = match &failure {
            Failure::Refused { status: 401 | 403, .. } => Exit::Unauthorized,
            Failure::Refused { status: 404, .. } => Exit::NotFound,
            Failure::Refused { status: 400..=499, .. } => Exit::Refused,
            _ if creating && failure.outcome_unknown() => Exit::Unknown,
            Failure::NotSent { .. } | Failure::NoAnswer { .. } | Failure::Broken { .. } => Exit::NoAnswer,
            Failure::Refused { .. }
            | Failure::NotStarted { .. }
            | Failure::Malformed { .. }
            | Failure::Busy
            | Failure::Crashed { .. } => Exit::Failure,
        };
        let mut failed = Self::new(exit, failure.sentence(service));
        failed.hint = match (exit, &failure) {
            (Exit::Unauthorized, _) => Some("set PETSTORE_API_KEY to a key that this service accepts".to_owned()),
            (Exit::Unknown, _) => {
                Some("the animal may or may not have been added; look with: petstore pets list".to_owned())
            }
            (_, Failure::NotSent { .. }) => Some("check the address, or start a service: petstore serve".to_owned()),
            (_, Failure::Refused { retry_after: Some(seconds), .. }) => {
                Some(format!("the service asks to wait {seconds} s before the next try"))
            }
            _ => None,
        };
        failed
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl From<ConfigError> for Failed {
    fn from(error: ConfigError) -> Self {
        Self::config(error)
    }
}

impl From<ServeError> for Failed {
    fn from(error: ServeError) -> Self {
        let exit = if matches!(error, ServeError::NotLoopback(_) | ServeError::MetricsNotLoopback(_)) {
            Exit::Usage
        } else {
            Exit::Failure
        };
        Self::new(exit, safe_causes(&error))
    }
}

impl From<KeysError> for Failed {
    fn from(error: KeysError) -> Self {
        let exit = match &error {
            KeysError::Expires(_) | KeysError::Overlap => Exit::Usage,
            KeysError::NoSuchKey(_) | KeysError::NotAccepted(_) => Exit::NotFound,
            KeysError::Store(_) | KeysError::Print(_) => Exit::Failure,
        };
        Self::new(exit, safe_causes(&error))
    }
}

impl From<CopyError> for Failed {
    fn from(error: CopyError) -> Self {
        let exit = match &error {
            CopyError::Cancelled => Exit::Interrupt,
            CopyError::Same => Exit::Usage,
            _ => Exit::Failure,
        };
        Self::new(exit, safe_causes(&error))
    }
}

impl From<ListError> for Failed {
    fn from(error: ListError) -> Self {
        Self::new(Exit::Failure, safe_causes(&error))
    }
}

impl From<UpkeepError> for Failed {
    fn from(error: UpkeepError) -> Self {
        let exit = if matches!(error, UpkeepError::Interrupted) { Exit::Interrupt } else { Exit::Failure };
        Self::new(exit, safe_causes(&error))
    }
}
