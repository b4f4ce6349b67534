//! Handles keys and replies of the profiles screen.

use crate::clock::Now;
use crate::config::{KeyOrigin, ServiceLocation};
use crate::model::escape::shell_word;
use crate::model::text::short;
use crate::tui::command::{Command, SHORT_LIST, change, command, moves};
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::popups::{KeyBox, copy, key};
use crate::tui::state::{AppState, Screen};
use crate::tui::widgets::list::moved;

use super::jobs::{AddedProfile, ProfileReply, ProfileTask, Tested};
use super::{change, fields, form};

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

/// Shows the screen.
pub fn show(state: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = Vec::from_iter(state.cancel(Slot::TestKey));
    state.popups.take::<KeyBox>();
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
        ProfileReply::Tried(tested) => return form::on_tried(state, tested, now),
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

fn on_added(state: &mut AppState, added: AddedProfile, now: Now) -> Vec<Effect> {
    let AddedProfile { file, is_default, key_lost } = added;
    let Some(new) = state.profiles.new.take() else { return Vec::new() };
    let tried = state.profiles.tried.take();
    state.profiles.form = fields::new();
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
