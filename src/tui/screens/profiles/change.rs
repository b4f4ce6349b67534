//! The change from one service to another in the running program.
//!
//! The worker takes up the new client when it has one, and says so. Until then nothing is sent for which it matters who
//! gets it; afterwards nothing of the service before is left. What was typed for it comes back with it.

use crate::clock::Now;
use crate::config::Origin;
use crate::model::text::short;
use crate::tui::drafts;
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::popups::Popup;
use crate::tui::screens::add_pet::{import, rapid};
use crate::tui::screens::pets;
use crate::tui::start::start;
use crate::tui::state::{AppState, Link, MessageKind, Screen};

use super::jobs::{ProfileTask, Used};

/// Uses the service under the cursor from now on, unless an animal is on its way to the one in use.
pub fn begin(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(name) = state.profiles.entry().map(|entry| entry.name.clone()) else { return Vec::new() };
    if state.is_switching() {
        state.say(MessageKind::Note, format!("Still switching to {}.", short(&state.profiles.using)));
        return Vec::new();
    }
    if let Some(why) = why_not(state) {
        state.say(MessageKind::Error, why);
        return Vec::new();
    }
    // A key that is being tried is one for the service in use.
    let mut effects = Vec::from_iter(state.cancel(Slot::TestKey));
    state.profiles.using.clone_from(&name);
    state.say(MessageKind::Note, format!("Switching to {} ...", short(&name)));
    effects.push(state.begin(ProfileTask::Use(name), now));
    effects
}

/// Why another service cannot be switched to now.
fn why_not(state: &AppState) -> Option<String> {
    let service = &state.link.service;
    if let Some(sent) = &state.add.sent {
        let pet = short(&sent.new.name);
        return Some(if state.add.is_sending() {
            format!("{pet} is on its way to {service}. Wait for the answer, then switch.")
        } else {
            format!("Whether {pet} was added to {service} is not known yet. Settle that first (2), then switch.")
        });
    }
    if state.pending.is_running(Slot::Samples) {
        return Some(format!("Samples are on their way to {service}. Wait for the answer, then switch."));
    }
    import::update::why_not_switch(state).or_else(|| rapid::dispatch::why_not_switch(state))
}

/// It cannot be used: the one before still is.
pub fn on_failed(state: &mut AppState, why: &str) {
    let (there, here) = (short(&state.profiles.using), short(&state.link.name));
    state.say(MessageKind::Error, format!("{there} cannot be used, so that {here} still is: {why}"));
}

/// Another service is in use: what is typed for the one before is put aside, and what was put aside for this one is back.
pub(super) fn on_used(state: &mut AppState, used: Used, now: Now) -> Vec<Effect> {
    let Used { settings, kept, left } = used;
    let given_up = state.pending.forget_all(Slot::is_about_service);
    let mut effects: Vec<Effect> = given_up.into_iter().map(Effect::Cancel).collect();
    let (stays, put_aside) = drafts::leave(state, now);
    effects.extend(put_aside);
    let before = std::mem::replace(&mut state.link, Link::of(&settings));
    state.allowed = false;
    state.pets = pets::State::new(&settings);
    state.last_failure = None;
    state.keep_again = false;
    if let Some(kept) = kept {
        kept.restore(state, now);
    }
    state.popup.take_if(|popup| {
        use Popup::{Changes, Charts, Confirm, Error, Key, Limit};
        matches!(popup, Key(_) | Limit(_) | Changes(_) | Charts(_) | Error(_) | Confirm(_))
    });
    if state.screen == Screen::Profiles && !state.profiles.form_open {
        let before = state.profiles.from;
        state.screen = if before == Screen::Welcome { Screen::Pets } else { before };
    }
    let (is_back, opened) = drafts::enter(state, now);
    effects.extend(opened);
    if is_back && state.screen == Screen::Pets {
        state.screen = Screen::AddPet;
    }
    let (name, service) = (short(&state.link.name), &state.link.service);
    let mut more = String::new();
    if let Some(variable) = foreign_key(&state.link, &before) {
        more.push_str(&format!(" The key from environment {variable} goes to {service}."));
    }
    if stays {
        more.push_str(&format!(" What you typed for {} stays there.", short(&before.name)));
    }
    if is_back {
        more.push_str(" What you typed here is back.");
    }
    let using = format!("Using {name}: {service}.");
    if more.is_empty() {
        state.say_done(using, now.mono);
    } else {
        state.say(MessageKind::Note, format!("{using}{more}"));
    }
    let in_rapid = state.add.rapid.on;
    rapid::dispatch::restore(state, left);
    state.add.rapid.on = in_rapid;
    if in_rapid && !state.may_change() {
        // It is asked about when it is begun.
        effects.extend(rapid::update::switch(state, now));
    }
    effects.extend(start(state, now));
    effects
}

/// The variable whose key goes to another host than the one before, without its profile having asked for it.
fn foreign_key(link: &Link, before: &Link) -> Option<String> {
    let setting = link.origins.iter().find(|setting| setting.name == "key")?;
    let Origin::Environment(variable) = &setting.origin else { return None };
    (link.has_key() && link.service != before.service).then(|| (*variable).to_owned())
}
