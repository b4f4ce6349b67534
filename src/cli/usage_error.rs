//! Errors of the command line, in the form of every failure: what is wrong, and what to do.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::config::Env;
use crate::model::display_safe;
use crate::model::text::{holds_key, without_keys};

use super::error::{Exit, Failed, GIVE_A_KEY};
use crate::model::suggest::nearest;

/// The variables whose values appear in messages; never the key itself.
const NAMING: [&str; 4] = ["PETSTORE_BASE_URL", "PETSTORE_PROFILE", "PETSTORE_CONFIG", "PETSTORE_API_KEY_FILE"];

/// What an earlier version had, and what to do instead.
const REMOVED: [(&str, &str); 5] = [
    ("--store", "keys are saved in a file, and --key-command asks a keyring; see docs/recipes.md"),
    ("edit", "petstore config path names the file, and petstore config check checks it"),
    ("log", "the table key_events of the database has what was done to keys"),
    ("man", "the package installs the pages: man petstore-pets-list"),
    ("revoke", "to end a person's access over SSH: petstore keys revoke ID"),
];

/// The failure for these arguments; `None` for help, which is printed as it is.
pub fn failed(error: &Error, command: &Command, arguments: &[OsString]) -> Option<Failed> {
    let unknown = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].map(|kind| error.get(kind));
    if let [Some(ContextValue::String(typed)), _] | [_, Some(ContextValue::String(typed))] = unknown
        && let Some((name, instead)) = REMOVED.iter().find(|(name, _)| typed == name)
    {
        return Some(Failed::new(Exit::Usage, format!("{name} was removed")).hint(*instead));
    }
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::MissingSubcommand => None,
        _ => {
            let (path, command) = called(command, arguments);
            let ours = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(typed)) => Some(similar(typed, command)),
                _ => None,
            };
            Some(in_short(&error.render().to_string(), &path, ours))
        }
    }
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

/// The options of output formats, and whether a value follows.
const OUTPUT: [(&str, bool); 5] =
    [("-o", true), ("--format", true), ("--columns", true), ("--json", false), ("--no-header", false)];

/// The arguments with the output options that came before the command moved to its end; `None` if there are none.
pub fn output_last(command: &Command, arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (mut kept, mut moved, mut command) = (Vec::new(), Vec::new(), command);
    let mut rest = arguments.iter().peekable();
    kept.extend(rest.next().cloned());
    while command.has_subcommands() {
        let argument = rest.next()?;
        let word = argument.to_str()?;
        let (name, has_value) = word.split_once('=').map_or((word, false), |(name, _)| (name, true));
        if let Some((_, takes_value)) = OUTPUT.into_iter().find(|(output, _)| *output == name) {
            moved.push(argument.clone());
            moved.extend(rest.next_if(|_| takes_value && !has_value).cloned());
            continue;
        }
        kept.push(argument.clone());
        match command.find_subcommand(word) {
            Some(further) => command = further,
            None if word.starts_with('-') => {
                kept.extend(rest.next_if(|_| !has_value && takes_value(command, name)).cloned())
            }
            None => return None,
        }
    }
    kept.extend(rest.cloned());
    let is_found = !moved.is_empty();
    kept.append(&mut moved);
    is_found.then_some(kept)
}

/// Whether a value follows the option `name`, such as `-p` or `--profile`.
fn takes_value(command: &Command, name: &str) -> bool {
    let is_it = |argument: &&Arg| match name.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        None => argument.get_short().is_some_and(|short| name == format!("-{short}")),
    };
    command.get_arguments().find(is_it).is_some_and(|argument| argument.get_action().takes_values())
}

/// Refuses an API key in place of a name, an address or a path, since those appear in messages.
pub(super) fn refuse_misplaced_key(arguments: &[OsString], env: &Env) -> Result<(), Failed> {
    if arguments.iter().any(|argument| holds_key(&argument.to_string_lossy())) {
        return Err(key_as_argument());
    }
    match NAMING.into_iter().find(|name| env.get(name).is_some_and(holds_key)) {
        Some(name) => Err(Failed::new(Exit::Usage, format!("{name} contains an API key")).hint(GIVE_A_KEY)),
        None => Ok(()),
    }
}

/// The failure for a key on the command line.
pub(super) fn key_as_argument() -> Failed {
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
    fn what_was_removed_names_what_to_do_instead() {
        let reported = message("petstore ssh revoke till-2 --database sqlite:store.db");
        assert_eq!(reported, "revoke was removed\nhint: to end a person's access over SSH: petstore keys revoke ID");
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
