//! Handles keys and replies of the profiles screen.

use crate::api::failure::Remedy;
use crate::clock::Now;
use crate::config::{KeyOrigin, ServiceLocation};
use crate::model::escape::shell_word;
use crate::model::text::short;
use crate::model::words::counted;
use crate::tui::command::{Command, LETTERS, SHORT_LIST, change, command, moves, moves_on};
use crate::tui::effect::Effect;
use crate::tui::path_completion::COMPLETE;
use crate::tui::pending::Slot;
use crate::tui::popups::{KeyBox, copy, help, key};
use crate::tui::state::{AppState, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::form::{self, FormAction, FormEvent};
use crate::tui::widgets::list::moved;

use super::change;
use super::form::Focus;
use super::jobs::{AddedProfile, ProfileReply, ProfileTask, Tested};

/// Why a session over SSH shows no profiles and asks for no key.
pub const ONE_SERVICE: &str = "A session over SSH has one service and one API key.";

pub const SHOW: Command = command("profiles", "P", "", "profiles", show)
    .everywhere()
    .not_over_ssh(ONE_SERVICE)
    .shell(|_| Some("profiles list".to_owned()));

pub static PROFILES: &[Command] = &[
    command("confirm", "Enter F2", "use", "use it", change::begin),
    command("test-profile", "t", "test", "test its service", test)
        .shell(|app| Some(format!("profiles test {}", shell_word(&app.profiles.entry()?.name)))),
    change("new-profile", "n a", "new", "a new profile", |app, _| app.profiles.form_open = true)
        .shell(|_| Some("profiles add NAME --base-url URL".to_owned())),
    command("refresh", "r F5", "", "read the file again", show),
    change("enter-key", "K F4", "key", "enter another key", enter_key),
    command("copy", "y", "copy address", "copy the address", copy_address),
    moves(SHORT_LIST, "", "move|first, last", |app, movement, _| {
        let lines = app.profiles.entries().len();
        app.profiles.move_to(moved(app.profiles.cursor(), movement, lines, lines));
    }),
    change("back", "Esc F3 q", "back", "back", |app, _| app.screen = app.profiles.from),
];

pub(in crate::tui) fn around(app: &mut AppState, command: &Command, now: Now) -> Vec<Effect> {
    let needs_one = !["back", "refresh", "new-profile"].contains(&command.name);
    if needs_one && app.profiles.list.is_none() && app.pending.is_running(Slot::Profiles) {
        return app.note("The profiles are being read.");
    }
    command.run(app, now)
}

const NEXT: Command =
    command("next-field", "Tab Enter down", "next", "next field", |app, now| on_form(app, FormAction::NextField, now))
        .called("Tab/Enter");
const PREVIOUS: Command = command("previous-field", "S-Tab up", "", "previous field", |app, now| {
    on_form(app, FormAction::PreviousField, now)
});
const SAVE: Command =
    command("save", "F2", "test and save", "test it, then save it", |app, now| on_form(app, FormAction::Save, now))
        .word(|app| app.profiles.form.saves_anyway().then_some("save anyway"));
const SHOWN: Command = change("choices", "Ctrl-R", "", "show or hide the key", |app, _| {
    app.profiles.form.shown = !app.profiles.form.shown
});
const BACK: Command = command("back", "Esc F3", "back", "leave, text stays", |app, _| {
    app.profiles.form_open = false;
    app.profiles.form.shown = false;
    app.tell("Your text is kept: n opens the form again.");
    app.cancel(Slot::TryProfile).into_iter().collect()
});

/// A text field of the form for a profile.
pub static FORM_TEXT: &[Command] = &[NEXT, PREVIOUS, SAVE, SHOWN, BACK];

/// The field for a file there.
pub static FORM_PATH: &[Command] =
    &[NEXT.at("Enter down", "next", "next field").called(""), PREVIOUS, COMPLETE, SAVE, BACK];

/// A choice of it.
pub static FORM_CHOICE: &[Command] = &[
    NEXT.at("Tab", "next", "next field"),
    command("confirm", "Enter", "", "next field", |app, now| on_form(app, FormAction::NextField, now)),
    PREVIOUS.at("S-Tab", "", "previous field"),
    moves_on(LETTERS, "choose", "choose", |app, movement, now| on_form(app, FormAction::Move(movement), now)),
    command("toggle", "Space", "", "change it", |app, now| on_form(app, FormAction::Toggle, now)),
    SAVE,
    SHOWN,
    help::SHOW.at("?", "", "this help"),
    BACK,
];

/// Its button.
pub static FORM_BUTTON: &[Command] = &[
    SAVE.at("Enter F2 Space", "test and save", "test it, then save it"),
    NEXT.at("Tab down", "first field", "first field").called(""),
    PREVIOUS.at("S-Tab up", "back", "previous field"),
    SHOWN,
    help::SHOW.at("?", "", "this help"),
    BACK.at("Esc F3", "leave", "leave, text stays"),
];

/// Shows the screen.
pub fn show(state: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = Vec::from_iter(state.cancel(Slot::TestKey));
    if state.popups.take::<KeyBox>().is_some() {}
    if state.screen != Screen::Profiles {
        // Two screens that return to each other could never be left.
        state.profiles.from = match (state.screen, state.requests.back) {
            (Screen::Requests, Screen::Profiles) => state.profiles.from,
            (Screen::Requests, before) => before,
            (here, _) => here,
        };
        state.profiles.selected.clone_from(&state.link.name);
        state.screen = Screen::Profiles;
    }
    state.pets.searching = false;
    effects.push(state.begin(ProfileTask::Read, now));
    effects
}

/// Puts typed text into the field with the cursor.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>) -> bool {
    state.message = None;
    let form = &mut state.profiles.form;
    let Some(input) = form.input() else { return false };
    let is_cut = input.take(typing);
    form.tried = None;
    is_cut
}

/// A key in the form.
fn on_form(state: &mut AppState, action: FormAction, now: Now) -> Vec<Effect> {
    state.message = None;
    let form = &mut state.profiles.form;
    let parts = form.parts();
    match form::update(&mut form.focus, &parts, action) {
        FormEvent::Left(part) => {
            form.checked.insert(part);
        }
        FormEvent::Choose(movement) => form.choose(movement),
        FormEvent::Toggle => form.protect = !form.protect,
        FormEvent::Submit => return save(state, now),
        FormEvent::None => {}
    }
    Vec::new()
}

/// Tests the typed profile, or saves it if that failed before; or puts the cursor on the first field to fix.
fn save(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.pending.is_running(Slot::TryProfile) || state.pending.is_running(Slot::WriteProfile) {
        return Vec::new();
    }
    let taken: Vec<String> = state.profiles.entries().iter().map(|entry| entry.name.clone()).collect();
    let form = &mut state.profiles.form;
    match form.check(|name| taken.iter().any(|taken| taken == name)) {
        Err(wrong) => {
            form.focus = wrong.first().copied().unwrap_or_default();
            if let Some(input) = form.input() {
                input.select();
            }
            let fields = counted(wrong.len(), "field");
            state.fail(format!("Fix {fields} first. Nothing was saved."))
        }
        Ok(new) => {
            let all_the_same = form.tried.is_some();
            state.profiles.new = Some(new.clone());
            let task = if all_the_same { ProfileTask::Add(new) } else { ProfileTask::Try(new) };
            vec![state.begin(task, now)]
        }
    }
}

fn test(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(name) = state.profiles.entry().map(|entry| entry.name.clone()) else { return Vec::new() };
    state.profiles.testing.clone_from(&name);
    let in_use = name == state.link.name && !state.is_first_start();
    vec![state.begin(ProfileTask::Test { name, in_use }, now)]
}

fn enter_key(state: &mut AppState, now: Now) {
    let Some(entry) = state.profiles.entry() else { return };
    if entry.name != state.link.name {
        let text =
            format!("K sets the API key of the profile in use. Press Enter to use {} first.", short(&entry.name));
        state.tell(text);
    } else if state.link.embedded {
        state.tell("The embedded store makes its own API key.");
    } else {
        state.open_key_box(false, now);
    }
}

fn copy_address(state: &mut AppState, now: Now) -> Vec<Effect> {
    match state.profiles.entry().map(|entry| entry.place.clone()) {
        Some(ServiceLocation::At(address)) => return copy(state, address, "the address", now),
        Some(ServiceLocation::Inside | ServiceLocation::Demo) => {
            state.tell("The embedded store has a new address each time.");
        }
        Some(ServiceLocation::Unclear) | None => state.tell("No address to copy."),
    }
    Vec::new()
}

/// Handles a reply about profiles.
pub fn on_reply(state: &mut AppState, reply: ProfileReply, now: Now) -> Vec<Effect> {
    match reply {
        ProfileReply::Read(Ok(profiles)) => state.profiles.list = Some(profiles),
        ProfileReply::Read(Err(why)) => state.complain(format!("Cannot read the profiles: {why}")),
        ProfileReply::Used(Ok(used)) => return change::on_used(state, *used, now),
        ProfileReply::Used(Err(why)) => change::on_failed(state, &why),
        ProfileReply::Tried(tested) => return on_tried(state, tested, now),
        ProfileReply::Tested(tested) => {
            let name = std::mem::take(&mut state.profiles.testing);
            state.profiles.tests.insert(name, (now, tested));
        }
        ProfileReply::Added(Ok(added)) => return on_added(state, added, now),
        ProfileReply::Added(Err(why)) => state.complain(format!("The profile was not saved: {why}")),
        ProfileReply::KeyFile(file) => key::on_key_file(state, file),
        ProfileReply::KeyStored(Ok(origin)) => {
            state.say_done(format!("The service accepted the API key. It is stored {}.", place(&origin)), now.mono);
            state.link.key.1 = origin;
        }
        ProfileReply::KeyStored(Err(why)) => {
            let text = format!("The service accepted the API key for this session, but it was not stored: {why}");
            state.complain(text);
        }
        ProfileReply::NotWritten(failure) => state.complain(failure.sentence("this program")),
    }
    Vec::new()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others have their own words")]
fn place(origin: &KeyOrigin) -> String {
    match origin {
        KeyOrigin::File(path) => format!("in {}, readable only by you", path.display()),
        other => other.to_string(),
    }
}

/// A new profile was tested: saves it if it answers; otherwise only when the user repeats it.
fn on_tried(state: &mut AppState, tested: Tested, now: Now) -> Vec<Effect> {
    let profiles = &mut state.profiles;
    let is_taken = |name: &str| profiles.list.iter().flat_map(|list| &list.entries).any(|entry| entry.name == name);
    let Some(new) = profiles.new.clone().filter(|new| profiles.form.check(is_taken).as_ref() == Ok(new)) else {
        return state.note("The form has changed since. F2 tests it as it is now.");
    };
    let answers = matches!(tested, Tested::Answered(_));
    let at_fault = at_fault(&tested);
    profiles.form.tried = Some(tested);
    if answers {
        return vec![state.begin(ProfileTask::Add(new), now)];
    }
    let form = &mut profiles.form;
    if let Some(part) = at_fault.filter(|part| form.parts().iter().any(|(there, _)| there == part)) {
        form.focus = part;
        if let Some(input) = form.input() {
            input.select();
        }
    }
    state.fail("Nothing was saved. Fix it, or press F2 to save it anyway.")
}

/// The field that a failed test is about, if that is clear.
fn at_fault(tested: &Tested) -> Option<Focus> {
    let Tested::Failed(failure) = tested else { return None };
    match failure.remedy() {
        Remedy::EnterKey | Remedy::GetPermission => Some(Focus::Value),
        Remedy::CheckAddress | Remedy::CheckPath | Remedy::CheckService => Some(Focus::Address),
        Remedy::Wait(_) | Remedy::TryLater | Remedy::CorrectValue | Remedy::TrustAuthority | Remedy::None => None,
    }
}

fn on_added(state: &mut AppState, added: AddedProfile, now: Now) -> Vec<Effect> {
    let AddedProfile { file, is_default, key_lost } = added;
    let Some(new) = state.profiles.new.take() else { return Vec::new() };
    let tried = std::mem::take(&mut state.profiles.form).tried;
    state.profiles.form_open = false;
    let name = short(&new.name);
    let answered = match &tried {
        Some(Tested::Answered(took)) => format!(" It answered in {} ms.", took.as_millis()),
        Some(Tested::Failed(_) | Tested::Unusable(_)) | None => String::new(),
    };
    let default = if is_default { " It is the default from the next start." } else { "" };
    match key_lost {
        None => {
            state.say_done(format!("Added {name} to {file}.{answered}{default} Enter uses it."), now.mono);
        }
        Some(why) => {
            let text = format!("Added {name} to {file}, but its API key was not stored: {why}{default}");
            state.complain(text);
        }
    }
    if let Some(tried) = tried {
        state.profiles.tests.insert(new.name.clone(), (now, tried));
    }
    state.profiles.selected = new.name;
    vec![state.begin(ProfileTask::Read, now)]
}
