//! `petstore profiles`: saved services, and the default one; `login` and `logout`: the API key of a profile, tested
//! before it is saved, and never an argument.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, stdin};

use super::confirm::{PromptAnswer, ask_hidden, can_ask, restore_terminal};
use super::error::{key_as_argument, suggestion};
use super::render::FormatArg;
use super::service::{client, status};
use super::signals::Signals;
use super::{Exit, Failed, Result, completions, note};
use crate::app::connections;
use crate::config::edit::{add_profile, remove_profile, set_first_profile, set_profile};
use crate::config::{Choices, ConfigError, Env, KeySource, Login, Profile, ProfileEntry, Profiles, ServiceLocation};
use crate::model::words::did_you_mean;
use crate::model::{ApiKey, BaseUrl, safe_text, short, table};

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
pub async fn run(command: ProfilesCommand, choices: Choices, env: &Env) -> Result<Exit> {
    use ProfilesCommand::*;
    let of = |name: &str| Choices { profile: Some(name.to_owned()), ..choices.clone() };
    let writes = matches!(command, Add { .. } | Remove { .. } | Use { .. });
    if writes && choices.demo {
        return Err(Failed::config("the demo keeps nothing; leave out --demo"));
    }
    match command {
        List { output } => {
            let profiles = Profiles::read(&choices, env)?;
            let default = &profiles.default;
            let objects = || profiles.entries.iter().map(|entry| object(entry, default)).collect::<Value>();
            output.write(|out| list(out, &profiles.entries, default), objects)?;
        }
        Add { name, label, protect } => add(&name, label, protect, &choices, env)?,
        Test { name, output } => return status(output, &of(&name), env).await,
        Remove { name } => remove(&name, &of(&name), env)?,
        Use { name } => choose(&name, &choices, env)?,
    }
    Ok(Exit::Done)
}

fn add(name: &str, label: Option<String>, protect: bool, choices: &Choices, env: &Env) -> Result<()> {
    let Some(address) = &choices.base_url else {
        return Err(Failed::config("a new profile needs the address of its service")
            .hint(format!("petstore profiles add {} --base-url URL", short(name))));
    };
    // A relative path would depend on the working directory.
    let absolute = |file: &Path| std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let key = choices.key().map(|key| match key {
        KeySource::File(file) => KeySource::File(absolute(&file)),
        key @ (KeySource::Env(_) | KeySource::Command(_)) => key,
    });
    let needs_key = key.is_none();
    let ca_file = choices.ca_file.as_deref().map(absolute);
    let profile =
        Profile { key, ca_file, label, protect, insecure_http: choices.insecure_http, ..Profile::at(address) };
    let valid = address.parse::<BaseUrl>().and_then(|url| url.guard_clear_text(choices.insecure_http));
    valid.map_err(|why| Failed::config(safe_text(&format_args!("--base-url: {why}"))))?;
    let profiles = Profiles::read(&Choices { base_url: None, ..choices.clone() }, env)?;
    let is_first = add_profile(&profiles.file, name, &profile)
        .and_then(|()| set_first_profile(&profiles.file, name, env))
        .map_err(|error| not_edited(error, name, &profiles))?;
    let key = if needs_key { format!("; to save its key: petstore login -p {}", short(name)) } else { String::new() };
    let default = if is_first { ", now the default" } else { "" };
    note(&format!("added the profile {}{default}{key}", short(name)));
    Ok(())
}

fn remove(name: &str, choices: &Choices, env: &Env) -> Result<()> {
    let profiles = Profiles::read(&Choices { profile: None, ..choices.clone() }, env)?;
    if profiles.default == name {
        return Err(Failed::config(format!("{} is the default profile", short(name)))
            .hint("choose another default first: petstore profiles use NAME"));
    }
    let key = match Login::find(choices, env).and_then(|login| login.forget(env)) {
        Ok(Some(origin)) => format!(" and its key ({})", safe_text(&origin)),
        // Nothing of it is petstore's.
        Ok(None) | Err(ConfigError::Elsewhere { .. } | ConfigError::Inside(_)) => String::new(),
        Err(error) => return Err(no_login(error)),
    };
    remove_profile(&profiles.file, name).map_err(|error| not_edited(error, name, &profiles))?;
    note(&format!("removed the profile {}{key}", short(name)));
    Ok(())
}

fn not_edited(error: ConfigError, name: &str, profiles: &Profiles) -> Failed {
    let what = safe_text(&error);
    if !matches!(error, ConfigError::NotInFile { .. }) {
        return Failed::new(Exit::Failure, what).hint("to find the problem: petstore doctor");
    }
    let names = profiles.entries.iter().filter(|entry| entry.line.is_some()).map(|entry| entry.name.as_str());
    Failed::config(format!("{what}{}", did_you_mean(name, names))).hint("to see all profiles: petstore profiles list")
}

fn choose(name: &str, choices: &Choices, env: &Env) -> Result<()> {
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
        [format!("{mark} {}", entry.name), entry.place.to_string(), format!("key {}", entry.key)]
            .map(|cell| safe_text(&cell))
    };
    table::write(out, entries.iter().map(row))
}

fn object(entry: &ProfileEntry, default: &str) -> Value {
    let address = if let ServiceLocation::At(address) = &entry.place { Some(address) } else { None };
    json!({
        "name": entry.name,
        "baseUrl": address,
        "embedded": matches!(entry.place, ServiceLocation::Inside | ServiceLocation::Demo),
        "key": entry.key,
        "protect": entry.profile.protect,
        "readOnly": entry.profile.read_only,
        "meant": entry.name == default,
    })
}

/// The longest input that is read as a key, in bytes.
const MOST: u64 = 4096;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  petstore login -p branch
  petstore login -p branch --with-token < key

To create a profile, give its address too:
petstore login -p NAME --base-url https://api.shop.example/v1")]
pub struct LoginArgs {
    /// Read the key from standard input, its first line.
    #[arg(long)]
    with_token: bool,
    /// Refused, with an explanation.
    #[arg(long = "key", visible_alias = "token", hide = true, num_args = 0..)]
    key: Option<Vec<OsString>>,
    #[arg(hide = true)]
    words: Vec<OsString>,
}

/// Asks for a key, tests it, and saves it in a private file.
pub async fn login(args: LoginArgs, choices: &Choices, env: &Env) -> Result<Exit> {
    if args.key.is_some() || !args.words.is_empty() {
        return Err(key_as_argument());
    }
    let mut signals = Signals::new()?;
    let work = async {
        let login = Login::find(choices, env).map_err(no_login)?;
        // Fails before the key is typed.
        let file = login.key_file(env).ok_or_else(|| {
            let what = format!("the name of profile \"{}\" cannot be used for a key file", short(&login.profile));
            Failed::config(what).hint("rename the profile (1 to 40 letters, digits, - and _)")
        })?;
        let key = match key(&login, args.with_token).await? {
            Ok(key) => key,
            Err(exit) => return Ok(exit),
        };
        let service = login.address.authority();
        test(&login, &key).await?;
        let origin = login.keep(&key, &file, env)?;
        let is_first = login.is_new && set_first_profile(&login.file, &login.profile, env)?;
        let new = if login.is_new { "new " } else { "" };
        let name = short(&login.profile);
        note(&format!("{service} accepts the key; {new}profile {name} now reads it {}", safe_text(&origin)));
        if is_first {
            note(&format!("{name} is now the default"));
        } else if login.is_new {
            note(&format!("to make {name} the default: petstore profiles use {name}"));
        }
        Ok(Exit::Done)
    };
    tokio::select! {
        done = work => done,
        exit = signals.next() => {
            restore_terminal();
            Ok(exit)
        }
    }
}

/// Removes a key.
pub fn logout(choices: &Choices, env: &Env) -> Result<Exit> {
    let login = Login::find(choices, env).map_err(no_login)?;
    let (profile, file) = (short(&login.profile), login.file.display());
    match login.forget(env) {
        Ok(Some(origin)) => note(&format!("removed the key of {profile} ({})", safe_text(&origin))),
        Ok(None) => note(&format!("{profile} has no key")),
        Err(error @ ConfigError::Elsewhere { .. }) => {
            let line = login.line.map_or(String::new(), |line| format!(", line {line}"));
            return Err(Failed::from(error).hint(format!("remove it there; it is named in {file}{line}")));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Exit::Done)
}

/// The key, typed at the terminal or read from standard input.
async fn key(login: &Login, with_token: bool) -> Result<Result<ApiKey, Exit>> {
    let text = if can_ask() {
        let asked = ask_hidden(format!("API key for {} (not shown): ", login.address.authority())).await;
        match asked.map_err(Failed::because("cannot use the terminal"))? {
            PromptAnswer::Line(text) => text,
            PromptAnswer::Interrupt => return Ok(Err(Exit::Interrupt)),
            PromptAnswer::Nothing => return Err(Failed::config("no key was typed; nothing was changed")),
        }
    } else if with_token {
        let mut text = String::new();
        let read = stdin().take(MOST).read_to_string(&mut text).await;
        read.map_err(|error| Failed::config(format!("cannot read a key from standard input: {error}")))?;
        text.lines().next().unwrap_or_default().to_owned()
    } else {
        let new = if login.is_new { format!(" --base-url {}", login.address) } else { String::new() };
        let command = format!("petstore login -p {}{new} --with-token < FILE", short(&login.profile));
        return Err(Failed::config("a key is needed, and it cannot be asked for here")
            .hint(format!("to read it from a file: {command}")));
    };
    ApiKey::new(&text).map(Ok).map_err(|error| Failed::config(error).hint("nothing was changed"))
}

/// Tests the key with one request.
async fn test(login: &Login, key: &ApiKey) -> Result<()> {
    let client = client(login.address.clone(), Some(key.clone()), login.ca_file.as_deref())?;
    connections::ask(&client, "login").await.0.map_err(|error| {
        let failed = Failed::request(&error, &login.address.authority(), false);
        if failed.exit == Exit::Unauthorized {
            failed.hint("check that the key is for this service; it was not saved")
        } else {
            failed
        }
    })
}

/// Why the profile to log in to or out of cannot be used.
fn no_login(error: ConfigError) -> Failed {
    match &error {
        ConfigError::NoSuchProfile { .. } => Failed::config(safe_text(&format_args!("{error}{}", suggestion(&error))))
            .hint("to create a profile: petstore login -p NAME --base-url URL"),
        _ => error.into(),
    }
}
