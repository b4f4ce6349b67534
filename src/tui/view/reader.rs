//! Lines in a box that shows some of them at a time.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::tui::state::Layout;
use crate::tui::widgets::put;

/// Lines that can be scrolled.
pub(super) fn read(buf: &mut Buffer, area: Rect, top: u16, lines: &[Line<'_>], layout: &mut Layout) {
    layout.reader_rows = area.height;
    layout.reader_lines = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    for (y, line) in (0..area.height).zip(lines.iter().skip(top.into())) {
        put(buf, area, y, line);
    }
}
