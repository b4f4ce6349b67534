//! How the first start looks.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::model::ObservedStatus;
use crate::model::samples::sample;
use crate::model::text::cut;
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{WIDE, banner, boxed, field, pane, put, wrap};

use super::state::StartOption;

/// The width of the list of ways where there is a preview beside it.
const WAYS_BESIDE_PREVIEW: u16 = 82;

/// The least height at which everything is shown.
const LEAST_FOR_ALL: u16 = 12;

/// Paints the screen into `body`, the rows between header and message.
pub fn draw(state: &AppState, appearance: &Appearance, buf: &mut Buffer, body: Rect) -> Option<Position> {
    let wide = body.width >= WIDE;
    let ways = if wide { Rect { width: WAYS_BESIDE_PREVIEW, ..body } } else { body };
    if wide {
        draw_preview(buf, Rect { x: ways.right(), width: body.width - ways.width, ..body }, appearance);
    }
    let inner = pane(buf, ways, "Welcome", appearance, wide);
    let welcome = &state.welcome;
    // On a small screen only what is chosen among, or the field.
    let small = inner.height < LEAST_FOR_ALL;
    let mut y = if small { 0 } else { 3 };
    if !small {
        put(buf, inner, 1, &Line::raw("   Welcome. Nothing is set up yet, and nothing has to be."));
    }
    let mut cursor = None;
    for (at, way) in StartOption::ALL.into_iter().enumerate().filter(|_| !small || welcome.path.is_none()) {
        let (what, note) = way.words();
        let marked = at == welcome.cursor;
        let line = format!("{} {}) {what:<28}", if marked { ">" } else { " " }, at + 1);
        let role = if marked { StyleRole::Selected } else { StyleRole::Text };
        let spans = vec![Span::raw("   "), Span::styled(line, appearance.style(role)), Span::raw(format!("  {note}"))];
        put(buf, inner, y, &Line::from(spans));
        if marked {
            cursor = Some(Position { x: inner.x + 3, y: inner.y + y });
        }
        y += 1;
    }
    if let Some(path) = &welcome.path {
        y += u16::from(!small);
        put(buf, inner, y, &Line::raw("   Path of the file (~ is your home directory):"));
        cursor = Some(field(buf, inner.x + 3, inner.y + y + 1, inner.width.saturating_sub(8), path, appearance));
        y += 2;
    }
    for line in welcome.error.iter().flat_map(|error| banner(&appearance.text(error), inner.width, appearance)) {
        put(buf, inner, y, &line);
        y += 1;
    }
    y += 1;
    for line in around(state, inner.width, appearance) {
        put(buf, inner, y, &line);
        y += 1;
    }
    cursor
}

/// What was found out, in lines of a name and its words.
fn around(state: &AppState, columns: u16, appearance: &Appearance) -> Vec<Line<'static>> {
    let around = &state.welcome.around;
    let size = format!("{}x{}, {}", state.size.columns, state.size.rows, around.terminal);
    let files = around.files.join(", ");
    let facts = [
        ("This terminal", size.as_str()),
        ("Copying", &around.copying),
        ("Theme", &around.theme),
        ("Will write to", &files),
        ("Later", "P: profiles, T: themes, F1 or ?: all keys of a place"),
    ];
    let room = usize::from(columns).saturating_sub(20);
    let mut lines = Vec::new();
    for (name, text) in facts {
        for (at, text) in wrap(&appearance.text(text), room).into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            let name = Span::styled(format!("   {name:<14} "), appearance.style(StyleRole::Quiet));
            lines.push(Line::from(vec![name, Span::raw(text)]));
        }
    }
    lines
}

/// Three of the samples, as the list of animals shows them.
fn draw_preview(buf: &mut Buffer, area: Rect, appearance: &Appearance) {
    let inner = boxed(buf, area, "What it looks like", appearance);
    put(buf, inner, 1, &Line::styled("  ID NAME              STATUS", appearance.style(StyleRole::Heading)));
    for (y, at) in (2..5).zip(0..) {
        let pet = sample(at);
        let status = pet.status.map(ObservedStatus::from);
        let (mark, role) = appearance.mark(status.as_ref());
        let word = status.as_ref().map_or("not set", ObservedStatus::as_str);
        let name = cut(&appearance.text(&pet.name), 16);
        let spans = vec![
            Span::raw(format!("  {:>2} {name:<17} ", at + 1)),
            Span::styled(mark, appearance.style(role)),
            Span::raw(format!(" {word}")),
        ];
        put(buf, inner, y, &Line::from(spans));
    }
}

/// The message line when nothing else is to be said.
pub const PLACE: &str = "Nothing is asked of any service, and no file written, before you choose.";
