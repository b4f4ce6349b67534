//! What follows from a key at the first start.

use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::WelcomeAction;
use crate::tui::msg::QuitReason;
use crate::tui::screens::profiles;
use crate::tui::state::AppState;
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
        WelcomeAction::Answer(answer) => state.welcome.cursor = (answer as usize).min(all.len() - 1),
    }
    match all[state.welcome.cursor] {
        StartOption::Samples => begin(state, StartChoice::Samples),
        StartOption::Embedded => begin(state, StartChoice::Embedded),
        StartOption::Connect => {
            let effects = profiles::update::show(state, now);
            state.profiles.form_open = true;
            return effects;
        }
    }
    Vec::new()
}

/// Ends this start; the program starts again with the choice.
fn begin(state: &mut AppState, chosen: StartChoice) {
    state.welcome.chosen = Some(chosen);
    state.quitting = Some(QuitReason::User);
}
