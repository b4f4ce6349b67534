//! What is kept from one session to the next for each service: the pets as they were last read.
//!
//! Shown in the first frame, before anything was asked; never sent anywhere.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{App, Env, Job, MessageKind, Now, Slot, blocking};
use crate::api::follow::EventPosition;
use crate::api::{Coverage, List};
use crate::config::Settings;
use crate::local::{atomic_file, file_stem};
use crate::model::{Draft, Limit, Pet, PetQuery, PetStatus};

/// The longest file that is read, in bytes.
const MOST_OCTETS: u64 = 16 << 20;

/// What is kept of one service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionCache {
    /// Of which service: its address and the name it goes by, or its database.
    pub identity: String,
    /// When the pets were read.
    at: Timestamp,
    pets: Vec<Pet>,
    coverage: Option<Coverage>,
    /// What the service reported last.
    events: Option<EventPosition>,
    /// The last list that came, and what was asked for it.
    listed: Option<(Option<PetStatus>, Limit, List)>,
    /// The category of the last pet that was added, as typed.
    #[serde(default)]
    category: String,
    /// Its status.
    status: Option<PetStatus>,
}

/// What an earlier session kept of the service of these settings.
pub fn read_kept(directory: &Path, settings: &Settings) -> Option<SessionCache> {
    let identity = settings.identity()?;
    let mut text = String::new();
    let file = std::fs::File::open(file(directory, &identity)).ok()?;
    file.take(MOST_OCTETS).read_to_string(&mut text).ok()?;
    SessionCache::read(&text, &identity)
}

/// The file for the service `identity`.
fn file(directory: &Path, identity: &str) -> PathBuf {
    directory.join(format!("{}.json", file_stem(identity)))
}

impl SessionCache {
    /// Reads the cache of the service `identity`; `None` for a file of another service or version.
    pub fn read(text: &str, identity: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|kept| kept.identity == identity)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Writes it, for the owner's eyes only.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let text = self.text();
        // A longer one would not be read.
        if text.len() as u64 > MOST_OCTETS {
            return Ok(());
        }
        atomic_file::replace_private(&file(directory, &self.identity), text)
    }

    /// What will be kept of `app`; nothing where nothing was read, or the service is gone with the session.
    fn of(app: &App) -> Option<Self> {
        let App { pets, add, link, .. } = app;
        Some(Self {
            identity: link.identity.clone()?,
            at: pets.store.read()?.wall,
            pets: pets.store.pets().to_vec(),
            coverage: pets.store.coverage().cloned(),
            events: pets.follow.position.clone(),
            listed: pets.listed.clone().map(|(query, list)| (query.status, query.limit, list)),
            category: add.left.category_id.clone(),
            status: add.left.status,
        })
    }

    /// What will be kept when the program ends; nothing where nothing was read in this session.
    pub fn at_the_end(app: &App) -> Option<Self> {
        if app.pets.store.is_cached() { None } else { Self::of(app) }
    }

    /// Puts it on the screen, marked as kept.
    pub fn restore(self, app: &mut App, now: Now) {
        let Self { at, pets, coverage, events, listed, category, status, .. } = self;
        // On the clock of this session.
        let age = Duration::try_from(now.wall.duration_since(at)).unwrap_or_default();
        let read = Now { mono: now.mono.checked_sub(age).unwrap_or(now.mono), wall: at };
        let App { pets: here, add, link, .. } = app;
        here.store.restore(pets, coverage, read);
        here.follow.position = events;
        let query = |status, limit| PetQuery { status, limit, ..PetQuery::default() };
        let base = link.address.as_ref();
        here.listed = listed.map(|(status, limit, list)| (query(status, limit), list.only_of(base)));
        here.show_all();
        let category_id = if here.categories.parse(&category).is_ok() { category } else { String::new() };
        add.begin_with(Draft { name: String::new(), category_id, status });
    }
}

/// Keeps what is here for the next session. One writing at a time, so that an older one never ends last.
pub fn keep(app: &mut App, now: Now) {
    let is_new = app.pets.store.take_changed() || app.keep_again;
    app.keep_again = is_new && app.pending.is_running(Slot::Cache);
    let kept = if is_new && !app.keep_again { SessionCache::of(app) } else { None };
    kept.into_iter().for_each(|kept| app.start(kept, now));
}

impl Job for SessionCache {
    type Answer = Result<(), String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Cache;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let Some(directory) = env.machine.kept.clone() else { return Ok(()) };
        blocking(move || self.write(&directory).map_err(|error| error.to_string())).await
    }

    fn done(&self, app: &mut App, written: Self::Answer, now: Now) {
        // An error that is shown matters more: where a disk is full, it may say so.
        let is_free = app.message.as_ref().is_none_or(|message| message.kind != MessageKind::Error);
        if let Err(why) = written
            && is_free
            && !std::mem::replace(&mut app.cache_failure_shown, true)
        {
            // Not for long: it matters less than a draft that is not saved.
            let text = format!("Cannot cache the rows for the next start: {why}");
            app.say_for(Duration::from_secs(5), MessageKind::Error, text, now.mono);
        }
        if app.keep_again {
            keep(app, now);
        }
    }
}
