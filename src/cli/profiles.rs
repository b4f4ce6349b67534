//! `petstore profiles`: saved services, and the default one.

use std::io::{self, Write};
use std::path::Path;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::config::edit::{EditError, add_profile, remove_profile, set_first_profile, set_profile};
use crate::config::file::Profile;
use crate::config::{Choices, Env, KeySource, Login, LoginError, ProfileEntry, Profiles, ServiceLocation};
use crate::model::table;
use crate::model::text::short;
use crate::model::{BaseUrl, display_safe};

use super::completions;
use super::error::{Exit, Failed};
use super::output::note;
use super::render::FormatArg;
use super::status;
use crate::model::words::did_you_mean;

pub const PROFILES_HELP: &str = "Examples:
  petstore profiles list
  petstore profiles add shop --base-url https://api.shop.example/v1 --key-file ~/keys/shop
  petstore profiles use branch
  petstore profiles test branch

To create a profile and save its key in one step: petstore login -p NAME --base-url URL";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ProfilesCommand {
    /// List the profiles; a star marks the default. API keys are not read, and never printed.
    #[command(after_help = "Examples:\n  petstore profiles list\n  petstore profiles list --format json")]
    List {
        #[command(flatten)]
        output: FormatArg,
    },
    /// Create a profile for the service at --base-url.
    ///
    /// With --key-file or --key-command, the profile reads its key from there. Otherwise, save one: petstore login -p NAME
    #[command(after_help = "Example:\n  petstore profiles add shop --base-url https://api.shop.example/v1")]
    Add {
        /// 1 to 40 letters, digits, - and _.
        name: String,
        /// The label in the header, instead of the name.
        #[arg(long)]
        label: Option<String>,
        /// Ask before the first change.
        #[arg(long)]
        protect: bool,
    },
    /// Test a profile: whether its service answers and accepts its key.
    #[command(after_help = "Example:\n  petstore profiles test branch")]
    Test {
        /// The name of a profile.
        #[arg(add = completions::profiles())]
        name: String,
        #[command(flatten)]
        output: FormatArg,
    },
    /// Remove a profile from the configuration, and the key that petstore saved for it.
    #[command(after_help = "Example:\n  petstore profiles remove shop")]
    Remove {
        /// The name of a profile.
        #[arg(add = completions::profiles())]
        name: String,
    },
    /// Set the default profile in the configuration.
    #[command(after_help = "Example:\n  petstore profiles use branch")]
    Use {
        /// The name of a profile.
        #[arg(add = completions::profiles())]
        name: String,
    },
}

/// Runs `command`.
pub async fn run(command: ProfilesCommand, choices: Choices, env: &Env) -> Result<Exit, Failed> {
    let of = |name: &str| Choices { profile: Some(name.to_owned()), ..choices.clone() };
    let writes =
        matches!(command, ProfilesCommand::Add { .. } | ProfilesCommand::Remove { .. } | ProfilesCommand::Use { .. });
    if writes && choices.demo {
        return Err(Failed::new(Exit::Usage, "the demo keeps nothing; leave out --demo"));
    }
    match command {
        ProfilesCommand::List { output } => {
            let profiles = Profiles::read(&choices, env)?;
            let default = &profiles.default;
            let objects = || profiles.entries.iter().map(|entry| object(entry, default)).collect::<Value>();
            output.write(|out| list(out, &profiles.entries, default), objects)?;
        }
        ProfilesCommand::Add { name, label, protect } => add(&name, label, protect, &choices, env)?,
        ProfilesCommand::Test { name, output } => return status::run(output, &of(&name), env).await,
        ProfilesCommand::Remove { name } => remove(&name, &of(&name), env)?,
        ProfilesCommand::Use { name } => choose(&name, &choices, env)?,
    }
    Ok(Exit::Done)
}

fn add(name: &str, label: Option<String>, protect: bool, choices: &Choices, env: &Env) -> Result<(), Failed> {
    let Some(address) = &choices.base_url else {
        return Err(Failed::new(Exit::Usage, "a new profile needs the address of its service")
            .hint(format!("petstore profiles add {} --base-url URL", short(name))));
    };
    // A relative path would depend on the working directory.
    let absolute = |file: &Path| std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let key = choices.key.clone().map(|key| match key {
        KeySource::File(file) => KeySource::File(absolute(&file)),
        key @ (KeySource::Env(_) | KeySource::Command(_)) => key,
    });
    let needs_key = key.is_none();
    let ca_file = choices.ca_file.as_deref().map(absolute);
    let profile =
        Profile { key, ca_file, label, protect, insecure_http: choices.insecure_http, ..Profile::at(address) };
    let valid = address.parse::<BaseUrl>().and_then(|url| url.guard_clear_text(choices.insecure_http));
    valid.map_err(|why| Failed::config(display_safe(&format!("--base-url: {why}"))))?;
    let profiles = Profiles::read(&Choices { base_url: None, ..choices.clone() }, env)?;
    let is_first = add_profile(&profiles.file, name, &profile)
        .and_then(|()| set_first_profile(&profiles.file, name, env))
        .map_err(|error| not_edited(error, name, &profiles))?;
    let key = if needs_key { format!("; to save its key: petstore login -p {}", short(name)) } else { String::new() };
    let default = if is_first { ", now the default" } else { "" };
    note(&format!("added the profile {}{default}{key}", short(name)));
    Ok(())
}

fn remove(name: &str, choices: &Choices, env: &Env) -> Result<(), Failed> {
    let profiles = Profiles::read(&Choices { profile: None, ..choices.clone() }, env)?;
    if profiles.default == name {
        return Err(Failed::new(Exit::Usage, format!("{} is the default profile", short(name)))
            .hint("choose another default first: petstore profiles use NAME"));
    }
    let key = match Login::find(choices, env).and_then(|login| login.forget(env)) {
        Ok(Some(origin)) => format!(" and its key ({})", display_safe(&origin.to_string())),
        // Nothing of it is petstore's.
        Ok(None) | Err(LoginError::Elsewhere { .. } | LoginError::Inside(_)) => String::new(),
        Err(error) => return Err(error.into()),
    };
    remove_profile(&profiles.file, name).map_err(|error| not_edited(error, name, &profiles))?;
    note(&format!("removed the profile {}{key}", short(name)));
    Ok(())
}

fn not_edited(error: EditError, name: &str, profiles: &Profiles) -> Failed {
    let what = display_safe(&error.to_string()).into_owned();
    if !matches!(error, EditError::NoSuchProfile { .. }) {
        return Failed::new(Exit::Failure, what).hint("to find the problem: petstore doctor");
    }
    let names = profiles.entries.iter().filter(|entry| entry.line.is_some()).map(|entry| entry.name.as_str());
    Failed::new(Exit::Usage, format!("{what}{}", did_you_mean(name, names)))
        .hint("to see all profiles: petstore profiles list")
}

fn choose(name: &str, choices: &Choices, env: &Env) -> Result<(), Failed> {
    let profiles = Profiles::read(choices, env)?;
    set_profile(&profiles.file, name).map_err(|error| not_edited(error, name, &profiles))?;
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
