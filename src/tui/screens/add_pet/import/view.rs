//! Paints the import.

use std::time::Duration;

use ratatui::text::Span;

use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::transfer::ImportSource;
use crate::transfer::import::ImportedRow;
use crate::transfer::journal::RowOutcome;
use crate::tui::state::{AppState, Screen};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::WIDE;
use crate::tui::widgets::page::Page;
use crate::tui::widgets::shown;

use super::update::command_line;
use super::{Phase, Running, preview};

/// The width of the column of names.
const NAME: usize = 25;

/// The rows below the list, with the command to continue.
const BELOW: u16 = 4;

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
    match import.under_way() {
        Some(running) => Some(format!("importing {}%", running.percent())),
        None => import.unfinished.as_ref().map(|_| "import not finished".to_owned()),
    }
}

/// Paints the import.
pub fn draw(state: &AppState, now: Now, page: &mut Page<'_>) {
    match &state.add.import.phase {
        Phase::File => draw_file(state, page),
        Phase::Looked(looked) => preview::draw(looked, state, page),
        Phase::Running(running) => draw_running(running, state, now, page),
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

/// Paints an import that is running or has ended.
fn draw_running(running: &Running, state: &AppState, now: Now, page: &mut Page<'_>) {
    let body = page.area;
    let appearance = page.appearance;
    let file = match (&running.job.source, &running.files) {
        (ImportSource::Pasted(_), _) => "pasted text",
        (ImportSource::File(_), Some((file, _))) => file.rsplit('/').next().unwrap_or(file),
        (ImportSource::File(_), None) => "...",
    };
    page.gap();
    let (file, service) = (cut(&appearance.text(file), 40), cut(&appearance.text(&running.service), 20));
    page.line(vec![appearance.span("   Import   ", StyleRole::Heading), format!("{file}  -> {service}").into()]);
    page.gap();
    draw_gauge(running, page);
    page.line(cut(&counts(running, now), page.columns()));
    page.gap();
    // A pasted import leaves no report once it is complete.
    let is_gone = matches!(running.job.source, ImportSource::Pasted(_)) && !running.is_under_way && running.left() == 0;
    if let Some((_, report)) = running.files.as_ref().filter(|_| !is_gone) {
        let name = report.rsplit('/').next().unwrap_or(report);
        let text = format!("   Report   {}   (written row by row)", appearance.text(name));
        page.at(0, cut(&text, page.columns()), StyleRole::Text);
    }
    page.gap();
    let list = page.take(page.left().saturating_sub(BELOW));
    let below = page.rest();
    if body.width >= WIDE && !running.only_rejects {
        page.go_to(list);
        let rows = page.take(list.height - list.height / 2);
        let rejects = page.rest();
        page.go_to(rows);
        page.boxed("Rows (f: only problems)");
        draw_rows(running, running.listed(), true, page);
        page.go_to(rejects);
        page.boxed(&format!("To fix: {}", running.progress.errors()));
        draw_rows(running, &running.rejects, false, page);
    } else {
        page.go_to(list);
        draw_rows(running, running.listed(), true, page);
    }
    page.go_to(below);
    draw_below(running, state, page);
}

fn draw_gauge(running: &Running, page: &mut Page<'_>) {
    let good = running.good();
    let words = format!("  {} of {good}   {}%", good - running.left(), running.percent());
    let room = page.columns().saturating_sub(width(&words) + 6);
    let full = usize::try_from(running.percent()).unwrap_or(100) * room / 100;
    page.line(vec![
        Span::raw("   ["),
        page.appearance.span("#".repeat(full), StyleRole::Good),
        page.appearance.span("-".repeat(room - full), StyleRole::Quiet),
        Span::raw(format!("]{words}")),
    ]);
}

fn counts(running: &Running, now: Now) -> String {
    let progress = &running.progress;
    let mut text = format!("   {}", progress.words(Some(running.left())));
    if !running.is_under_way {
        return text;
    }
    if let Some(waiting) = &progress.waiting {
        return format!("{text}   {}", waiting.words(now));
    }
    if let Some(speed) = running.speed {
        text.push_str(&format!("   {speed:.1} a second"));
    }
    if let Some(left) = running.time_left() {
        text.push_str(&format!("   about {}", clock_words(left)));
    }
    text
}

fn clock_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3_600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Rows, the newest on top; with the cursor on the selected one if `has_cursor`.
fn draw_rows<'a>(
    running: &Running,
    rows: impl IntoIterator<Item = &'a ImportedRow>,
    has_cursor: bool,
    page: &mut Page<'_>,
) {
    let columns = [("", 2), (" LINE", 6), ("NAME", NAME), ("RESULT", page.columns().saturating_sub(10 + NAME))];
    page.headings(&columns);
    let height = usize::from(page.left());
    let cursor = if has_cursor { running.cursor } else { 0 };
    for (here, row) in shown(rows.into_iter(), cursor, height) {
        let (mark, role) = match &row.outcome {
            RowOutcome::Added(_) => ("+", StyleRole::Good),
            RowOutcome::Refused(_) | RowOutcome::Invalid(_) => ("!", StyleRole::Error),
            RowOutcome::Unknown(_) => ("?", StyleRole::Wait),
            RowOutcome::NotSent(_) => ("*", StyleRole::Wait),
        };
        let (line, text) = (format!("{:>5}", row.line), row.outcome.words());
        let cells = [(mark, role), (&line, StyleRole::Text), (&row.name, StyleRole::Text), (&text, role)];
        page.row(here && has_cursor, &columns, &cells);
    }
}

fn draw_below(running: &Running, state: &AppState, page: &mut Page<'_>) {
    let is_done = running.left() == 0 && running.progress.refused + running.progress.unknown == 0;
    if running.files.is_none() || (!running.is_under_way && is_done) {
        return;
    }
    page.gap();
    page.line(if running.is_under_way {
        "   If this window or the connection closes, continue with:"
    } else {
        "   F2 continues here; on the command line:"
    });
    page.margin = 2;
    page.paragraph(5, &command_line(state, " --resume"));
}
