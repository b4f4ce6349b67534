//! Exit statuses, and failures that carry one.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use crate::api::{ApiError, Failure, Remedy};
use crate::config::{ConfigError, LoginError};
use crate::domains::registry::RegistryError;
use crate::model::display_safe;
use crate::model::escape::shown_json;
use crate::model::text::{causes, safe_causes};
use crate::store::StoreError;

use super::suggest::did_you_mean;

/// How the program ends. Scripts may rely on these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
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
    /// A check of a domain: time will do it. Or the time to watch is up.
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
    /// The Error body of the service, as one line of JSON that is safe to show.
    body: Option<String>,
    shows_body: bool,
}

impl Failed {
    /// A failure; `what` is safe to show.
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), hint: None, body: None, shows_body: false }
    }

    /// What `error` and everything behind it say.
    pub fn of(exit: Exit, error: &dyn Error) -> Self {
        Self::new(exit, safe_causes(error))
    }

    /// For `map_err`: what could not be done, and why not.
    pub fn because<E: Error>(what: impl fmt::Display) -> impl FnOnce(E) -> Self {
        move |error| Self::new(Exit::Failure, display_safe(&format!("{what}: {}", causes(&error))))
    }

    /// With the next thing to try.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Also shows the Error body of the service, if there is one: for programs that read JSON.
    pub(super) fn with_body(self) -> Self {
        Self { shows_body: true, ..self }
    }

    /// The next thing to try.
    pub fn remedy(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// What failed, without the next thing to try.
    pub fn what(&self) -> &str {
        &self.what
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
        let body = match error {
            ApiError::Refused { problem: Some(body), .. } => serde_json::to_string(body).ok(),
            _ => None,
        };
        let body = body.map(|body| shown_json(&body).into_owned());
        Self { hint: hint(&failure, exit), body, ..Self::new(exit, failure.sentence(service)) }
    }
}

/// The next thing to try where there is no key.
pub(super) const GIVE_A_KEY: &str =
    "petstore login keeps one for a profile; or set PETSTORE_API_KEY, or name a key file in PETSTORE_API_KEY_FILE";

/// The next thing to try.
fn hint(failure: &Failure, exit: Exit) -> Option<String> {
    let hint = match failure.remedy() {
        _ if exit == Exit::Unknown => "the animal may or may not have been added; look with: petstore pets list --all",
        Remedy::EnterKey => "petstore login keeps a key that this service accepts, or set PETSTORE_API_KEY to one",
        Remedy::GetPermission => "this key may not do that; petstore keys list shows what each may do",
        Remedy::Wait(seconds) => return Some(format!("the service asks to wait {seconds} s before the next try")),
        Remedy::TryLater => "try again in a moment; petstore pets list -v shows each request",
        Remedy::CorrectValue => "petstore pets add --help says what an animal is",
        Remedy::CheckAddress => "check the address, or start a service: petstore serve",
        Remedy::CheckPath => "is the address right? It ends in /v1: petstore --base-url URL",
        Remedy::CheckService => "is this a Petstore Animals API? Its address ends in /v1: petstore --base-url URL",
        Remedy::TrustAuthority => {
            "if you know that this service is right, name a file of the authorities to trust: --ca-file FILE"
        }
        Remedy::None => return None,
    };
    Some(hint.to_owned())
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(hint) = &self.hint {
            write!(f, "\nhint: {hint}")?;
        }
        match &self.body {
            Some(body) if self.shows_body => write!(f, "\n{body}"),
            Some(_) | None => Ok(()),
        }
    }
}

impl From<ConfigError> for Failed {
    fn from(error: ConfigError) -> Self {
        let exit = match &error {
            ConfigError::Key(_) => Exit::Unauthorized,
            ConfigError::Read { .. }
            | ConfigError::Syntax { .. }
            | ConfigError::NoSuchProfile { .. }
            | ConfigError::Unusable(_)
            | ConfigError::NoHome(_) => Exit::Usage,
        };
        let failed = Self::new(exit, display_safe(&error.to_string()));
        let meant = display_safe(&meant(&error)).into_owned();
        failed.hint(match (meant.trim_start(), exit) {
            ("", Exit::Unauthorized) => "petstore login keeps a key where it is found",
            ("", _) => "petstore doctor says what is not right, and petstore config edit changes it",
            (meant, _) => meant,
        })
    }
}

/// ` Did you mean …?` where a word of the configuration is near one that is known, else nothing.
pub fn meant(error: &ConfigError) -> String {
    match error {
        ConfigError::NoSuchProfile { name, known } => did_you_mean(name, known.split(", ")),
        // unknown field `limitt`, expected one of `limit`, `status`, `live`
        ConfigError::Syntax { message, .. } if message.starts_with("unknown ") => {
            let mut words = message.split('`').skip(1).step_by(2);
            words.next().map_or_else(String::new, |typed| did_you_mean(typed, words))
        }
        _ => String::new(),
    }
}

impl From<LoginError> for Failed {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::Config(error @ ConfigError::NoSuchProfile { .. }) => {
                let meant = meant(&error);
                Self::config(display_safe(&format!("{error}{meant}")))
                    .hint("a new one is made with its address: petstore login -p NAME --base-url URL")
            }
            LoginError::Config(error) => error.into(),
            LoginError::Inside(_) => {
                Self::config(error).hint("name a profile of another service: petstore login -p NAME")
            }
            LoginError::Nameless(_) => {
                Self::config(error).hint("give it a profile: petstore login -p NAME --base-url URL")
            }
            LoginError::Edit(_) | LoginError::Elsewhere { .. } => Self::config(display_safe(&error.to_string())),
        }
    }
}

impl From<RegistryError> for Failed {
    fn from(error: RegistryError) -> Self {
        Self::of(Exit::Failure, &error)
    }
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::of(Exit::Failure, &error)
            .hint("--database names sqlite:FILE, as petstore serve made it, or postgres://USER@HOST/DATABASE")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::error::RetryAfter;
    use crate::model::{Problem, ProblemCode};

    #[test]
    fn a_certificate_that_is_not_trusted_has_a_way_out_that_turns_nothing_off() {
        let why = "invalid peer certificate: UnknownIssuer".to_owned();
        let said = hint(&Failure::NotSent { why }, Exit::NoAnswer).unwrap();
        assert!(said.contains("--ca-file"), "{said}");
    }

    #[test]
    fn the_error_body_is_shown_only_where_it_was_asked_for_and_safely() {
        let problem = Problem::new(ProblemCode::NotFound, 404, "no \u{202e} way");
        let retry_after = Some(RetryAfter::Seconds(7));
        let error = ApiError::Refused { status: 404, problem: Some(problem), excerpt: String::new(), retry_after };
        let failed = Failed::request(&error, "shop.example", false);
        let lines = "shop.example answered 404 (not_found): \"no ⟨U+202E⟩ way\"\n\
                     hint: the service asks to wait 7 s before the next try";
        assert_eq!((failed.exit, failed.to_string()), (Exit::NotFound, lines.to_owned()));
        let body = r#"{"code":"not_found","message":"no \u202e way","status":404}"#;
        assert_eq!(failed.with_body().to_string(), format!("{lines}\n{body}"));
    }
}
