//! `petstore keys`: the API keys of a service's database. The database may be in use; a running service learns of a
//! change within five seconds.

use std::io::{self, Write};
use std::time::Duration;

use clap::{Args, Subcommand};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

use super::args::{DATABASE_HINT, DatabaseArg};
use super::error::{Exit, Failed};
use super::output::{Content, columns};
use super::render::{FormatArg, ResultFormat, json};
use crate::clock::{self, Now};
use crate::config::Env;
use crate::model::display_safe;
use crate::model::text::{safe_causes, width};
use crate::model::words::moment;
use crate::store::keys::{KeyInfo, NewKey, Scopes};
use crate::store::{KeyId, Store, StoreError};

/// Manage the API keys of a service.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  petstore keys create --database sqlite:store.db --name till-2\n  \
    petstore keys list --database sqlite:store.db")]
pub struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

impl KeysArgs {
    /// Whether its result goes to standard output.
    pub const fn prints(&self) -> bool {
        match self.command {
            KeysCommand::Create { .. }
            | KeysCommand::List { .. }
            | KeysCommand::Rotate { .. }
            | KeysCommand::Log { .. } => true,
            KeysCommand::Revoke { .. } => false,
        }
    }

    /// What it writes there.
    pub fn content(&self) -> Content {
        match &self.command {
            KeysCommand::List { output, .. } if output.chosen() == ResultFormat::Json => Content::Json,
            _ => Content::Lines,
        }
    }
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Make a new API key and print it, once: only its hash is stored.
    #[command(after_help = "Examples:\n  petstore keys create --database sqlite:store.db --name till-2\n  \
        petstore keys create --database sqlite:store.db --name display --scopes read --expires 90d")]
    Create {
        #[command(flatten)]
        database: DatabaseArg,
        /// Whom or what the key is for.
        #[arg(long)]
        name: String,
        /// What it may do: read, write, admin (everything).
        #[arg(long, alias = "scope", value_name = "SCOPES", default_value = "read,write")]
        scopes: Scopes,
        /// When it ends: after a time such as 90d or 12h, or at a date such as 2027-06-30. [default: never]
        #[arg(long, value_name = "WHEN")]
        expires: Option<String>,
    },
    /// List the keys: what they may do, until when, and when they were last used.
    #[command(after_help = "Example:\n  petstore keys list --database sqlite:store.db --format json")]
    List {
        #[command(flatten)]
        database: DatabaseArg,
        #[command(flatten)]
        output: FormatArg,
    },
    /// Have a key refused, everywhere within five seconds.
    #[command(after_help = "Example:\n  petstore keys revoke --database sqlite:store.db 4fT9qLx2")]
    Revoke {
        #[command(flatten)]
        database: DatabaseArg,
        /// The id of the key, from `petstore keys list`.
        id: KeyId,
    },
    /// Make a key to take the place of another, print it, and let the other one end a little later.
    #[command(after_help = "Example:\n  petstore keys rotate --database sqlite:store.db 4fT9qLx2 --overlap 2h")]
    Rotate {
        #[command(flatten)]
        database: DatabaseArg,
        /// The id of the key to be replaced, from `petstore keys list`.
        id: KeyId,
        /// How long the old key is still accepted, so that both work meanwhile.
        #[arg(long, value_name = "TIME", default_value = "24h")]
        overlap: SignedDuration,
    },
    /// List what was done to keys: when, what, to which, by whom.
    #[command(after_help = "Example:\n  petstore keys log --database sqlite:store.db")]
    Log {
        #[command(flatten)]
        database: DatabaseArg,
    },
}

/// Why a key was not made, changed or printed.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// The database does not allow it, or the name breaks the rules.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `--expires` is no time.
    #[error("--expires {0:?} is no time to come: give a time such as 90d or 12h, or a date such as 2027-06-30")]
    Expires(String),
    /// `--overlap` is negative.
    #[error("--overlap must not be negative")]
    Overlap,
    /// No key of that id.
    #[error("there is no key {0}; petstore keys list shows the ids")]
    NoSuchKey(KeyId),
    /// A key that is not accepted any more cannot be replaced.
    #[error("there is no key {0} that is still accepted: make a new one with petstore keys create")]
    NotAccepted(KeyId),
    /// The result could not be printed.
    #[error("the result could not be printed")]
    Print(#[from] io::Error),
    /// A new key could not be printed.
    #[error("the new key {id} could not be printed, and was revoked: {remedy}")]
    Unseen {
        /// Its id.
        id: KeyId,
        /// What to do.
        remedy: String,
        /// Why.
        source: io::Error,
    },
    /// Nor could it be taken back.
    #[error("the new key {id} could not be printed, and is still accepted: petstore keys revoke {id}")]
    StillAccepted {
        /// Its id.
        id: KeyId,
        /// Why it was not revoked.
        source: StoreError,
    },
}

impl From<KeysError> for Failed {
    fn from(error: KeysError) -> Self {
        let failed = |exit| Self::new(exit, safe_causes(&error));
        match error {
            KeysError::Expires(_) | KeysError::Overlap => failed(Exit::Usage),
            KeysError::NoSuchKey(_) | KeysError::NotAccepted(_) => failed(Exit::NotFound),
            KeysError::Store(_) => failed(Exit::Failure).hint(DATABASE_HINT),
            KeysError::Print(_) | KeysError::Unseen { .. } | KeysError::StillAccepted { .. } => failed(Exit::Failure),
        }
    }
}

/// Does what `args` say. A new key goes to `out`, alone on a line; what was done goes to `err`.
pub async fn run(args: KeysArgs, env: &Env, out: &mut impl Write, err: &mut impl Write) -> Result<(), KeysError> {
    let now = clock::now();
    let actor = actor(env);
    match args.command {
        KeysCommand::Create { database, name, scopes, expires } => {
            let expires_at = expires.map(|expires| end(&expires, now)).transpose()?;
            let store = Store::open(&database.url).await?;
            let until = expires_at.map_or_else(|| "never ends".to_owned(), |at| format!("ends {}", moment(at)));
            let made = async {
                let (id, key) = store.create_key(NewKey { name, scopes, expires_at }, &actor, now).await?;
                // Whether or not it can be said, the key must be printed.
                let _ = writeln!(err, "created key {id} ({scopes}; {until})");
                hand_over(&store, (id, &key), &actor, out, || "make another one".to_owned()).await
            };
            let made = made.await;
            store.close().await;
            made
        }
        KeysCommand::List { database, output } => {
            let store = Store::open_existing(&database.url).await?;
            let keys = store.list_keys().await;
            store.close().await;
            match output.chosen() {
                ResultFormat::Table => table(out, &keys?, now)?,
                ResultFormat::Json => json(out, &keys?.iter().map(object).collect::<Vec<_>>(), columns().is_some())?,
            }
            Ok(out.flush()?)
        }
        KeysCommand::Revoke { database, id } => {
            let store = Store::open_existing(&database.url).await?;
            let revoked = store.revoke_key(id, &actor, now).await;
            store.close().await;
            let key = revoked?.ok_or(KeysError::NoSuchKey(id))?;
            let at = key.revoked_at.map(moment).unwrap_or_default();
            let _ = writeln!(err, "revoked key {id} ({}) at {at}", display_safe(&key.name));
            Ok(())
        }
        KeysCommand::Rotate { database, id, overlap } => {
            let until = Duration::try_from(overlap).ok().and_then(|both| now.wall.checked_add(both).ok());
            let until = until.ok_or(KeysError::Overlap)?;
            let store = Store::open_existing(&database.url).await?;
            let made = async {
                let rotated = store.rotate_key(id, until, &actor, now).await?;
                let (new, key, until) = rotated.ok_or(KeysError::NotAccepted(id))?;
                let until = moment(until);
                let _ = writeln!(err, "created key {new}; key {id} is accepted until {until}");
                let remedy = || format!("key {id} ends at {until} all the same, so rotate it again before");
                hand_over(&store, (new, &key), &actor, out, remedy).await
            };
            let made = made.await;
            store.close().await;
            made
        }
        KeysCommand::Log { database } => {
            let store = Store::open_existing(&database.url).await?;
            let events = store.list_key_events().await;
            store.close().await;
            for event in events? {
                let actor = display_safe(&event.actor).into_owned();
                writeln!(out, "{}  {:<8}  {}  by {actor}", event.at, display_safe(&event.action), event.key)?;
            }
            Ok(out.flush()?)
        }
    }
}

/// Prints a new key. One that nobody has seen is not left behind.
async fn hand_over(
    store: &Store,
    (id, key): (KeyId, &SecretString),
    actor: &str,
    out: &mut impl Write,
    remedy: impl Fn() -> String,
) -> Result<(), KeysError> {
    let printed = writeln!(out, "{}", key.expose_secret()).and_then(|()| out.flush());
    if let Err(source) = printed {
        return Err(match store.revoke_key(id, actor, clock::now()).await {
            Ok(_) => KeysError::Unseen { id, remedy: remedy(), source },
            Err(source) => KeysError::StillAccepted { id, source },
        });
    }
    Ok(())
}

/// Who runs this, for the log of keys. The number is certain, the name only helpful.
pub fn actor(env: &Env) -> String {
    let uid = rustix::process::getuid().as_raw();
    match env.get("LOGNAME").or_else(|| env.get("USER")) {
        Some(name) => format!("{} (uid {uid})", display_safe(name)),
        None => format!("uid {uid}"),
    }
}

/// When a key ends: a span from now on, or the beginning of a day here. Only what is yet to come.
fn end(expires: &str, now: Now) -> Result<Timestamp, KeysError> {
    let zone = TimeZone::system();
    let date = || expires.parse::<Date>().ok()?.to_zoned(zone.clone()).ok();
    let span = || now.wall.to_zoned(zone.clone()).checked_add(expires.parse::<Span>().ok()?).ok();
    let end = date().or_else(span).map(|end| end.timestamp());
    end.filter(|end| *end > now.wall).ok_or_else(|| KeysError::Expires(expires.to_owned()))
}

fn state(key: &KeyInfo, now: Now) -> &'static str {
    if key.revoked_at.is_some() {
        "revoked"
    } else if key.is_valid(now) {
        "accepted"
    } else {
        "ended"
    }
}

fn table(out: &mut impl Write, keys: &[KeyInfo], now: Now) -> io::Result<()> {
    let when = |at: Option<Timestamp>| at.map_or_else(|| "never".to_owned(), moment);
    let rows = keys.iter().map(|key| {
        let name = display_safe(&key.name).into_owned();
        let state = state(key, now).to_owned();
        [key.id.to_string(), state, key.scopes.to_string(), when(key.expires_at), when(key.last_used_at), name]
    });
    let headings = ["ID", "STATE", "MAY", "ENDS", "LAST USED", "NAME"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(headings).chain(rows).collect();
    for row in &rows {
        for (column, cell) in row.iter().enumerate().take(5) {
            let widest = rows.iter().map(|row| width(&row[column])).max().unwrap_or_default();
            write!(out, "{cell:<widest$}  ")?;
        }
        writeln!(out, "{}", row[5])?;
    }
    Ok(())
}

fn object(key: &KeyInfo) -> serde_json::Value {
    json!({
        "id": key.id.as_str(),
        "name": key.name,
        "scopes": key.scopes.to_string().split(' ').collect::<Vec<_>>(),
        "createdAt": key.created_at.to_string(),
        "expiresAt": key.expires_at.map(|at| at.to_string()),
        "lastUsedAt": key.last_used_at.map(|at| at.to_string()),
        "revokedAt": key.revoked_at.map(|at| at.to_string()),
    })
}

#[cfg(test)]
mod tests;
