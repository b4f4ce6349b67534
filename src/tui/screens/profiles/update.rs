//! Handles keys and replies of the profiles screen.

use crate::api::failure::Remedy;
use crate::clock::Now;
use crate::config::{KeyOrigin, ServiceLocation};
use crate::model::text::short;
use crate::model::words::counted;
use crate::tui::effect::Effect;
use crate::tui::keymap::{FormAction, ProfilesAction};
use crate::tui::pending::Slot;
use crate::tui::popups::{Popup, copy, key};
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::form::{self, FormEvent};
use crate::tui::widgets::list::moved;

use super::change;
use super::form::Focus;
use super::jobs::{AddedProfile, ProfileReply, ProfileTask, Tested};

/// Opens the screen, and reads the profiles.
pub fn show(state: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = Vec::from_iter(state.cancel(Slot::TestKey));
    if matches!(state.popup, Some(Popup::Key(_))) {
        state.popup = None;
    }
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

/// A key on the list.
pub fn on_action(state: &mut AppState, action: ProfilesAction, now: Now) -> Vec<Effect> {
    state.message = None;
    let needs_one = !matches!(action, ProfilesAction::Back | ProfilesAction::Refresh | ProfilesAction::NewProfile);
    if needs_one && state.profiles.list.is_none() && state.pending.is_running(Slot::Profiles) {
        return state.note("The profiles are being read.");
    }
    match action {
        ProfilesAction::Move(movement) => {
            let profiles = &mut state.profiles;
            let lines = profiles.entries().len();
            profiles.move_to(moved(profiles.cursor(), movement, lines, lines));
        }
        ProfilesAction::Confirm => return change::begin(state, now),
        ProfilesAction::Copy => return copy_address(state, now),
        ProfilesAction::Refresh => return show(state, now),
        ProfilesAction::EnterKey => enter_key(state, now),
        ProfilesAction::TestProfile => return test(state, now),
        ProfilesAction::NewProfile => state.profiles.form_open = true,
        ProfilesAction::Back => state.screen = state.profiles.from,
    }
    Vec::new()
}

/// Puts typed text into the field with the cursor.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>) {
    state.message = None;
    let form = &mut state.profiles.form;
    if let Some(input) = form.input() {
        input.take(typing);
        form.tried = None;
    }
}

/// A key in the form.
pub fn in_form(state: &mut AppState, action: FormAction, now: Now) -> Vec<Effect> {
    state.message = None;
    let form = &mut state.profiles.form;
    let goes_on = action == FormAction::Confirm && form.focus == Focus::Protect;
    let action = if goes_on { FormAction::NextField } else { action };
    let parts = form.parts();
    match form::update(&mut form.focus, &parts, action) {
        FormEvent::Left(part) => {
            form.checked.insert(part);
        }
        FormEvent::Choose(movement) => form.choose(movement),
        FormEvent::Toggle => form.protect = !form.protect,
        FormEvent::Submit => return save(state, now),
        FormEvent::Choices => form.shown = !form.shown,
        FormEvent::None | FormEvent::Clear => {}
        FormEvent::Back => {
            state.profiles.form_open = false;
            state.profiles.form.shown = false;
            state.say(MessageKind::Note, "Your text is kept: n opens the form again.");
            return state.cancel(Slot::TryProfile).into_iter().collect();
        }
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
            state.say(MessageKind::Error, format!("Fix {fields} first. Nothing was saved."));
            Vec::new()
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
        state.say(MessageKind::Note, text);
    } else if state.link.embedded {
        state.say(MessageKind::Note, "The embedded store makes its own API key.");
    } else {
        state.open_key_box(false, now);
    }
}

fn copy_address(state: &mut AppState, now: Now) -> Vec<Effect> {
    match state.profiles.entry().map(|entry| entry.place.clone()) {
        Some(ServiceLocation::At(address)) => return copy(state, address, "the address", now),
        Some(ServiceLocation::Inside | ServiceLocation::Demo) => {
            state.say(MessageKind::Note, "The embedded store has a new address each time.");
        }
        Some(ServiceLocation::Unclear) | None => state.say(MessageKind::Note, "No address to copy."),
    }
    Vec::new()
}

/// Handles a reply about profiles.
pub fn on_reply(state: &mut AppState, reply: ProfileReply, now: Now) -> Vec<Effect> {
    match reply {
        ProfileReply::Read(Ok(profiles)) => state.profiles.list = Some(profiles),
        ProfileReply::Read(Err(why)) => state.say(MessageKind::Error, format!("Cannot read the profiles: {why}")),
        ProfileReply::Used(Ok(used)) => return change::on_used(state, *used, now),
        ProfileReply::Used(Err(why)) => change::on_failed(state, &why),
        ProfileReply::Tried(tested) => return on_tried(state, tested, now),
        ProfileReply::Tested(tested) => {
            let name = std::mem::take(&mut state.profiles.testing);
            state.profiles.tests.insert(name, (now, tested));
        }
        ProfileReply::Added(Ok(added)) => return on_added(state, added, now),
        ProfileReply::Added(Err(why)) => state.say(MessageKind::Error, format!("The profile was not saved: {why}")),
        ProfileReply::KeyFile(file) => key::on_key_file(state, file),
        ProfileReply::KeyStored(Ok(origin)) => {
            state.say_done(format!("The service accepted the API key. It is stored {}.", place(&origin)), now.mono);
            state.link.key.1 = origin;
        }
        ProfileReply::KeyStored(Err(why)) => {
            let text = format!("The service accepted the API key for this session, but it was not stored: {why}");
            state.say(MessageKind::Error, text);
        }
        ProfileReply::NotWritten(failure) => state.say(MessageKind::Error, failure.sentence("this program")),
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
        state.say(MessageKind::Note, "The form has changed since. F2 tests it as it is now.");
        return Vec::new();
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
    state.say(MessageKind::Error, "Nothing was saved. Fix it, or press F2 to save it anyway.");
    Vec::new()
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
            state.say(MessageKind::Error, text);
        }
    }
    if let Some(tried) = tried {
        state.profiles.tests.insert(new.name.clone(), (now, tried));
    }
    state.profiles.selected = new.name;
    vec![state.begin(ProfileTask::Read, now)]
}
