//! Takes typed text from the state, and restores it.

use serde::de::IgnoredAny;

use super::typed::{ImportDraft, Rapid, TypedText};
use crate::app::outbox::unknown_outcome::UnknownOutcome;
use crate::tui::key::{Key, KeyPress};
use crate::tui::screens::add_pet::import::{self, Phase};
use crate::tui::screens::add_pet::state::Held;
use crate::tui::screens::domains::wizard::Wizard;
use crate::tui::screens::profiles;
use crate::tui::state::{AppState, Screen};
use crate::tui::text_input::TextInput;

impl TypedText {
    /// The text typed in `state`.
    pub fn of(state: &AppState) -> Self {
        let (add, domains) = (&state.add, &state.domains);
        let form = (add.is_typed() || add.sent.is_some()).then(|| add.form.draft());
        Self {
            form,
            sent: add.sent.clone(),
            ahead: ahead(&add.held),
            rapid: (!add.rapid.name.is_empty()).then(|| Rapid {
                name: add.rapid.name.clone(),
                category: add.rapid.category.clone(),
                status: add.rapid.status,
            }),
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
        if let Some(form) = form {
            state.add.form.restore(&form);
            if state.add.form.has_text() {
                show(state);
            }
        }
        if let Some(sent) = sent {
            state.add.unknown_outcome = Some(UnknownOutcome::default());
            // A protected service asks first. The embedded store has a new key in each session.
            let same_key = !state.link.embedded && state.link.has_key() && state.link.key.0 == sent.api_key;
            state.add.unsettled = same_key && state.may_change();
            state.add.sent = Some(sent);
            if !ahead.is_empty() {
                state.add.held.push(Held::Paste(ahead));
            }
        }
        if let Some(Rapid { name, category, status }) = rapid {
            let is_text = !name.is_empty();
            let add = &mut state.add;
            (add.rapid.name, add.rapid.category, add.rapid.status) = (name, category, status);
            // Without a name in it, the next key would begin a pet. A protected service asks when rapid entry is opened.
            if is_text && state.may_change() {
                state.add.rapid.on = true;
                show(state);
            }
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

/// The text of keys and pastes.
fn ahead(held: &[Held]) -> String {
    let mut text = String::new();
    for typed in held {
        if let Held::Key(KeyPress { key: Key::Char(c), ctrl: false, alt: false }) = typed {
            text.push(*c);
        } else if let Held::Paste(pasted) = typed {
            text.push_str(pasted);
        } else if !text.is_empty() && !text.ends_with(' ') {
            // Keys that separate fields separate words.
            text.push(' ');
        }
    }
    text
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
