//! What is wrong with a command line, in the three lines that every failure has: what, and the next thing to try.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crate::config::Env;
use crate::model::display_safe;
use crate::model::text::{holds_key, without_keys};

use super::error::{Exit, Failed, GIVE_A_KEY};
use super::suggest::nearest;

/// The variables that name something, and so may be repeated in words; never the key itself.
const NAMING: [&str; 4] = ["PETSTORE_BASE_URL", "PETSTORE_PROFILE", "PETSTORE_CONFIG", "PETSTORE_API_KEY_FILE"];

/// The refusal of these arguments; `None` where it is no refusal but a help that is to be printed as it is.
pub fn failed(error: &Error, command: &Command, arguments: &[OsString]) -> Option<Failed> {
    match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        | ErrorKind::MissingSubcommand => None,
        _ => {
            let (path, command) = meant(command, arguments);
            let ours = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(typed)) => Some(similar(typed, command)),
                _ => None,
            };
            Some(in_short(&error.render().to_string(), &path, ours))
        }
    }
}

/// clap says it in paragraphs: what is wrong, tips, the usage, and where the help is. `ours` are tips instead of its
/// own.
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

/// A tip with the command below `command` that was meant, or the one of that name further down. clap's own guess is far
/// off where a word is short.
fn similar(typed: &str, command: &Command) -> Vec<String> {
    let near = nearest(typed, command.get_subcommands().map(Command::get_name)).map(str::to_owned);
    let below = || {
        let above =
            command.get_subcommands().find(|above| above.get_subcommands().any(|one| one.get_name() == typed))?;
        Some(format!("{} {typed}", above.get_name()))
    };
    near.or_else(below).map(|words| format!("a similar subcommand exists: '{words}'")).into_iter().collect()
}

/// Refuses an API key where a name, an address or a path belongs: all of these are repeated in words.
pub(super) fn refuse_misplaced_key(arguments: &[OsString], env: &Env) -> Result<(), Failed> {
    if arguments.iter().any(|argument| holds_key(&argument.to_string_lossy())) {
        return Err(key_as_argument());
    }
    match NAMING.into_iter().find(|name| env.get(name).is_some_and(holds_key)) {
        Some(name) => Err(Failed::new(Exit::Usage, format!("{name} holds an API key")).hint(GIVE_A_KEY)),
        None => Ok(()),
    }
}

/// The refusal of a key on the command line.
pub(super) fn key_as_argument() -> Failed {
    let why = "a key is not taken as an argument: other users see it in the list of processes, and the shell keeps it";
    Failed::new(Exit::Usage, why).hint(
        "petstore login asks for it, --with-token reads it from standard input; have a key replaced that others may have \
         seen: petstore keys rotate",
    )
}

/// The command that was meant, as far as its words are known, and these words.
fn meant<'a>(command: &'a Command, arguments: &[OsString]) -> (String, &'a Command) {
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

    fn said(line: &str) -> String {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = Args::try_parse_from(&arguments).unwrap_err();
        failed(&error, &Args::command(), &arguments).unwrap().to_string()
    }

    #[test]
    fn a_wrong_word_names_the_one_that_was_meant() {
        assert_eq!(
            said("petstore pets lst"),
            "unrecognized subcommand 'lst'\nhint: a similar subcommand exists: 'list'; or see: petstore pets --help"
        );
        assert_eq!(
            said("petstore pets list --status sould"),
            "invalid value 'sould' for '--status <STATUS>' [possible values: available, pending, sold]\n\
             hint: a similar value exists: 'sold'; or see: petstore pets list --help"
        );
        assert_eq!(
            said("petstore pets list --sort nmae"),
            "invalid value 'nmae' for '--sort <COLUMN>': \"nmae\" is none of id, name, categoryId and status. Did you mean \
             name?\nhint: petstore pets list --help"
        );
        assert_eq!(
            said("petstore pets add --name Rex"),
            "the following required arguments were not provided: --category-id <ID>\nhint: petstore pets add --help"
        );
        assert_eq!(
            said("petstore pets list -n 150"),
            "invalid value '150' for '--limit <N>': limit must be a whole number from 1 to 100; --all lists more than 100\n\
             hint: petstore pets list --help"
        );
    }

    #[test]
    fn a_key_that_was_typed_in_the_wrong_place_is_not_repeated() {
        for line in ["petstore login --with-token=petk_4fT9qLx2_secret", "petstore pets list petk_4fT9qLx2_secret"] {
            let said = said(line);
            assert!(said.contains("'petk_...'") && !said.contains("4fT9"), "{said}");
        }
    }

    #[test]
    fn what_was_typed_is_made_safe() {
        let text = said("petstore pets list --status a\u{1b}[2Jb");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
}
