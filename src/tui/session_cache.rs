//! What is kept from one session to the next for each service: the lists as they were last read, and what has changed.
//!
//! Shown in the first frame, before anything was asked; never sent anywhere.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::effect::{Effect, Job, Task};
use super::pending::Slot;
use super::screens::pets::changes::Change;
use super::screens::pets::{ListSource, Loaded};
use super::state::{AppState, Message, MessageKind};
use crate::api::list::List;
use crate::clock::Now;
use crate::config::paths::stem;
use crate::config::{Service, Settings};
use crate::model::{Limit, PetStatus};

/// The most rows of a list that are kept.
const MOST_ROWS: usize = 1_000;

/// The longest file that is read, in octets.
pub const MOST_OCTETS: u64 = 8 << 20;

/// What is kept of one service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionCache {
    /// Of which service: its address and the name it goes by, or its database.
    pub identity: String,
    /// Whether it links further pages.
    has_pages: bool,
    lists: Vec<KeptList>,
    counted: [Option<(Timestamp, List)>; 3],
    changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptList {
    status: Option<PetStatus>,
    limit: Limit,
    at: Timestamp,
    list: List,
}

impl SessionCache {
    /// What is to be kept of `state`; nothing where the service is gone with the session.
    fn of(state: &AppState) -> Option<Self> {
        let kept = |(status, loaded): (Option<PetStatus>, &Loaded)| KeptList {
            status,
            limit: loaded.limit,
            at: loaded.at.wall,
            list: loaded.list.first(MOST_ROWS),
        };
        Some(Self {
            identity: state.link.identity.clone()?,
            has_pages: state.link.has_pages,
            lists: state.pets.lists().filter(|(_, loaded)| loaded.source != ListSource::Picked).map(kept).collect(),
            counted: state.pets.counted.clone().map(|counted| counted.map(|(list, at)| (at.wall, list))),
            changes: state.pets.changes.log().iter().cloned().collect(),
        })
    }

    /// What is to be kept when the program ends; nothing where nothing was read in this session.
    #[must_use]
    pub fn at_the_end(state: &AppState) -> Option<Self> {
        let was_read = state.pets.lists().any(|(_, loaded)| loaded.source == ListSource::Answer);
        was_read.then(|| Self::of(state)).flatten()
    }

    /// Reads what was kept of the service `identity`. A file of another one, or of another version, is nothing.
    #[must_use]
    pub fn read(text: &str, identity: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|kept| kept.identity == identity)
    }

    /// The text of its file.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Puts it on the screen, marked as kept.
    pub fn restore(self, state: &mut AppState, now: Now) {
        let Self { identity: _, has_pages, lists, counted, changes } = self;
        state.link.has_pages |= has_pages;
        let base = state.link.address.clone();
        for (status, list) in PetStatus::ALL.into_iter().zip(counted) {
            if let Some((at, list)) = list {
                state.pets.restore_counted(status, list.only_of(base.as_ref()), has_pages, moment(at, now));
            }
        }
        for KeptList { status, limit, at, list } in lists {
            let (list, source) = (list.only_of(base.as_ref()), ListSource::Cached);
            state.pets.restore(status, Loaded { limit, list, at: moment(at, now), source });
        }
        state.pets.restore_changes(changes);
    }
}

/// What tells the data of a service from those of others; none for what is gone with the session.
#[must_use]
pub fn identity(settings: &Settings) -> Option<String> {
    match &settings.service {
        Service::Demo => None,
        Service::Embedded { database } => Some(database.display().to_string()),
        // With another key, the same address may show something else.
        Service::Remote(remote) => Some(format!("{} {}", settings.name, remote.base_url)),
    }
}

/// A time of an earlier session on the clock of this one.
fn moment(at: Timestamp, now: Now) -> Now {
    let age = Duration::try_from(now.wall.duration_since(at)).unwrap_or_default();
    Now { mono: now.mono.checked_sub(age).unwrap_or(now.mono), wall: at }
}

/// The file for the service `identity`.
#[must_use]
pub fn file(directory: &Path, identity: &str) -> PathBuf {
    directory.join(format!("{}.json", stem(identity)))
}

/// Keeps what is here for the next session. One writing at a time, so that an older one never ends last.
pub fn keep(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.keep_again = state.pending.is_running(Slot::Remember);
    if state.keep_again {
        return Vec::new();
    }
    let Some(kept) = SessionCache::of(state) else { return Vec::new() };
    let id = state.pending.begin(Slot::Remember, now.mono);
    vec![Effect::Job(Job { slot: Slot::Remember, id, task: Task::WriteCache(Box::new(kept)) })]
}

/// It was written, or not.
pub fn on_remembered(state: &mut AppState, result: Result<(), String>, now: Now) -> Vec<Effect> {
    if let Err(why) = result
        && !std::mem::replace(&mut state.told_not_kept, true)
    {
        // Not for long: what is typed matters more, and has a word of its own.
        let text = format!("The rows cannot be kept for the next start: {why}");
        state.message =
            Some(Message { text, kind: MessageKind::Error, until: Some(now.mono + Duration::from_secs(5)) });
    }
    if state.keep_again { keep(state, now) } else { Vec::new() }
}
