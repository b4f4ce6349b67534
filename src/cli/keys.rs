//! `petstore keys`: the API keys of a service's database. The database may be in use; changes take effect in a running
//! service within five seconds.

use std::io::{self, Write};
use std::time::Duration;

use clap::Subcommand;
use jiff::civil::Date;
use jiff::{SignedDuration, Span, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use super::args::DatabaseArg;
use super::output::{self, Content, columns};
use super::render::{FormatArg, ResultFormat, json};
use super::ssh::person;
use super::{Exit, Failed, Result};
use crate::clock::{self, Now};
use crate::config::Env;
use crate::model::words::moment;
use crate::model::{safe_text, table};
use crate::store::keys::{KeyInfo, NewKey, Scopes};
use crate::store::{KeyId, Store};

pub const KEYS_HELP: &str = "Examples:
  petstore keys create --database sqlite:store.db --name till-2
  petstore keys list --database sqlite:store.db";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum KeysCommand {
    /// Create an API key and print it, once: only its hash is stored.
    #[command(after_help = "Examples:\n  petstore keys create --database sqlite:store.db --name till-2\n  \
        petstore keys create --database sqlite:store.db --name display --scopes read --expires 90d")]
    Create {
        #[command(flatten)]
        database: DatabaseArg,
        /// Who or what the key is for.
        #[arg(long)]
        name: String,
        /// What the key may do: read, write, audit (see who added a pet), admin (everything).
        #[arg(long, alias = "scope", value_name = "SCOPES", default_value = "read,write")]
        scopes: Scopes,
        /// When the key expires: after a time such as 90d or 12h, or on a date such as 2027-06-30. [default: never]
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
    },
    /// List the keys with their scopes, expiry and last use.
    #[command(after_help = "Example:\n  petstore keys list --database sqlite:store.db --format json")]
    List {
        #[command(flatten)]
        database: DatabaseArg,
        #[command(flatten)]
        output: FormatArg,
    },
    /// Give a key another name, also for the pets that it has added.
    #[command(after_help = "Example:\n  petstore keys rename --database sqlite:store.db 4fT9qLx2 till-3")]
    Rename {
        #[command(flatten)]
        database: DatabaseArg,
        /// The id of the key, from `petstore keys list`.
        id: KeyId,
        /// The new name.
        name: String,
    },
    /// Revoke a key; takes effect everywhere within five seconds.
    ///
    /// People who log in over SSH with the key (petstore ssh authorize) may not any more, also while the database is away.
    #[command(after_help = "Example:\n  petstore keys revoke --database sqlite:store.db 4fT9qLx2")]
    Revoke {
        #[command(flatten)]
        database: DatabaseArg,
        /// The id of the key, from `petstore keys list`.
        id: KeyId,
    },
    /// Replace a key: print a new one, and let the old one expire after an overlap.
    #[command(after_help = "Example:\n  petstore keys rotate --database sqlite:store.db 4fT9qLx2 --overlap 2h")]
    Rotate {
        #[command(flatten)]
        database: DatabaseArg,
        /// The id of the old key, from `petstore keys list`.
        id: KeyId,
        /// How long the old key is still accepted.
        #[arg(long, value_name = "TIME", default_value = "24h")]
        overlap: SignedDuration,
    },
}

/// Runs `command` on standard output, which must be open for what is printed.
pub async fn at_the_terminal(command: KeysCommand, env: &Env) -> Result<Exit> {
    if !matches!(command, KeysCommand::Revoke { .. } | KeysCommand::Rename { .. }) {
        output::is_there()?;
    }
    let content = match &command {
        KeysCommand::List { output, .. } if output.chosen() == ResultFormat::Json => Content::Json,
        _ => Content::Lines,
    };
    run(command, env, &mut output::out(content), &mut output::err()).await?;
    Ok(Exit::Done)
}

/// Runs `command`. A new key goes to `out`, alone on a line; notes go to `err`.
async fn run(command: KeysCommand, env: &Env, out: &mut impl Write, err: &mut impl Write) -> Result<()> {
    use KeysCommand::*;
    let (now, actor) = (clock::now(), env.actor());
    // Checked before a database is created.
    let expires_at = match &command {
        Create { expires: Some(expires), .. } => Some(end(expires, now)?),
        _ => None,
    };
    // Before the database is asked, which may be away or another one.
    let marked = match &command {
        Revoke { id, .. } => person::revoke(*id, env, err),
        _ => Ok(()),
    };
    let store = match &command {
        Create { database, .. } => Store::open(&database.url).await?,
        List { database, .. } | Rename { database, .. } | Revoke { database, .. } | Rotate { database, .. } => {
            Store::open_existing(&database.url).await?
        }
    };
    let done = async {
        match command {
            Create { name, scopes, .. } => {
                let until =
                    expires_at.map_or_else(|| "never expires".to_owned(), |at| format!("expires {}", moment(at)));
                let (id, key) = store.create_key(NewKey { name, scopes, expires_at }, &actor, now).await?;
                // The key must be printed even if this cannot be.
                let _ = writeln!(err, "created key {id} ({scopes}; {until})");
                hand_over(&store, (id, &key), &actor, out, "create another one").await
            }
            Rotate { id, overlap, .. } => {
                let until = Duration::try_from(overlap).ok().and_then(|both| now.wall.checked_add(both).ok());
                let until = until.ok_or_else(|| Failed::config("--overlap must not be negative"))?;
                let rotated = store.rotate_key(id, until, &actor, now).await?;
                let (new, key, until) = rotated.ok_or_else(|| {
                    Failed::new(Exit::NotFound, format!("there is no active key {id}"))
                        .hint("to create a key: petstore keys create, with the same --database")
                })?;
                let until = moment(until);
                let _ = writeln!(
                    err,
                    "created key {new}; key {id} is accepted until {until}\n\
                     Programs that are repeating a request should finish with the old key first: with the new one, its pet is added again"
                );
                let remedy = format!("key {id} still expires at {until}, so rotate it again before then");
                hand_over(&store, (new, &key), &actor, out, &remedy).await
            }
            Rename { id, name, .. } => {
                let key = store.rename_key(id, name, &actor, now).await?.ok_or_else(|| unknown(id))?;
                let _ = writeln!(err, "renamed key {id} to {}", safe_text(&key.name));
                Ok(())
            }
            Revoke { id, .. } => {
                let key = store.revoke_key(id, &actor, now).await?.ok_or_else(|| unknown(id))?;
                let at = key.revoked_at.map(moment).unwrap_or_default();
                let _ = writeln!(err, "revoked key {id} ({}) at {at}", safe_text(&key.name));
                marked
            }
            List { output, .. } => {
                let keys = store.list_keys().await?;
                let printed = match output.chosen() {
                    ResultFormat::Table => list(out, &keys, now),
                    ResultFormat::Json => json(out, &Vec::from_iter(keys.iter().map(object)), columns().is_some()),
                };
                match printed.and_then(|()| out.flush()) {
                    // The reader has gone, which is not a failure.
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                    printed => printed.map_err(Failed::because("cannot print the result")),
                }
            }
        }
    };
    let done = done.await;
    store.close().await;
    done
}

fn unknown(id: KeyId) -> Failed {
    Failed::new(Exit::NotFound, format!("there is no key {id}"))
        .hint("to see the ids: petstore keys list, with the same --database")
}

/// Prints a new key. If that fails, the key is revoked, since nobody has seen it.
async fn hand_over(
    store: &Store,
    (id, key): (KeyId, &SecretString),
    actor: &str,
    out: &mut impl Write,
    remedy: &str,
) -> Result<()> {
    let Err(error) = writeln!(out, "{}", key.expose_secret()).and_then(|()| out.flush()) else { return Ok(()) };
    let unprinted = format!("the new key {id} could not be printed, and");
    Err(match store.revoke_key(id, actor, clock::now()).await {
        Ok(_) => Failed::because(format!("{unprinted} was revoked: {remedy}"))(error),
        Err(error) => Failed::because(format!("{unprinted} is still accepted: petstore keys revoke {id}"))(error),
    })
}

/// When a key expires: after a span, or at the beginning of a local day. It must be in the future.
fn end(expires: &str, now: Now) -> Result<Timestamp> {
    let zone = clock::time_zone();
    let date = || expires.parse::<Date>().ok()?.to_zoned(zone.clone()).ok();
    let span = || now.wall.to_zoned(zone.clone()).checked_add(expires.parse::<Span>().ok()?).ok();
    let end = date().or_else(span).map(|end| end.timestamp());
    end.filter(|end| *end > now.wall).ok_or_else(|| {
        let example = "give a time such as 90d or 12h, or a date such as 2027-06-30";
        Failed::config(format!("--expires {expires:?} is not a time in the future: {example}"))
    })
}

fn state(key: &KeyInfo, now: Now) -> &'static str {
    if key.revoked_at.is_some() {
        "revoked"
    } else if key.is_valid(now) {
        "active"
    } else {
        "expired"
    }
}

fn list(out: &mut impl Write, keys: &[KeyInfo], now: Now) -> io::Result<()> {
    let when = |at: Option<Timestamp>| at.map_or_else(|| "never".to_owned(), moment);
    let rows = keys.iter().map(|key| {
        let name = safe_text(&key.name);
        let state = state(key, now).to_owned();
        [key.id.to_string(), state, key.scopes.to_string(), when(key.expires_at), when(key.last_used_at), name]
    });
    let headings = ["ID", "STATE", "SCOPES", "EXPIRES", "LAST USED", "NAME"].map(str::to_owned);
    table::write(out, std::iter::once(headings).chain(rows))
}

fn object(key: &KeyInfo) -> serde_json::Value {
    json!({
        "id": key.id.as_str(),
        "name": key.name,
        "scopes": key.scopes.to_string().split(' ').collect::<Vec<_>>(),
        "createdAt": key.created_at,
        "expiresAt": key.expires_at,
        "lastUsedAt": key.last_used_at,
        "revokedAt": key.revoked_at,
    })
}

#[cfg(test)]
mod tests;
