//! `petstore profiles`: the services that can be meant, and the one that is meant where nothing else is said.

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

A new one is made by: petstore login -p NAME --base-url URL. Whether one works says: petstore status -p NAME";

#[derive(Debug, Subcommand)]
pub enum ProfilesCommand {
    /// List them; a star stands before the one that is meant. Keys are not read, and never printed.
    #[command(after_help = "Examples:\n  petstore profiles list\n  petstore profiles list --format json")]
    List {
        #[command(flatten)]
        output: FormatArg,
    },
    /// Write into the configuration which one is meant from now on.
    #[command(after_help = "Example:\n  petstore profiles use branch")]
    Use {
        /// The name of a profile.
        #[arg(add = completions::profiles())]
        name: String,
    },
}

/// Lists them, or chooses one.
pub fn run(command: &ProfilesCommand, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    match command {
        ProfilesCommand::List { output } => {
            let profiles = Profiles::read(choices, env)?;
            let meant = &profiles.meant;
            let objects = || profiles.entries.iter().map(|entry| object(entry, meant)).collect::<Value>();
            output.write(|out| list(out, &profiles.entries, meant), objects)?;
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
            let meant = did_you_mean(name, names());
            Failed::new(Exit::Usage, format!("{error}{meant}")).hint("petstore profiles list")
        }
        error => Failed::new(Exit::Failure, display_safe(&error.to_string())).hint("petstore doctor"),
    })?;
    note(&format!("{} is meant from now on", short(name)));
    // What is said there wins over the file, also over what was just written.
    let wins = |variable: &&str| env.get(variable).is_some_and(|value| value != name);
    if let Some(variable) = ["PETSTORE_PROFILE", "PETSTORE_BASE_URL"].iter().find(|variable| wins(variable)) {
        note(&format!("but not here: {variable} is set, and wins over the configuration"));
    }
    Ok(())
}

fn list(out: &mut impl Write, entries: &[ProfileEntry], meant: &str) -> io::Result<()> {
    let row = |entry: &ProfileEntry| {
        let mark = if entry.name == meant { '*' } else { ' ' };
        let cells = [format!("{mark} {}", entry.name), entry.place.to_string(), format!("key {}", entry.key)];
        cells.map(|cell| display_safe(&cell).into_owned())
    };
    table::write(out, &entries.iter().map(row).collect::<Vec<_>>())
}

fn object(entry: &ProfileEntry, meant: &str) -> Value {
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
        "meant": entry.name == meant,
    })
}
