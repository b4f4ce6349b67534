//! Exit statuses, and failures that carry one.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::api::provenance::ProvenanceError;
use crate::api::{ApiError, Failure, Remedy};
use crate::config::{ConfigError, KeyOrigin, LoginError, Service, Settings};
use crate::domains::registry::RegistryError;
use crate::model::display_safe;
use crate::model::escape::shown_json;
use crate::model::text::{causes, safe_causes, short};
use crate::store::StoreError;
use crate::transfer::TransferError;

use crate::model::words::did_you_mean;

/// The exit status of the program. Scripts may rely on these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    /// Anything else that failed.
    Failure = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// Only some of several pets were added; an export with `--require-complete` is not complete; or several domains were
    /// checked with different results.
    Partly = 3,
    /// The API key is missing or was not accepted.
    Unauthorized = 4,
    /// No such pet or key.
    NotFound = 5,
    /// No answer, and nothing was changed.
    NoAnswer = 6,
    /// The service refused the request.
    Refused = 7,
    /// A domain needs action.
    DomainFails = 8,
    /// A domain only needs time, for example for propagation; or the timeout of a watch is over.
    DomainWaits = 9,
    /// A pet was sent and no answer came: it may or may not have been added.
    Unknown = 10,
    /// Nothing is wrong with a domain, and the next step is the operator's.
    DomainYours = 11,
    /// SIGHUP, or the terminal is gone.
    Hangup = 129,
    /// SIGINT.
    Interrupt = 130,
    /// SIGQUIT.
    Quit = 131,
    /// SIGTERM.
    Terminate = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A failure as text, with its exit status.
#[derive(Debug)]
pub struct Failed {
    /// The exit status.
    pub exit: Exit,
    what: String,
    hint: Option<String>,
    /// The Error body of the service, as one line of JSON, safe to show.
    body: Option<String>,
    shows_body: bool,
}

impl Failed {
    /// A failure; `what` is safe to show.
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), hint: None, body: None, shows_body: false }
    }

    /// The text of `error` and its causes.
    pub fn of(exit: Exit, error: &dyn Error) -> Self {
        Self::new(exit, safe_causes(error))
    }

    /// For `map_err`: what failed, and why.
    pub fn because<E: Error>(what: impl fmt::Display) -> impl FnOnce(E) -> Self {
        move |error| Self::new(Exit::Failure, display_safe(&format!("{what}: {}", causes(&error))))
    }

    /// For `map_err`: what could not be done to the file or directory at `path`, and why.
    pub fn cannot(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        Self::because(format!("cannot {what} {}", path.display()))
    }

    /// Adds what to do next.
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Also shows the Error body of the service, if there is one: for programs that read JSON.
    pub fn with_body(self) -> Self {
        Self { shows_body: true, ..self }
    }

    /// Has the commands of the hint go to the service that was used.
    pub fn at(self, settings: &Settings) -> Self {
        Self { hint: self.hint.map(|hint| settings.with_flags(&hint)), ..self }
    }

    /// Names the place of the refused key, and the way to replace that one.
    pub fn with_key_of(self, settings: &Settings) -> Self {
        let Service::Remote(remote) = &settings.service else { return self };
        if self.remedy() != Some(ENTER_KEY) {
            return self;
        }
        let origin = display_safe(&remote.key_origin.to_string()).into_owned();
        let profile = settings.origins.first().filter(|profile| profile.value != remote.base_url.authority());
        let way = match (&remote.key_origin, profile) {
            (KeyOrigin::Environment(_) | KeyOrigin::Command(_), _) => "replace it there".to_owned(),
            (_, Some(_)) => format!("to replace it: petstore login -p {}", short(&settings.name)),
            (_, None) => "give another one with PETSTORE_API_KEY or --key-file".to_owned(),
        };
        self.hint(format!("the key came {origin}; {way}"))
    }

    /// What to do next.
    pub fn remedy(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// What failed, without what to do next.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Wrong usage or configuration.
    pub fn config(error: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }

    /// It cannot be known who added pets to `service`.
    pub fn provenance(error: &ProvenanceError, service: &str) -> Self {
        match error {
            ProvenanceError::Api(error) => Self::request(error, service, false),
            ProvenanceError::NotOffered => Self::new(Exit::Usage, format!("{service} does not report who added pets"))
                .hint("omit the columns by and at, --provenance, and by: in searches"),
            ProvenanceError::NotAllowed => {
                Self::new(Exit::Unauthorized, format!("this key may not see who added the pets of {service}"))
                    .hint("use a key with the scope audit: petstore keys create --scopes read,write,audit")
            }
        }
    }

    /// Why a transfer with `service` failed, and the way out.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others are not about what was asked for")]
    pub fn transfer(error: &TransferError, service: &str) -> Self {
        // No hint may lead to rows being added twice.
        let why = display_safe(&error.to_string()).into_owned();
        let hint = match error {
            TransferError::Api(error) => return Self::request(error, service, false),
            TransferError::Provenance(error) => return Self::provenance(error, service),
            TransferError::NotAJournal { .. } => {
                "if that file is not petstore's, use another one for the report: --report FILE"
            }
            TransferError::Damaged { .. } => {
                "without the report it is unknown which rows were added: check with petstore pets list --all, and import \
                 only the missing ones"
            }
            TransferError::Changed { .. } => {
                "import the file again: its rows are then matched by content. Standard input must be the same as before"
            }
            TransferError::Unrelated(_) => {
                "name the report of this file with --report. If no row of this file was ever added, run without --resume"
            }
            TransferError::Another { what: "the service", .. } => {
                "to continue, choose that service (--profile, --base-url). If this is another store, use a separate report: \
                 --report FILE"
            }
            TransferError::Another { .. } => {
                "omit those options to continue; --again adds every row, even those added before"
            }
            TransferError::NoColumn { .. }
            | TransferError::Columns(_)
            | TransferError::FixedValue { .. }
            | TransferError::JournalExists(_)
            | TransferError::NoJournal(_)
            | TransferError::Exists(_)
            | TransferError::Needed { .. }
            | TransferError::NoFile { .. } => return Self::new(Exit::Usage, why),
            _ => return Self::new(Exit::Failure, why),
        };
        Self::new(Exit::Usage, why).hint(hint)
    }

    /// A failed request to `service`; `creating` if it may have added a pet.
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
            | Failure::NotOverSsh
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

/// What to do without an API key.
pub const GIVE_A_KEY: &str = "save one for a profile: petstore login; or set PETSTORE_API_KEY, or PETSTORE_API_KEY_FILE to the path of a key file";

/// What to do about a refused key.
const ENTER_KEY: &str = "save a key that this service accepts: petstore login; or set PETSTORE_API_KEY";

/// What to do next.
fn hint(failure: &Failure, exit: Exit) -> Option<String> {
    let hint = match failure.remedy() {
        _ if exit == Exit::Unknown => "the pet may or may not have been added; check with: petstore pets list --all",
        Remedy::EnterKey => ENTER_KEY,
        Remedy::GetPermission => {
            "this key lacks the permission; to see each key's scopes, where the service runs: petstore keys list --database URL"
        }
        Remedy::Wait(seconds) => return Some(format!("the service asks you to wait {seconds} s")),
        Remedy::TryLater => "try again in a moment; to see each request: petstore pets list -v",
        Remedy::CorrectValue => "for the fields of a pet: petstore pets add --help",
        Remedy::CheckAddress => "check the address, or start a service: petstore serve",
        Remedy::CheckPath => "check the address; it usually ends in /v1: petstore --base-url URL",
        Remedy::CheckService => {
            "check that this is a Petstore Animals API; its address usually ends in /v1: petstore --base-url URL"
        }
        Remedy::TrustAuthority => "if you trust this service, give its CA certificate as a PEM file: --ca-file FILE",
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
        let suggestion = display_safe(&suggestion(&error)).into_owned();
        failed.hint(match (suggestion.trim_start(), exit) {
            ("", Exit::Unauthorized) => "to save a key: petstore login",
            ("", _) => "to find the problem: petstore doctor; to see which file is read: petstore config path",
            (suggestion, _) => suggestion,
        })
    }
}

/// ` Did you mean …?` if a word of the configuration resembles a known one, else nothing.
pub fn suggestion(error: &ConfigError) -> String {
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
                Self::config(display_safe(&format!("{error}{}", suggestion(&error))))
                    .hint("to create a profile: petstore login -p NAME --base-url URL")
            }
            LoginError::Config(error) => error.into(),
            LoginError::Inside(_) => Self::config(error).hint("choose another profile: petstore login -p NAME"),
            LoginError::Nameless(_) => {
                Self::config(error).hint("create a profile: petstore login -p NAME --base-url URL")
            }
            LoginError::Taken { ref profile, .. } => {
                let name = short(profile);
                let way = format!(
                    "for another key: petstore login -p {name}; for another address, change it in the file: petstore config path"
                );
                Self::config(display_safe(&error.to_string())).hint(way)
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
            .hint("--database takes sqlite:FILE, as created by petstore serve, or postgres://USER@HOST/DATABASE")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::failure::RetryAfter;
    use crate::model::{Problem, ProblemCode};

    #[test]
    fn the_hint_for_an_untrusted_certificate_turns_no_check_off() {
        let why = "invalid peer certificate: UnknownIssuer".to_owned();
        let hint = hint(&Failure::NotSent { why }, Exit::NoAnswer).unwrap();
        assert!(hint.contains("--ca-file"), "{hint}");
    }

    #[test]
    fn the_error_body_is_shown_safely_and_only_on_request() {
        let problem = Problem::new(ProblemCode::NotFound, 404, "no \u{202e} way");
        let retry_after = Some(RetryAfter::Seconds(7));
        let error = ApiError::Refused { status: 404, problem: Some(problem), excerpt: String::new(), retry_after };
        let failed = Failed::request(&error, "shop.example", false);
        let lines = "shop.example answered 404 (not_found): \"no ⟨U+202E⟩ way\"\n\
                     hint: the service asks you to wait 7 s";
        assert_eq!((failed.exit, failed.to_string()), (Exit::NotFound, lines.to_owned()));
        let body = r#"{"code":"not_found","message":"no \u202e way","status":404}"#;
        assert_eq!(failed.with_body().to_string(), format!("{lines}\n{body}"));
    }
}
