//! `petstore login` and `logout`: the API key of a profile, tested before it is kept, and never an argument.

mod prompt;

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Read as _};

use clap::{Args, ValueEnum};

use crate::app::connections;
use crate::config::{Choices, Env, KeyPlace, Login, LoginError};
use crate::model::text::short;
use crate::model::{ApiKey, display_safe};

use super::error::{Exit, Failed};
use super::output::note;
use super::service::client;
use super::signals::Signals;
use super::usage_error::key_as_argument;
use prompt::{PromptAnswer, ask};

/// The most that is read of what should be a key, in bytes.
const MOST: u64 = 4096;

/// Keep the API key of a profile, after one request has shown that the service accepts it.
///
/// The key is asked for without being shown, or read from standard input: never from an argument, which other users see
/// in the list of processes, and which stays in the history of the shell. The configuration then says where it is kept;
/// what else stands there stays, comments included.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  petstore login -p branch
  petstore login -p branch --with-token < key
  petstore login -p branch --store keyring --with-token < key

A profile that is not there yet is made where its address is given too:
petstore login -p NAME --base-url https://api.shop.example/v1")]
pub struct LoginArgs {
    /// Read the key from standard input, its first line.
    #[arg(long)]
    with_token: bool,
    /// Where the key is kept.
    #[arg(long, value_enum, default_value_t = StoreIn::File)]
    store: StoreIn,
    /// Only there to be refused.
    #[arg(long = "key", visible_alias = "token", hide = true, num_args = 0..)]
    key: Option<Vec<OsString>>,
    #[arg(hide = true)]
    words: Vec<OsString>,
}

/// Where a key is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StoreIn {
    /// A file that only you can read, in keys/ beside the configuration.
    File,
    /// The keyring of the system.
    Keyring,
}

/// Asks for a key, tests it, and keeps it.
pub async fn login(args: LoginArgs, choices: &Choices, env: &Env) -> Result<Exit, Failed> {
    if args.key.is_some() || !args.words.is_empty() {
        return Err(key_as_argument());
    }
    let mut ends = Signals::new()?;
    let work = async {
        let login = Login::find(choices, env)?;
        // What cannot keep it should not have it typed first.
        let place = match args.store {
            StoreIn::File => KeyPlace::file(&login.profile, env).ok_or_else(|| nameless(&login.profile))?,
            StoreIn::Keyring => KeyPlace::keyring()?,
        };
        let key = match key(&login, args.with_token).await? {
            Ok(key) => key,
            Err(exit) => return Ok(exit),
        };
        let service = login.address.authority();
        test(&login, &key).await?;
        let origin = login.keep(&key, &place, env)?;
        let kept = display_safe(&origin.to_string()).into_owned();
        let how = if login.is_new { ", which was added," } else { "" };
        note(&format!("{service} accepts the key; profile {}{how} now has it {kept}", short(&login.profile)));
        Ok(Exit::Done)
    };
    tokio::select! {
        done = work => done,
        exit = ends.next() => {
            prompt::restore();
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
            note(&format!("removed the key of {profile}, which came {}", display_safe(&origin.to_string())));
        }
        Ok(None) => note(&format!("{profile} has no key")),
        Err(error @ LoginError::Elsewhere { .. }) => {
            let line = login.line.map_or(String::new(), |line| format!(", line {line}"));
            return Err(Failed::from(error).hint(format!("remove it there; {file}{line} names it")));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Exit::Done)
}

/// The key, as somebody types it or standard input has it.
async fn key(login: &Login, with_token: bool) -> Result<Result<ApiKey, Exit>, Failed> {
    let text = if io::stdin().is_terminal() && io::stderr().is_terminal() {
        match ask(format!("API key for {} (is not shown): ", login.address.authority())).await {
            Ok(PromptAnswer::Line(text)) => text,
            Ok(PromptAnswer::Interrupt) => return Ok(Err(Exit::Interrupt)),
            Ok(PromptAnswer::Nothing) => {
                return Err(Failed::new(Exit::Usage, "no key was typed, and nothing was changed"));
            }
            Err(error) => return Err(Failed::because("the terminal failed")(error)),
        }
    } else if with_token {
        let read = tokio::task::spawn_blocking(|| {
            let mut text = String::new();
            io::stdin().lock().take(MOST).read_to_string(&mut text).map(|_| text)
        });
        let text = read.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        let text = text.map_err(|error| Failed::config(format!("no key can be read from standard input: {error}")))?;
        text.lines().next().unwrap_or_default().to_owned()
    } else {
        let what = "a key is needed, and there is nobody to ask";
        let new = if login.is_new { format!(" --base-url {}", login.address) } else { String::new() };
        return Err(Failed::new(Exit::Usage, what).hint(format!(
            "read it from standard input: petstore login -p {}{new} --with-token < FILE",
            short(&login.profile)
        )));
    };
    let key = ApiKey::new(&text).map_err(|error| Failed::new(Exit::Usage, error.to_string()));
    key.map(Ok).map_err(|failed| failed.hint("nothing was changed"))
}

/// Asks for one animal, and keeps nothing that is not accepted.
async fn test(login: &Login, key: &ApiKey) -> Result<(), Failed> {
    let client = client(login.address.clone(), Some(key.clone()), login.ca_file.as_deref())?;
    connections::ask(&client, "login").await.0.map_err(|error| {
        let failed = Failed::request(&error, &login.address.authority(), false);
        if failed.exit == Exit::Unauthorized {
            failed.hint("is it the key of this service? It was not kept")
        } else {
            failed
        }
    })
}

fn nameless(profile: &str) -> Failed {
    let what = format!("there is no file for the key of \"{}\"", short(profile));
    Failed::new(Exit::Usage, what)
        .hint("give the profile a name of 1 to 40 letters, digits, - and _, or use --store keyring")
}
