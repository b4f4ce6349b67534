//! The boxes of the panel.

use ratatui::layout::Rect;

use crate::domains::Who;
use crate::domains::record_export::ExportFormat;
use crate::tui::state::AppState;
use crate::tui::widgets::page::Page;

use super::super::popups::{FormatsBox, OutsideBox};

/// The record in all formats: their names at the left, the text at the right.
pub fn draw_formats(formats: FormatsBox, app: &AppState, page: &mut Page<'_>) {
    let title =
        if formats.with_deletes { "The record, with what to delete first" } else { "The record in all formats" };
    page.popup(page.area.width.min(110), page.area.height.saturating_sub(2), title);
    let inner = page.area;
    page.gap();
    for (at, format) in ExportFormat::ALL.iter().enumerate() {
        let here = at == formats.choice;
        if here {
            page.point(1);
        }
        page.item(&format!("{:<11}", format.as_str()), here);
    }
    page.go_to(Rect { x: inner.x + 16, width: inner.width.saturating_sub(17), ..inner });
    page.gap();
    for line in formats.text(&app.domains).lines() {
        page.code(line);
    }
}

/// What can be done outside.
pub fn draw_outside(outside: &OutsideBox, page: &mut Page<'_>) {
    let rows = u16::try_from(outside.acts.len()).unwrap_or(0) + 6;
    page.popup(80, rows, "Practice: what you would do outside petstore");
    page.gap();
    page.line(" The most sensible first. Enter does it in the world of practice.");
    page.gap();
    for (at, act) in outside.acts.iter().enumerate() {
        let here = at == outside.choice;
        let place = if act.place() == Who::Dashboard { "dashboard" } else { "provider" };
        if here {
            page.point(1);
        }
        page.item(&format!("{place:<10}{}", act.words()), here);
    }
    if outside.acts.is_empty() {
        page.line("   There is nothing to do outside now.");
    }
}
