//! Finds errors in the configuration before they get in the way.

use std::io::{self, Write as _};
use std::path::Path;

use super::super::launch::read_keymap;
use crate::config::secrets::refuse_where_others_write;
use crate::config::settings::configuration;
use crate::config::{Choices, ConfigError, Env, KeySource, Themes, faults};
use crate::model::display_safe;

use super::super::domains::args::ProbeArgs;
use super::super::domains::settings::resolve;
use super::super::error::{Exit, Failed, suggestion};
use super::super::output::{note, write};

/// Reports that the configuration is valid, or each error on a line.
pub fn run(path: &Path, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let found = check(path, choices, env)?;
    if !found.is_empty() {
        return Err(Failed::new(Exit::Usage, found.join("\n")));
    }
    Themes::beside(path).broken.iter().for_each(|(_, why)| note(&display_safe(why)));
    let (shown, is_there) = (path.display(), path.exists());
    write(|out| match is_there {
        true => writeln!(out, "{shown} is valid"),
        false => writeln!(out, "{shown} does not exist; the defaults are used"),
    })?;
    Ok(Exit::Done)
}

/// The errors of the configuration at `path` and of the files that belong to it, one per line, safe to show.
pub fn check(path: &Path, choices: &Choices, env: &Env) -> Result<Vec<String>, Failed> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && choices.config.is_none() => String::new(),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }.into()),
    };
    let found = findings(&text, path);
    if found.is_empty() { around(path, choices, env) } else { Ok(found) }
}

/// The errors of the configuration `text` in the file at `path`, one per line, safe to show.
fn findings(text: &str, path: &Path) -> Vec<String> {
    let faults = faults(text, path).into_iter().map(|fault| {
        let place = fault.line.map_or(String::new(), |line| format!("{}:{line}: ", path.display()));
        format!("{place}{}{}", fault.error, suggestion(&fault.error))
    });
    faults.map(|line| display_safe(&line).into_owned()).collect()
}

/// The errors of the domain settings and of the files beside the configuration or named by it.
fn around(path: &Path, choices: &Choices, env: &Env) -> Result<Vec<String>, Failed> {
    let mut found = read_keymap(env).1;
    let file = configuration(choices, env)?;
    if let Err((number, why)) = read_keymap(env).0.with_actions(&file.actions) {
        let (line, column) = file.actions[number].place;
        found.push(format!("{}:{line}:{column}: {why}", path.display()));
    }
    if !file.actions.is_empty()
        || file.profiles.values().any(|profile| matches!(profile.key, Some(KeySource::Command(_))))
    {
        found.extend(refuse_where_others_write(path).err().map(|error| error.to_string()));
    }
    let domains = resolve(&ProbeArgs::default(), &file.domains);
    found.extend(domains.err().map(|failed| failed.what().to_owned()));
    Ok(found.iter().map(|line| display_safe(line).into_owned()).collect())
}
