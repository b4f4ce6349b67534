//! Errors of the command line, in the form of every failure: what is wrong, and what to do.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crate::config::Env;
use crate::model::display_safe;
use crate::model::text::{holds_key, without_keys};

use super::error::{Exit, Failed, GIVE_A_KEY};
use crate::model::words::nearest;

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
pub fn failed(error: &Error, command: &Command, arguments: &[OsString]) -> Option<Failed> {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::MissingSubcommand => None,
        _ => {
            let unknown = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];
            let mut unknown = unknown.into_iter().filter_map(|kind| match error.get(kind) {
                Some(ContextValue::String(typed)) => Some(typed),
                _ => None,
            });
            if let Some((name, instead)) = unknown.find_map(|typed| removed(typed, command, arguments)) {
                return Some(Failed::new(Exit::Usage, format!("{name} was removed")).hint(*instead));
            }
            let (path, command) = called(command, arguments);
            let ours = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(typed)) => Some(similar(typed, command)),
                _ => None,
            };
            Some(in_short(&error.render().to_string(), &path, ours))
        }
    }
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
    Failed::new(Exit::Usage, display_safe(&without_keys(&what))).hint(display_safe(&tips.join("; or see: ")))
}

/// A tip with the similar subcommand of `command`, or the one of that name further down. clap's own guess is poor for
/// short words.
fn similar(typed: &str, command: &Command) -> Vec<String> {
    let near = nearest(typed, command.get_subcommands().map(Command::get_name)).map(str::to_owned);
    let below = || {
        let above =
            command.get_subcommands().find(|above| above.get_subcommands().any(|one| one.get_name() == typed))?;
        Some(format!("{} {typed}", above.get_name()))
    };
    near.or_else(below).map(|words| format!("a similar subcommand exists: '{words}'")).into_iter().collect()
}

/// Refuses an API key in place of a name, an address or a path, since those appear in messages.
pub fn refuse_misplaced_key(arguments: &[OsString], env: &Env) -> Result<(), Failed> {
    if arguments.iter().any(|argument| holds_key(&argument.to_string_lossy())) {
        return Err(key_as_argument());
    }
    match NAMING.into_iter().find(|name| env.get(name).is_some_and(holds_key)) {
        Some(name) => Err(Failed::new(Exit::Usage, format!("{name} contains an API key")).hint(GIVE_A_KEY)),
        None => Ok(()),
    }
}

/// The failure for a key on the command line.
pub fn key_as_argument() -> Failed {
    let why = "an API key cannot be an argument: other users see it in the list of processes, and the shell saves it";
    Failed::new(Exit::Usage, why).hint(
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
    use super::*;
    use crate::cli::command::Args;
    use clap::{CommandFactory as _, Parser as _};

    fn message(line: &str) -> String {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = Args::try_parse_from(&arguments).unwrap_err();
        failed(&error, &Args::command(), &arguments).unwrap().to_string()
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
        assert_eq!(
            message("petstore pets get --json"),
            "the following required arguments were not provided: <ID>...\nhint: petstore pets get --help"
        );
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
