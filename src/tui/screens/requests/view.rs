//! How the requests screen looks.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::api::Exchange;
use crate::model::text::{cut, width};
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::{WIDE, boxed, put, put_right, wrap_indented};

use super::State;
use super::state::{KEPT, has_failed};
use super::texts::{Body, answered, duration, sent, size, timing};

/// The most rows of the list where details stand below it.
const MOST_ROWS: u16 = 14;

/// The least height at which there are details below the list.
const LEAST_FOR_DETAILS: u16 = 14;

/// Paints the screen into `body`, the rows between header and message.
pub fn draw(
    state: &AppState,
    appearance: &Appearance,
    buf: &mut Buffer,
    body: Rect,
    layout: &mut Layout,
) -> Option<Position> {
    let requests = &state.requests;
    let search = draw_search(buf, body, requests, appearance);
    let rest = Rect { y: body.y + 1, height: body.height.saturating_sub(1), ..body };
    let wide = rest.width >= WIDE;
    let details = rest.height >= LEAST_FOR_DETAILS;
    let height = if details { (rest.height * 2 / 5).min(MOST_ROWS) } else { rest.height };
    let list = Rect { height, ..rest };
    let below = Rect { y: list.bottom(), height: rest.height - height, ..rest };
    let inner = if wide { boxed(buf, list, "newest first", appearance) } else { list };
    draw_list(buf, inner, requests, appearance, layout);
    match requests.selected() {
        Some(exchange) if wide && details => draw_panes(buf, below, exchange, appearance),
        Some(exchange) if details => draw_below(buf, below, exchange, appearance),
        Some(_) | None => {}
    }
    let place = u16::try_from(requests.cursor().saturating_sub(layout.table_top)).unwrap_or(0) + 1;
    let row =
        (requests.row_count() > 0 && place < inner.height).then_some(Position { x: inner.x + 3, y: inner.y + place });
    search.or(row)
}

/// The first row: what is searched for, and whether only failed ones are shown.
fn draw_search(buf: &mut Buffer, body: Rect, requests: &State, appearance: &Appearance) -> Option<Position> {
    let which = if requests.only_failed { "only failed" } else { "all" };
    let right = format!("{which}: {} ", requests.row_count());
    put_right(buf, body, 0, &right, appearance, StyleRole::Text);
    let room = usize::from(body.width).saturating_sub(width(&right) + 5);
    let (shown, cursor) = requests.search.window(room);
    let asked = requests.searching || !requests.search.is_empty();
    let (text, role) = if asked {
        (appearance.text(&shown), StyleRole::Heading)
    } else {
        (cut("search path, status, purpose and bodies", room), StyleRole::Quiet)
    };
    let line = Line::from(vec![
        Span::styled(" / ", appearance.style(StyleRole::Key)),
        Span::styled(text, appearance.style(role)),
    ]);
    put(buf, body, 0, &line);
    let x = body.x + 3 + u16::try_from(cursor).unwrap_or(0);
    requests.searching.then_some(Position { x, y: body.y })
}

/// The columns right of the path: status, time, size, and where there is room what it was for.
const STATUS: u16 = 8;
const TOOK: u16 = 9;
const SIZE: u16 = 9;
const WHAT: u16 = 18;

/// Where the path begins: after the mark of the row, time and method.
const PATH: u16 = 20;

fn draw_list(buf: &mut Buffer, area: Rect, requests: &State, appearance: &Appearance, layout: &mut Layout) {
    let what = if area.width + 2 >= WIDE { WHAT } else { 0 };
    let path = area.width.saturating_sub(PATH + STATUS + TOOK + SIZE + what);
    let row = |time: &str, method: &str, target: &str, status: &str, took: &str, size: &str, purpose: &str| {
        let target = cut(target, usize::from(path.saturating_sub(1)));
        let blanks = " ".repeat(usize::from(path).saturating_sub(width(&target)));
        let purpose = cut(purpose, usize::from(what.saturating_sub(2)));
        format!("{time:<8}  {method:<6} {target}{blanks}{status:<8}{took:>8} {size:>8}   {purpose}")
    };
    let heading = row("TIME", "METHOD", "PATH", "  STATUS", "TOOK", "SIZE", if what > 0 { "WHAT FOR" } else { "" });
    put(buf, area, 0, &Line::styled(format!("   {heading}"), appearance.style(StyleRole::Heading)));
    layout.table_rows = area.height.saturating_sub(1);
    let visible = usize::from(layout.table_rows);
    if requests.row_count() == 0 {
        for (y, line) in (2..).zip(empty_lines(requests)) {
            put(buf, area, y, &Line::raw(format!("   {line}")));
        }
        return;
    }
    let cursor = requests.cursor();
    layout.table_top = layout.table_top.clamp(first_shown(cursor, visible.max(1)), cursor);
    for (y, (at, exchange)) in (1..area.height).zip((layout.table_top..).zip(requests.rows_from(layout.table_top))) {
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
        let style = appearance.style(if selected { StyleRole::Selected } else { StyleRole::Text });
        put(buf, area, y, &Line::raw(if selected { " >" } else { "" }));
        let cells = Rect { x: area.x + 3, width: area.width.saturating_sub(3), ..area };
        put(buf, cells, y, &Line::styled(text, style));
        if has_failed(exchange) {
            let mark = Rect { x: area.x + PATH + path, width: 1, ..area };
            put(buf, mark, y, &Line::styled("!", appearance.style(StyleRole::Error)));
        }
    }
}

/// What stands in an empty list: never nothing, always what to do next.
fn empty_lines(requests: &State) -> [&'static str; 2] {
    if requests.counts().0 == 0 {
        ["Nothing has been asked of the service yet in this session.", "Esc goes back; r among the pets asks."]
    } else if requests.search.is_empty() {
        ["No request has failed.", "f shows all of them."]
    } else {
        ["No request has all these words.", "Esc clears the search."]
    }
}

/// Both sides in panes beside each other.
fn draw_panes(buf: &mut Buffer, area: Rect, exchange: &Exchange, appearance: &Appearance) {
    let left = Rect { width: area.width / 2, ..area };
    let right = Rect { x: left.right(), width: area.width - left.width, ..area };
    let sides = [("sent", sent(exchange, Body::Indented)), ("answered", answered(exchange, Body::Indented))];
    for (area, (title, lines)) in [left, right].into_iter().zip(sides) {
        let inner = boxed(buf, area, title, appearance);
        let inside = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        // The last row of both is for the times.
        let above = Rect { height: inside.height.saturating_sub(2), ..inside };
        draw_lines(buf, above, "", &wrapped(&lines, above, appearance), appearance);
        if area == left {
            put(buf, inside, above.height + 1, &Line::styled(timing(exchange), appearance.style(StyleRole::Quiet)));
        }
    }
}

/// Both sides below each other, as curl marks them.
fn draw_below(buf: &mut Buffer, area: Rect, exchange: &Exchange, appearance: &Appearance) {
    let title =
        format!("-- {}: {} ", appearance.text(exchange.what), timing(exchange)).replace('-', &appearance.rule(1));
    let rule = appearance.rule(usize::from(area.width).saturating_sub(width(&title) + 2));
    put(buf, area, 0, &Line::styled(format!(" {title}{rule}"), appearance.style(StyleRole::Border)));
    let inside = Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height - 1 };
    let text = Rect { width: inside.width.saturating_sub(2), ..inside };
    let lines = wrapped(&sent(exchange, Body::Plain), text, appearance);
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inside.height / 2);
    draw_lines(buf, Rect { height, ..inside }, "> ", &lines, appearance);
    let rest = Rect { y: inside.y + height, height: inside.height - height, ..inside };
    draw_lines(buf, rest, "< ", &wrapped(&answered(exchange, Body::Plain), text, appearance), appearance);
}

/// The lines as this terminal can show them, broken at the width of `area`.
fn wrapped(lines: &[String], area: Rect, appearance: &Appearance) -> Vec<String> {
    lines.iter().flat_map(|line| wrap_indented(&appearance.text(line), area.width.into())).collect()
}

/// As many lines as there is room for, and a word where there are more.
fn draw_lines(buf: &mut Buffer, area: Rect, mark: &str, lines: &[String], appearance: &Appearance) {
    let fits = lines.len() <= area.height.into();
    for (y, line) in (0..area.height).zip(lines) {
        let text = if !fits && y + 1 == area.height { "... Enter shows all of it" } else { line };
        put(buf, area, y, &Line::from(vec![Span::styled(mark, appearance.style(StyleRole::Quiet)), Span::raw(text)]));
    }
}

/// How many there were, for the header.
#[must_use]
pub fn counts(requests: &State) -> String {
    let (total, failed) = requests.counts();
    format!("  this session: {total}, failed {failed}")
}

/// The message line when nothing else is to be said.
#[must_use]
pub fn place(requests: &State) -> String {
    match requests.missed {
        0 => format!("In memory only, the newest {KEPT}, always without the key."),
        missed => format!("In memory only, always without the key. {missed} came too fast to be recorded."),
    }
}
