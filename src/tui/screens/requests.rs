//! The requests screen: what was asked of the service in this session, and what it answered. Never with a key.

pub mod state;
#[cfg(test)]
pub(in crate::tui) mod tests;
mod texts;

use crate::api::Exchange;
use crate::clock::Now;
use crate::model::text::cut;
use crate::tui::command::{Command, LIST, Movement, change, command, moves};
use crate::tui::effect::Effect;
use crate::tui::popups::stack::Popups;
use crate::tui::popups::{TextBox, TextKind, copy};
use crate::tui::state::{AppState, Layout, Screen};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::{first_shown, moved};
use crate::tui::widgets::page::{Page, marker};
use crate::tui::widgets::{WIDE, column};
use state::{KEPT, State, has_failed};
use texts::{duration, size};

/// Shown when there is nothing under the cursor.
const NO_ROW: &str = "No requests yet in this session.";

pub const SHOW: Command = change("requests", "H", "", "requests", show).everywhere();

pub static REQUESTS: &[Command] = &[
    change("open", "Enter", "whole", "all of it", open),
    command("copy-curl", "c", "copy curl", "copy as curl, no key", copy_curl),
    moves(LIST, "", "move|newest, oldest", go),
    change("back", "Esc F3 q", "back", "back", |app, _| app.screen = app.requests.back),
];

/// Shows the screen, with the cursor on the newest request.
fn show(state: &mut AppState, _: Now) {
    state.popups = Popups::default();
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

fn go(state: &mut AppState, movement: Movement, _: Now) {
    let (requests, page) = (&mut state.requests, usize::from(state.layout.table_rows.max(1)));
    requests.cursor = moved(requests.cursor, movement, requests.rows().len(), page);
}

fn open(state: &mut AppState, _: Now) {
    let Some(exchange) = state.requests.selected() else { return state.tell(NO_ROW) };
    state.popups.show(TextBox::new(TextKind::Exchange, texts::whole(exchange), "request"));
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

/// The columns right of the path: status, time, size, and where there is room what it was for.
const STATUS: u16 = 8;
const TOOK: u16 = 9;
const SIZE: u16 = 9;
const WHAT: u16 = 18;

/// Where the path begins: after the mark of the row, time and method.
const PATH: u16 = 20;

/// Paints the screen.
pub fn draw(state: &AppState, page: &mut Page<'_>, layout: &mut Layout) {
    let requests = &state.requests;
    page.gap();
    let what = if page.area.width >= WIDE { WHAT } else { 0 };
    let path = page.area.width.saturating_sub(PATH + STATUS + TOOK + SIZE + what);
    let row = |time: &str, method: &str, target: &str, status: &str, took: &str, size: &str, purpose: &str| {
        let target = column(target, path.into());
        let purpose = cut(purpose, usize::from(what.saturating_sub(2)));
        format!("{time:<8}  {method:<6} {target}{status:<8}{took:>8} {size:>8}   {purpose}")
    };
    let heading = row("TIME", "METHOD", "PATH", "  STATUS", "TOOK", "SIZE", if what > 0 { "PURPOSE" } else { "" });
    page.heading(format!("   {heading}"));
    layout.table_rows = page.left();
    let visible = usize::from(layout.table_rows);
    if requests.rows().is_empty() {
        page.gap();
        page.line(format!("   {NO_ROW}"));
        page.line("   Esc goes back; r on the Pets screen sends one.");
        return;
    }
    let cursor = requests.cursor;
    layout.table_top = layout.table_top.clamp(first_shown(cursor, visible.max(1)), cursor);
    let appearance = page.appearance;
    for (at, exchange) in (layout.table_top..).zip(requests.rows().iter().skip(layout.table_top)).take(visible) {
        let Exchange { at: time, method, path_and_query, status, took, what, .. } = exchange;
        let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let text = row(
            &appearance.time(*time),
            &cut(&appearance.text(method), 6),
            &appearance.text(path_and_query),
            &format!("  {status}"),
            &duration(*took),
            &size(exchange),
            &appearance.text(what),
        );
        let selected = at == cursor;
        page.click_row(selected);
        page.at(1, marker(selected), StyleRole::Text);
        page.at(3, text, StyleRole::Selected.when(selected));
        if has_failed(exchange) {
            page.at(PATH + path, "!", StyleRole::Error);
        }
        if selected {
            page.point(3);
        }
        page.gap();
    }
}

/// How many there were, for the header.
pub fn counts(requests: &State) -> String {
    let (total, failed) = requests.counts();
    format!("  this session: {total}, failed {failed}")
}

/// The line without a message.
pub fn place(requests: &State) -> String {
    match requests.missed {
        0 => format!("The newest {KEPT}, in memory only. Keys are not recorded."),
        missed => format!("{missed} came too fast to be recorded. Keys never are."),
    }
}
