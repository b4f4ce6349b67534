//! What follows from a key on the requests screen.

use crate::api::Exchange;
use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::{Movement, PickAction, RequestsAction};
use crate::tui::popups::{Contents, Popup, TextBox, TextKind, WriteBox, copy};
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::list::moved;

use super::texts;

/// Shown when there is nothing under the cursor.
const NO_ROW: &str = "No request selected. f and / change which are shown.";

/// Shows the screen, with the cursor on the newest request.
pub fn show(state: &mut AppState) {
    if state.screen != Screen::Requests {
        state.requests.back = state.screen;
        state.pets.searching = false;
        state.screen = Screen::Requests;
        state.requests.move_to(0);
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
        RequestsAction::Move(movement) => go(state, movement),
        RequestsAction::Search => requests.searching = true,
        RequestsAction::Back => back(state),
        RequestsAction::OnlyFailed => {
            requests.only_failed = !requests.only_failed;
            requests.arrange();
        }
        RequestsAction::Open => match requests.selected() {
            Some(exchange) => {
                let text = TextBox::new(TextKind::Exchange, texts::whole(exchange), "request");
                state.popup = Some(Popup::Text(text));
            }
            None => return state.note(NO_ROW),
        },
        RequestsAction::CopyCurl => return copy_curl(state, now),
        RequestsAction::WriteFile => write(state),
    }
    Vec::new()
}

/// A key in the search field.
pub fn in_search(state: &mut AppState, action: PickAction) {
    match action {
        PickAction::Move(movement) => go(state, movement),
        PickAction::Confirm => state.requests.searching = false,
        PickAction::Back => back(state),
    }
}

fn go(state: &mut AppState, movement: Movement) {
    let page = usize::from(state.layout.table_rows.max(1));
    let requests = &mut state.requests;
    requests.move_to(moved(requests.cursor(), movement, requests.row_count(), page));
}

/// What is typed goes into the search field.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>) {
    state.requests.search.take(typing);
    state.requests.arrange();
}

/// Esc: clears the search, leaves it, shows those that did not fail, too, leaves the screen, in this order.
fn back(state: &mut AppState) {
    let requests = &mut state.requests;
    if !requests.search.is_empty() {
        requests.search.clear();
        requests.arrange();
    } else if requests.searching {
        requests.searching = false;
    } else if requests.only_failed {
        requests.only_failed = false;
        requests.arrange();
    } else {
        state.screen = requests.back;
    }
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

/// Asks for the file to write those that are shown to, the oldest first.
fn write(state: &mut AppState) {
    let mut shown: Vec<&Exchange> = state.requests.rows_from(0).collect();
    shown.reverse();
    if shown.is_empty() {
        state.say(MessageKind::Note, NO_ROW);
        return;
    }
    let text = Contents::Text(texts::ndjson(shown.into_iter()));
    state.popup = Some(Popup::Write(WriteBox::new("requests.ndjson", text)));
}
