//! Paints the import.

use std::collections::VecDeque;
use std::time::Duration;

use ratatui::text::Span;

use crate::clock::Now;
use crate::model::words::counts;
use crate::model::{Field, PetStatus, counted, cut, width};
use crate::transfer::preview::{Cells, Preview};
use crate::transfer::rows::RowFault;
use crate::transfer::{EarlierVerdict, FileFormat, ImportedRow, RowOutcome, Start};
use crate::tui::{App, Page, Screen, Slot, StyleRole, WIDE, shown};

use super::preview::{CORRECTED, PreviewState, Question};
use super::update::{can_be_changes, command_line};
use super::{Phase, Running, file_name};

/// The width of the column of names.
const NAME: usize = 25;

/// The rows below the list, with the command to continue.
const BELOW: u16 = 4;

/// The message row without a message.
pub fn place(app: &App) -> String {
    let import = &app.add.import;
    let shows_unfinished = import.shows_unfinished();
    let text = match (&import.phase, import.unfinished_name()) {
        (Phase::File, _) if shows_unfinished => "This import is not finished. Enter shows it, F8 drops it.",
        (Phase::Looked(_), _) if shows_unfinished => "This import is not finished. F2 continues it, F8 drops it.",
        (Phase::Looked(looked), _) if looked.before().is_some_and(|before| before.added > 0) => {
            "Nothing more has been sent yet."
        }
        (Phase::File, Some(file)) => {
            return format!("The import of {file} is not finished. Nothing has been sent of another file yet.");
        }
        (Phase::File | Phase::Looked(_), _) => "Nothing has been sent yet.",
        (Phase::Running(running), _) if running.is_under_way => "Sending. Esc stops; nothing is lost.",
        (Phase::Running(_), Some(_)) => "Not finished. F2 sends the rest; Esc leaves it for later.",
        (Phase::Running(running), None) => match &running.progress {
            progress if progress.refused > 0 => "Finished. F2 sends the refused rows again; Esc closes.",
            progress if progress.invalid > 0 && !running.can_go_on() => {
                "Finished. f shows only the rows that were not added; Esc leaves them."
            }
            progress if progress.errors() > 0 => "Finished. F2 checks the file again; Esc closes.",
            _ => "Finished. Esc closes.",
        },
    };
    text.to_owned()
}

/// The progress of a running or unfinished import, for the header of other screens.
pub fn word(app: &App) -> Option<String> {
    let import = &app.add.import;
    match import.under_way() {
        _ if app.screen == Screen::AddPet && import.on => None,
        Some(running) => Some(format!("importing {}%", running.percent())),
        None => import.unfinished.as_ref().map(|_| "import not finished".to_owned()),
    }
}

/// Paints the import.
pub fn draw(app: &App, now: Now, page: &mut Page<'_>) {
    match &app.add.import.phase {
        Phase::File => draw_file(app, page),
        Phase::Looked(looked) => draw_preview(looked, app, page),
        Phase::Running(running) => draw_running(running, app, now, page),
    }
}

fn draw_file(app: &App, page: &mut Page<'_>) {
    page.pane(page.area.width, "Import a file");
    let import = &app.add.import;
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
fn draw_running(running: &Running, app: &App, now: Now, page: &mut Page<'_>) {
    let body = page.area;
    let appearance = page.appearance;
    let file = match (running.job.source.path(), &running.files) {
        (None, _) => "pasted text",
        (Some(_), Some((file, _))) => file_name(file),
        (Some(_), None) => "...",
    };
    page.gap();
    let (file, service) = (cut(&appearance.text(file), 40), cut(&appearance.text(&running.service), 20));
    page.line(vec![appearance.span("   Import   ", StyleRole::Heading), format!("{file}  -> {service}").into()]);
    page.gap();
    draw_gauge(running, page);
    page.line(cut(&progress_words(running, now), page.columns()));
    page.gap();
    // A pasted import leaves no report once it is complete.
    let is_gone = running.job.source.is_pasted() && !running.is_under_way && running.left() == 0;
    if let Some((_, report)) = running.files.as_ref().filter(|_| !is_gone) {
        let text = format!("   Report   {}   (written row by row)", appearance.text(file_name(report)));
        page.at(0, cut(&text, page.columns()), StyleRole::Text);
    }
    page.gap();
    let list = page.take(page.left().saturating_sub(BELOW));
    let below = page.rest();
    page.go_to(list);
    if body.width >= WIDE && !running.only_rejects {
        let rows = page.take(list.height - list.height / 2);
        let rejects = page.rest();
        page.go_to(rows);
        page.boxed("Rows (f: only problems)");
        draw_rows(&running.rows, Some(running.cursor), page);
        page.go_to(rejects);
        page.boxed(&format!("To fix: {}", running.progress.errors()));
        draw_rows(&running.rejects, None, page);
    } else {
        draw_rows(running.listed(), Some(running.cursor), page);
    }
    page.go_to(below);
    draw_below(running, app, page);
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

fn progress_words(running: &Running, now: Now) -> String {
    let progress = &running.progress;
    let text = format!("   {}", progress.words(Some(running.left())));
    if !running.is_under_way {
        return text;
    }
    if let Some(waiting) = &progress.waiting {
        return format!("{text}   {}", waiting.words(now));
    }
    let speed = running.speed.map_or(String::new(), |speed| format!("   {speed:.1} a second"));
    let left = running.time_left().map_or(String::new(), |left| format!("   about {}", clock_words(left)));
    text + &speed + &left
}

fn clock_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3_600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Rows, the newest on top.
fn draw_rows(rows: &VecDeque<ImportedRow>, cursor: Option<usize>, page: &mut Page<'_>) {
    let columns = [("", 2), (" LINE", 6), ("NAME", NAME), ("RESULT", page.columns().saturating_sub(10 + NAME))];
    page.headings(&columns);
    let height = usize::from(page.left());
    for (here, row) in shown(rows.iter(), cursor.unwrap_or(0), height) {
        let (mark, role) = match &row.outcome {
            RowOutcome::Added(_) => ("+", StyleRole::Good),
            RowOutcome::Refused(_) | RowOutcome::Invalid(_) => ("!", StyleRole::Error),
            RowOutcome::Unknown(_) => ("?", StyleRole::Wait),
            RowOutcome::NotSent(_) => ("*", StyleRole::Wait),
        };
        let (line, text) = (format!("{:>5}", row.line), row.outcome.words());
        let cells = [(mark, role), (&line, StyleRole::Text), (&row.name, StyleRole::Text), (&text, role)];
        page.row(here && cursor.is_some(), &columns, &cells);
    }
}

fn draw_below(running: &Running, app: &App, page: &mut Page<'_>) {
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
    page.paragraph(5, &command_line(app, " --resume"));
}

/// The width of the preview with a pane beside it.
const BESIDE_PANE: u16 = 82;

/// The left edges of the columns of the table of fields.
const FIELD: u16 = 23;
const EXAMPLE: u16 = 36;
const CHECKED: u16 = 56;

/// The rows above the list of bad rows.
const ABOVE_FAULTS: u16 = 10;

/// The left edge of the last column; in a narrow window further left.
fn checked_column(page: &Page<'_>) -> u16 {
    page.area.width.saturating_sub(16).min(CHECKED)
}

/// Paints the preview of a file.
fn draw_preview(looked: &PreviewState, app: &App, page: &mut Page<'_>) {
    let beside = page.pane(BESIDE_PANE, "Import: preview");
    let height = page.area.height;
    page.scrolled(1, |page| draw_left(looked, app, height, page));
    if let Some(beside) = beside.filter(|_| looked.seen().is_some()) {
        page.go_to(beside);
        draw_beside(looked, app, page);
    }
}

/// The preview itself; a window of this `height` decides how many bad rows it lists.
fn draw_left(looked: &PreviewState, app: &App, height: u16, page: &mut Page<'_>) {
    let name = looked.source.path().map_or("pasted text", file_name);
    let built = match looked.rows {
        _ if !app.pending.is_running(Slot::CheckFile) => {
            looked.seen().map_or_else(String::new, |seen| layout_words(&seen.preview))
        }
        0 => "checking ...".to_owned(),
        rows => format!("checking ... {} so far", counted(rows, "row")),
    };
    let name = cut(&page.appearance.text(name), page.columns().saturating_sub(14 + width(&built)));
    page.gap();
    page.line(vec![page.appearance.span("   Import   ", StyleRole::Heading), format!("{name}   {built}").into()]);
    page.gap();
    draw_fields(looked, page);
    page.gap();
    match &looked.found {
        Some(Ok(seen)) => {
            let key = if looked.value(looked.part).is_some() { "Ctrl-O" } else { "l" };
            draw_faults(&seen.preview, key, height, page);
            draw_choices(looked, app, page);
        }
        Some(Err(not_seen)) => page.banner(&not_seen.why, usize::MAX),
        None => {}
    }
    if can_be_changes(app) {
        page.paragraph(3, "These rows have ids: c changes the pets with these ids instead of adding new ones.");
    }
}

fn layout_words(preview: &Preview) -> String {
    let layout = &preview.layout;
    let delimiter = match layout.delimiter {
        None => "",
        Some(';') => ", semicolon",
        Some('\t') => ", tab",
        Some(_) => ", comma",
    };
    let encoding = if layout.format == FileFormat::Xlsx { "" } else { ", UTF-8" };
    format!("{}{delimiter}{encoding}, {}", layout.format, counted(preview.good + preview.bad, "row"))
}

/// The column of each field, and an unused column.
fn draw_fields(looked: &PreviewState, page: &mut Page<'_>) {
    for (x, text) in [(3, "Column in file"), (FIELD, "Field"), (EXAMPLE, "Example"), (checked_column(page), "Checked")]
    {
        page.at(x, text, StyleRole::Heading);
    }
    page.gap();
    for field in Field::ALL {
        draw_field(looked, field, page);
        page.gap();
    }
    let used = Field::ALL.map(|field| looked.column_of(field));
    let mut unused = looked.columns().iter().filter(|column| !used.contains(&Some(column.as_str())));
    if let Some(first) = unused.next() {
        let more = match unused.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!("   {}{more}", cut(&page.appearance.text(first), 18));
        page.at(0, cut(&text, usize::from(FIELD) - 4), StyleRole::Quiet);
        page.at(FIELD - 3, "-> (not used)", StyleRole::Quiet);
    }
    page.gap();
}

fn draw_field(looked: &PreviewState, field: Field, page: &mut Page<'_>) {
    let here = looked.part == field as usize;
    let role = StyleRole::InUse.when(here);
    page.label(0, 1, "", here);
    let value = looked.value(field as usize);
    let column = looked.column_of(field);
    if let Some(value) = value {
        page.input(3, 14, value, here);
    } else {
        let none = match field {
            _ if looked.columns().is_empty() => "",
            Field::Status => "(none: not set)",
            Field::Name | Field::CategoryId => "(none)",
        };
        page.at(3, cut(&page.appearance.text(column.unwrap_or(none)), 18), role);
        if here {
            page.point(3);
        }
    }
    page.at(FIELD - 3, "->", StyleRole::Text);
    page.at(FIELD, field.member(), role);
    let Some(seen) = looked.seen() else { return };
    let checked = checked_column(page);
    let example = seen.preview.first.first().map(|new| match field {
        Field::Name => new.name.clone(),
        Field::CategoryId => new.category_id.to_string(),
        Field::Status => new.status.map_or("not set", PetStatus::as_str).to_owned(),
    });
    let example = page.appearance.text(&example.unwrap_or_default());
    let example = cut(&example, usize::from(checked.saturating_sub(EXAMPLE + 1)));
    page.at(EXAMPLE, example, StyleRole::Text);
    if value.is_some() {
        page.at(checked, "same for all", StyleRole::Text);
    } else if column.is_some() {
        let Cells { empty, wrong } = seen.preview.cells[field as usize];
        let role = if empty + wrong == 0 { StyleRole::Good } else { StyleRole::Error };
        let ok = (seen.preview.good + seen.preview.bad).saturating_sub(empty + wrong);
        page.at(checked, counts([(ok, "ok"), (empty, "empty"), (wrong, "bad")]).join("  "), role);
    }
}

/// The value first: the reason may not fit.
fn fault_words(fault: &RowFault) -> String {
    match (fault.column.as_str(), fault.value.as_str()) {
        ("", _) => fault.reason.clone(),
        (column, "") => format!("{column} is empty"),
        (column, value) => format!("{column} \"{value}\": {}", fault.reason),
    }
}

/// The first rows that cannot be sent, and how many there are; `key` lists all.
fn draw_faults(preview: &Preview, key: &str, height: u16, page: &mut Page<'_>) {
    if preview.bad > 0 {
        page.styled(format!("   Cannot be sent ({}):", preview.bad), StyleRole::Error);
        let others = ABOVE_FAULTS + 6 + u16::from(preview.duplicates > 0) + u16::from(preview.corrected > 0);
        let room = usize::from(height.saturating_sub(others)).clamp(1, 5);
        let shown = if preview.bad_rows.len() > room { room.saturating_sub(1).max(1) } else { room };
        for bad in preview.bad_rows.iter().take(shown) {
            let faults: Vec<String> = bad.faults.iter().map(fault_words).collect();
            page.text(&format!("     line {:>3}   {}", bad.line, faults.join("; ")));
        }
        if preview.bad_rows.len() > shown {
            page.line(format!("     and {} more: {key} lists them", preview.bad - shown as u64));
        }
        page.gap();
    }
    if preview.duplicates > 0 {
        let until = if preview.all_duplicates { "" } else { " at least" };
        let rows = counted(preview.duplicates, "row");
        page.line(format!("   Duplicates (all fields equal):{until} {rows}   {key} lists them"));
    }
    if preview.corrected > 0 {
        page.line(format!("   Status corrected in {} (spaces, capitals).", counted(preview.corrected, "row")));
    }
    page.gap();
}

/// The choices about sending.
fn draw_choices(looked: &PreviewState, app: &App, page: &mut Page<'_>) {
    let Some(seen) = looked.seen() else { return };
    let preview = &seen.preview;
    for Question { part, text, .. } in looked.questions() {
        let here = looked.part == part;
        page.label(0, 1, &text, here);
        if here {
            page.point(3);
        }
        page.gap();
    }
    page.gap();
    if let Some(before) = &seen.before {
        let goes_on = before.way() == EarlierVerdict::GoOn;
        let text = if goes_on && before.same_file {
            "This import was started before. F2 continues it; rows already added are not sent again.".to_owned()
        } else if goes_on && before.new > 0 {
            format!("{} F2 sends the other {}.", before.sentence(), counted(before.new, "row"))
        } else {
            before.sentence()
        };
        page.paragraph(3, &text);
    }
    if preview.bad > 0 && !looked.only_good {
        let fix = "Fix the file, then press F5; w writes these rows to another file.";
        page.paragraph(3, if looked.source.is_file() { fix } else { CORRECTED });
    } else if let Some(Start::New | Start::Anew(_)) = looked.start() {
        let (pets, label) = (counted(preview.good, "pet"), &app.link.label);
        page.paragraph(3, &format!("This adds {pets} to {label} and cannot be undone."));
    }
}

/// The pane beside it: what will be sent, and the equivalent command.
fn draw_beside(looked: &PreviewState, app: &App, page: &mut Page<'_>) {
    page.boxed("Details");
    page.gap();
    page.paragraph(1, "First rows, as sent (JSON):");
    page.gap();
    for new in looked.seen().iter().flat_map(|seen| &seen.preview.first) {
        page.paragraph(1, &serde_json::to_string(new).unwrap_or_default());
    }
    page.gap();
    page.paragraph(1, "The same on the command line (y copies):");
    page.gap();
    page.paragraph(1, &command_line(app, " --dry-run"));
}
