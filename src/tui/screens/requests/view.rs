//! How the requests screen looks.

use crate::api::Exchange;
use crate::model::text::cut;
use crate::tui::state::{AppState, Layout};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::page::{Page, marker};
use crate::tui::widgets::{WIDE, column};

use super::State;
use super::state::{KEPT, has_failed};
use super::texts::{duration, size};

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
        page.line("   No requests yet in this session.");
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
