//! How the import looks.

mod preview;
mod run;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use crate::clock::Now;
use crate::tui::state::{AppState, Screen};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{WIDE, banner, field, pane, put, wrap};

use super::state::Phase;

/// What the last but one row says where nothing else is to be said.
#[must_use]
pub fn place(state: &AppState) -> &'static str {
    match &state.add.import.phase {
        Phase::File | Phase::Looked(_) => "Nothing has been sent.",
        Phase::Running(running) if running.paused => "Paused. F2 goes on, Del stops for good, Esc leaves it paused.",
        Phase::Running(running) if running.is_under_way() => {
            "Sending. Esc pauses after the rows under way; it does not throw anything away."
        }
        Phase::Running(_) => "It has ended. F2 goes on with what is left; Esc closes.",
    }
}

/// How far an import is, where that must be seen from elsewhere.
#[must_use]
pub fn word(state: &AppState) -> Option<String> {
    let is_seen = state.screen == Screen::AddPet && state.add.import.on;
    let running = state.add.import.running().filter(|running| running.is_under_way() && !is_seen)?;
    let word = if running.paused { "import paused" } else { "importing" };
    Some(format!("{word} {}%", running.percent()))
}

/// Paints the import into `body`; gives the place of the cursor.
pub fn draw(state: &AppState, appearance: &Appearance, now: Now, buf: &mut Buffer, body: Rect) -> Option<Position> {
    match &state.add.import.phase {
        Phase::File => Some(draw_file(state, appearance, buf, body)),
        Phase::Looked(looked) => preview::draw(looked, state, appearance, buf, body),
        Phase::Running(running) => run::draw(running, state, appearance, now, buf, body),
    }
}

fn draw_file(state: &AppState, appearance: &Appearance, buf: &mut Buffer, body: Rect) -> Position {
    let inner = pane(buf, body, "Import a file", appearance, body.width >= WIDE);
    let import = &state.add.import;
    put(buf, inner, 1, &Line::styled("   Import", appearance.style(StyleRole::Heading)));
    put(buf, inner, 3, &Line::styled("   > File", appearance.style(StyleRole::InUse)));
    let columns = inner.width.saturating_sub(16);
    let cursor = field(buf, inner.x + 12, inner.y + 3.min(inner.height - 1), columns, &import.path, appearance);
    let mut y = 5;
    if let Some(error) = &import.error {
        for line in banner(&appearance.text(error), inner.width, appearance) {
            put(buf, inner, y, &line);
            y += 1;
        }
        y += 1;
    }
    for text in [
        "CSV (comma, semicolon, tab), JSON, NDJSON, or XLSX. The first row names the columns: name, categoryId, status.",
        "All of it is checked and shown before anything is sent. Several lines or the path of a file can also be pasted \
         into the form's Name.",
    ] {
        for line in wrap(text, usize::from(inner.width).saturating_sub(6)) {
            put(buf, inner, y, &Line::raw(format!("   {line}")));
            y += 1;
        }
        y += 1;
    }
    cursor
}
