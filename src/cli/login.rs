//! `petstore login` and `logout`: the API key of a profile, tested before it is saved, and never an argument.

use std::ffi::OsString;
use std::io::{self, Read as _};

use clap::Args;

use super::confirm::{PromptAnswer, ask_hidden, can_ask, restore_terminal};
use super::error::{Exit, Failed};
use super::output::note;
use super::service::client;
use super::signals::Signals;
use super::usage_error::key_as_argument;
use crate::app::connections;
use crate::config::edit::set_first_profile;
use crate::config::{Choices, Env, Login, LoginError};
use crate::model::text::short;
use crate::model::{ApiKey, display_safe};

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
pub async fn login(args: LoginArgs, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    if args.key.is_some() || !args.words.is_empty() {
        return Err(key_as_argument());
    }
    let mut signals = Signals::new()?;
    let work = async {
        let login = Login::find(choices, env)?;
        // Fails before the key is typed.
        let file = login.key_file(env).ok_or_else(|| nameless(&login.profile))?;
        let key = match key(&login, args.with_token).await? {
            Ok(key) => key,
            Err(exit) => return Ok(exit),
        };
        let service = login.address.authority();
        test(&login, &key).await?;
        let origin = login.keep(&key, &file, env)?;
        let is_first = login.is_new && set_first_profile(&login.file, &login.profile, env).map_err(LoginError::from)?;
        let kept = display_safe(&origin.to_string()).into_owned();
        let new = if login.is_new { "new " } else { "" };
        let name = short(&login.profile);
        note(&format!("{service} accepts the key; {new}profile {name} now reads it {kept}"));
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
pub fn logout(choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    let login = Login::find(choices, env)?;
    let (profile, file) = (short(&login.profile), login.file.display());
    match login.forget(env) {
        Ok(Some(origin)) => {
            note(&format!("removed the key of {profile} ({})", display_safe(&origin.to_string())));
        }
        Ok(None) => note(&format!("{profile} has no key")),
        Err(error @ LoginError::Elsewhere { .. }) => {
            let line = login.line.map_or(String::new(), |line| format!(", line {line}"));
            return Err(Failed::from(error).hint(format!("remove it there; it is named in {file}{line}")));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Exit::Done)
}

/// The key, typed at the terminal or read from standard input.
async fn key(login: &Login, with_token: bool) -> Result<Result<ApiKey, Exit>, Failed> {
    let text = if can_ask() {
        match ask_hidden(format!("API key for {} (not shown): ", login.address.authority())).await {
            Ok(PromptAnswer::Line(text)) => text,
            Ok(PromptAnswer::Interrupt) => return Ok(Err(Exit::Interrupt)),
            Ok(PromptAnswer::Nothing) => {
                return Err(Failed::new(Exit::Usage, "no key was typed; nothing was changed"));
            }
            Err(error) => return Err(Failed::because("cannot use the terminal")(error)),
        }
    } else if with_token {
        let read = tokio::task::spawn_blocking(|| {
            let mut text = String::new();
            io::stdin().lock().take(MOST).read_to_string(&mut text).map(|_| text)
        });
        let text = read.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        let text = text.map_err(|error| Failed::config(format!("cannot read a key from standard input: {error}")))?;
        text.lines().next().unwrap_or_default().to_owned()
    } else {
        let what = "a key is needed, and it cannot be asked for here";
        let new = if login.is_new { format!(" --base-url {}", login.address) } else { String::new() };
        return Err(Failed::new(Exit::Usage, what).hint(format!(
            "to read it from a file: petstore login -p {}{new} --with-token < FILE",
            short(&login.profile)
        )));
    };
    let key = ApiKey::new(&text).map_err(|error| Failed::new(Exit::Usage, error.to_string()));
    key.map(Ok).map_err(|failed| failed.hint("nothing was changed"))
}

/// Tests the key with one request.
async fn test(login: &Login, key: &ApiKey) -> Result<(), Failed> {
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

fn nameless(profile: &str) -> Failed {
    let what = format!("the name of profile \"{}\" cannot be used for a key file", short(profile));
    Failed::new(Exit::Usage, what).hint("rename the profile (1 to 40 letters, digits, - and _)")
}
