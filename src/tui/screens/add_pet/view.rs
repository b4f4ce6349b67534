//! Paints the add screen.

use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::{Layout, Page};

use super::rapid;

/// From this height on, there are blank rows between the fields.
const ROOMY: u16 = 30;

/// The left edge of the fields.
const FIELDS: u16 = 18;

/// The rows of the form and of two lines; in a lower window the part with the cursor is shown.
const LEAST_ROWS: u16 = 14;

/// Paints the form, and the lines below it.
pub fn draw(state: &AppState, page: &mut Page<'_>) {
    page.at_least(LEAST_ROWS, 1, |page| draw_all(state, page));
}

fn draw_all(state: &AppState, page: &mut Page<'_>) {
    let add = &state.add;
    let gap = u16::from(page.area.height >= ROOMY);
    page.gap();
    page.at(0, "   Add a pet", StyleRole::Heading);
    if let Some(at) = state.drafts.written_at.filter(|_| add.is_typed()) {
        page.right(1, &format!("draft saved {}", page.appearance.time(at)), StyleRole::Quiet);
    }
    page.y += 1 + gap;
    page.form(&add.form, &Layout { x: FIELDS, beside: true, gap, idle: add.rapid.in_lines }, &state.known(), "");
    page.gap();
    rapid::view::draw(&add.rapid, page);
}
