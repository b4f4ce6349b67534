//! The box that asks for an API key: what is typed, and where it is kept once the service has accepted it.

use super::jobs::PopupTask;
use super::state::{KeyBox, Popup};
use crate::api::failure::{Failure, Remedy};
use crate::clock::Now;
use crate::config::{KeepKey, KeyOrigin};
use crate::model::ApiKey;
use crate::model::text::cut;
use crate::tui::effect::Effect;
use crate::tui::keymap::KeyAction;
use crate::tui::pending::Slot;
use crate::tui::screens::profiles::jobs::{KeyPlaces, ProfileTask};
use crate::tui::screens::{add_pet, pets};
use crate::tui::state::{AppState, Health, Link, MessageKind};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::{Page, radio};

impl KeyBox {
    /// Whether a key can be stored there.
    pub fn can(&self, keep: KeepKey) -> bool {
        let places = self.places.as_ref();
        match keep {
            KeepKey::Session => true,
            KeepKey::File => places.is_some_and(|places| places.file.is_some()),
            // The profile must be able to name it, too.
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

/// Asks where the key can be stored, once for each box.
pub fn find_places(state: &mut AppState, now: Now) -> Option<Effect> {
    let asks = matches!(&state.popup, Some(Popup::Key(KeyBox { places: None, .. })));
    if !asks || state.pending.is_running(Slot::KeyPlaces) {
        return None;
    }
    Some(state.begin(ProfileTask::FindPlaces(state.link.name.clone()), now))
}

/// It is known where the key can be stored.
pub fn on_places(state: &mut AppState, places: KeyPlaces) {
    if let Some(Popup::Key(key_box)) = &mut state.popup {
        key_box.places = Some(places);
    }
}

pub fn on_action(state: &mut AppState, action: KeyAction, now: Now) -> Vec<Effect> {
    let refused = state.key_refused();
    let Some(Popup::Key(key_box)) = &mut state.popup else { return Vec::new() };
    match action {
        KeyAction::Back => {
            state.popup = None;
            if refused {
                state.say(MessageKind::Note, "What you typed is kept. F4 asks for the key again.");
            }
            return state.cancel(Slot::TestKey).into_iter().collect();
        }
        KeyAction::Choices => key_box.shown = !key_box.shown,
        KeyAction::NextField => key_box.step(true),
        KeyAction::PreviousField => key_box.step(false),
        KeyAction::Confirm => match ApiKey::new(key_box.input.value()) {
            Err(error) => {
                key_box.error = Some(error.to_string());
                key_box.input.select();
            }
            Ok(typed) => {
                key_box.error = None;
                return vec![state.begin(PopupTask::TestKey(typed), now)];
            }
        },
    }
    Vec::new()
}

/// The key was tried with one request: the worker goes on with it if it was accepted.
pub(super) fn on_key_tested(state: &mut AppState, result: Result<(), Failure>, now: Now) -> Vec<Effect> {
    let service = state.link.service.clone();
    let Some(Popup::Key(key_box)) = &mut state.popup else { return Vec::new() };
    match result {
        Ok(()) => {
            let (typed, keep) = (ApiKey::new(key_box.input.value()).ok(), key_box.keep);
            let ending = typed.as_ref().map_or(String::new(), |key| key.ending().to_owned());
            state.link.key = (ending, KeyOrigin::Typed);
            state.popup = None;
            state.link.health = Health::Unknown;
            add_pet::update::on_other_key(state);
            state.pets.follow.on_other_key();
            state.pets.provenance.on_other_key();
            let stopped = state.cancel(Slot::Follow);
            let mut effects = match (keep, typed, state.link.address.clone()) {
                (KeepKey::File | KeepKey::Keyring, Some(key), Some(address)) => {
                    let profile = state.link.name.clone();
                    vec![state.begin(ProfileTask::KeepKey { profile, address, key, keep }, now)]
                }
                (KeepKey::Session | KeepKey::File | KeepKey::Keyring, _, _) => {
                    state.say_done("Key accepted. It is used until petstore exits.", now.mono);
                    Vec::new()
                }
            };
            effects.extend(stopped);
            effects.extend(pets::update::reload(state, true, now));
            effects
        }
        Err(failure) => {
            key_box.error = Some(match failure.remedy() == Remedy::EnterKey {
                true => {
                    key_box.input.select();
                    "This key was not accepted either. Nothing has changed.".to_owned()
                }
                false => format!("{} Enter tries again.", failure.sentence(&service)),
            });
            state.last_failure = Some(failure);
            Vec::new()
        }
    }
}

pub(super) fn draw(key_box: &KeyBox, state: &AppState, now: Now, page: &mut Page<'_>) {
    let title = match (state.key_refused(), state.link.has_key()) {
        (true, true) => "The service needs another API key",
        (true, false) => "The service needs an API key",
        (false, _) => "Another API key",
    };
    page.popup(68, 18, title);
    let appearance = page.appearance;
    let Link { service, name, key: (ending, origin), .. } = &state.link;
    let used = if ending.is_empty() { String::new() } else { format!("ends in {ending}, ") };
    let service = if service == name { service.clone() } else { format!("{service} ({name})") };
    page.gap();
    page.text(&format!("  Service   {service}"));
    page.labelled("  Key       ", &format!("{used}{origin}"), 2);
    if let Health::KeyRefused { failure: Failure::Refused { message, .. } } = &state.link.health
        && state.link.has_key()
    {
        page.labelled("  Answer    ", &format!("\"{message}\""), 2);
    }
    page.gap();
    page.at(0, "  New key", StyleRole::Text);
    let stars = TextInput::new("*".repeat(key_box.input.value().chars().count()));
    page.input(12, 46, if key_box.shown { &key_box.input } else { &stars }, !key_box.choosing);
    page.next_row();
    if !page.tight {
        page.line("            You can paste. Ctrl-R shows or hides it.");
    }
    page.gap();
    page.at(0, "  Store it", StyleRole::Text);
    for keep in [KeepKey::Session, KeepKey::File, KeepKey::Keyring] {
        let chosen = key_box.keep == keep;
        let here = chosen && key_box.choosing;
        if here {
            page.point(13);
        }
        let role = if key_box.can(keep) { StyleRole::Selected.when(here) } else { StyleRole::Quiet };
        let text = format!("{} {}", radio(chosen), appearance.text(&kept_where(key_box, keep)));
        page.at(12, cut(&text, page.columns().saturating_sub(13)), role);
        page.next_row();
    }
    page.gap();
    if let Some(since) = state.pending.since(Slot::TestKey) {
        page.styled(format!("  Testing the key ... {} s", now.seconds_since(since)), StyleRole::Wait);
    } else if let Some(error) = &key_box.error {
        page.banner(error, usize::MAX);
    } else {
        page.line("  The key is tested with one request first.");
    }
    // The profile names where a stored key is, which no variable overrides.
    if let (KeyOrigin::Environment(name), KeepKey::Session) = (origin, key_box.keep) {
        page.line(format!("  Note: {} overrides it at the next start.", cut(&appearance.text(name), 30)));
    }
}

/// A place for the key, in words.
fn kept_where(key_box: &KeyBox, keep: KeepKey) -> String {
    match (keep, &key_box.places) {
        (KeepKey::Session, _) => "for this session only".to_owned(),
        (KeepKey::File, None) => "in a file (checking ...)".to_owned(),
        (KeepKey::File, Some(KeyPlaces { file: Some(file), .. })) => format!("in the file {file}"),
        (KeepKey::File, Some(KeyPlaces { file: None, .. })) => "in a file (needs a saved profile)".to_owned(),
        (KeepKey::Keyring, None) => "in the system keyring (checking ...)".to_owned(),
        (KeepKey::Keyring, Some(_)) if key_box.can(keep) => "in the system keyring".to_owned(),
        (KeepKey::Keyring, Some(_)) => "in the system keyring (not available here)".to_owned(),
    }
}
