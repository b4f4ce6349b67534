//! Handles keys and replies of the profiles screen.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::app::connections::Tested;
use crate::clock::Now;
use crate::config::{Profiles, ServiceLocation};
use crate::model::escape::shell_word;
use crate::model::text::short;
use crate::tui::command::{Command, Place, SHORT_LIST, change, command, moves};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, blocking};
use crate::tui::pending::Slot;
use crate::tui::popups::{KeyBox, copy};
use crate::tui::state::{AppState, Screen};
use crate::tui::widgets::list::moved;

use super::change;

/// Why a session over SSH shows no profiles and asks for no key.
pub const ONE_SERVICE: &str = "A session over SSH has one service and one API key.";

pub const SHOW: Command = command("profiles", "P", "", "profiles", show)
    .everywhere()
    .not_over_ssh(ONE_SERVICE)
    .shell(|_| Some("profiles list".to_owned()));

static PROFILES: &[Command] = &[
    command("confirm", "Enter F2", "use", "use it", change::begin),
    command("test-profile", "t", "test", "test its service", test)
        .shell(|app| Some(format!("profiles test {}", shell_word(&app.profiles.entry()?.name)))),
    change("new-profile", "n a", "new", "a new profile", |app, _| app.profiles.form_open = true)
        .shell(|_| Some("profiles add NAME --base-url URL".to_owned())),
    command("refresh", "r F5", "", "read the file again", show),
    change("enter-key", "K F4", "key", "enter another key", enter_key),
    command("copy", "y", "copy address", "copy the address", copy_address),
    moves(SHORT_LIST, "", "move|first, last", |app, movement, _| {
        let entries = app.profiles.entries();
        let there = entries.get(moved(app.profiles.cursor(), movement, entries.len(), entries.len()));
        if let Some(name) = there.map(|entry| entry.name.clone()) {
            app.profiles.selected = name;
        }
    }),
    change("back", "Esc F3 q", "back", "back", |app, _| app.screen = app.profiles.from),
];

pub static PROFILES_PLACE: Place = Place::new("profiles", "Profiles", &[PROFILES]).around(around);

fn around(app: &mut AppState, command: &Command, now: Now) -> Vec<Effect> {
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
    effects.push(state.begin(ReadProfiles, now));
    effects
}

fn test(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(name) = state.profiles.entry().map(|entry| entry.name.clone()) else { return Vec::new() };
    state.profiles.testing.clone_from(&name);
    let in_use = name == state.link.name && !state.is_first_start();
    vec![state.begin(TestProfile { name, in_use }, now)]
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

/// Reads the profiles.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadProfiles;

impl Job for ReadProfiles {
    type Answer = Profiles;
    type Error = String;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Profiles;

    async fn run(self: Arc<Self>, env: Env) -> Result<Profiles, String> {
        blocking(move || env.machine.services.profiles()).await
    }

    fn done(&self, app: &mut AppState, read: Result<Profiles, String>, _: Now) -> Vec<Effect> {
        match read {
            Ok(profiles) => app.profiles.list = Some(profiles),
            Err(why) => app.complain(format!("Cannot read the profiles: {why}")),
        }
        Vec::new()
    }
}

/// Tests a service by requesting one pet.
#[derive(Clone, Debug, PartialEq)]
pub struct TestProfile {
    pub name: String,
    /// It is the one in use: test it with the key in use, which may have been typed.
    pub in_use: bool,
}

impl Job for TestProfile {
    type Answer = Tested;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::TestProfile;

    async fn run(self: Arc<Self>, env: Env) -> Result<Tested, Failure> {
        if self.in_use {
            return Ok(Tested::of(&env.api("profile test").await?).await);
        }
        let services = Arc::clone(&env.machine.services);
        Ok(services.test(move |services| services.settings(&self.name), env.recorder).await)
    }

    fn done(&self, app: &mut AppState, tested: Result<Tested, Failure>, now: Now) -> Vec<Effect> {
        app.profiles.tests.insert(self.name.clone(), (now, tested.unwrap_or_else(Tested::Failed)));
        Vec::new()
    }
}
