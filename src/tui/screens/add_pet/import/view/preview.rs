//! Paints the preview of a file.
#![expect(clippy::wildcard_enum_match_arm, reason = "painting may use a default style")]

use crate::model::text::{cut, width};
use crate::model::words::{counted, counts};
use crate::model::{Field, NewPet};
use crate::transfer::FileFormat;
use crate::transfer::ImportSource;
use crate::transfer::earlier_import::EarlierVerdict;
use crate::transfer::import::Start;
use crate::transfer::preview::{Cells, Preview};
use crate::transfer::rows::RowFault;
use crate::tui::pending::Slot;
use crate::tui::screens::add_pet::import::preview::PreviewState;
use crate::tui::screens::add_pet::import::update::command_line;
use crate::tui::state::AppState;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::page::Page;

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

/// Paints the preview.
pub fn draw(looked: &PreviewState, state: &AppState, page: &mut Page<'_>) {
    let beside = page.pane(BESIDE_PANE, "Import: preview");
    let height = page.area.height;
    page.scrolled(1, |page| draw_left(looked, state, height, page));
    if let Some(beside) = beside.filter(|_| looked.seen().is_some()) {
        page.go_to(beside);
        draw_beside(looked, state, page);
    }
}

/// The preview itself; a window of this `height` decides how many bad rows it lists.
fn draw_left(looked: &PreviewState, state: &AppState, height: u16, page: &mut Page<'_>) {
    let name = match &looked.source {
        ImportSource::File(path) => path.rsplit('/').next().unwrap_or(path).to_owned(),
        ImportSource::Pasted(_) => "pasted text".to_owned(),
    };
    let built = if state.pending.is_running(Slot::CheckFile) {
        let rows = if looked.rows > 0 { format!(" {} so far", counted(looked.rows, "row")) } else { String::new() };
        format!("checking ...{rows}")
    } else {
        looked.seen().map_or_else(String::new, |seen| layout_words(&seen.preview))
    };
    let name = cut(&page.appearance.text(&name), page.columns().saturating_sub(14 + width(&built)));
    page.gap();
    page.line(vec![page.appearance.span("   Import   ", StyleRole::Heading), format!("{name}   {built}").into()]);
    page.gap();
    draw_fields(looked, page);
    page.gap();
    match &looked.found {
        Some(Ok(seen)) => {
            let key = if looked.value(looked.part).is_some() { "Ctrl-O" } else { "l" };
            draw_faults(&seen.preview, key, height, page);
            draw_choices(looked, state, page);
        }
        Some(Err(not_seen)) => page.banner(&not_seen.why, usize::MAX),
        None => {}
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
    let encoding = match layout.format {
        FileFormat::Xlsx => "",
        _ => ", UTF-8",
    };
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
        let more = unused.count();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
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
    let example = seen.preview.first.first().map(|new| example(new, field)).unwrap_or_default();
    let example = cut(&page.appearance.text(&example), usize::from(checked.saturating_sub(EXAMPLE + 1)));
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

fn example(new: &NewPet, field: Field) -> String {
    match field {
        Field::Name => new.name.clone(),
        Field::CategoryId => new.category_id.to_string(),
        Field::Status => new.status.map_or("not set".to_owned(), |status| status.to_string()),
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
            let text = format!("     line {:>3}   {}", bad.line, faults.join("; "));
            page.line(cut(&page.appearance.text(&text), page.columns()));
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
fn draw_choices(looked: &PreviewState, state: &AppState, page: &mut Page<'_>) {
    let Some(seen) = looked.seen() else { return };
    let preview = &seen.preview;
    for (part, text) in looked.questions() {
        let here = looked.part == part;
        page.label(0, 1, &text, here);
        if here {
            page.point(3);
        }
        page.gap();
    }
    page.gap();
    if let Some(before) = &seen.before {
        let text = match before.way() {
            EarlierVerdict::GoOn if before.same_file => {
                "This import was started before. F2 continues it; rows already added are not sent again.".to_owned()
            }
            EarlierVerdict::GoOn if before.new > 0 => {
                format!("{} F2 sends the other {}.", before.sentence(), counted(before.new, "row"))
            }
            _ => before.sentence(),
        };
        page.paragraph(3, &text);
    }
    if preview.bad > 0 && !looked.only_good {
        page.paragraph(3, "Fix the file, then press F5; w writes these rows to another file.");
    } else if let Some(Start::New | Start::Anew(_)) = looked.start() {
        let (pets, label) = (counted(preview.good, "pet"), &state.link.label);
        page.paragraph(3, &format!("This adds {pets} to {label} and cannot be undone."));
    }
}

/// The pane beside it: what will be sent, and the equivalent command.
fn draw_beside(looked: &PreviewState, state: &AppState, page: &mut Page<'_>) {
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
    page.paragraph(1, &command_line(state, " --dry-run"));
}
