//! What follows from a key or a reply on the profiles screen.

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
use super::jobs::{AddedProfile, NewService, ProfileReply, ProfileTask, Tested};

/// Opens the screen, and reads which profiles there are.
pub fn show(state: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = Vec::from_iter(state.cancel(Slot::TestKey));
    if matches!(state.popup, Some(Popup::Key(_))) {
        state.popup = None;
    }
    if state.screen != Screen::Profiles {
        // Two screens that go back to each other would never be left.
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
        ProfilesAction::NewProfile => {
            state.profiles.form_open = true;
            state.message = None;
        }
        ProfilesAction::Back => state.screen = state.profiles.from,
    }
    Vec::new()
}

/// What is typed goes into the field that has the cursor.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>) {
    let form = &mut state.profiles.form;
    if let Some(input) = form.input() {
        input.take(typing);
        form.tried = None;
    }
}

/// A key in the form.
pub fn in_form(state: &mut AppState, action: FormAction, now: Now) -> Vec<Effect> {
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
            state.say(MessageKind::Note, "What you typed is kept: n shows it again.");
            return state.cancel(Slot::TryProfile).into_iter().collect();
        }
    }
    Vec::new()
}

/// Tries what is typed, or writes it where that was tried in vain; or puts the cursor on the first thing to correct.
fn save(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.pending.is_running(Slot::TryProfile) || state.pending.is_running(Slot::WriteProfile) {
        return Vec::new();
    }
    let taken: Vec<String> = state.profiles.entries().iter().map(|entry| entry.name.clone()).collect();
    let form = &mut state.profiles.form;
    match form.check(|name| taken.iter().any(|taken| taken == name)) {
        Err(wrong) => {
            form.focus = wrong.first().copied().unwrap_or_default();
            let things = counted(wrong.len(), "thing");
            state.say(MessageKind::Error, format!("{things} to correct. Nothing has been written."));
            Vec::new()
        }
        Ok(new) => {
            state.message = None;
            let all_the_same = form.tried.is_some();
            state.profiles.new = Some(new.clone());
            if all_the_same { vec![write(state, new, now)] } else { vec![state.begin(ProfileTask::Try(new), now)] }
        }
    }
}

/// Writes a profile. One that is made at the first start is used at the next, too.
fn write(state: &mut AppState, new: NewService, now: Now) -> Effect {
    let at_start = state.is_first_start();
    state.begin(ProfileTask::Add { new, at_start }, now)
}

fn test(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(name) = state.profiles.entry().map(|entry| entry.name.clone()) else { return Vec::new() };
    state.message = None;
    state.profiles.testing.clone_from(&name);
    let in_use = name == state.link.name && !state.is_first_start();
    vec![state.begin(ProfileTask::Test { name, in_use }, now)]
}

fn enter_key(state: &mut AppState, now: Now) {
    let Some(entry) = state.profiles.entry() else { return };
    if entry.name != state.link.name {
        let text = format!("K enters a key for the profile in use. Enter uses {} first.", short(&entry.name));
        state.say(MessageKind::Note, text);
    } else if state.link.embedded {
        state.say(MessageKind::Note, "The service in this program makes its own key.");
    } else {
        state.open_key_box(false, now);
    }
}

fn copy_address(state: &mut AppState, now: Now) -> Vec<Effect> {
    match state.profiles.entry().map(|entry| entry.place.clone()) {
        Some(ServiceLocation::At(address)) => return copy(state, address, "the address", now),
        Some(ServiceLocation::Inside | ServiceLocation::Demo) => {
            state.say(MessageKind::Note, "The service in this program has another address each time.");
        }
        Some(ServiceLocation::Unclear) | None => state.say(MessageKind::Note, "There is no address to copy."),
    }
    Vec::new()
}

/// A job about profiles has ended.
pub fn on_reply(state: &mut AppState, reply: ProfileReply, now: Now) -> Vec<Effect> {
    match reply {
        ProfileReply::Read(Ok(profiles)) => state.profiles.list = Some(profiles),
        ProfileReply::Read(Err(why)) => state.say(MessageKind::Error, format!("The profiles cannot be read: {why}")),
        ProfileReply::Used(Ok(used)) => return change::on_used(state, *used, now),
        ProfileReply::Used(Err(why)) => change::on_failed(state, &why),
        ProfileReply::Tried(tested) => return on_tried(state, tested, now),
        ProfileReply::Tested(tested) => {
            let name = std::mem::take(&mut state.profiles.testing);
            state.profiles.tests.insert(name, (now, tested));
        }
        ProfileReply::Added(Ok(added)) => return on_added(state, added, now),
        ProfileReply::Added(Err(why)) => state.say(MessageKind::Error, format!("Not written: {why}")),
        ProfileReply::Places(places) => key::on_places(state, places),
        ProfileReply::KeyStored(Ok(origin)) => {
            state.say_done(format!("The key was accepted and is kept: {}.", place(&origin)), now.mono);
            state.link.key.1 = origin;
        }
        ProfileReply::KeyStored(Err(why)) => {
            let text = format!("The key was accepted and is used until the program ends, but not kept: {why}");
            state.say(MessageKind::Error, text);
        }
        ProfileReply::NotWritten(failure) => state.say(MessageKind::Error, failure.sentence("this program")),
    }
    Vec::new()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the others have a word of their own")]
fn place(origin: &KeyOrigin) -> String {
    match origin {
        KeyOrigin::File(path) => format!("in {}, for you alone", path.display()),
        KeyOrigin::Keyring => "in the system keyring".to_owned(),
        other => other.to_string(),
    }
}

/// A profile that is not written yet was tried: written if it answers; otherwise only if that is wanted all the same.
fn on_tried(state: &mut AppState, tested: Tested, now: Now) -> Vec<Effect> {
    let profiles = &mut state.profiles;
    let is_taken = |name: &str| profiles.list.iter().flat_map(|list| &list.entries).any(|entry| entry.name == name);
    let Some(new) = profiles.new.clone().filter(|new| profiles.form.check(is_taken).as_ref() == Ok(new)) else {
        state.say(MessageKind::Note, "The form was changed meanwhile. F2 tries it as it is now.");
        return Vec::new();
    };
    let answers = matches!(tested, Tested::Answered(_));
    profiles.form.tried = Some(tested);
    if answers {
        return vec![write(state, new, now)];
    }
    state.say(MessageKind::Error, "Nothing has been written. Mend it; or F2 again writes it all the same.");
    Vec::new()
}

fn on_added(state: &mut AppState, added: AddedProfile, now: Now) -> Vec<Effect> {
    let AddedProfile { file, key_lost } = added;
    let Some(new) = state.profiles.new.take() else { return Vec::new() };
    let tried = std::mem::take(&mut state.profiles.form).tried;
    state.profiles.form_open = false;
    let name = short(&new.name);
    let answered = match &tried {
        Some(Tested::Answered(took)) => format!(" It answered in {} ms.", took.as_millis()),
        Some(Tested::Failed(_) | Tested::Unusable(_)) | None => String::new(),
    };
    match key_lost {
        None => {
            let default = if state.is_first_start() { " It is used from the next start on." } else { "" };
            state.say_done(format!("Added {name} to {file}.{answered}{default} Enter uses it."), now.mono);
        }
        Some(why) => state.say(MessageKind::Error, format!("Added {name} to {file}, but its key was not kept: {why}")),
    }
    if let Some(tried) = tried {
        state.profiles.tests.insert(new.name.clone(), (now, tried));
    }
    state.profiles.selected = new.name;
    vec![state.begin(ProfileTask::Read, now)]
}
