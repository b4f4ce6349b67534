//! How the first start looks.

use ratatui::text::Span;

use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::{Page, marker};

use super::state::StartOption;

/// The least height at which everything is shown.
const LEAST_FOR_ALL: u16 = 18;

/// Paints the screen.
pub fn draw(state: &AppState, page: &mut Page<'_>) {
    let small = page.area.height < LEAST_FOR_ALL;
    if !small {
        page.gap();
        page.line("   Welcome. No setup is needed: choose how to start.");
        page.gap();
    }
    for (at, way) in StartOption::ALL.into_iter().enumerate() {
        let (what, note) = way.words();
        let marked = at == state.welcome.cursor;
        page.click_row(marked);
        if marked {
            page.point(3);
        }
        let line = format!("{} {}) {what:<28}", marker(marked), at + 1);
        let line = page.appearance.span(line, StyleRole::Selected.when(marked));
        page.line(vec![Span::raw("   "), line, Span::raw(format!("  {note}"))]);
    }
    page.gap();
    page.margin = 2;
    let directories = state.welcome.directories.join(", ");
    for (name, text) in [("Writes to", directories.as_str()), ("Later", "P profiles, T themes, ? help")] {
        let name = page.appearance.span(format!("   {name:<14} "), StyleRole::Quiet);
        page.behind(&name, text, if small { 1 } else { usize::MAX });
    }
}

/// The line without a message.
pub const PLACE: &str = "Nothing is sent or written before you choose.";
