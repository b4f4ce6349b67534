//! How the first start looks.

use ratatui::text::Span;

use crate::model::ObservedStatus;
use crate::model::samples::sample;
use crate::model::text::cut;
use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::{Page, marker};

use super::state::StartOption;

/// The width of the list of ways where there is a preview beside it.
const WAYS_BESIDE_PREVIEW: u16 = 82;

/// The least height at which everything is shown.
const LEAST_FOR_ALL: u16 = 18;

/// Paints the screen.
pub fn draw(state: &AppState, page: &mut Page<'_>) {
    let preview = page.pane(WAYS_BESIDE_PREVIEW, "Welcome");
    let welcome = &state.welcome;
    // On a small screen only the options, or the field.
    let small = page.area.height < LEAST_FOR_ALL;
    if !small {
        page.gap();
        page.line("   Welcome. No setup is needed: choose how to start.");
        page.gap();
    }
    for (at, way) in StartOption::ALL.into_iter().enumerate().filter(|_| !small || welcome.path.is_none()) {
        let (what, note) = way.words();
        let marked = at == welcome.cursor;
        page.click_row(marked);
        if marked {
            page.point(3);
        }
        let line = format!("{} {}) {what:<28}", marker(marked), at + 1);
        let line = page.appearance.span(line, StyleRole::Selected.when(marked));
        page.line(vec![Span::raw("   "), line, Span::raw(format!("  {note}"))]);
    }
    if let Some(path) = &welcome.path {
        page.y += u16::from(!small);
        page.line("   Path of the file (~ is your home directory):");
        page.input(3, page.area.width.saturating_sub(8), path, true);
        page.gap();
    }
    if let Some(error) = &welcome.error {
        page.banner(error, usize::MAX);
    }
    page.gap();
    draw_around(state, small, page);
    if let Some(preview) = preview {
        page.go_to(preview);
        draw_preview(page);
    }
}

/// What was found out, in lines of a name and its words.
fn draw_around(state: &AppState, small: bool, page: &mut Page<'_>) {
    let around = &state.welcome.around;
    let size = format!("{}x{}, {}", state.size.columns, state.size.rows, around.terminal);
    page.margin = 2;
    for (name, text) in [
        ("This terminal", size.as_str()),
        ("Clipboard", &around.copying),
        ("Theme", &around.theme),
        ("Writes to", &around.files.join(", ")),
        ("Later", "P profiles, T themes, ? help"),
    ] {
        page.behind(
            &page.appearance.span(format!("   {name:<14} "), StyleRole::Quiet),
            text,
            if small { 1 } else { usize::MAX },
        );
    }
}

/// Three of the samples, as the list of pets shows them.
fn draw_preview(page: &mut Page<'_>) {
    page.boxed("What it looks like");
    page.gap();
    page.heading("  ID NAME              STATUS");
    for at in 0..3 {
        let pet = sample(at);
        let status = pet.status.map(ObservedStatus::from);
        let word = status.as_ref().map_or("not set", ObservedStatus::as_str);
        let name = cut(&page.appearance.text(&pet.name), 16);
        page.line(vec![
            Span::raw(format!("  {:>2} {name:<17} ", at + 1)),
            page.appearance.status(status.as_ref()),
            Span::raw(format!(" {word}")),
        ]);
    }
}

/// The line without a message.
pub const PLACE: &str = "Nothing is sent or written before you choose.";
