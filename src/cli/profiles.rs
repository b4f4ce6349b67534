//! `petstore profiles`: saved services, and the default one.

use std::io::{self, Write};

use clap::Subcommand;
use serde_json::{Value, json};

use crate::config::edit::{EditError, set_profile};
use crate::config::{Choices, Env, ProfileEntry, Profiles, ServiceLocation};
use crate::model::display_safe;
use crate::model::table;
use crate::model::text::short;

use super::completions;
use super::error::{Exit, Failed};
use super::output::note;
use super::render::FormatArg;
use super::suggest::did_you_mean;

pub(super) const PROFILES_HELP: &str = "Examples:
  petstore profiles list
  petstore profiles use branch

To create a profile: petstore login -p NAME --base-url URL. To test one: petstore status -p NAME";

#[derive(Debug, Subcommand)]
pub enum ProfilesCommand {
    /// List the profiles; a star marks the default. API keys are not read, and never printed.
    #[command(after_help = "Examples:\n  petstore profiles list\n  petstore profiles list --format json")]
    List {
        #[command(flatten)]
        output: FormatArg,
    },
    /// Set the default profile in the configuration.
    #[command(after_help = "Example:\n  petstore profiles use branch")]
    Use {
        /// The name of a profile.
        #[arg(add = completions::profiles())]
        name: String,
    },
}

/// Lists the profiles, or sets the default.
pub fn run(command: &ProfilesCommand, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    match command {
        ProfilesCommand::List { output } => {
            let profiles = Profiles::read(choices, env)?;
            let default = &profiles.default;
            let objects = || profiles.entries.iter().map(|entry| object(entry, default)).collect::<Value>();
            output.write(|out| list(out, &profiles.entries, default), objects)?;
        }
        ProfilesCommand::Use { name } => choose(name, choices, env)?,
    }
    Ok(Exit::Done)
}

fn choose(name: &str, choices: &Choices, env: &Env) -> Result<(), Failed> {
    let profiles = Profiles::read(choices, env)?;
    let names = || profiles.entries.iter().filter(|entry| entry.line.is_some()).map(|entry| entry.name.as_str());
    set_profile(&profiles.file, name).map_err(|error| match error {
        EditError::NoSuchProfile { .. } => {
            let suggestion = did_you_mean(name, names());
            Failed::new(Exit::Usage, format!("{error}{suggestion}")).hint("to see all profiles: petstore profiles list")
        }
        error => {
            Failed::new(Exit::Failure, display_safe(&error.to_string())).hint("to find the problem: petstore doctor")
        }
    })?;
    note(&format!("{} is now the default", short(name)));
    // The environment wins over the configuration, even over what was just written.
    let wins = |variable: &&str| env.get(variable).is_some_and(|value| value != name);
    if let Some(variable) = ["PETSTORE_PROFILE", "PETSTORE_BASE_URL"].iter().find(|variable| wins(variable)) {
        note(&format!("not in this shell, though: {variable} is set and overrides the configuration"));
    }
    Ok(())
}

fn list(out: &mut impl Write, entries: &[ProfileEntry], default: &str) -> io::Result<()> {
    let row = |entry: &ProfileEntry| {
        let mark = if entry.name == default { '*' } else { ' ' };
        let cells = [format!("{mark} {}", entry.name), entry.place.to_string(), format!("key {}", entry.key)];
        cells.map(|cell| display_safe(&cell).into_owned())
    };
    table::write(out, &entries.iter().map(row).collect::<Vec<_>>())
}

fn object(entry: &ProfileEntry, default: &str) -> Value {
    let address = match &entry.place {
        ServiceLocation::At(address) => Some(address),
        ServiceLocation::Inside | ServiceLocation::Demo | ServiceLocation::Unclear => None,
    };
    json!({
        "name": entry.name,
        "baseUrl": address,
        "embedded": matches!(entry.place, ServiceLocation::Inside | ServiceLocation::Demo),
        "key": entry.key,
        "protect": entry.protect,
        "readOnly": entry.read_only,
        "meant": entry.name == default,
    })
}
