//! What is typed, kept on disk while it is: when it is due to be written, and what comes back at the next start.
//!
//! Half a second after the first key that is not on disk yet, at most once a second, and at once before an animal is
//! sent and after it was added. Each service has drafts of its own: what is typed for one is put aside when another is
//! used, and comes back with it. The samples have none on disk.

mod capture;
mod file;
pub mod jobs;
mod state;
mod typed;

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use super::effect::Effect;
use super::pending::Slot;
use super::screens::add_pet::{self, import};
use super::state::AppState;
use crate::clock::Now;
use crate::model::text::short;

use jobs::{DraftTask, WriteDrafts};
use state::Aside;

pub use file::{Drafts, Ending};
pub use state::{Back, DraftState, Restored};
pub use typed::{TypedText, known};

/// From the first key that is not on disk to the write.
const SOON: Duration = Duration::from_millis(500);

/// From one write to the next.
const BETWEEN: Duration = Duration::from_secs(1);

/// From a write that failed to the next try.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

/// What was typed longer ago is not shown by itself.
const OLD: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Drafts {
    fn of(state: &AppState, ended: Option<Ending>, now: Now) -> Option<Self> {
        let identity = identity(state)?.to_owned();
        let mut typed = TypedText::of(state);
        if ended == Some(Ending::Quit) {
            // Whoever leaves in order begins with all rows.
            typed.search.clear();
        }
        Some(Self { identity, profile: state.link.name.clone(), at: now.wall, ended, typed })
    }
}

impl Back {
    fn of(drafts: &Drafts, state: &AppState) -> Self {
        let importing = drafts.typed.import.as_ref().filter(|import| import.begun);
        let what = match (&drafts.typed.sent, importing.map(|import| import.path.value())) {
            (None, Some(path)) => Restored::Importing(short(path.rsplit('/').next().unwrap_or(path))),
            (None, None) => Restored::NotSent,
            (Some(sent), _) if state.add.unsettled => Restored::Settling(short(&sent.new.name)),
            (Some(sent), _) => Restored::Asking(short(&sent.new.name)),
        };
        Self { at: drafts.at, profile: drafts.profile.clone(), ended: drafts.ended, what }
    }

    /// The sentence about it; `at` is the time of day, `service` where things are sent.
    pub fn sentence(&self, at: &str, service: &str) -> String {
        let profile = short(&self.profile);
        let before = match self.ended {
            None => format!("The last session ended without warning at {at}."),
            Some(Ending::Hangup) => format!("The connection of the last session was lost at {at}."),
            Some(Ending::Fault) => format!("The last session ended by a fault of the program at {at}."),
            Some(Ending::Signal) => format!("The last session was ended from outside at {at}."),
            Some(Ending::Quit) => String::new(),
        };
        let what = match (&self.what, self.ended) {
            (Restored::NotSent, Some(Ending::Quit)) => {
                return format!("What you had typed for {profile} at {at} is here. Nothing of it was sent.");
            }
            (Restored::NotSent, _) => {
                format!("What you had typed for {profile} is here. Nothing of it had been sent.")
            }
            (Restored::Settling(pet), _) => {
                format!("{pet} was sent without an answer: it is sent again with its key, which adds it only once.")
            }
            (Restored::Asking(pet), _) => {
                format!("{pet} was sent to {service} without an answer. What you typed is here.")
            }
            (Restored::Importing(file), _) => {
                format!("The import of {file} is not at its end: Enter, then F2 go on with it.")
            }
            (Restored::Parked, _) => {
                return format!(
                    "What was typed for {profile} at {at} is kept, too: F8 in the empty form (2) shows it."
                );
            }
        };
        if before.is_empty() { what } else { format!("{before} {what}") }
    }
}

/// Of the service for which something is kept.
fn identity(state: &AppState) -> Option<&str> {
    state.link.identity.as_deref().filter(|_| !state.is_first_start())
}

/// Takes up what was left for this service by a session before.
pub fn on_opened(state: &mut AppState, opened: Result<Option<Drafts>, String>, now: Now) {
    let drafts = match opened {
        Ok(drafts) => drafts,
        Err(why) => return state.drafts.trouble = Some(why),
    };
    let here = TypedText::of(state);
    state.drafts.apart = false;
    let Some(drafts) = drafts.filter(|drafts| drafts.typed != here) else { return };
    let is_old = now.wall.duration_since(drafts.at).unsigned_abs() > OLD;
    if is_old || here.clashes_with(&drafts.typed) {
        state.drafts.apart = true;
        state.drafts.back = Some(Back { what: Restored::Parked, ..Back::of(&drafts, state) });
        state.drafts.parked = Some(Box::new(drafts));
        return;
    }
    take_up(state, drafts);
}

fn take_up(state: &mut AppState, drafts: Drafts) {
    state.drafts.on_disk = drafts.typed.clone();
    drafts.typed.clone().restore(state);
    state.drafts.back = Some(Back::of(&drafts, state));
}

/// Shows what was kept and not shown; `false` where there is nothing like it.
pub(super) fn unpark(state: &mut AppState) -> bool {
    let Some(drafts) = state.drafts.parked.take() else { return false };
    state.drafts.apart = false;
    take_up(state, *drafts);
    true
}

/// Puts aside what is typed for the service in use, which is about to be left; and whether anything is.
pub fn leave(state: &mut AppState, now: Now) -> (bool, Option<Effect>) {
    let identity = identity(state).map(str::to_owned);
    let is_typed = has_typed(state);
    let write = write_of(state, Some(Ending::Quit), now).map(|mut write| {
        write.drafts.typed = write.drafts.typed.for_service();
        write
    });
    let effect = write.clone().map(|write| job(state, write, now));
    let add = state.add.put_aside();
    state.drafts.aside.insert(identity, Aside { profile: state.link.name.clone(), add, write });
    (is_typed, effect)
}

/// Another service is used from now on: what was put aside for it is as it was, and what an earlier session left for it
/// is read. What is typed for none goes along. And whether anything was put aside.
pub fn enter(state: &mut AppState, now: Now) -> (bool, Vec<Effect>) {
    let identity = state.link.identity.clone();
    let DraftState { number, mut aside, .. } = std::mem::take(&mut state.drafts);
    let here = aside.remove(&identity);
    state.drafts = DraftState { number, aside, ..DraftState::default() };
    let mut effects = Vec::new();
    let mut is_read = false;
    if let Some(Aside { add, write, .. }) = here {
        state.add = add;
        // The look at its file has ended.
        effects.extend(import::start::look_again(state, now));
        if let Some(WriteDrafts { drafts, apart: false, .. }) = write {
            (is_read, state.drafts.on_disk) = (true, drafts.typed);
        }
    }
    if let Some(identity) = identity.filter(|_| !is_read) {
        state.drafts.apart = true;
        effects.push(state.begin(DraftTask::Open(identity), now));
    }
    (has_typed(state), effects)
}

/// Whether anything is typed for the service in use.
fn has_typed(state: &AppState) -> bool {
    state.add.import.pasted.is_some() || !TypedText::of(state).for_service().is_empty()
}

/// What is typed may have changed.
pub fn notice(state: &mut AppState, now: Now) -> Option<Effect> {
    identity(state)?;
    let typed = TypedText::of(state);
    let drafts = &mut state.drafts;
    if typed == *drafts.writing.as_ref().unwrap_or(&drafts.on_disk) {
        (drafts.since, drafts.at_once) = (None, false);
        if drafts.writing.is_none() {
            drafts.trouble = None;
        }
        return None;
    }
    drafts.since.get_or_insert(now.mono);
    next_due(state).is_some_and(|due| due <= now.mono).then(|| write(state, now)).flatten()
}

/// When what is typed is to be written.
pub(super) fn next_due(state: &AppState) -> Option<Instant> {
    let DraftState { since, at_once, tried, trouble, .. } = &state.drafts;
    // What is on disk is to be known first.
    let is_free = !state.pending.is_running(Slot::Drafts) && !state.pending.is_running(Slot::OpenDrafts);
    let since = since.filter(|_| is_free)?;
    let pause = if trouble.is_some() { AFTER_TROUBLE } else { BETWEEN };
    match tried {
        _ if *at_once => Some(since),
        Some(tried) => Some((since + SOON).max(*tried + pause)),
        None => Some(since + SOON),
    }
}

/// Writes what is typed now, whatever else is being written.
pub fn write(state: &mut AppState, now: Now) -> Option<Effect> {
    let write = write_of(state, None, now)?;
    let here = &mut state.drafts;
    here.writing = Some(write.drafts.typed.clone());
    here.tried = Some(now.mono);
    (here.since, here.at_once) = (None, false);
    Some(job(state, write, now))
}

fn write_of(state: &AppState, ended: Option<Ending>, now: Now) -> Option<WriteDrafts> {
    let DraftState { number, apart, .. } = state.drafts;
    Some(WriteDrafts { number: number + 1, drafts: Box::new(Drafts::of(state, ended, now)?), apart })
}

fn job(state: &mut AppState, write: WriteDrafts, now: Now) -> Effect {
    state.drafts.number = write.number;
    state.begin(DraftTask::Write(write), now)
}

/// What is typed was written, or not.
pub(super) fn on_written(state: &mut AppState, result: Result<(), String>, now: Now) {
    let drafts = &mut state.drafts;
    let writing = drafts.writing.take();
    match (result, writing) {
        (Ok(()), Some(typed)) => {
            drafts.written_at = (!typed.is_empty()).then_some(now.wall);
            drafts.on_disk = typed;
            drafts.trouble = None;
        }
        (Ok(()), None) => {}
        (Err(why), _) => drafts.trouble = Some(why),
    }
}

/// What is typed for the services that were left: the profile, what is there, and whether it is kept on disk.
pub fn left(state: &AppState) -> impl Iterator<Item = (&str, &add_pet::State, bool)> {
    let aside = state.drafts.aside.values();
    aside.map(|Aside { profile, add, write }| (profile.as_str(), add, write.is_some()))
}

/// What is to be written when the program ends, for each service that was used.
pub fn last(state: &AppState, ended: Ending, now: Now) -> Vec<WriteDrafts> {
    let aside = state.drafts.aside.values().filter_map(|aside| aside.write.clone());
    aside.chain(write_of(state, Some(ended), now)).collect()
}
