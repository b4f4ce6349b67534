//! The requests screen: what was asked of the service in this session, and what it answered. Never with a key.

#[cfg(test)]
pub mod tests;

use std::time::Duration;

use crate::api::Exchange;
use crate::model::escape::indented;
use crate::tui::popups::copy_curl;
use crate::tui::state::{REQUESTS_KEPT, RequestLog, has_failed};
use crate::tui::widgets::page::Column;
use crate::tui::{
    App, Command, LIST, Movement, Now, Page, Place, Screen, StyleRole, TextBox, WIDE, command, first_shown, moved,
    moves,
};

/// Shown when there is nothing under the cursor.
const NO_ROW: &str = "No requests yet in this session.";

pub const SHOW: Command = command("requests", "H", "", "requests", show).everywhere();

static REQUESTS: &[Command] = &[
    command("open", "Enter", "whole", "all of it", open),
    command("copy-curl", "c", "copy curl", "copy as curl, no key", |app, now| match app.requests.selected().cloned() {
        Some(exchange) => copy_curl(app, |_, address| exchange.as_curl(address), now),
        None => app.tell(NO_ROW),
    }),
    moves(LIST, "", "move", go),
    command("back", "Esc F3 q", "back", "back", |app, _| app.screen = app.requests.back),
];

pub static PLACE: Place = Place::new("requests", "Requests", &[REQUESTS]);

/// Shows the screen, with the cursor on the newest request.
fn show(app: &mut App, _: Now) {
    app.popups = Default::default();
    if app.screen != Screen::Requests {
        app.requests.back = app.screen;
        app.pets.searching = false;
        app.screen = Screen::Requests;
        app.requests.cursor = 0;
    }
}

fn go(app: &mut App, movement: Movement, _: Now) {
    let (requests, page) = (&mut app.requests, usize::from(app.layout.table_rows.max(1)));
    requests.cursor = moved(requests.cursor, movement, requests.rows.len(), page);
}

fn open(app: &mut App, _: Now) {
    let Some(exchange) = app.requests.selected() else { return app.tell(NO_ROW) };
    app.popups.show(TextBox::new("Request and answer (key hidden)", whole(exchange), "request"));
}

/// The columns: the path gets what the others leave. Where there is room, the last says what a request was for.
const COLUMNS: [Column<'static>; 7] =
    [("TIME", 10), ("METHOD", 7), ("PATH", 0), ("  STATUS", 8), ("    TOOK", 9), ("    SIZE", 9), ("  PURPOSE", 18)];

/// Paints the screen.
pub fn draw(app: &App, page: &mut Page<'_>) {
    let requests = &app.requests;
    page.gap();
    let mut columns = COLUMNS;
    if page.area.width < WIDE {
        columns[6].1 = 0;
    }
    let others: usize = columns.iter().map(|(_, width)| width).sum();
    columns[2].1 = page.room(3 + others);
    page.headings(&columns);
    page.layout.table_rows = page.left();
    let visible = usize::from(page.left());
    if requests.rows.is_empty() {
        page.gap();
        page.line(format!("   {NO_ROW}"));
        return page.line("   Esc goes back; r on the Pets screen sends one.");
    }
    let cursor = requests.cursor;
    let top = page.layout.table_top.clamp(first_shown(cursor, visible.max(1)), cursor);
    page.layout.table_top = top;
    for (at, exchange) in (top..).zip(requests.rows.iter().skip(top)).take(visible) {
        let Exchange { at: time, method, path_and_query, status, took, what, .. } = exchange;
        let status = status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let (mark, role) = if has_failed(exchange) { ("!", StyleRole::Error) } else { (" ", StyleRole::Text) };
        let [time, status] = [page.appearance.time(*time), format!("{mark} {status}")];
        let [took, size] = [duration(*took), size(exchange)].map(|text| format!("{text:>8}"));
        let cells = [time.as_str(), method, path_and_query, &status, &took, &size, &format!("  {what}")];
        let mut cells = cells.map(|text| (text, StyleRole::Text));
        cells[3].1 = role;
        let selected = at == cursor;
        page.click_row(selected);
        page.row(selected, &columns, &cells);
    }
}

/// The line without a message.
pub fn place(requests: &RequestLog) -> String {
    match requests.missed {
        0 => format!("The newest {REQUESTS_KEPT}, in memory only. Keys are not recorded."),
        missed => format!("{missed} came too fast to be recorded. Keys never are."),
    }
}

/// A body after a blank line; JSON with a line for each value.
fn body(text: &str) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    std::iter::once("").chain(indented(text).unwrap_or_else(|| text.to_owned()).lines()).map(str::to_owned).collect()
}

/// How long each part took, as far as it was measured.
fn timing(exchange: &Exchange) -> String {
    let Exchange { status, first_byte, took, .. } = exchange;
    match status {
        Some(_) => {
            let body = took.saturating_sub(*first_byte);
            format!("first byte after {}, body {}", duration(*first_byte), duration(body))
        }
        None => format!("given up after {}", duration(*took)),
    }
}

/// The whole exchange as a text to read, to copy or to write.
pub fn whole(exchange: &Exchange) -> String {
    let Exchange { at, what, method, path_and_query, .. } = exchange;
    let mut lines = vec![format!("{at}  {what}  {}", timing(exchange)), String::new()];
    lines.extend(["Sent:".to_owned(), format!("{method} {path_and_query}")]);
    lines.extend(exchange.key_ending.as_ref().map(|ending| format!("authorization: Bearer ....{ending} (hidden)")));
    lines.extend(body(&exchange.sent));
    lines.extend([String::new(), format!("Answered, {}:", size(exchange))]);
    lines.extend(exchange.status.map(|status| format!("status {status}")));
    lines.extend(exchange.headers.iter().map(|(name, value)| format!("{name}: {value}")));
    if let Some(why) = &exchange.failure {
        let what = if exchange.status.is_some() { "The answer is incomplete" } else { "No answer" };
        lines.push(format!("{what}: {why}"));
    }
    lines.extend(body(&exchange.answer));
    lines.push(String::new());
    lines.join("\n")
}

/// A duration in few columns: `88 ms`, `30.0 s`.
pub fn duration(time: Duration) -> String {
    match time.as_millis() {
        millis @ 0..1_000 => format!("{millis} ms"),
        _ => format!("{:.1} s", time.as_secs_f64()),
    }
}

/// The size of the answer's body: `74 B`, `1.8 kB`; a dash where it did not come whole.
pub fn size(exchange: &Exchange) -> String {
    match exchange.size {
        _ if exchange.failure.is_some() => "-".to_owned(),
        bytes @ 0..1_000 => format!("{bytes} B"),
        bytes @ 1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        bytes => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}
