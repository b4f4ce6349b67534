//! The change from one service to another in the running program.
//!
//! The worker takes up the new client when it has one, and says so. Until then nothing is sent for which it matters who
//! gets it; afterwards nothing of the service before is left but what is typed.

use crate::clock::Now;
use crate::config::Origin;
use crate::model::text::short;
use crate::tui::drafts;
use crate::tui::effect::{Effect, ProfileTask};
use crate::tui::inflight::Slot;
use crate::tui::msg::Used;
use crate::tui::popups::Popup;
use crate::tui::screens::add_pet::{import, rapid};
use crate::tui::screens::pets;
use crate::tui::state::{AppState, Link, MessageKind, Screen};
use crate::tui::update::start;

use super::update;

/// Whether another service is being changed to: nothing may be sent for which it matters which one it is.
#[must_use]
pub fn is_under_way(state: &AppState) -> bool {
    state.inflight.is_running(Slot::UseProfile)
}

/// Uses the service under the cursor from now on, unless an animal is on its way to the one in use.
pub fn begin(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(name) = state.profiles.entry().map(|entry| entry.name.clone()) else { return Vec::new() };
    if is_under_way(state) {
        state.say(MessageKind::Note, format!("Still switching to {}.", short(&state.profiles.using)));
        return Vec::new();
    }
    if let Some(sent) = &state.add.sent {
        let (pet, service) = (short(&sent.new.name), &state.link.service);
        let text = if state.add.is_sending() {
            format!("{pet} is on its way to {service}. Wait for the answer, then switch.")
        } else {
            format!("Whether {pet} was added to {service} is not known yet. Settle that first (2), then switch.")
        };
        state.say(MessageKind::Error, text);
        return Vec::new();
    }
    if let Some(why) = import::update::why_not_switch(state).or_else(|| rapid::sending::why_not_switch(state)) {
        state.say(MessageKind::Error, why);
        return Vec::new();
    }
    // A key that is being tried is one for the service in use.
    let mut effects = update::forget(state, Slot::TestKey);
    state.profiles.using.clone_from(&name);
    state.say(MessageKind::Note, format!("Switching to {} ...", short(&name)));
    effects.push(update::begin(state, Slot::UseProfile, ProfileTask::Use(name), now));
    effects
}

/// It cannot be used: the one before still is.
pub fn on_failed(state: &mut AppState, why: &str) {
    let (there, here) = (short(&state.profiles.using), short(&state.link.name));
    state.say(MessageKind::Error, format!("{there} cannot be used, so that {here} still is: {why}"));
}

/// Another service is in use: nothing of the one before stays but what is typed.
pub fn on_used(state: &mut AppState, used: Used, now: Now) -> Vec<Effect> {
    let Used { settings, kept, left } = used;
    let before = std::mem::replace(&mut state.link, Link::of(&settings));
    let mut effects = Vec::new();
    for slot in Slot::ALL.into_iter().filter(|slot| slot.is_about_service()) {
        effects.extend(update::forget(state, slot));
    }
    state.pets = pets::State::new(&settings);
    state.add.refusal = None;
    state.last_failure = None;
    state.keep_again = false;
    if let Some(kept) = kept {
        kept.restore(state, now);
    }
    let about_rows = |popup: &Popup| {
        matches!(
            popup,
            Popup::Key(_)
                | Popup::Limit(_)
                | Popup::Changes(_)
                | Popup::Charts(_)
                | Popup::Error(_)
                | Popup::Confirm(_)
        )
    };
    if state.popup.as_ref().is_some_and(about_rows) {
        state.popup = None;
    }
    if state.screen == Screen::Profiles && !state.profiles.form_open {
        state.screen = match state.profiles.from {
            Screen::Welcome => Screen::Pets,
            before @ (Screen::Pets | Screen::AddPet | Screen::Domains | Screen::Profiles | Screen::Requests) => before,
        };
    }
    let using = format!("Using {}: {}.", short(&state.link.name), state.link.service);
    match foreign_key(&state.link, &before) {
        Some(variable) => {
            let there = &state.link.service;
            state.say(MessageKind::Note, format!("{using} The key from environment {variable} goes to {there}."));
        }
        None if state.add.is_typed() => {
            let (before, service) = (short(&before.name), &state.link.service);
            let text = format!("{using} What you typed for {before} is still in the form, and goes to {service} now.");
            state.say(MessageKind::Note, text);
        }
        None => state.say_done(using, now.mono),
    }
    rapid::sending::restore(state, left);
    effects.extend(drafts::on_other_service(state, now));
    effects.extend(start(state, now));
    effects
}

/// The variable whose key goes to another host than the one before, without its profile having asked for it.
fn foreign_key(link: &Link, before: &Link) -> Option<String> {
    let origin = &link.origins.iter().find(|setting| setting.name == "key")?.origin;
    match origin {
        Origin::Environment(variable) if link.has_key() && link.service != before.service => Some(variable.clone()),
        Origin::Environment(_) | Origin::Flag(_) | Origin::File { .. } | Origin::ByHand | Origin::Default => None,
    }
}
