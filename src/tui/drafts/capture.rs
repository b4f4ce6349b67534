//! Takes typed text from the state, and restores it.

use serde::de::IgnoredAny;

use super::typed::{ImportDraft, Rapid, TypedText};
use crate::model::Draft;
use crate::tui::screens::add_pet::NAME;
use crate::tui::screens::add_pet::import::{self, Phase};
use crate::tui::screens::domains::wizard::Wizard;
use crate::tui::screens::profiles;
use crate::tui::state::{AppState, Screen};
use crate::tui::text_input::TextInput;

impl TypedText {
    /// The text typed in `state`.
    pub fn of(state: &AppState) -> Self {
        let (add, domains) = (&state.add, &state.domains);
        Self {
            form: add.is_typed().then(|| add.form.draft()),
            sent: add.sent.clone(),
            ahead: String::new(),
            rapid: None,
            import: import(&add.import),
            wizards: domains.unsaved_wizards().map(Wizard::draft).collect(),
            redirects: IgnoredAny,
            profile: state.profiles.form.has_text().then(|| state.profiles.form.draft()),
            // That of a view is saved.
            search: if state.pets.is_searched_as_saved() { TextInput::default() } else { state.pets.search.clone() },
            browser: domains.browser.clone(),
        }
    }

    /// Restores it. A pet that was sent comes back as a question. What is typed already for no service stays.
    pub fn restore(self, state: &mut AppState) {
        let Self { form, sent, ahead, rapid, import, wizards, redirects: _, profile, search, browser } = self;
        let add = &mut state.add;
        if let Some(form) = form {
            add.form.restore(&form);
        }
        if sent.is_some() {
            // That pet was in the form.
            add.form.set(&NAME, &ahead);
            add.sent = sent;
        }
        if let Some(Rapid { name, category, status }) = rapid.filter(|rapid| !rapid.name.is_empty()) {
            if add.form[&NAME].is_empty() {
                add.fill(Draft { name: String::new(), category_id: category.value().to_owned(), status });
            }
            let both = format!("{} {}", add.form[&NAME].value(), name.value());
            add.form.set(&NAME, both.trim_start());
        }
        // Without a name in it, the next key would begin a pet.
        if !add.form.value(&NAME).is_empty() {
            show(state);
        }
        if let Some(ImportDraft { path, begun }) = import {
            let import = &mut state.add.import;
            if begun {
                (import.unfinished, import.on) = (Some(path.value().to_owned()), true);
            }
            import.path = path;
            if begun {
                show(state);
            }
        }
        let is_free = state.domains.unsaved_wizards().next().is_none();
        for wizard in wizards.iter().filter(|_| is_free).map(Wizard::restored) {
            match wizard.entry {
                Some(_) => state.domains.left.push(wizard),
                None => state.domains.wizard = wizard,
            }
        }
        if let Some(profile) = profile
            && !state.profiles.form.has_text()
        {
            // Nothing of another service stays in it, such as a key.
            state.profiles.form = profiles::fields::new();
            state.profiles.form.restore(&profile);
        }
        if state.domains.browser.is_empty() {
            state.domains.browser = browser;
        }
        if state.pets.search.is_empty() && !search.is_empty() {
            state.pets.search = search;
            state.pets.arrange();
        }
    }
}

/// Shows the restored text, unless the user has moved on.
fn show(state: &mut AppState) {
    if state.screen == Screen::Pets && !state.popups.is_open() && !state.link.read_only {
        state.screen = Screen::AddPet;
    }
}

/// The file of an unfinished import, or the typed one.
fn import(import: &import::State) -> Option<ImportDraft> {
    let path = match (&import.unfinished, &import.phase) {
        (Some(file), _) => TextInput::new(file.clone()),
        (None, Phase::File | Phase::Looked(_)) => import.path.clone(),
        (None, Phase::Running(_)) => return None,
    };
    (!path.is_empty()).then_some(ImportDraft { path, begun: import.unfinished.is_some() })
}
