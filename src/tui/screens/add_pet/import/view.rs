//! Paints the import.

mod preview;
mod run;

use crate::clock::Now;
use crate::tui::state::{AppState, Screen};
use crate::tui::widgets::page::Page;

use super::state::Phase;

/// The message row without a message.
pub fn place(state: &AppState) -> String {
    let import = &state.add.import;
    let text = match &import.phase {
        Phase::File | Phase::Looked(_) if import.shows_unfinished() => {
            let key = if matches!(import.phase, Phase::File) { "Enter shows it" } else { "F2 continues it" };
            return format!("This import is not finished. {key}, F8 drops it.");
        }
        Phase::Looked(looked) if looked.before().is_some_and(|before| before.added > 0) => {
            "Nothing more has been sent yet."
        }
        Phase::File | Phase::Looked(_) => match import.unfinished_name() {
            Some(file) if matches!(import.phase, Phase::File) => {
                return format!("The import of {file} is not finished. Nothing has been sent of another file yet.");
            }
            _ => "Nothing has been sent yet.",
        },
        Phase::Running(running) if running.is_under_way => "Sending. Esc stops; nothing is lost.",
        Phase::Running(running) => match &running.progress {
            _ if import.unfinished.is_some() => "Not finished. F2 sends the rest; Esc leaves it for later.",
            progress if progress.refused > 0 => "Finished. F2 sends the refused rows again; Esc closes.",
            progress if progress.errors() > 0 => "Finished. F2 checks the file again; Esc closes.",
            _ => "Finished. Esc closes.",
        },
    };
    text.to_owned()
}

/// The progress of a running or unfinished import, for the header of other screens.
pub fn word(state: &AppState) -> Option<String> {
    let import = &state.add.import;
    if state.screen == Screen::AddPet && import.on {
        return None;
    }
    match import.running().filter(|running| running.is_under_way) {
        Some(running) => Some(format!("importing {}%", running.percent())),
        None => import.unfinished.as_ref().map(|_| "import not finished".to_owned()),
    }
}

/// Paints the import.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>) {
    match &state.add.import.phase {
        Phase::File => draw_file(state, page),
        Phase::Looked(looked) => preview::draw(looked, state, page),
        Phase::Running(running) => run::draw(running, state, now, page),
    }
}

fn draw_file(state: &AppState, page: &mut Page<'_>) {
    page.pane(page.area.width, "Import a file");
    let import = &state.add.import;
    page.gap();
    page.heading("   Import");
    page.gap();
    page.label(0, 3, "File", true);
    page.input(12, page.area.width.saturating_sub(16), &import.path, true);
    page.y += 2;
    if let Some(error) = &import.error {
        page.banner(error, usize::MAX);
        page.gap();
    }
    page.margin = 3;
    for text in [
        "CSV (comma, semicolon, tab), JSON, NDJSON, or XLSX. The first row names the columns: name, categoryId, status.",
        "The whole file is checked and shown before anything is sent. You can also paste several lines, or the path of a \
         file, into the Name field of the form.",
    ] {
        page.paragraph(3, text);
        page.gap();
    }
}
