//! How a file looks before anything of it is sent.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::model::text::{cut, width};
use crate::model::{Field, NewPet};
use crate::transfer::FileFormat;
use crate::transfer::earlier_import::{EarlierImport, EarlierVerdict};
use crate::transfer::import::{OnError, Start};
use crate::transfer::preview::{Cells, Preview};
use crate::transfer::rows::RowFault;
use crate::tui::pending::Slot;
use crate::tui::screens::add_pet::import::jobs::ImportSource;
use crate::tui::screens::add_pet::import::preview::{Choice, PreviewField, PreviewState};
use crate::tui::screens::add_pet::import::update::command_line;
use crate::tui::state::AppState;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{WIDE, banner, boxed, field, pane, put, wrap};

/// The width of the file where there is a pane beside it.
const BESIDE_PANE: u16 = 82;

/// The columns of the table of fields: their left edges.
const FIELD: u16 = 23;
const EXAMPLE: u16 = 36;
const CHECKED: u16 = 56;

/// Paints the file; gives the place of the cursor.
pub fn draw(
    looked: &PreviewState,
    state: &AppState,
    appearance: &Appearance,
    buf: &mut Buffer,
    body: Rect,
) -> Option<Position> {
    let wide = body.width >= WIDE;
    let area = if wide { Rect { width: BESIDE_PANE, ..body } } else { body };
    let inner = pane(buf, area, "Import: look before", appearance, wide);
    let name = match &looked.source {
        ImportSource::File(path) => path.rsplit('/').next().unwrap_or(path).to_owned(),
        ImportSource::Pasted(_) => "what was pasted".to_owned(),
    };
    let built = if state.pending.is_running(Slot::CheckFile) {
        let rows = if looked.rows > 0 { format!(" {} so far", counted(looked.rows, "row")) } else { String::new() };
        format!("checking ...{rows}")
    } else {
        looked.seen().map_or_else(String::new, |seen| layout_words(&seen.preview))
    };
    let room = usize::from(inner.width).saturating_sub(14 + width(&built));
    let title = vec![
        Span::styled("   Import   ", appearance.style(StyleRole::Heading)),
        Span::raw(format!("{}   ", cut(&appearance.text(&name), room))),
        Span::raw(built),
    ];
    put(buf, inner, 1, &Line::from(title));
    let cursor = draw_fields(looked, appearance, buf, inner, 3);
    let y = 9;
    match &looked.found {
        Some(Ok(seen)) => {
            let y = draw_faults(&seen.preview, appearance, buf, inner, y);
            let last = draw_choices(looked, state, appearance, buf, inner, y);
            if wide {
                let beside = Rect { x: area.right(), width: body.width - area.width, ..body };
                draw_beside(looked, state, appearance, buf, beside);
            }
            cursor.or(last)
        }
        Some(Err(not_seen)) => {
            for (y, line) in (y..).zip(banner(&appearance.text(&not_seen.why), inner.width, appearance)) {
                put(buf, inner, y, &line);
            }
            cursor
        }
        None => cursor,
    }
}

fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

fn layout_words(preview: &Preview) -> String {
    let check = &preview.check;
    let layout = &check.layout;
    let format = match (layout.format, layout.delimiter) {
        (FileFormat::Csv, Some(';')) => "CSV, semicolon",
        (FileFormat::Csv, Some('\t')) => "CSV, tab",
        (FileFormat::Csv, _) => "CSV, comma",
        (FileFormat::Json, _) => "JSON",
        (FileFormat::Ndjson, _) => "NDJSON",
        (FileFormat::Xlsx, _) => "XLSX",
    };
    let encoding = match layout.format {
        FileFormat::Xlsx => "",
        FileFormat::Csv | FileFormat::Json | FileFormat::Ndjson if layout.utf16 => ", UTF-16",
        FileFormat::Csv | FileFormat::Json | FileFormat::Ndjson => ", UTF-8",
    };
    format!("{format}{encoding}, {}", counted(check.good + check.bad, "row"))
}

/// Where each field is read from; gives the place of the cursor if it is there.
fn draw_fields(
    looked: &PreviewState,
    appearance: &Appearance,
    buf: &mut Buffer,
    area: Rect,
    y: u16,
) -> Option<Position> {
    let head = |x: u16, text: &'static str, buf: &mut Buffer| {
        put(buf, at(area, x), y, &Line::styled(text, appearance.style(StyleRole::Heading)));
    };
    for (x, text) in [(3, "Column in file"), (FIELD, "Field"), (EXAMPLE, "Example"), (CHECKED, "Checked")] {
        head(x, text, buf);
    }
    let mut cursor = None;
    for (row, field_) in (y + 1..).zip(Field::ALL) {
        let here = looked.part == PreviewField::Of(field_);
        let style = appearance.style(if here { StyleRole::InUse } else { StyleRole::Text });
        put(buf, area, row, &Line::styled(if here { " > " } else { "   " }, style));
        match &looked.choices[field_ as usize] {
            Choice::Value(value) if row < area.height => {
                let place = field(buf, area.x + 3, area.y + row, 14, value, appearance);
                cursor = if here { Some(place) } else { cursor };
            }
            Choice::Value(_) => {}
            Choice::Found | Choice::Column(_) => {
                let column = looked.column_of(field_);
                let none = match field_ {
                    _ if looked.columns().is_empty() => "",
                    Field::Status => "(none: not set)",
                    Field::Name | Field::CategoryId => "(none)",
                };
                let text = cut(&appearance.text(column.unwrap_or(none)), 18);
                put(buf, at(area, 3), row, &Line::styled(text, style));
                if here {
                    cursor = Some(Position { x: area.x + 3, y: area.y + row.min(area.height - 1) });
                }
            }
        }
        put(buf, at(area, FIELD - 3), row, &Line::raw("->"));
        put(buf, at(area, FIELD), row, &Line::styled(field_.member(), style));
        let Some(seen) = looked.seen() else { continue };
        let example = seen.preview.first.first().map(|new| example(new, field_)).unwrap_or_default();
        put(
            buf,
            at(area, EXAMPLE),
            row,
            &Line::raw(cut(&appearance.text(&example), usize::from(CHECKED - EXAMPLE) - 1)),
        );
        let (text, role) = match &looked.choices[field_ as usize] {
            Choice::Value(_) => ("one value for all".to_owned(), StyleRole::Text),
            Choice::Found | Choice::Column(_) if looked.column_of(field_).is_none() => (String::new(), StyleRole::Text),
            Choice::Found | Choice::Column(_) => {
                let cells = seen.preview.cells[field_ as usize];
                (
                    checked_words(&seen.preview, cells),
                    if cells == Cells::default() { StyleRole::Good } else { StyleRole::Error },
                )
            }
        };
        put(buf, at(area, CHECKED), row, &Line::styled(text, appearance.style(role)));
    }
    let unused: Vec<&str> = {
        let used = Field::ALL.map(|field| looked.column_of(field));
        looked.columns().iter().map(String::as_str).filter(|column| !used.contains(&Some(*column))).collect()
    };
    if !unused.is_empty() {
        let more = if unused.len() > 1 { format!(" and {} more", unused.len() - 1) } else { String::new() };
        let text = format!("   {}{more}", cut(&appearance.text(unused[0]), 18));
        put(buf, area, y + 4, &Line::styled(cut(&text, usize::from(FIELD) - 4), appearance.style(StyleRole::Quiet)));
        put(buf, at(area, FIELD - 3), y + 4, &Line::styled("-> (not used)", appearance.style(StyleRole::Quiet)));
    }
    cursor
}

fn at(area: Rect, x: u16) -> Rect {
    let x = x.min(area.width);
    Rect { x: area.x + x, width: area.width - x, ..area }
}

fn example(new: &NewPet, field: Field) -> String {
    match field {
        Field::Name => new.name.clone(),
        Field::CategoryId => new.category_id.to_string(),
        Field::Status => new.status.map_or("not set".to_owned(), |status| status.to_string()),
    }
}

fn checked_words(preview: &Preview, Cells { empty, wrong }: Cells) -> String {
    let ok = (preview.check.good + preview.check.bad).saturating_sub(empty + wrong);
    let mut text = format!("{ok} ok");
    for (count, word) in [(empty, "empty"), (wrong, "bad")] {
        if count > 0 {
            text.push_str(&format!("  {count} {word}"));
        }
    }
    text
}

/// The value first: the reason may not fit.
fn fault_words(fault: &RowFault) -> String {
    match (fault.column.as_str(), fault.value.as_str()) {
        ("", _) => fault.reason.clone(),
        (column, "") => format!("{column} is empty"),
        (column, value) => format!("{column} \"{value}\": {}", fault.reason),
    }
}

/// The first rows that cannot be sent, and how many there are; gives the first free row.
fn draw_faults(preview: &Preview, appearance: &Appearance, buf: &mut Buffer, area: Rect, mut y: u16) -> u16 {
    let check = &preview.check;
    if check.bad > 0 {
        let title = format!("   Cannot be sent ({}):", check.bad);
        put(buf, area, y, &Line::styled(title, appearance.style(StyleRole::Error)));
        y += 1;
        let below = 6 + u16::from(check.doubles > 0) + u16::from(check.corrected > 0);
        let room = usize::from(area.height.saturating_sub(y + below)).clamp(1, 5);
        let shown = if preview.bad.len() > room { room.saturating_sub(1).max(1) } else { room };
        for bad in preview.bad.iter().take(shown) {
            let faults: Vec<String> = bad.faults.iter().map(fault_words).collect();
            let text = format!("     line {:>3}   {}", bad.line, faults.join("; "));
            let text = cut(&appearance.text(&text), area.width.into());
            put(buf, area, y, &Line::raw(text));
            y += 1;
        }
        if preview.bad.len() > shown {
            let text = format!("     and {} more: F4 lists them", check.bad - shown as u64);
            put(buf, area, y, &Line::raw(text));
            y += 1;
        }
        y += 1;
    }
    let mut words = Vec::new();
    if check.doubles > 0 {
        let until = if check.all_doubles { "" } else { " at least" };
        let rows = counted(check.doubles, "row");
        words.push(format!("Twice in the file (same name, category and status):{until} {rows}   F4 list"));
    }
    if check.corrected > 0 {
        words.push(format!("A status was mended in {} (blanks, capitals).", counted(check.corrected, "row")));
    }
    for text in words {
        put(buf, area, y, &Line::raw(format!("   {text}")));
        y += 1;
    }
    y + 1
}

/// How it is to be sent; gives the place of the cursor if it is there.
fn draw_choices(
    looked: &PreviewState,
    state: &AppState,
    appearance: &Appearance,
    buf: &mut Buffer,
    area: Rect,
    mut y: u16,
) -> Option<Position> {
    let seen = looked.seen()?;
    let check = &seen.preview.check;
    let mut cursor = None;
    let mut line = |part: PreviewField, x: u16, text: String, buf: &mut Buffer, y: u16| {
        let here = looked.part == part;
        let role = if here { StyleRole::InUse } else { StyleRole::Text };
        let text = format!(" {} {text}", if here { ">" } else { " " });
        put(buf, at(area, x), y, &Line::styled(text, appearance.style(role)));
        if here {
            cursor = Some(Position { x: area.x + x + 3, y: area.y + y.min(area.height.saturating_sub(1)) });
        }
    };
    let mark = |chosen: bool| if chosen { "(*)" } else { "( )" };
    if check.bad > 0 {
        let (only, stop) = (mark(looked.only_good), mark(!looked.only_good));
        let text = format!("{only} send only the {} good rows      {stop} stop, mend the file first", check.good);
        line(PreviewField::Bad, 0, text, buf, y);
        y += 1;
    }
    let refused = match looked.how.on_error {
        OnError::GoOn => "go on",
        OnError::Stop => "stop",
    };
    line(PreviewField::AtOnce, 0, format!("At once: {}", looked.how.concurrency), buf, y);
    line(PreviewField::OnRefused, 22, format!("On a refused row: {refused}"), buf, y);
    y += 1;
    let way = seen.before.as_ref().map(EarlierImport::way);
    match way {
        Some(EarlierVerdict::GoOn) => {
            let (leave, send) = (mark(!looked.how.send_unknown), mark(looked.how.send_unknown));
            let text = format!("Rows without an answer then:  {leave} only if safe   {send} send (may be there twice)");
            line(PreviewField::Unknown, 0, text, buf, y);
            y += 1;
        }
        Some(way @ (EarlierVerdict::Done | EarlierVerdict::Choose)) => {
            let add = format!("{} add all {}", mark(looked.again == Some(true)), check.good);
            let leave = mark(looked.again == Some(false));
            let text = match way {
                EarlierVerdict::Done => format!("{add} once more"),
                _ if looked.before().is_some_and(|before| before.here == 0) => add,
                _ => format!("{leave} leave out those {}   {add}", looked.before().map_or(0, |before| before.here)),
            };
            line(PreviewField::Again, 0, text, buf, y);
            y += 1;
        }
        Some(EarlierVerdict::Anew) | None => {}
    }
    let mut sentences: Vec<_> = seen.before.iter().map(before_words).collect();
    if let Some(Start::New | Start::Anew(_)) = looked.start() {
        let (pets, label) = (counted(check.good, "pet"), &state.link.label);
        sentences.push(format!("This adds {pets} to {label}. There is no undo in the service."));
    }
    for text in
        sentences.iter().flat_map(|text| wrap(&appearance.text(text), usize::from(area.width).saturating_sub(4)))
    {
        y += 1;
        put(buf, area, y, &Line::raw(format!("   {text}")));
    }
    cursor
}

/// Beside it: what will be sent, and the same in a shell.
fn draw_beside(looked: &PreviewState, state: &AppState, appearance: &Appearance, buf: &mut Buffer, area: Rect) {
    let inner = boxed(buf, area, "Beside it", appearance);
    let room = usize::from(inner.width).saturating_sub(2);
    let mut lines = vec!["First rows as JSON (what will be sent):".to_owned(), String::new()];
    for new in looked.seen().iter().flat_map(|seen| &seen.preview.first) {
        lines.push(appearance.text(&serde_json::to_string(new).unwrap_or_default()));
    }
    lines.extend([String::new(), "The same in a shell (y copies it):".to_owned(), String::new()]);
    lines.push(appearance.text(&command_line(state, " --dry-run")));
    let wrapped = lines.iter().flat_map(|line| wrap(line, room));
    for (y, line) in (1..inner.height).zip(wrapped) {
        put(buf, inner, y, &Line::raw(format!(" {line}")));
    }
}

/// What a look at a file says of an earlier import.
fn before_words(before: &EarlierImport) -> String {
    let new = counted(before.new, "row");
    match before.way() {
        EarlierVerdict::GoOn if before.same_file => {
            "Its import was begun before. F2 goes on with it; what was added then is not sent again.".to_owned()
        }
        EarlierVerdict::GoOn if before.new > 0 => format!("{} F2 sends the other {new}.", before.sentence()),
        EarlierVerdict::GoOn | EarlierVerdict::Done | EarlierVerdict::Anew | EarlierVerdict::Choose => {
            before.sentence()
        }
    }
}
