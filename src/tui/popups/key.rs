//! The box that asks for an API key: what is typed, and where it is kept once the service has accepted it.

use std::sync::Arc;
use std::time::Instant;

use super::{DEAF, FieldBox};
use crate::api::{Failure, Remedy};
use crate::config::KeyOrigin;
use crate::model::{ApiKey, Limit, PetQuery, cut, short};
use crate::tui::msg::QuitReason;
use crate::tui::screens::pets;
use crate::tui::state::Link;
use crate::tui::widgets::page::radio;
use crate::tui::{
    App, Command, Env, Health, Job, Now, Page, Place, Popup, Slot, StyleRole, TextInput, Typing, blocking, command,
};

#[derive(Debug, Default)]
pub struct KeyBox {
    /// What was typed, shown as stars unless `shown`, and why it was not taken.
    field: FieldBox,
    /// Whether what is typed can be read.
    shown: bool,
    deaf_until: Option<Instant>,
    /// Whether the key is stored once it was accepted, or used for this session only.
    pub store: bool,
    /// Whether the cursor is on that choice.
    pub choosing: bool,
    /// The file in which it can be stored, once that is known; none without a saved profile.
    file: Option<Option<String>>,
}

pub static BOX: &[Command] = &[
    command("confirm", "Enter F2", "test", "test the key", confirm),
    command("choices", "Ctrl-R", "show", "show or hide the key", |app, _| {
        if let Some(key_box) = app.popups.get_mut::<KeyBox>() {
            key_box.shown = !key_box.shown;
        }
    })
    .when(|app| app.popups.get().is_some_and(|KeyBox { field, .. }| !field.input.is_empty())),
    command("next-field", "Tab down", "store in", "where to store it", |app, _| step(app, true)),
    command("previous-field", "S-Tab up", "", "where to store it", |app, _| step(app, false)),
];

/// Behind what leads to the profiles.
pub static BOX_BELOW: &[Command] = &[command("back", "Esc F3", "close", "close; F4 opens it again", |app, _| {
    app.popups.close();
    if app.key_refused() {
        app.tell("What you typed is kept. F4 asks for the key again.");
    }
    app.cancel(Slot::TestKey);
})];

pub fn open(app: &mut App, now: Now) {
    if app.link.embedded {
        return app.tell("The service inside this program needs no key.");
    }
    app.open_key_box(false, now);
}

impl App {
    /// Opens the box. With `unasked`, keys that are under way are not taken for an answer.
    pub fn open_key_box(&mut self, unasked: bool, now: Now) {
        if self.link.ssh.is_some() {
            return self.quitting = Some(QuitReason::Revoked);
        }
        if self.is_switching() {
            // It would be for the one in use still, and what is typed could reach the other one.
            let there = short(&self.profiles.using);
            return self.tell(format!("Switching to {there}: a key can be entered after that."));
        }
        let deaf_until = unasked.then(|| now.mono + DEAF);
        self.popups.show(KeyBox { deaf_until, ..KeyBox::default() });
        self.start_if_free(FindKeyFile(self.link.name.clone()), now);
    }
}

/// From the field through the choices that there are and round to the field, or the other way.
fn step(app: &mut App, forward: bool) {
    let Some(key_box) = app.popups.get_mut::<KeyBox>() else { return };
    let can_store = matches!(key_box.file, Some(Some(_)));
    let is_last = if forward { key_box.store || !can_store } else { !key_box.store };
    match (key_box.choosing, is_last) {
        (false, _) => key_box.choosing = true,
        (true, false) => key_box.store = !key_box.store,
        (true, true) => key_box.choosing = false,
    }
}

fn confirm(app: &mut App, now: Now) {
    let Some(key_box) = app.popups.get_mut::<KeyBox>() else { return };
    match ApiKey::new(key_box.field.input.value()) {
        Err(error) => key_box.field.refuse(error.to_string()),
        Ok(typed) => {
            key_box.field.error = None;
            app.start(TestKey(typed), now);
        }
    }
}

/// Finds out in which file the key of this profile can be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct FindKeyFile(pub String);

impl Job for FindKeyFile {
    /// None without a saved profile.
    type Answer = Result<Option<String>, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::KeyFile;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || Ok(env.machine.services.key_file(&self.0))).await
    }

    fn done(&self, app: &mut App, file: Self::Answer, _: Now) {
        if let Some(key_box) = app.popups.get_mut::<KeyBox>() {
            key_box.file = Some(file.unwrap_or_default());
        }
    }
}

/// Stores a key, and notes its place in the profile.
#[derive(Clone, Debug, PartialEq)]
pub struct KeepKey {
    pub profile: String,
    pub key: ApiKey,
}

impl Job for KeepKey {
    type Answer = Result<KeyOrigin, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::WriteProfile;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || env.machine.services.keep_key(&self.profile, &self.key)).await
    }

    fn done(&self, app: &mut App, stored: Self::Answer, now: Now) {
        let accepted = "The service accepted the API key";
        let origin = match stored {
            Ok(origin) => origin,
            Err(why) => return app.complain(format!("{accepted} for this session, but it was not stored: {why}")),
        };
        let place = if let KeyOrigin::File(path) = &origin {
            format!("in {}, readable only by you", path.display())
        } else {
            origin.to_string()
        };
        app.say_done(format!("{accepted}. It is stored {place}."), now.mono);
        if app.link.name == self.profile {
            app.link.key.1 = origin;
        }
    }
}

/// Asks for one pet with this key; goes on with the key if it is accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct TestKey(pub ApiKey);

impl Job for TestKey {
    type Answer = Result<(), Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::TestKey;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let with_key = env.api("key test").await?.with_key(self.0.clone());
        let query = PetQuery { limit: Limit::MIN, ..PetQuery::default() };
        with_key.list_pets(&query).await?;
        env.changed.lock().client = Some(with_key);
        Ok(())
    }

    fn done(&self, app: &mut App, accepted: Self::Answer, now: Now) {
        let service = app.link.service.clone();
        let another_was_refused = app.key_refused() && app.link.has_key();
        let Some(key_box) = app.popups.get_mut::<KeyBox>() else { return };
        match accepted {
            Ok(()) => {
                let store = key_box.store;
                app.link.key = (self.0.ending().to_owned(), KeyOrigin::Typed);
                app.popups.take::<KeyBox>();
                app.link.health = Health::Unknown;
                app.pets.on_other_key();
                if store {
                    app.start(KeepKey { profile: app.link.name.clone(), key: self.0.clone() }, now);
                } else {
                    app.say_done("Key accepted. It is used until petstore exits.", now.mono);
                }
                app.cancel(Slot::Follow);
                pets::update::reload(app, pets::ReadNext::All, now);
            }
            Err(failure) => {
                if failure.remedy() == Remedy::EnterKey {
                    let either = if another_was_refused { " either" } else { "" };
                    key_box.field.refuse(format!("This key was not accepted{either}. Nothing has changed."));
                } else {
                    key_box.field.error = Some(format!("{} Enter tries again.", failure.sentence(&service)));
                }
                app.last_failure = Some(failure);
            }
        }
    }
}

impl Popup for KeyBox {
    fn place(&self) -> &'static Place {
        Self::PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.choosing = false;
        self.field.input.take(typing)
    }

    fn deaf_until(&self) -> Option<Instant> {
        self.deaf_until
    }

    fn draw(&self, app: &App, page: &mut Page<'_>) {
        let title = match (app.key_refused(), app.link.has_key()) {
            (true, true) => "The service needs another API key",
            (true, false) => "The service needs an API key",
            (false, _) => "Another API key",
        };
        page.popup(68, 17, title);
        let appearance = page.appearance;
        let Link { service, name, key: (ending, origin), .. } = &app.link;
        let used = if ending.is_empty() { String::new() } else { format!("ends in {ending}, ") };
        let service = if service == name { service.clone() } else { format!("{service} ({name})") };
        page.gap();
        page.text(&format!("  Service   {service}"));
        page.labelled("  Key       ", &format!("{used}{origin}"), 2);
        if let Health::KeyRefused { failure: Failure::Refused { message, .. } } = &app.link.health
            && app.link.has_key()
        {
            page.labelled("  Answer    ", &format!("\"{message}\""), 2);
        }
        page.gap();
        page.at(0, "  New key", StyleRole::Text);
        let stars = TextInput::new("*".repeat(self.field.input.value().chars().count()));
        page.input(12, 46, if self.shown { &self.field.input } else { &stars }, !self.choosing);
        page.next_row();
        if !page.tight {
            page.line("            You can paste. Ctrl-R shows or hides it.");
        }
        page.gap();
        page.at(0, "  Store it", StyleRole::Text);
        let (file, can_store) = match &self.file {
            None => ("in a file (checking ...)".to_owned(), false),
            Some(Some(file)) => (format!("in the file {file}"), true),
            Some(None) => ("in a file (needs a saved profile)".to_owned(), false),
        };
        for (store, place, works) in [(false, "for this session only", true), (true, &file, can_store)] {
            let chosen = self.store == store;
            let here = chosen && self.choosing;
            if here {
                page.point(13);
            }
            let role = if works { StyleRole::Selected.when(here) } else { StyleRole::Quiet };
            let text = format!("{} {}", radio(chosen), appearance.text(place));
            page.at(12, cut(&text, page.columns().saturating_sub(13)), role);
            page.next_row();
        }
        page.gap();
        if let Some(since) = app.pending.since(Slot::TestKey) {
            page.styled(format!("  Testing the key ... {} s", page.now.seconds_since(since)), StyleRole::Wait);
        } else if let Some(error) = &self.field.error {
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
