//! What follows from a key on the requests screen.

use crate::api::Exchange;
use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::RequestsAction;
use crate::tui::popups::{Popup, TextBox, TextKind, copy};
use crate::tui::state::{AppState, Screen};
use crate::tui::widgets::list::moved;

use super::texts;

/// Shown when there is nothing under the cursor.
const NO_ROW: &str = "No requests yet in this session.";

/// Shows the screen, with the cursor on the newest request.
pub fn show(state: &mut AppState) {
    if state.screen != Screen::Requests {
        state.requests.back = state.screen;
        state.pets.searching = false;
        state.screen = Screen::Requests;
        state.requests.cursor = 0;
    }
}

/// A request has ended; `missed` are those before it that could not be recorded.
pub fn on_exchanged(state: &mut AppState, exchange: Exchange, missed: u64) {
    state.requests.missed += missed;
    state.requests.take(exchange);
}

/// A key on the list.
pub fn on_action(state: &mut AppState, action: RequestsAction, now: Now) -> Vec<Effect> {
    let requests = &mut state.requests;
    match action {
        RequestsAction::Move(movement) => {
            let page = usize::from(state.layout.table_rows.max(1));
            requests.cursor = moved(requests.cursor, movement, requests.rows().len(), page);
        }
        RequestsAction::Back => state.screen = requests.back,
        RequestsAction::Open => match requests.selected() {
            Some(exchange) => {
                let text = TextBox::new(TextKind::Exchange, texts::whole(exchange), "request");
                state.popup = Some(Popup::Text(text));
            }
            None => return state.note(NO_ROW),
        },
        RequestsAction::CopyCurl => return copy_curl(state, now),
    }
    Vec::new()
}

/// Copies a command that asks the same; the key stays in the environment.
fn copy_curl(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(exchange) = state.requests.selected() else {
        return state.note(NO_ROW);
    };
    match &state.link.address {
        Some(address) => {
            let curl = exchange.as_curl(address);
            copy(state, curl, "the curl command (set PETSTORE_API_KEY to run it)", now)
        }
        None => state.note("curl cannot reach the service inside this program. F9 shows petstore commands."),
    }
}
