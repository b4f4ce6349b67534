//! The form for a new profile: its keys, and the test before it is saved.

use crate::api::failure::Remedy;
use crate::clock::Now;
use crate::tui::command::{Command, change, command};
use crate::tui::effect::Effect;
use crate::tui::forms::{CHOOSE, CONFIRM, NEXT, PREVIOUS, TOGGLE, passes};
use crate::tui::path_completion::COMPLETE;
use crate::tui::pending::Slot;
use crate::tui::popups::help;
use crate::tui::state::AppState;
use crate::tui::widgets::form::Field;
use crate::tui::widgets::page::{Layout, Page};

use super::fields::{ADDRESS, COMMAND, FILE, KEY, VARIABLE, made};
use super::jobs::{ProfileTask, Tested};
use super::view::{answer, host};

const SAVE: Command = command("save", "F2", "test and save", "test it, then save it", save)
    .word(|app| app.profiles.saves_anyway().then_some("save anyway"));
const SHOWN: Command = change("choices", "Ctrl-R", "", "show or hide the key", |app, _| {
    app.profiles.form.shown = !app.profiles.form.shown
});
const BACK: Command = command("back", "Esc F3", "back", "leave, text stays", |app, _| {
    app.profiles.form_open = false;
    app.profiles.form.shown = false;
    app.tell("Your text is kept: n opens the form again.");
    app.cancel(Slot::TryProfile).into_iter().collect()
});

/// A text field.
pub static AT_TEXT: &[Command] = &[NEXT, PREVIOUS, SAVE, SHOWN, BACK];

/// The field for a file.
pub static AT_PATH: &[Command] =
    &[NEXT.at("Enter down", "next", "next field").called(""), PREVIOUS, COMPLETE, SAVE, BACK];

/// A choice.
pub static AT_CHOICE: &[Command] = &[
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

/// The button.
pub static AT_BUTTON: &[Command] = &[
    SAVE.at("Enter F2 Space", "test and save", "test it, then save it"),
    NEXT.at("Tab down", "first field", "first field").called(""),
    PREVIOUS.at("S-Tab up", "back", "previous field"),
    SHOWN,
    help::SHOW.at("?", "", "this help"),
    BACK.at("Esc F3", "leave", "leave, text stays"),
];

/// Tests the typed profile, or saves it if that failed before; or puts the cursor on the first field to fix.
fn save(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.pending.is_running(Slot::TryProfile)
        || state.pending.is_running(Slot::WriteProfile)
        || !passes(state, "Nothing was saved.")
    {
        return Vec::new();
    }
    let profiles = &mut state.profiles;
    let new = made(&profiles.form);
    profiles.new = Some(new.clone());
    let all_the_same = profiles.tried().is_some();
    let task = if all_the_same { ProfileTask::Add(new) } else { ProfileTask::Try(new) };
    vec![state.begin(task, now)]
}

/// A new profile was tested: saves it if it answers; otherwise only when the user repeats it.
pub fn on_tried(state: &mut AppState, tested: Tested, now: Now) -> Vec<Effect> {
    let form = &state.profiles.form;
    let is_as_sent = form.wrong(&state.known()).is_empty() && state.profiles.new.as_ref() == Some(&made(form));
    let profiles = &mut state.profiles;
    let Some(new) = profiles.new.clone().filter(|_| is_as_sent) else {
        return state.note("The form has changed since. F2 tests it as it is now.");
    };
    let at_fault = at_fault(&tested);
    let answers = matches!(tested, Tested::Answered(_));
    (profiles.tried, profiles.form.changed) = (Some(tested), false);
    if answers {
        return vec![state.begin(ProfileTask::Add(new), now)];
    }
    at_fault.into_iter().for_each(|field| profiles.form.select(field));
    state.fail("Nothing was saved. Fix it, or press F2 to save it anyway.")
}

/// The fields that a failed test is about, if that is clear.
fn at_fault(tested: &Tested) -> Vec<&'static Field> {
    let Tested::Failed(failure) = tested else { return Vec::new() };
    match failure.remedy() {
        Remedy::EnterKey | Remedy::GetPermission => vec![&KEY, &VARIABLE, &FILE, &COMMAND],
        Remedy::CheckAddress | Remedy::CheckPath | Remedy::CheckService => vec![&ADDRESS],
        Remedy::Wait(_) | Remedy::TryLater | Remedy::CorrectValue | Remedy::TrustAuthority | Remedy::None => Vec::new(),
    }
}

/// Paints the form, scrolled so that the part in use and the text below it are visible.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>) {
    let form = &state.profiles.form;
    page.scrolled(1, |page| {
        page.gap();
        let layout = Layout { x: 17, beside: false, gap: 0, idle: false };
        page.form(form, &layout, &state.known(), &button(state, now));
        if let Some(tested) = state.profiles.tried().filter(|tested| !matches!(tested, Tested::Answered(_))) {
            page.banner(&answer(tested, &host(form.value(&ADDRESS))), usize::MAX);
        }
    });
}

fn button(state: &AppState, now: Now) -> String {
    match state.pending.since(Slot::TryProfile) {
        Some(since) => format!("[ testing {} s ]", now.seconds_since(since)),
        None if state.pending.is_running(Slot::WriteProfile) => "[ saving ]".to_owned(),
        None if state.profiles.saves_anyway() => "[ F2 Save anyway ]".to_owned(),
        None => "[ F2 Test and save ]".to_owned(),
    }
}
