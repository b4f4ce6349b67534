//! How the requests screen looks.

use crate::api::Exchange;
use crate::model::text::{cut, width};
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::page::{Page, marker};
use crate::tui::widgets::{WIDE, column, wrap_indented};

use super::State;
use super::state::{KEPT, has_failed};
use super::texts::{Body, answered, duration, sent, size, timing};

/// The most rows of the list with details below it.
const MOST_ROWS: u16 = 14;

/// The least height at which there are details below the list.
const LEAST_FOR_DETAILS: u16 = 14;

/// Paints the screen.
pub fn draw(state: &AppState, page: &mut Page<'_>, layout: &mut Layout) {
    let requests = &state.requests;
    let body = page.area;
    let wide = body.width >= WIDE;
    page.gap();
    let details = page.left() >= LEAST_FOR_DETAILS;
    let list = page.take(if details { (page.left() * 2 / 5).min(MOST_ROWS) } else { page.left() });
    let below = page.rest();
    page.go_to(list);
    if wide {
        page.boxed("newest first");
    }
    draw_list(requests, page, layout);
    page.go_to(below);
    match requests.selected() {
        Some(exchange) if wide && details => draw_panes(exchange, page),
        Some(exchange) if details => draw_below(exchange, page),
        Some(_) | None => {}
    }
    page.go_to(body);
    let which = if requests.only_failed { "only failed" } else { "all" };
    let result = format!("{which}: {} ", requests.row_count());
    page.search(&requests.search, requests.searching, "search path, status, purpose and bodies", &result);
}

/// The columns right of the path: status, time, size, and where there is room what it was for.
const STATUS: u16 = 8;
const TOOK: u16 = 9;
const SIZE: u16 = 9;
const WHAT: u16 = 18;

/// Where the path begins: after the mark of the row, time and method.
const PATH: u16 = 20;

fn draw_list(requests: &State, page: &mut Page<'_>, layout: &mut Layout) {
    let what = if page.area.width + 2 >= WIDE { WHAT } else { 0 };
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
    if requests.row_count() == 0 {
        page.gap();
        for line in empty_lines(requests) {
            page.line(format!("   {line}"));
        }
        return;
    }
    let cursor = requests.cursor();
    layout.table_top = layout.table_top.clamp(first_shown(cursor, visible.max(1)), cursor);
    let appearance = page.appearance;
    for (at, exchange) in (layout.table_top..).zip(requests.rows_from(layout.table_top)).take(visible) {
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

/// What to do when the list is empty.
fn empty_lines(requests: &State) -> [&'static str; 2] {
    if requests.counts().0 == 0 {
        ["No requests yet in this session.", "Esc goes back; r on the Pets screen sends one."]
    } else if requests.search.is_empty() {
        ["No request has failed.", "f shows all of them."]
    } else {
        ["No matching request.", "Esc clears the search."]
    }
}

/// Both sides in panes beside each other.
fn draw_panes(exchange: &Exchange, page: &mut Page<'_>) {
    let [left, right] = page.halves();
    let sides = [("sent", sent(exchange, Body::Indented)), ("answered", answered(exchange, Body::Indented))];
    for (area, (title, lines)) in [left, right].into_iter().zip(sides) {
        page.go_to(area);
        page.boxed(title);
        page.inset(1);
        // The last row of both is for the times.
        let rows = page.left().saturating_sub(2);
        draw_lines("", &wrapped(&lines, page.columns(), page), rows, page);
        if area == left {
            page.down_to(1);
            page.quiet(timing(exchange));
        }
    }
}

/// Both sides below each other, as curl marks them.
fn draw_below(exchange: &Exchange, page: &mut Page<'_>) {
    let appearance = page.appearance;
    let title =
        format!("-- {}: {} ", appearance.text(exchange.what), timing(exchange)).replace('-', &appearance.rule(1));
    let rule = appearance.rule(page.columns().saturating_sub(width(&title) + 2));
    page.styled(format!(" {title}{rule}"), StyleRole::Border);
    page.go_to(page.rest());
    page.inset(1);
    let columns = page.columns().saturating_sub(2);
    let lines = wrapped(&sent(exchange, Body::Plain), columns, page);
    draw_lines("> ", &lines, page.left() / 2, page);
    let lines = wrapped(&answered(exchange, Body::Plain), columns, page);
    draw_lines("< ", &lines, page.left(), page);
}

/// The lines as this terminal can show them, broken at so many columns.
fn wrapped(lines: &[String], columns: usize, page: &Page<'_>) -> Vec<String> {
    lines.iter().flat_map(|line| wrap_indented(&page.appearance.text(line), columns)).collect()
}

/// At most so many lines, and a note if there are more.
fn draw_lines(mark: &str, lines: &[String], rows: u16, page: &mut Page<'_>) {
    let rows = usize::from(rows);
    for (at, line) in lines.iter().take(rows).enumerate() {
        let is_cut = lines.len() > rows && at + 1 == rows;
        let text = if is_cut { "... Enter shows all of it" } else { line };
        page.line(vec![page.appearance.span(mark, StyleRole::Quiet), text.into()]);
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
