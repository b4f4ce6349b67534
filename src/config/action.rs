//! The user's own actions: programs that run for a pet or for the rows, `[[actions]]` in the configuration file.

use std::path::Path;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use crate::model::text::width;

use super::error::ConfigError;

/// The widest name, in columns: it fits the help.
const WIDEST: usize = 24;

/// What stands for the id of the pet in a command.
pub const ID: &str = "{id}";

/// A program that runs for a pet or for the rows.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CustomAction {
    /// The key among the pets; without one only the list of all commands has it.
    pub key: Option<Spanned<String>>,
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// The program and its arguments.
    #[serde(deserialize_with = "command")]
    pub command: Spanned<Vec<String>>,
    /// What it runs for.
    #[serde(default)]
    pub on: On,
    /// Ask before each run.
    #[serde(default)]
    pub confirm: bool,
    /// It changes the service: refused with a read-only profile, and asked about with a protected one.
    #[serde(default)]
    pub writes: bool,
    /// Where its key is in the file: line and column.
    #[serde(skip)]
    pub place: (usize, usize),
}

/// What an action runs for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum On {
    /// The pet under the cursor.
    #[default]
    Pet,
    /// All rows shown.
    Rows,
}

/// A short name.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let fits = (1..=WIDEST).contains(&width(name.trim())) && !name.contains(char::is_control);
    fits.then_some(name).ok_or_else(|| D::Error::custom(format!("name must have 1 to {WIDEST} visible characters")))
}

/// A program and its arguments.
fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Spanned<Vec<String>>, D::Error> {
    let words = Spanned::<Vec<String>>::deserialize(deserializer)?;
    let is_program = words.get_ref().first().is_some_and(|program| !program.is_empty());
    let runs = is_program && !words.get_ref().iter().any(|word| word.contains('\0'));
    runs.then_some(words).ok_or_else(|| D::Error::custom("command must name a program, for example [\"jq\", \".\"]"))
}

/// Checks what the parts of the actions in `text` mean together, and notes where their keys are.
pub(super) fn check(actions: &mut [CustomAction], path: &Path, text: &str) -> Result<(), ConfigError> {
    for action in actions {
        let command = &action.command;
        if action.on == On::Rows && command.get_ref().iter().any(|word| word.contains(ID)) {
            let why = "{id} needs one pet: on = \"pet\". The ids of the rows are in PETSTORE_IDS";
            return Err(ConfigError::at(path, text, command.span().start, why));
        }
        action.place = action.key.as_ref().map_or((0, 0), |key| ConfigError::place(text, key.span().start));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::file::File;
    use super::*;

    fn error(lines: &str) -> String {
        let text = format!("[[actions]]\n{lines}");
        File::parse(&text, Path::new("config.toml")).unwrap_err().to_string()
    }

    #[test]
    fn an_action_that_cannot_work_is_refused_with_its_place() {
        let fine = "name = \"label\"\ncommand = [\"lp\"]\n";
        for (lines, expected) in [
            (format!("{fine}keys = \"P\"\n"), "config.toml:4:1: unknown field `keys`"),
            ("name = \"label\"\ncommand = []\n".to_owned(), "config.toml:3:11: command must name a program"),
            ("name = \"label\"\ncommand = [\"\"]\n".to_owned(), "config.toml:3:11: command must name a program"),
            ("name = \"label\"\n".to_owned(), "config.toml:1:1: missing field `command`"),
            ("name = \"\"\ncommand = [\"lp\"]\n".to_owned(), "config.toml:2:8: name must have 1 to 24"),
            (format!("{fine}on = \"row\"\n"), "config.toml:4:6: unknown variant `row`"),
            (format!("{fine}on = \"added\"\n"), "config.toml:4:6: actions do not run for added pets any more"),
            (
                "name = \"x\"\non = \"rows\"\ncommand = [\"lp\", \"{id}\"]\n".to_owned(),
                "config.toml:4:11: {id} needs one pet",
            ),
        ] {
            assert!(error(&lines).starts_with(expected), "{lines}: {}", error(&lines));
        }
    }
}
