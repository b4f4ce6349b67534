//! What follows from a key on the requests screen.

use crate::api::Exchange;
use crate::clock::Now;
use crate::tui::effect::Effect;
use crate::tui::keymap::{Action, PetAction, RequestAction};
use crate::tui::popups::{self, Contents, Popup, TextBox, TextKind, WriteBox};
use crate::tui::state::{AppState, MessageKind, Screen};

use super::texts;

/// Said where there is nothing under the cursor.
const NO_ROW: &str = "There is no request here. f and / choose which are shown.";

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

/// A key on the list or in its search field.
pub fn on_action(state: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    let requests = &mut state.requests;
    let page = usize::from(state.layout.table_rows.max(1));
    match action {
        Action::Up => requests.move_to(requests.cursor().saturating_sub(1)),
        Action::Down => requests.move_to(requests.cursor() + 1),
        Action::PageUp => requests.move_to(requests.cursor().saturating_sub(page)),
        Action::PageDown => requests.move_to(requests.cursor() + page),
        Action::First => requests.move_to(0),
        Action::Last => requests.move_to(usize::MAX),
        Action::Search => requests.searching = true,
        Action::Confirm => requests.searching = false,
        Action::Back => back(state),
        Action::Request(RequestAction::OnlyFailed) => {
            requests.only_failed = !requests.only_failed;
            requests.arrange();
        }
        Action::Open => match requests.selected() {
            Some(exchange) => {
                let text = TextBox::new(TextKind::Exchange, texts::whole(exchange), "request");
                state.popup = Some(Popup::Text(text));
            }
            None => state.say(MessageKind::Note, NO_ROW),
        },
        Action::Pet(PetAction::CopyCurl) => return copy_curl(state, now),
        Action::WriteFile => write(state),
        Action::Edit(edit) => {
            requests.search.edit(edit);
            requests.arrange();
        }
        // The key map has the others only elsewhere.
        _ => {}
    }
    Vec::new()
}

/// Text typed or pasted into the search field.
pub fn on_text(state: &mut AppState, text: &str) {
    state.requests.search.insert(text);
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
        state.say(MessageKind::Note, NO_ROW);
        return Vec::new();
    };
    match &state.link.address {
        Some(address) => {
            let curl = exchange.as_curl(address);
            popups::copy(state, curl, "the curl line (its key in PETSTORE_API_KEY)", now)
        }
        None => {
            let text = "Address and key of the service in this program last for this session: curl cannot ask it.";
            state.say(MessageKind::Note, text);
            Vec::new()
        }
    }
}

/// Asks into which file those that are shown are to be written, the oldest first.
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
