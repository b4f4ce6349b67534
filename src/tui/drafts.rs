//! Drafts: keeps typed text on disk, and restores it at the next start.
//!
//! Text is written a moment after the first unsaved key, one write at a time: a crash loses the last key at most. Each
//! service has its own drafts: its text is put aside when the user switches to another, and restored later. The samples
//! have no drafts on disk.

mod state;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::de::IgnoredAny;

use super::screens::add_pet::NAME;
use super::screens::add_pet::import;
use super::screens::domains::state::Wizard;
use super::screens::{add_pet, profiles};
use super::{App, Env, Job, Now, Screen, Slot, TextInput, blocking};
use crate::model::{Draft, short};
use state::{Aside, ImportDraft, Rapid};

pub use state::{DraftState, Drafts, Ending, TypedText, WriteDrafts};

/// From the first unsaved key to the write: shorter than people take for the next key, longer than a scan or a paste.
const SOON: Duration = Duration::from_millis(50);

/// From a failed write to the next try.
const AFTER_TROUBLE: Duration = Duration::from_secs(5);

impl Drafts {
    /// What was restored of them, as a message; `at` is the time of day, `service` the one in use.
    pub fn sentence(&self, at: &str, service: &str) -> String {
        let profile = short(&self.profile);
        let session = |ended: &str| format!("The last session {ended} at {at}. ");
        let before = match self.ended {
            None => session("ended unexpectedly"),
            Some(Ending::Hangup) => session("lost its terminal"),
            Some(Ending::Fault) => session("crashed"),
            Some(Ending::Signal) => session("was stopped by a signal"),
            Some(Ending::Quit) => String::new(),
        };
        let importing = self.typed.import.as_ref().filter(|import| import.begun).map(|import| import.path.value());
        let what = match (&self.typed.sent, importing) {
            (Some(sent), _) => {
                let pet = short(&sent.new.name);
                format!("{pet} was sent to {service} without an answer. It is sent again where that is safe (2, F6).")
            }
            (None, Some(path)) => {
                let file = short(path.rsplit('/').next().unwrap_or(path));
                format!("The import of {file} is not finished: F2 continues it, F8 drops it.")
            }
            (None, None) => {
                let from = if before.is_empty() { format!(" from {at}") } else { String::new() };
                format!("Your text for {profile}{from} is restored. None of it was sent.")
            }
        };
        before + &what
    }
}

/// The identity of the service, if it has drafts.
fn identity(app: &App) -> Option<&str> {
    app.link.identity.as_deref().filter(|_| !app.is_first_start())
}

/// Restores what an earlier session left for this service.
pub fn on_opened(app: &mut App, opened: Result<Option<Drafts>, String>) {
    match opened {
        Err(why) => app.drafts.trouble = Some(why),
        Ok(Some(drafts)) if drafts.typed != TypedText::of(app) => {
            app.drafts.on_disk = drafts.typed.clone();
            drafts.typed.clone().restore(app);
            app.drafts.back = Some(drafts);
        }
        Ok(_) => {}
    }
}

/// Puts aside the text typed for the service in use, before a switch. Returns whether there was any.
pub fn leave(app: &mut App, now: Now) -> bool {
    let identity = identity(app).map(str::to_owned);
    let is_typed = has_typed(app);
    let write = write_of(app, TypedText::of(app).for_service(), Some(Ending::Quit), now);
    if let Some(write) = write.clone() {
        begin(app, write, now);
    }
    let add = app.add.put_aside();
    app.drafts.aside.insert(identity, Aside { profile: app.link.name.clone(), add, write });
    is_typed
}

/// After a switch: restores the text put aside for this service, or what an earlier session left for it. Returns
/// whether there was any text.
pub fn enter(app: &mut App, opened: Result<Option<Drafts>, String>, now: Now) -> bool {
    let DraftState { number, mut aside, .. } = std::mem::take(&mut app.drafts);
    let here = aside.remove(&app.link.identity);
    app.drafts = DraftState { number, aside, ..DraftState::default() };
    let mut written = None;
    if let Some(Aside { add, write, .. }) = here {
        app.add = add;
        // The check of its file was cancelled.
        import::update::look_again(app, now);
        written = write;
    }
    match written {
        Some(write) => app.drafts.on_disk = write.drafts.typed,
        None => on_opened(app, opened),
    }
    has_typed(app)
}

/// Whether anything is typed for the service in use.
fn has_typed(app: &App) -> bool {
    app.add.import.pasted.is_some() || !TypedText::of(app).for_service().is_empty()
}

/// The typed text may have changed: writes it once that is due.
pub fn notice(app: &mut App, now: Now) {
    let Some(write) = write_of(app, TypedText::of(app), None, now) else { return };
    let typed = &write.drafts.typed;
    let drafts = &mut app.drafts;
    if typed == drafts.writing.as_ref().unwrap_or(&drafts.on_disk) {
        (drafts.since, drafts.at_once) = (None, false);
        if drafts.writing.is_none() {
            drafts.trouble = None;
        }
        return;
    }
    drafts.since.get_or_insert(now.mono);
    if next_due(app).is_some_and(|due| due <= now.mono) {
        let drafts = &mut app.drafts;
        (drafts.writing, drafts.tried) = (Some(typed.clone()), Some(now.mono));
        (drafts.since, drafts.at_once) = (None, false);
        begin(app, write, now);
    }
}

/// When the next write is due.
pub fn next_due(app: &App) -> Option<Instant> {
    let DraftState { since, at_once, tried, trouble, .. } = &app.drafts;
    let since = since.filter(|_| !app.pending.is_running(Slot::Drafts))?;
    match tried.filter(|_| trouble.is_some()) {
        _ if *at_once => Some(since),
        Some(tried) => Some((since + SOON).max(tried + AFTER_TROUBLE)),
        None => Some(since + SOON),
    }
}

fn write_of(app: &App, mut typed: TypedText, ended: Option<Ending>, now: Now) -> Option<WriteDrafts> {
    let identity = identity(app)?.to_owned();
    if ended == Some(Ending::Quit) {
        // After a normal exit, the next session starts without a search.
        typed.search.clear();
    }
    let drafts = Drafts { identity, profile: app.link.name.clone(), at: now.wall, ended, typed };
    Some(WriteDrafts { number: app.drafts.number + 1, drafts: Box::new(drafts) })
}

fn begin(app: &mut App, write: WriteDrafts, now: Now) {
    app.drafts.number = write.number;
    app.start(write, now);
}

impl Job for WriteDrafts {
    type Answer = Result<(), String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Drafts;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let Some(files) = env.machine.drafts.clone() else { return Ok(()) };
        blocking(move || self.write(&files)).await
    }

    fn done(&self, app: &mut App, written: Self::Answer, now: Now) {
        let drafts = &mut app.drafts;
        let writing = drafts.writing.take();
        if let Err(why) = written {
            drafts.trouble = Some(why);
        } else if let Some(typed) = writing {
            drafts.written_at = (!typed.is_empty()).then_some(now.wall);
            (drafts.on_disk, drafts.trouble) = (typed, None);
        }
    }
}

/// The text put aside for other services: the profile, the text, and whether it is on disk.
pub fn left(app: &App) -> impl Iterator<Item = (&str, &add_pet::State, bool)> {
    let aside = app.drafts.aside.values();
    aside.map(|Aside { profile, add, write, .. }| (profile.as_str(), add, write.is_some()))
}

/// The writes due when petstore ends, for each service that was used.
pub fn last(app: &App, ended: Ending, now: Now) -> Vec<WriteDrafts> {
    let aside = app.drafts.aside.values().filter_map(|aside| aside.write.clone());
    aside.chain(write_of(app, TypedText::of(app), Some(ended), now)).collect()
}

impl TypedText {
    /// The text typed in `app`.
    pub fn of(app: &App) -> Self {
        let (add, domains) = (&app.add, &app.domains);
        Self {
            form: add.is_typed().then(|| add.form.draft()),
            sent: add.sent.clone(),
            ahead: String::new(),
            rapid: None,
            import: import(&add.import),
            pasted: add.import.draft(),
            wizards: domains.unsaved_wizards().map(Wizard::draft).collect(),
            redirects: IgnoredAny,
            profile: app.profiles.form.has_text().then(|| app.profiles.form.draft()),
            // That of a view is saved.
            search: if app.pets.is_searched_as_saved() { TextInput::default() } else { app.pets.search.clone() },
            browser: domains.browser.clone(),
        }
    }

    /// Restores it. A pet that was sent comes back as a question. What is typed already for no service stays.
    pub fn restore(self, app: &mut App) {
        let Self { form, sent, ahead, rapid, import, pasted, wizards, redirects: _, profile, search, browser } = self;
        let add = &mut app.add;
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
            show(app);
        }
        if let Some(ImportDraft { path, begun }) = import {
            if begun {
                show(app);
                let import = &mut app.add.import;
                (import.unfinished, import.on) = (Some(path.value().to_owned()), true);
            }
            app.add.import.path = path;
        }
        if let Some(pasted) = pasted {
            import::update::restore(app, pasted);
            show(app);
        }
        let is_free = app.domains.unsaved_wizards().next().is_none();
        for wizard in wizards.iter().filter(|_| is_free).map(Wizard::restored) {
            match wizard.entry {
                Some(_) => app.domains.left.push(wizard),
                None => app.domains.wizard = wizard,
            }
        }
        if let Some(profile) = profile
            && !app.profiles.form.has_text()
        {
            // Nothing of another service stays in it, such as a key.
            app.profiles.form = profiles::new_form();
            app.profiles.form.restore(&profile);
        }
        if app.domains.browser.is_empty() {
            app.domains.browser = browser;
        }
        if app.pets.search.is_empty() && !search.is_empty() {
            app.pets.search = search;
            app.pets.arrange();
        }
    }
}

/// Shows the restored text, unless the user has moved on.
fn show(app: &mut App) {
    if app.screen == Screen::Pets && !app.popups.is_open() && !app.link.read_only {
        app.screen = Screen::AddPet;
    }
}

/// The file of an unfinished import, or the typed one.
fn import(import: &import::State) -> Option<ImportDraft> {
    let path = match &import.unfinished {
        Some(file) => TextInput::new(file.clone()),
        None if import.running().is_some() => return None,
        None => import.path.clone(),
    };
    (!path.is_empty()).then_some(ImportDraft { path, begun: import.unfinished.is_some() })
}
