//! The form for a new profile: its keys, and the test before it is saved.

use std::sync::Arc;

use crate::api::{Failure, Remedy};
use crate::app::connections::Tested::{self, Answered, Failed, Unusable};
use crate::app::connections::{AddedProfile, NewService};
use crate::model::short;
use crate::tui::forms::{CHOOSE, COMPLETE, CONFIRM, TOGGLE, passes};
use crate::tui::popups::help;
use crate::tui::widgets::page::Layout;
use crate::tui::{App, Command, Env, Field, Job, NEXT, Now, PREVIOUS, Page, Place, Slot, blocking, command};

use super::list::{LIST_PLACE, ReadProfiles, answer, host, use_profile};
use super::{ADDRESS, COMMAND, FILE, KEY, State, VARIABLE, made, new_form};

const SAVE: Command = command("save", "F2", "test and save", "test it, then save it", save)
    .word(|app| app.profiles.saves_anyway().then_some("save anyway"));
const SHOWN: Command = command("choices", "Ctrl-R", "", "show or hide the key", |app, _| {
    app.profiles.form.shown = !app.profiles.form.shown
});
const BACK: Command = command("back", "Esc F3", "back", "leave, text stays", |app, _| {
    app.profiles.form_open = false;
    app.profiles.form.shown = false;
    app.tell("Your text is kept: n opens the form again.");
    app.cancel(Slot::TryProfile);
});

/// A text field.
static AT_TEXT: &[Command] = &[NEXT, PREVIOUS, SAVE, SHOWN, BACK];

pub static TEXT_PLACE: Place = Place::new("profile-text", "A new profile", &[AT_TEXT]).text();

/// The field for a file.
static AT_PATH: &[Command] = &[NEXT.at("Enter down", "next", "next field").called(""), PREVIOUS, COMPLETE, SAVE, BACK];

pub static PATH_PLACE: Place = Place::new("profile-path", "A new profile", &[AT_PATH]).text();

/// A choice.
static AT_CHOICE: &[Command] = &[
    NEXT.at("Tab", "next", "next field"),
    CONFIRM,
    PREVIOUS.at("S-Tab", "", "previous field"),
    CHOOSE,
    TOGGLE,
    SAVE,
    SHOWN,
    help::SHOW.at("?", "", "this help"),
    BACK,
];

pub static CHOICE_PLACE: Place = Place::new("profile-choice", "A new profile", &[AT_CHOICE]).letters();

/// The button.
static AT_BUTTON: &[Command] = &[
    SAVE.at("Enter F2 Space", "test and save", "test it, then save it"),
    NEXT.at("Tab down", "first field", "first field").called(""),
    PREVIOUS.at("S-Tab up", "back", "previous field"),
    SHOWN,
    help::SHOW.at("?", "", "this help"),
    BACK.at("Esc F3", "leave", "leave, text stays"),
];

pub static BUTTON_PLACE: Place = Place::new("profile-button", "A new profile", &[AT_BUTTON]).letters();

impl State {
    /// Where a key goes.
    pub fn key_place(&self) -> &'static Place {
        let places = [&TEXT_PLACE, &PATH_PLACE, &CHOICE_PLACE, &BUTTON_PLACE];
        if self.form_open { self.form.place(places) } else { &LIST_PLACE }
    }
}

/// Tests the typed profile, or saves it if that failed before; or puts the cursor on the first field to fix.
fn save(app: &mut App, now: Now) {
    let is_busy = [Slot::TryProfile, Slot::WriteProfile].into_iter().any(|slot| app.runs(slot));
    if is_busy || !passes(app, "Nothing was saved.") {
        return;
    }
    let new = made(&app.profiles.form);
    match app.profiles.tried() {
        Some(_) => app.start(AddProfile(new), now),
        None => app.start(TryProfile(new), now),
    }
}

/// Tests the service of a new profile.
#[derive(Clone, Debug, PartialEq)]
pub struct TryProfile(pub NewService);

impl Job for TryProfile {
    type Answer = Result<Tested, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::TryProfile;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let services = Arc::clone(&env.machine.services);
        Ok(services.test(move |services| services.settings_of_new(&self.0), env.recorder).await)
    }

    /// Saves it if it answers; otherwise only when the user repeats it.
    fn done(&self, app: &mut App, tested: Self::Answer, now: Now) {
        let tested = tested.unwrap_or_else(Failed);
        let form = &app.profiles.form;
        if !form.wrong(&app.known()).is_empty() || made(form) != self.0 {
            return app.tell("The form has changed since. F2 tests it as it is now.");
        }
        let at_fault = at_fault(&tested);
        let answers = matches!(tested, Answered(_));
        let profiles = &mut app.profiles;
        (profiles.tried, profiles.form.changed) = (Some(tested), false);
        if answers {
            return app.start(AddProfile(self.0.clone()), now);
        }
        at_fault.into_iter().for_each(|field| profiles.form.select(field));
        app.complain("Nothing was saved. Fix it, or press F2 to save it anyway.");
    }
}

/// Saves a new profile, and its key if one was typed.
#[derive(Clone, Debug, PartialEq)]
pub struct AddProfile(pub NewService);

impl Job for AddProfile {
    type Answer = Result<AddedProfile, String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::WriteProfile;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        blocking(move || env.machine.services.add(self.0.clone())).await
    }

    fn done(&self, app: &mut App, added: Self::Answer, now: Now) {
        let AddedProfile { file, is_default, key_lost } = match added {
            Ok(added) => added,
            Err(why) => return app.complain(format!("The profile was not saved: {why}")),
        };
        let tried = app.profiles.tried.take();
        app.profiles.form = new_form();
        app.profiles.form_open = false;
        let name = short(&self.0.name);
        let answered = match &tried {
            Some(Answered(took)) => format!(" It answered in {} ms.", took.as_millis()),
            Some(Failed(_) | Unusable(_)) | None => String::new(),
        };
        let is_first = app.is_first_start() && key_lost.is_none();
        let default = if is_default { " It is the default from the next start." } else { "" };
        match key_lost {
            None => app.say_done(format!("Added {name} to {file}.{answered}{default} Enter uses it."), now.mono),
            Some(why) => {
                app.complain(format!("Added {name} to {file}, but its API key was not stored: {why}{default}"));
            }
        }
        app.profiles.tests.extend(tried.map(|tried| (self.0.name.clone(), (now, tried))));
        app.profiles.selected.clone_from(&self.0.name);
        app.start(ReadProfiles, now);
        if is_first {
            use_profile(app, self.0.name.clone(), now);
        }
    }
}

/// The fields that a failed test is about, if that is clear.
fn at_fault(tested: &Tested) -> Vec<&'static Field> {
    let Failed(failure) = tested else { return Vec::new() };
    match failure.remedy() {
        Remedy::EnterKey | Remedy::GetPermission => vec![&KEY, &VARIABLE, &FILE, &COMMAND],
        Remedy::CheckAddress | Remedy::CheckPath | Remedy::CheckService => vec![&ADDRESS],
        Remedy::Wait(_) | Remedy::TryLater | Remedy::CorrectValue | Remedy::TrustAuthority | Remedy::None => Vec::new(),
    }
}

/// Paints the form, scrolled so that the part in use and the text below it are visible.
pub fn draw(app: &App, page: &mut Page<'_>) {
    let form = &app.profiles.form;
    page.scrolled(1, |page| {
        page.gap();
        let layout = Layout { x: 17, beside: false, gap: 0, idle: false };
        page.form(form, &layout, &app.known(), &button(app, page.now));
        if let Some(tested) = app.profiles.tried().filter(|tested| !matches!(tested, Answered(_))) {
            page.banner(&answer(tested, &host(form.value(&ADDRESS))), usize::MAX);
        }
    });
}

fn button(app: &App, now: Now) -> String {
    match app.pending.since(Slot::TryProfile) {
        Some(since) => format!("[ testing {} s ]", now.seconds_since(since)),
        None if app.runs(Slot::WriteProfile) => "[ saving ]".to_owned(),
        None if app.profiles.saves_anyway() => "[ F2 Save anyway ]".to_owned(),
        None => "[ F2 Test and save ]".to_owned(),
    }
}
