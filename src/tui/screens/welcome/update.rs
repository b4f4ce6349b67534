//! What follows from a key at the first start.

use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::msg::QuitReason;
use crate::tui::screens::profiles;
use crate::tui::state::AppState;
use crate::tui::text_input::TextInput;

use super::state::StartOption;
use crate::app::first_run::StartChoice;

/// Whether an action may be taken before anything is chosen. The others would ask a service, or leave for a screen that
/// has nothing to show yet.
#[must_use]
pub const fn is_allowed(action: Action) -> bool {
    matches!(action, Action::Help | Action::Quit | Action::Interrupt | Action::Suspend | Action::Redraw)
}

/// A key on the list of ways or in the field for a file.
pub fn on_action(state: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    let welcome = &mut state.welcome;
    match (&mut welcome.path, action) {
        (Some(path), Action::Confirm) => {
            let path = path.value().trim().to_owned();
            if path.is_empty() {
                welcome.error = Some("Type the path of the file, for example ~/petstore.toml.".to_owned());
            } else {
                begin(state, StartChoice::File(path));
            }
        }
        (Some(_), Action::Back) => (welcome.path, welcome.error) = (None, None),
        (Some(path), Action::Edit(edit)) => {
            path.edit(edit);
            welcome.error = None;
        }
        (None, Action::Up) => welcome.cursor = welcome.cursor.saturating_sub(1),
        (None, Action::Down) => welcome.cursor = (welcome.cursor + 1).min(StartOption::ALL.len() - 1),
        (None, Action::Confirm) => return take(state, StartOption::ALL[state.welcome.cursor], now),
        (None, Action::Answer(number)) => {
            let at = usize::from(number).saturating_sub(1);
            if let Some(way) = StartOption::ALL.get(at) {
                welcome.cursor = at;
                return take(state, *way, now);
            }
        }
        // The key map has the others only elsewhere.
        _ => {}
    }
    Vec::new()
}

/// Text typed or pasted into the field for a file.
pub fn on_text(state: &mut AppState, text: &str) {
    if let Some(path) = &mut state.welcome.path {
        path.insert(text);
        state.welcome.error = None;
    }
}

fn take(state: &mut AppState, way: StartOption, now: Now) -> Vec<Effect> {
    match way {
        StartOption::Samples => begin(state, StartChoice::Samples),
        StartOption::Embedded => begin(state, StartChoice::Embedded),
        StartOption::Connect => return open_new_profile(state, now),
        StartOption::File => state.welcome.path = Some(TextInput::default()),
    }
    Vec::new()
}

/// Ends this start; the program begins anew with what was chosen.
fn begin(state: &mut AppState, chosen: StartChoice) {
    state.welcome.chosen = Some(chosen);
    state.quitting = Some(QuitReason::User);
}

/// Opens the form for a new profile.
fn open_new_profile(state: &mut AppState, now: Now) -> Vec<Effect> {
    let effects = profiles::update::show(state, now);
    state.profiles.form_open = true;
    effects
}
