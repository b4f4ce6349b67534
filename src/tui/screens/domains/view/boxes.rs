//! The boxes of the panel.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use crate::domains::Who;
use crate::domains::record_export::ExportFormat;
use crate::tui::state::AppState;
use crate::tui::theme::Appearance;
use crate::tui::widgets::page::Page;
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
    let mut page = Page::new(buf, inner, appearance);
    page.gap();
    let mut place = None;
    for (at, format) in ExportFormat::ALL.iter().enumerate() {
        place = page.item(&format!("{:<11}", format.as_str()), at == formats.choice).or(place);
    }
    let right = Rect { x: inner.x + 16, width: inner.width.saturating_sub(17), ..inner };
    let text = formats.text(&app.domains);
    let lines = text.lines().flat_map(|line| wrap_indented(&appearance.text(line), right.width.into()));
    for (y, line) in (1..right.height).zip(lines) {
        put(buf, right, y, &Line::raw(line));
    }
    place
}

/// What can be done outside.
pub fn draw_outside(buf: &mut Buffer, body: Rect, outside: &OutsideBox, appearance: &Appearance) -> Option<Position> {
    let rows = u16::try_from(outside.acts.len()).unwrap_or(0) + 6;
    let inner = popup(buf, body, 80, rows, "Practice: what you would do outside petstore", appearance);
    let mut page = Page::new(buf, inner, appearance);
    let mut place = None;
    page.gap();
    page.text(" The most sensible first. Enter does it in the world of practice.");
    page.gap();
    for (at, act) in outside.acts.iter().enumerate() {
        let where_to = if act.place() == Who::Dashboard { "dashboard" } else { "provider" };
        let text = format!("{where_to:<10}{}", act.words());
        place = page.item(&text, at == outside.choice).or(place);
    }
    if outside.acts.is_empty() {
        page.text("   There is nothing to do outside now.");
    }
    place
}
