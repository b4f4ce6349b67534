//! The boxes of the panel.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use crate::domains::Who;
use crate::domains::record_export::ExportFormat;
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{popup, put, wrap_indented};

use super::super::popups::{FormatsBox, OutsideBox};

/// The record in all formats: their names at the left, the text at the right.
pub fn draw_formats(
    buf: &mut Buffer,
    body: Rect,
    formats: FormatsBox,
    app: &AppState,
    appearance: &Appearance,
) -> Option<Position> {
    let title =
        if formats.with_deletes { "The record, with what to delete first" } else { "The record in all formats" };
    let inner = popup(buf, body, body.width.min(110), body.height.saturating_sub(2), title, appearance);
    for (y, (at, format)) in (1..).zip(ExportFormat::ALL.iter().enumerate()) {
        let here = at == formats.choice;
        let text = format!(" {} {:<11}", if here { ">" } else { " " }, format.as_str());
        put(
            buf,
            inner,
            y,
            &Line::styled(text, appearance.style(if here { StyleRole::Selected } else { StyleRole::Text })),
        );
    }
    let right = Rect { x: inner.x + 16, width: inner.width.saturating_sub(17), ..inner };
    let text = formats.text(&app.domains);
    let lines = text.lines().flat_map(|line| wrap_indented(&appearance.text(line), right.width.into()));
    for (y, line) in (1..right.height).zip(lines) {
        put(buf, right, y, &Line::raw(line));
    }
    let y = u16::try_from(formats.choice).unwrap_or(0) + 1;
    (y < inner.height).then_some(Position { x: inner.x + 1, y: inner.y + y })
}

/// What can be done outside.
pub fn draw_outside(buf: &mut Buffer, body: Rect, outside: &OutsideBox, appearance: &Appearance) -> Option<Position> {
    let rows = u16::try_from(outside.acts.len()).unwrap_or(0) + 6;
    let inner = popup(buf, body, 80, rows, "Practice: what you would do outside petstore", appearance);
    let mut place = None;
    put(buf, inner, 1, &Line::raw(" The most sensible first. Enter does it in the world of practice."));
    for (y, (at, act)) in (3..).zip(outside.acts.iter().enumerate()) {
        let here = at == outside.choice;
        let at = if act.place() == Who::Dashboard { "dashboard" } else { "provider" };
        let text = format!(" {} {at:<10}{}", if here { ">" } else { " " }, act.words());
        put(
            buf,
            inner,
            y,
            &Line::styled(text, appearance.style(if here { StyleRole::Selected } else { StyleRole::Text })),
        );
        if here && y < inner.height {
            place = Some(Position { x: inner.x + 1, y: inner.y + y });
        }
    }
    if outside.acts.is_empty() {
        put(buf, inner, 3, &Line::raw("   There is nothing to do outside now."));
    }
    place
}
