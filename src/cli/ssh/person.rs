//! The people who may log in: a directory each, with the API key, what it is for, and what their sessions keep.

use std::fs;
use std::future::pending;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use tokio::time::{sleep, timeout};

use crate::cli::{Exit, Failed, Result, note};
use crate::config::file::is_plain_name;
use crate::config::secrets::read_key_file;
use crate::config::{ConfigError, Env, NoHome, Paths, SshSession};
use crate::local::atomic_file::{self, Locked};
use crate::local::draft_files::{self, Claims};
use crate::model::short;
use crate::model::text::KEY_PREFIX;
use crate::store::KeyId;
use crate::store::keys::{Scope, Scopes};

/// The longest name.
const MOST: usize = 64;

/// The variables that a session knows: any other may come from the client. `HOME` and `PATH` do not: OpenSSH sets them
/// after those of the client.
const KNOWN: &str = "COLORTERM HOME LANG LC_ALL LC_CTYPE LOGNAME NO_COLOR PATH SSH_CONNECTION SSH_ORIGINAL_COMMAND SSH_TTY \
                     TERM TERM_PROGRAM TERM_PROGRAM_VERSION TZ USER";

/// What the client sent.
pub const COMMAND: &str = "SSH_ORIGINAL_COMMAND";

/// The variables that a session knows.
pub fn known(env: &Env) -> Env {
    let known = KNOWN.split_whitespace().filter_map(|name| Some((name, env.value(name)?)));
    known.filter(|(name, value)| *name != "TZ" || is_time_zone(&value.to_string_lossy())).collect()
}

/// Whether it is the name of a time zone of the system, or a rule. Anything else would be read as the path of a file.
fn is_time_zone(value: &str) -> bool {
    let name = Path::new(value.strip_prefix(':').unwrap_or(value));
    let is_name = name.components().all(|part| matches!(part, Component::Normal(_)));
    is_name && Path::new("/usr/share/zoneinfo").join(name).is_file() || TimeZone::posix(value).is_ok()
}

/// What is known of a person, in `person.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The id of their API key.
    pub api_key: String,
    /// What it may do, as words separated by blanks.
    pub scopes: String,
    /// The address of the service.
    pub base_url: String,
    /// The key may go over a network in clear text.
    #[serde(default)]
    pub insecure_http: bool,
    /// PEM file of CA certificates to trust instead of the system's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// How long without a key until a session ends, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_seconds: Option<u64>,
}

impl Person {
    /// The session of the person called `name`, which ends with the file `mark`.
    pub fn session(&self, name: &str, mark: PathBuf) -> SshSession {
        let read_only = self.scopes.parse::<Scopes>().is_ok_and(|scopes| !scopes.allow(Scope::Write));
        let idle = self.idle_seconds.map(Duration::from_secs);
        SshSession { name: name.to_owned(), read_only, idle, mark }
    }
}

/// The directory of all people.
pub struct People(PathBuf);

impl People {
    /// Where sessions look for them, whatever else is in the environment of the account.
    ///
    /// # Errors
    /// The home directory is unknown.
    pub fn new(env: &Env) -> Result<Self, NoHome> {
        Ok(Self(Paths::new(&known(env))?.data.join("ssh")))
    }

    /// What the sessions of a person keep, and their key: private.
    pub fn directory(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The file of a person's API key.
    pub fn key_file(&self, name: &str) -> PathBuf {
        self.directory(name).join("key")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.directory(name).join("person.toml")
    }

    /// Keeps other programs from changing people until the result is dropped.
    pub fn alone(&self) -> Result<Locked> {
        let lock = self.0.join("lock");
        atomic_file::create_private(&self.0)
            .and_then(|()| atomic_file::alone(&lock))
            .map_err(Failed::cannot("lock", &self.0))
    }

    /// The person called `name`.
    ///
    /// # Errors
    /// The name is not one, or the file is damaged.
    pub fn get(&self, name: &str) -> Result<Option<Person>> {
        if !is_plain_name(name) || name.len() > MOST {
            let what = format!("{:?} cannot be a name", short(name));
            return Err(Failed::config(what).hint("use up to 64 letters, digits, -, _ and ."));
        }
        let path = self.file(name);
        let Some(text) = atomic_file::read(&path).map_err(Failed::cannot("read", &path))? else { return Ok(None) };
        let damaged = |error: toml::de::Error| {
            Failed::new(Exit::Failure, format!("{} is damaged: {}", path.display(), error.message()))
        };
        toml::from_str(&text).map(Some).map_err(damaged)
    }

    /// The names of all people.
    pub fn names(&self) -> Result<Vec<String>> {
        let entries = atomic_file::if_there(fs::read_dir(&self.0)).map_err(Failed::cannot("read", &self.0))?;
        let directories = entries.into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
        let names = directories.filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter(|name| is_plain_name(name)).collect())
    }

    /// The id of the API key that a person logs in with; none if that is not a key of petstore.
    pub fn key_id(&self, name: &str) -> Result<Option<String>, ConfigError> {
        let key = read_key_file(&self.key_file(name))?;
        Ok(key.expose().strip_prefix(KEY_PREFIX).and_then(|rest| rest.get(..8)).map(str::to_owned))
    }

    /// The file whose being there says that a person may not log in any more.
    pub fn mark(&self, name: &str) -> PathBuf {
        self.directory(name).join("revoked")
    }

    pub fn is_revoked(&self, name: &str) -> bool {
        self.mark(name).exists()
    }

    pub fn save(&self, name: &str, person: &Person) -> Result<()> {
        let text = toml::to_string(person).map_err(Failed::because("cannot describe the person"))?;
        let path = self.file(name);
        atomic_file::replace_private(&path, &text).map_err(Failed::cannot("write", &path))
    }
}

/// How soon an open session notices it.
const WITHIN: Duration = Duration::from_secs(2);

/// Where a person in a session turns to.
pub const ASK: &str = "ask who runs the store";

/// Marks the people who log in with the API key `id`, whatever their other files say: they may not any more, also while
/// the database is away. Their other files stay, with what was typed and not sent. A file that cannot be read is named and left out.
pub fn revoke(id: KeyId, env: &Env, err: &mut impl Write) -> Result<()> {
    // Without a home directory there are none.
    let Ok(people) = People::new(env) else { return Ok(()) };
    for name in people.names()? {
        match people.key_id(&name) {
            Ok(theirs) if theirs.as_deref() == Some(id.as_str()) => {
                let mark = people.mark(&name);
                atomic_file::replace_private(&mark, "").map_err(Failed::cannot("write", &mark))?;
                let _ = writeln!(err, "{name} may not log in over SSH any more");
            }
            Ok(_) => {}
            Err(why) => drop(writeln!(err, "skipped {name}: {why}")),
        }
    }
    Ok(())
}

/// The failure of a person who was revoked.
pub fn may_not_log_in(name: &str) -> Failed {
    Failed::new(Exit::Unauthorized, format!("{} may not log in any more", short(name))).hint(ASK)
}

/// Waits until the person of an open session is revoked; for ever where there is no session. One that `sends` pets is
/// dropped meanwhile, which is reported.
pub async fn revoked(session: Option<SshSession>, sends: bool) -> Failed {
    let Some(SshSession { name, mark, read_only, .. }) = session else { return pending().await };
    while !mark.exists() {
        sleep(WITHIN).await;
    }
    if sends && !read_only {
        note("a pet that was being sent may or may not have been added");
    }
    may_not_log_in(&name)
}

/// How long another session may take to save what is typed there, and to end.
const HANDS_OVER: Duration = Duration::from_secs(10);

/// Takes over what is typed for the service `identity` in other sessions of a person, whose directory is `state`: of a line
/// that dropped unnoticed, for example. They end. Says so, if there are any.
pub async fn take_over(state: &Path, identity: &str) -> Option<&'static str> {
    // Without them, there is a draft all the same.
    let mut held = draft_files::ask_for(state, identity).ok().filter(|held| !held.is_empty())?;
    let ended = async {
        while !held.is_empty() {
            sleep(WITHIN / 20).await;
            held.retain(|lock| matches!(atomic_file::claim(lock), Ok(None)));
        }
    };
    Some(match timeout(HANDS_OVER, ended).await {
        Ok(()) => "Your other session has ended, and goes on here.",
        Err(_) => "Your other session does not end, and still has what you typed there.",
    })
}

/// Waits until a later session takes over what is typed in this one.
pub async fn taken_over(claims: Option<Arc<Claims>>) {
    let Some(claims) = claims else { return pending().await };
    while !claims.is_wanted() {
        sleep(WITHIN).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_zone_is_a_name_and_no_file() {
        let zone = |value: &str| known(&Env::from_iter([("TZ", value)])).get("TZ").is_some();
        assert!(zone("Europe/Berlin") && zone(":UTC") && zone("CET-1CEST,M3.5.0,M10.5.0/3"));
        for file in
            ["/etc/passwd", ":/etc/passwd", "../../dev/zero", ":../pipe", "pipe", "::UTC", "UTC/../UTC", "./UTC"]
        {
            assert!(!zone(file), "{file}");
        }
    }
}
