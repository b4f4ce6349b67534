//! Lines that can be scrolled: where the keys lead to, and which are shown.

use ratatui::text::Line;

use crate::tui::command::{Command, READER, moves};
use crate::tui::state::Layout;
use crate::tui::widgets::list::moved;
use crate::tui::widgets::page::Page;

/// Moves in the text of the box that is open.
pub(super) const SCROLL: Command = moves(READER, "scroll|page", "scroll|top, bottom", |app, movement, _| {
    let Some(top) = app.popups.top_mut().and_then(|popup| popup.top()) else { return };
    let [lines, rows] = [app.layout.reader_lines, app.layout.reader_rows].map(usize::from);
    let first = moved(usize::from(*top), movement, lines.saturating_sub(rows) + 1, rows.max(1));
    *top = u16::try_from(first).unwrap_or(u16::MAX);
})
.when(|app| app.layout.reader_lines > app.layout.reader_rows);

/// Paints the lines from `top` on, and keeps how many there are.
pub(super) fn draw(top: u16, lines: Vec<Line<'_>>, page: &mut Page<'_>, layout: &mut Layout) {
    layout.reader_rows = page.area.height;
    layout.reader_lines = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    for line in lines.into_iter().skip(top.into()).take(page.area.height.into()) {
        page.line(line);
    }
}
