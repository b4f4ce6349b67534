//! The box before the first change of a session to a service that is protected.

use std::time::Instant;

use super::{Popup, key::DEAF};
use crate::clock::Now;
use crate::model::NewPet;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::screens::add_pet::rapid;
use crate::tui::screens::{add_pet, pets};
use crate::tui::state::{AppState, MessageKind};

/// Add it?
#[derive(Clone, Debug, PartialEq)]
pub struct ConfirmBox {
    /// What is to be done.
    pub change: Change,
    /// Keys pressed before this moment were meant for what was there before the box.
    deaf_until: Instant,
}

/// A change that is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// This animal is added.
    Add(NewPet),
    /// So many samples are added.
    Samples(usize),
    /// Rapid entry begins; so many lines wait already.
    Rapid(usize),
}

/// Whether changes may be made to the service in use without asking.
#[must_use]
pub fn is_allowed(state: &AppState) -> bool {
    !state.link.protect || state.allowed.contains(&state.link.name)
}

/// Opens the box where the service in use is protected and nothing was allowed there in this session; `None` where the
/// change may be made.
pub fn ask(state: &mut AppState, change: Change, now: Now) -> Option<Vec<Effect>> {
    if is_allowed(state) {
        return None;
    }
    state.popup = Some(Popup::Confirm(ConfirmBox { change, deaf_until: now.mono + DEAF }));
    Some(Vec::new())
}

/// A key in the box: only one of them means yes.
pub(super) fn on_key(state: &mut AppState, asked: ConfirmBox, action: Option<Action>, now: Now) -> Vec<Effect> {
    if now.mono < asked.deaf_until {
        return Vec::new();
    }
    match action {
        Some(Action::Confirm) => {
            state.popup = None;
            state.allowed.insert(state.link.name.clone());
            match asked.change {
                Change::Add(new) => add_pet::update::send(state, new, now),
                Change::Samples(_) => pets::update::add_samples(state, now),
                Change::Rapid(_) => rapid::update::switch(state, now),
            }
        }
        Some(Action::Back) => {
            state.popup = None;
            state.say(MessageKind::Note, "Nothing was added. What you typed is kept.");
            Vec::new()
        }
        _ => Vec::new(),
    }
}
