//! Exit statuses, and failures that carry one: errors of the command line, too, say what is wrong, and what to do.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::{fmt, io};

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::api::follow::ProvenanceError;
use crate::api::{Failure, Remedy};
use crate::config::{ConfigError, Env, KeyOrigin, Service, Settings};
use crate::domains::registry::RegistryError;
use crate::model::text::{causes, holds_key, without_keys};
use crate::model::words::{did_you_mean, nearest};
use crate::model::{display_safe, safe_causes, safe_text, short};
use crate::store::StoreError;
use crate::transfer::TransferError;

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

/// What a command or a part of it gives, or why it failed.
pub type Result<T, E = Failed> = std::result::Result<T, E>;

/// A failure as text, with its exit status.
#[derive(Debug)]
pub struct Failed {
    /// The exit status.
    pub exit: Exit,
    /// What failed, without what to do next.
    pub what: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The Error body of the service, as one line of JSON, safe to show.
    pub body: Option<String>,
    /// Also shows that body: for programs that read JSON.
    pub shows_body: bool,
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

    /// With a further sentence about what happened.
    pub fn and(self, sentence: &str) -> Self {
        Self { what: format!("{} {sentence}", self.what), ..self }
    }

    /// Has the commands of the hint go to the service that was used.
    pub fn at(self, settings: &Settings) -> Self {
        Self { hint: self.hint.map(|hint| settings.with_flags(&hint)), ..self }
    }

    /// Names the place of the refused key, and the way to replace that one.
    pub fn with_key_of(self, settings: &Settings) -> Self {
        let Service::Remote(remote) = &settings.service else { return self };
        if self.hint.as_deref() != Some(ENTER_KEY) {
            return self;
        }
        let profile = settings.origins.first().filter(|profile| profile.value != remote.base_url.authority());
        let way = match (&remote.key_origin, profile) {
            (KeyOrigin::Environment(_) | KeyOrigin::Command(_), _) => "replace it there".to_owned(),
            (_, Some(_)) => format!("to replace it: petstore login -p {}", short(&settings.name)),
            (_, None) => "give another one with PETSTORE_API_KEY or --key-file".to_owned(),
        };
        self.hint(format!("the key came {}; {way}", safe_text(&remote.key_origin)))
    }

    /// Wrong usage or configuration.
    pub fn config(error: impl fmt::Display) -> Self {
        Self::new(Exit::Usage, error.to_string())
    }

    /// It cannot be known who added pets to `service`.
    pub fn provenance(error: &ProvenanceError, service: &str) -> Self {
        match error {
            ProvenanceError::Api(error) => Self::request(error, service, false),
            ProvenanceError::NotOffered => Self::config(format!("{service} does not report who added pets"))
                .hint("omit the columns by and at, --provenance, and by: in searches"),
            ProvenanceError::NotAllowed => {
                Self::new(Exit::Unauthorized, format!("this key may not see who added the pets of {service}"))
                    .hint("use a key with the scope audit: petstore keys create --scopes read,write,audit")
            }
        }
    }

    /// Why a transfer with `service` failed, and the way out.
    pub fn transfer(error: &TransferError, service: &str) -> Self {
        use TransferError::*;
        // No hint may lead to rows being added twice.
        let why = safe_text(error);
        let hint = match error {
            Api(error) => return Self::request(error, service, false),
            Provenance(error) => return Self::provenance(error, service),
            NotAJournal { .. } => "if that file is not petstore's, use another one for the report: --report FILE",
            Damaged { .. } => {
                "without the report it is unknown which rows were added: check with petstore pets list --all, and import \
                 only the missing ones"
            }
            Changed { .. } => {
                "import the file again: its rows are then matched by content. Standard input must be the same as before"
            }
            Unrelated(_) => {
                "name the report of this file with --report. If no row of this file was ever added, run without --resume"
            }
            Another { what: "the service", .. } => {
                "to continue, choose that service (--profile, --base-url). If this is another store, use a separate report: \
                 --report FILE"
            }
            Another { .. } => "omit those options to continue; --again adds every row, even those added before",
            NoColumn { .. }
            | Columns(_)
            | FixedValue { .. }
            | JournalExists(_)
            | NoJournal(_)
            | Exists(_)
            | Needed { .. }
            | NoFile { .. } => return Self::config(why),
            _ => return Self::new(Exit::Failure, why),
        };
        Self::config(why).hint(hint)
    }

    /// A failed request to `service`; `creating` if it may have added a pet.
    pub fn request(failure: &Failure, service: &str, creating: bool) -> Self {
        let exit = match failure {
            Failure::Refused { status: 401 | 403, .. } => Exit::Unauthorized,
            Failure::Refused { status: 404, .. } => Exit::NotFound,
            Failure::Refused { status: 400..=499, .. } => Exit::Refused,
            _ if creating && failure.outcome_unknown() => Exit::Unknown,
            Failure::NotSent { .. } | Failure::NoAnswer { .. } | Failure::Broken { .. } => Exit::NoAnswer,
            _ => Exit::Failure,
        };
        let body = if let Failure::Refused { body, .. } = failure { body.clone() } else { None };
        // Here no key shows the details.
        let is_plain = !matches!(failure, Failure::Malformed { .. });
        let what = if is_plain { failure.sentence(service) } else { failure.to_string() };
        Self { hint: hint(failure, exit), body, ..Self::new(exit, what) }
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
        self.body.as_ref().filter(|_| self.shows_body).map_or(Ok(()), |body| write!(f, "\n{body}"))
    }
}

impl From<ConfigError> for Failed {
    fn from(error: ConfigError) -> Self {
        use ConfigError::*;
        let exit = if matches!(error, Key(_)) { Exit::Unauthorized } else { Exit::Usage };
        let failed = Self::new(exit, safe_text(&error));
        let suggestion = suggestion(&error);
        if !suggestion.is_empty() {
            return failed.hint(display_safe(suggestion.trim_start()));
        }
        let hint = match &error {
            NotChanged(_) | NotInFile { .. } | Elsewhere { .. } => return failed,
            Inside(_) => "choose another profile: petstore login -p NAME",
            Nameless(_) => "create a profile: petstore login -p NAME --base-url URL",
            Taken { profile, .. } => {
                let key = format!("for another key: petstore login -p {}", short(profile));
                return failed.hint(format!("{key}; for another address, change it in the file: petstore config path"));
            }
            Key(_) => "to save a key: petstore login",
            _ => "to find the problem: petstore doctor; to see which file is read: petstore config path",
        };
        failed.hint(hint)
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

/// The variables whose values appear in messages; never the key itself.
const NAMING: [&str; 4] = ["PETSTORE_BASE_URL", "PETSTORE_PROFILE", "PETSTORE_CONFIG", "PETSTORE_API_KEY_FILE"];

/// What an earlier version had, and what to do instead.
const REMOVED: &[(&str, &str)] = &[
    ("--cors-origin", "let the proxy in front of the service answer browsers; see docs/operating.md"),
    ("--html", "petstore domains report NAME > ticket.txt writes the same as text"),
    ("--store", "keys are saved in a file, and --key-command asks a keyring; see docs/recipes.md"),
    ("nagios", "use --format json; docs/recipes.md has a script for Nagios and Icinga"),
    ("petstore auth", "use petstore login, logout or status"),
    ("petstore completion", "use petstore completions"),
    ("petstore config edit", "petstore config path names the file, and petstore config check checks it"),
    ("petstore config list", "use petstore config show"),
    ("petstore config themes", "T in the app shows and sets a theme; docs/configuration.md has an example of your own"),
    ("petstore domains lint", "use petstore domains redirects --offline --file FILE"),
    ("petstore domains plan", "use petstore domains check NAME; petstore domains list --format json asks nothing"),
    ("petstore domains parse", "use petstore domains add --dry-run NAME"),
    ("petstore domains show", "use petstore domains check NAME; petstore domains list --format json asks nothing"),
    ("petstore keys log", "the table key_events of the database has what was done to keys"),
    ("petstore man", "the package installs the pages: man petstore-pets-list"),
    ("petstore pets add -", "to add what standard input holds: petstore pets import -"),
    ("petstore pets create", "use petstore pets add"),
    (
        "petstore pets get --via",
        "petstore pets get searches the lists first, and uses the deprecated operation only if it must",
    ),
    ("petstore pets import --max-errors", "to stop at the first row that is not added: --on-error stop"),
    ("petstore pets import --retry-refused", "--resume sends refused rows again"),
    ("petstore pets ls", "use petstore pets list"),
    ("petstore pets new", "use petstore pets add"),
    ("petstore pets view", "use petstore pets get"),
    ("petstore ssh check", "petstore ssh authorize prints the line for authorized_keys, and changes no file"),
    ("petstore ssh list", "petstore keys list shows the API key of each person"),
    ("petstore ssh revoke", "to end a person's access over SSH: petstore keys revoke ID"),
    ("prometheus", "use --format json; docs/recipes.md has a script for Prometheus"),
];

/// The failure for these arguments; `None` for help, which is printed as it is.
pub fn usage_error(error: &clap::Error, command: &Command, arguments: &[OsString]) -> Option<Failed> {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion, MissingSubcommand};
    if let DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand | MissingSubcommand = error.kind() {
        return None;
    }
    let typed = |kind| match error.get(kind) {
        Some(ContextValue::String(typed)) => Some(typed),
        _ => None,
    };
    let unknown = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];
    let mut unknown = unknown.into_iter().filter_map(typed);
    if let Some((name, instead)) = unknown.find_map(|typed| removed(typed, command, arguments)) {
        return Some(Failed::config(format!("{name} was removed")).hint(*instead));
    }
    let (path, command) = called(command, arguments);
    let ours = typed(ContextKind::InvalidSubcommand).map(|typed| similar(typed, command).into_iter().collect());
    Some(in_short(&error.render().to_string(), &path, ours))
}

/// What was removed under the name `typed`, which counts after the words before it, and what to do instead.
fn removed(typed: &str, command: &Command, arguments: &[OsString]) -> Option<&'static (&'static str, &'static str)> {
    let before = arguments.iter().position(|argument| argument == typed).unwrap_or(arguments.len());
    let (path, _) = called(command, &arguments[..before]);
    REMOVED.iter().find(|(name, _)| *name == typed || *name == format!("{path} {typed}"))
}

/// Shortens clap's paragraphs: what is wrong, tips, usage and help. `ours` are tips instead of clap's.
fn in_short(text: &str, path: &str, ours: Option<Vec<String>>) -> Failed {
    let (mut what, mut tips) = (Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:")) {
        match line.strip_prefix("tip: ") {
            Some(tip) => tips.push(tip.to_owned()),
            None if line.is_empty() || line.starts_with("For more information") => {}
            None => what.push(line.strip_prefix("error: ").unwrap_or(line).to_owned()),
        }
    }
    let mut tips = ours.unwrap_or(tips);
    tips.push(format!("{path} --help"));
    let what = what.join(" ");
    Failed::config(display_safe(&without_keys(&what))).hint(display_safe(&tips.join("; or see: ")))
}

/// A tip with the similar subcommand of `command`, or the one further down. clap's own guess is poor for short words.
fn similar(typed: &str, command: &Command) -> Option<String> {
    let near = |command: &Command| {
        let listed = command.get_subcommands().filter(|command| !command.is_hide_set());
        nearest(typed, listed.map(Command::get_name)).map(str::to_owned)
    };
    let below = || command.get_subcommands().find_map(|above| Some(format!("{} {}", above.get_name(), near(above)?)));
    near(command).or_else(below).map(|words| format!("a similar subcommand exists: '{words}'"))
}

/// Refuses an API key in place of a name, an address or a path, since those appear in messages.
pub fn refuse_misplaced_key(arguments: &[OsString], env: &Env) -> Result<()> {
    if arguments.iter().any(|argument| holds_key(&argument.to_string_lossy())) {
        return Err(key_as_argument());
    }
    match NAMING.into_iter().find(|name| env.get(name).is_some_and(holds_key)) {
        Some(name) => Err(Failed::config(format!("{name} contains an API key")).hint(GIVE_A_KEY)),
        None => Ok(()),
    }
}

/// The failure for a key on the command line.
pub fn key_as_argument() -> Failed {
    let why = "an API key cannot be an argument: other users see it in the list of processes, and the shell saves it";
    Failed::config(why).hint(
        "petstore login asks for it, or reads it from standard input with --with-token; replace a key that others may have \
         seen: petstore keys rotate",
    )
}

/// The command that was called, as far as its words are known, and these words.
fn called<'a>(command: &'a Command, arguments: &[OsString]) -> (String, &'a Command) {
    let mut names = vec![command.get_name()];
    let mut command = command;
    for word in arguments.iter().skip(1).filter_map(|argument| argument.to_str()) {
        if let Some(further) = command.find_subcommand(word) {
            names.push(further.get_name());
            command = further;
        }
    }
    (names.join(" "), command)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::api::failure::RetryAfter;
    use crate::cli::command::{Args, root};
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
        let error = Failure::refused(404, Ok(problem), retry_after);
        let failed = Failed::request(&error, "shop.example", false);
        let lines = "shop.example answered 404 (not_found): \"no ⟨U+202E⟩ way\"\n\
                     hint: the service asks you to wait 7 s";
        assert_eq!((failed.exit, failed.to_string()), (Exit::NotFound, lines.to_owned()));
        let body = r#"{"code":"not_found","message":"no \u202e way","status":404}"#;
        assert_eq!(Failed { shows_body: true, ..failed }.to_string(), format!("{lines}\n{body}"));
    }

    fn message(line: &str) -> String {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = Args::try_parse_from(&arguments).unwrap_err();
        usage_error(&error, &root(), &arguments).unwrap().to_string()
    }

    #[test]
    fn a_wrong_word_gets_a_suggestion() {
        assert_eq!(
            message("petstore pets lst"),
            "unrecognized subcommand 'lst'\nhint: a similar subcommand exists: 'list'; or see: petstore pets --help"
        );
        assert_eq!(
            message("petstore pets list --status sould"),
            "invalid value 'sould' for '--status <STATUS>' [possible values: available, pending, sold]\n\
             hint: a similar value exists: 'sold'; or see: petstore pets list --help"
        );
        assert_eq!(
            message("petstore pets list --sort nmae"),
            "invalid value 'nmae' for '--sort <COLUMN>': \"nmae\" is not a column (id, name, categoryId, status). Did you \
             mean name?\nhint: petstore pets list --help"
        );
        let expected = "the following required arguments were not provided: <ID>...\nhint: petstore pets get --help";
        assert_eq!(message("petstore pets get --json"), expected);
        assert_eq!(
            message("petstore pets list -n 150"),
            "invalid value '150' for '--limit <N>': limit must be a whole number from 1 to 100; for more than 100 use --all\n\
             hint: petstore pets list --help"
        );
    }

    #[test]
    fn what_was_removed_names_what_to_do_instead() {
        for (name, instead) in REMOVED {
            let line = match name.split_once(' ') {
                Some(("petstore", _)) => (*name).to_owned(),
                _ if name.starts_with('-') => format!("petstore login {name}"),
                _ => format!("petstore domains check docs.example.com --format {name}"),
            };
            assert_eq!(message(&line), format!("{name} was removed\nhint: {instead}"));
        }
    }

    #[test]
    fn a_key_typed_in_the_wrong_place_is_not_repeated() {
        for line in ["petstore login --with-token=petk_4fT9qLx2_secret", "petstore pets list petk_4fT9qLx2_secret"] {
            let message = message(line);
            assert!(message.contains("'petk_...'") && !message.contains("4fT9"), "{message}");
        }
    }

    #[test]
    fn what_was_typed_is_made_safe() {
        let text = message("petstore pets list --status a\u{1b}[2Jb");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
}
