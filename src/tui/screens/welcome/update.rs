//! What follows from a key at the first start.

use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::{AskAction, WelcomeAction};
use crate::tui::msg::QuitReason;
use crate::tui::screens::profiles;
use crate::tui::state::AppState;
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::widgets::list::moved;

use super::state::StartOption;
use crate::app::first_run::StartChoice;

/// A key on the list of ways.
pub fn on_action(state: &mut AppState, action: WelcomeAction, now: Now) -> Vec<Effect> {
    let (all, here) = (StartOption::ALL, state.welcome.cursor);
    match action {
        WelcomeAction::Move(movement) => {
            state.welcome.cursor = moved(here, movement, all.len(), all.len());
            return Vec::new();
        }
        WelcomeAction::Confirm => {}
        WelcomeAction::Answer(answer) => state.welcome.cursor = answer as usize,
    }
    match all[state.welcome.cursor] {
        StartOption::Samples => begin(state, StartChoice::Samples),
        StartOption::Embedded => begin(state, StartChoice::Embedded),
        StartOption::Connect => {
            let effects = profiles::update::show(state, now);
            state.profiles.form_open = true;
            return effects;
        }
        StartOption::File => state.welcome.path = Some(TextInput::default()),
    }
    Vec::new()
}

/// A key in the field for a file.
pub fn in_path(state: &mut AppState, action: AskAction) {
    let welcome = &mut state.welcome;
    let Some(path) = &welcome.path else { return };
    match action {
        AskAction::Confirm => {
            let path = path.value().trim().to_owned();
            if path.is_empty() {
                welcome.error = Some("Type the file's path, for example ~/petstore.toml.".to_owned());
            } else {
                begin(state, StartChoice::File(path));
            }
        }
        AskAction::Back => (welcome.path, welcome.error) = (None, None),
    }
}

/// What is typed goes into the field for a file.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>) {
    if let Some(path) = &mut state.welcome.path {
        path.take(typing);
        state.welcome.error = None;
    }
}

/// Ends this start; the program starts again with the choice.
fn begin(state: &mut AppState, chosen: StartChoice) {
    state.welcome.chosen = Some(chosen);
    state.quitting = Some(QuitReason::User);
}
