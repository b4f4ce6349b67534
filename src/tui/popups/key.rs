//! The box that asks for an API key: what is typed, and where it is kept once the service has accepted it.

use std::time::Instant;

use super::jobs::PopupTask;
use super::stack::Popup;
use super::state::DEAF;
use crate::api::failure::{Failure, Remedy};
use crate::clock::Now;
use crate::config::KeyOrigin;
use crate::model::ApiKey;
use crate::model::text::{cut, short};
use crate::tui::command::{Command, change, command};
use crate::tui::context::Context;
use crate::tui::effect::Effect;
use crate::tui::msg::QuitReason;
use crate::tui::pending::Slot;
use crate::tui::screens::profiles::jobs::ProfileTask;
use crate::tui::screens::{add_pet, pets};
use crate::tui::state::{AppState, Health, Layout, Link};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::{Page, radio};

#[derive(Debug, Default)]
pub struct KeyBox {
    /// What was typed. Shown as stars unless `shown`.
    pub input: TextInput,
    /// Whether what is typed can be read.
    shown: bool,
    /// Why the key typed was not taken.
    error: Option<String>,
    deaf_until: Option<Instant>,
    /// Whether the key is stored once it was accepted, or used for this session only.
    pub store: bool,
    /// Whether the cursor is on that choice.
    pub choosing: bool,
    /// The file in which it can be stored, once that is known; none without a saved profile.
    file: Option<Option<String>>,
}

impl KeyBox {
    /// Whether a key can be stored.
    const fn can_store(&self) -> bool {
        matches!(self.file, Some(Some(_)))
    }

    /// From the field through the choices that there are and round to the field, or the other way.
    const fn step(&mut self, forward: bool) {
        let is_last = if forward { self.store || !self.can_store() } else { !self.store };
        match (self.choosing, is_last) {
            (false, _) => self.choosing = true,
            (true, false) => self.store = !self.store,
            (true, true) => self.choosing = false,
        }
    }
}

/// Asks in which file the key can be stored, once for each box.
pub fn find_key_file(state: &mut AppState, now: Now) -> Option<Effect> {
    let asks = state.popups.get().is_some_and(|KeyBox { file, .. }| file.is_none());
    if !asks || state.pending.is_running(Slot::KeyFile) {
        return None;
    }
    Some(state.begin(ProfileTask::FindKeyFile(state.link.name.clone()), now))
}

/// It is known in which file the key can be stored, if in any.
pub fn on_key_file(state: &mut AppState, file: Option<String>) {
    if let Some(key_box) = state.popups.get_mut::<KeyBox>() {
        key_box.file = Some(file);
    }
}

pub static BOX: &[Command] = &[
    command("confirm", "Enter F2", "test", "test the key", confirm),
    change("choices", "Ctrl-R", "show", "show or hide the key", |app, _| {
        if let Some(key_box) = app.popups.get_mut::<KeyBox>() {
            key_box.shown = !key_box.shown;
        }
    })
    .when(|app| app.popups.get().is_some_and(|KeyBox { input, .. }| !input.is_empty())),
    change("next-field", "Tab down", "store in", "where to store it", |app, _| step(app, true)),
    change("previous-field", "S-Tab up", "", "where to store it", |app, _| step(app, false)),
];

/// Behind what leads to the profiles.
pub static BOX_BELOW: &[Command] = &[command("back", "Esc F3", "close", "close; F4 opens it again", |app, _| {
    app.popups.close();
    if app.key_refused() {
        app.tell("What you typed is kept. F4 asks for the key again.");
    }
    app.cancel(Slot::TestKey).into_iter().collect()
})];

pub fn open(app: &mut AppState, now: Now) {
    if app.link.embedded {
        return app.tell("The service inside this program needs no key.");
    }
    app.open_key_box(false, now);
}

impl AppState {
    /// Opens the box. With `unasked`, keys that are under way are not taken for an answer.
    pub fn open_key_box(&mut self, unasked: bool, now: Now) {
        if self.link.ssh.is_some() {
            self.quitting = Some(QuitReason::Revoked);
            return;
        }
        if self.is_switching() {
            // It would be for the one in use still, and what is typed could reach the other one.
            let there = short(&self.profiles.using);
            return self.tell(format!("Switching to {there}: a key can be entered after that."));
        }
        let deaf_until = unasked.then(|| now.mono + DEAF);
        self.popups.show(KeyBox { deaf_until, ..KeyBox::default() });
    }
}

fn step(app: &mut AppState, forward: bool) {
    if let Some(key_box) = app.popups.get_mut::<KeyBox>() {
        key_box.step(forward);
    }
}

fn confirm(app: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(key_box) = app.popups.get_mut::<KeyBox>() else { return Vec::new() };
    match ApiKey::new(key_box.input.value()) {
        Err(error) => {
            key_box.error = Some(error.to_string());
            key_box.input.select();
            Vec::new()
        }
        Ok(typed) => {
            key_box.error = None;
            vec![app.begin(PopupTask::TestKey(typed), now)]
        }
    }
}

/// The key was tried with one request: the worker goes on with it if it was accepted.
pub(super) fn on_key_tested(state: &mut AppState, result: Result<(), Failure>, now: Now) -> Vec<Effect> {
    let service = state.link.service.clone();
    let Some(key_box) = state.popups.get_mut::<KeyBox>() else { return Vec::new() };
    match result {
        Ok(()) => {
            let (typed, store) = (ApiKey::new(key_box.input.value()).ok(), key_box.store);
            let ending = typed.as_ref().map_or(String::new(), |key| key.ending().to_owned());
            state.link.key = (ending, KeyOrigin::Typed);
            state.popups.take::<KeyBox>();
            state.link.health = Health::Unknown;
            add_pet::update::on_other_key(state);
            state.pets.follow.on_other_key();
            state.pets.provenance.on_other_key();
            let stopped = state.cancel(Slot::Follow);
            let mut effects = match typed.filter(|_| store) {
                Some(key) => {
                    let profile = state.link.name.clone();
                    vec![state.begin(ProfileTask::KeepKey { profile, key }, now)]
                }
                None => {
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

impl Popup for KeyBox {
    fn context(&self) -> Context {
        Context::KeyBox
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.choosing = false;
        self.input.take(typing)
    }

    fn deaf_until(&self) -> Option<Instant> {
        self.deaf_until
    }

    fn draw(&self, state: &AppState, now: Now, page: &mut Page<'_>, _: &mut Layout) {
        let title = match (state.key_refused(), state.link.has_key()) {
            (true, true) => "The service needs another API key",
            (true, false) => "The service needs an API key",
            (false, _) => "Another API key",
        };
        page.popup(68, 17, title);
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
        let stars = TextInput::new("*".repeat(self.input.value().chars().count()));
        page.input(12, 46, if self.shown { &self.input } else { &stars }, !self.choosing);
        page.next_row();
        if !page.tight {
            page.line("            You can paste. Ctrl-R shows or hides it.");
        }
        page.gap();
        page.at(0, "  Store it", StyleRole::Text);
        for store in [false, true] {
            let chosen = self.store == store;
            let here = chosen && self.choosing;
            if here {
                page.point(13);
            }
            let role = if !store || self.can_store() { StyleRole::Selected.when(here) } else { StyleRole::Quiet };
            let text = format!("{} {}", radio(chosen), appearance.text(&kept_where(self, store)));
            page.at(12, cut(&text, page.columns().saturating_sub(13)), role);
            page.next_row();
        }
        page.gap();
        if let Some(since) = state.pending.since(Slot::TestKey) {
            page.styled(format!("  Testing the key ... {} s", now.seconds_since(since)), StyleRole::Wait);
        } else if let Some(error) = &self.error {
            page.banner(error, usize::MAX);
        } else {
            page.line("  The key is tested with one request first.");
        }
        // The profile names where a stored key is, which no variable overrides.
        if let (KeyOrigin::Environment(name), false) = (origin, self.store) {
            page.line(format!("  Note: {} overrides it at the next start.", cut(&appearance.text(name), 30)));
        }
    }
}

/// What becomes of the key, in words.
fn kept_where(key_box: &KeyBox, store: bool) -> String {
    match &key_box.file {
        _ if !store => "for this session only".to_owned(),
        None => "in a file (checking ...)".to_owned(),
        Some(Some(file)) => format!("in the file {file}"),
        Some(None) => "in a file (needs a saved profile)".to_owned(),
    }
}
