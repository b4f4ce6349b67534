//! The box that asks for an API key: what is typed, and where it is kept once the service has accepted it.

use std::time::Duration;

use super::state::{KeyBox, Popup};
use crate::clock::Now;
use crate::config::KeepKey;
use crate::model::ApiKey;
use crate::model::text::short;
use crate::tui::effect::Effect;
use crate::tui::keymap::KeyAction;
use crate::tui::pending::Slot;
use crate::tui::popups::jobs::PopupTask;
use crate::tui::screens::profiles::jobs::{KeyPlaces, ProfileTask};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::Typing;

/// Keys under way when the box opens by itself are not taken for an answer for so long.
pub(super) const DEAF: Duration = Duration::from_millis(250);

impl KeyBox {
    /// Whether a key can be kept there.
    #[must_use]
    pub fn can(&self, keep: KeepKey) -> bool {
        let places = self.places.as_ref();
        match keep {
            KeepKey::Session => true,
            KeepKey::File => places.is_some_and(|places| places.file.is_some()),
            // The profile must be able to say so, too.
            KeepKey::Keyring => places.is_some_and(|places| places.keyring && places.file.is_some()),
        }
    }

    /// From the field through the places that there are and round to the field, or the other way.
    fn step(&mut self, forward: bool) {
        let places = [KeepKey::Session, KeepKey::File, KeepKey::Keyring].into_iter().filter(|keep| self.can(*keep));
        let places: Vec<_> = if forward { places.collect() } else { places.rev().collect() };
        let here = places.iter().position(|keep| *keep == self.keep).unwrap_or(0);
        match (self.choosing, places.get(here + 1)) {
            (false, _) => self.choosing = true,
            (true, Some(keep)) => self.keep = *keep,
            (true, None) => self.choosing = false,
        }
    }

    /// What is typed goes into the field.
    pub(super) fn on_typing(&mut self, typing: Typing<'_>) {
        self.choosing = false;
        self.input.take(typing);
    }
}

/// Opens the box. With `by_itself`, keys that are under way are not taken for an answer.
pub fn open_key_box(state: &mut AppState, by_itself: bool, now: Now) {
    if state.is_switching() {
        // It would be for the one in use still, and what is typed could reach the other one.
        let there = short(&state.profiles.using);
        return state.say(MessageKind::Note, format!("Switching to {there}: a key can be entered after that."));
    }
    let deaf_until = by_itself.then(|| now.mono + DEAF);
    state.popup = Some(Popup::Key(KeyBox { deaf_until, ..KeyBox::default() }));
}

/// Asks where the key can be kept, once for each box.
pub fn find_places(state: &mut AppState, now: Now) -> Option<Effect> {
    let asks = matches!(&state.popup, Some(Popup::Key(KeyBox { places: None, .. })));
    if !asks || state.pending.is_running(Slot::KeyPlaces) {
        return None;
    }
    Some(state.begin(ProfileTask::FindPlaces(state.link.name.clone()), now))
}

/// It is known where the key can be kept.
pub fn on_places(state: &mut AppState, places: KeyPlaces) {
    if let Some(Popup::Key(key_box)) = &mut state.popup {
        key_box.places = Some(places);
    }
}

/// A key in the box.
pub fn on_action(state: &mut AppState, action: KeyAction, now: Now) -> Vec<Effect> {
    let refused = state.key_refused();
    let Some(Popup::Key(key_box)) = &mut state.popup else { return Vec::new() };
    match action {
        KeyAction::Back => {
            state.popup = None;
            if refused {
                state.say(MessageKind::Note, "Your place and what you typed are kept. F4 asks for the key again.");
            }
            return state.cancel(Slot::TestKey).into_iter().collect();
        }
        KeyAction::Choices => key_box.shown = !key_box.shown,
        KeyAction::NextField => key_box.step(true),
        KeyAction::PreviousField => key_box.step(false),
        KeyAction::Confirm => match ApiKey::new(key_box.input.value()) {
            Err(error) => key_box.error = Some(error.to_string()),
            Ok(typed) => {
                key_box.error = None;
                return vec![state.begin(PopupTask::TestKey(typed), now)];
            }
        },
    }
    Vec::new()
}
