//! How the form for a new profile looks.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::{answer, host};
use crate::clock::Now;
use crate::tui::pending::Slot;
use crate::tui::screens::profiles::jobs::Tested;
use crate::tui::screens::profiles::{Focus, KeySourceChoice, ProfileForm};
use crate::tui::state::AppState;
use crate::tui::text_input::TextInput;
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::{banner, field, put};

/// The left edge of the fields.
const FIELDS: u16 = 17;

/// A row of the form: a line, and a field in it where it has one.
struct Row {
    line: Line<'static>,
    field: Option<(TextInput, u16)>,
    /// The part that has its cursor here, and its column where that is no field.
    part: Option<(Focus, u16)>,
}

impl From<Line<'static>> for Row {
    fn from(line: Line<'static>) -> Self {
        Self { line, field: None, part: None }
    }
}

/// Paints the form; gives the place of the cursor. Where it is higher than `area`, the part in use stays in sight.
pub fn draw(state: &AppState, appearance: &Appearance, now: Now, buf: &mut Buffer, area: Rect) -> Option<Position> {
    let form = &state.profiles.form;
    let rows = rows(state, appearance, now, area.width);
    let at = rows.iter().position(|row| row.part.is_some_and(|(focus, _)| focus == form.focus)).unwrap_or(0);
    // One row more, for what is said under a field.
    let top = (at + 2).min(rows.len()).saturating_sub(area.height.into());
    let mut cursor = None;
    for (y, row) in (0..area.height).zip(rows.iter().skip(top)) {
        put(buf, area, y, &row.line);
        let in_use = row.part.filter(|(focus, _)| *focus == form.focus);
        let mut place = in_use.map(|(_, column)| Position { x: area.x + column, y: area.y + y });
        if let Some((input, columns)) = &row.field {
            let in_field = field(buf, area.x + FIELDS, area.y + y, *columns, input, appearance);
            place = in_use.map(|_| in_field);
        }
        cursor = cursor.or(place);
    }
    cursor
}

fn rows(state: &AppState, appearance: &Appearance, now: Now, width: u16) -> Vec<Row> {
    let form = &state.profiles.form;
    let mut rows: Vec<Row> = vec![Line::raw("").into()];
    let room = width.saturating_sub(FIELDS + 3);
    rows.push(text_row(form, Focus::Name, "Name *", &form.name, room.min(41), appearance));
    notes(&mut rows, state, Focus::Name, "letters, digits, - and _", width, appearance);
    rows.push(text_row(form, Focus::Address, "Address *", &form.address, room.min(58), appearance));
    notes(&mut rows, state, Focus::Address, form.doubt().unwrap_or("as https://api.example.com/v1"), width, appearance);
    for (at, source) in KeySourceChoice::ALL.into_iter().enumerate() {
        let chosen = form.source == source;
        let label = if at == 0 { label(form, Focus::Source, "Its key", appearance) } else { Span::raw(" ".repeat(17)) };
        let text = format!("{} {}", if chosen { "(*)" } else { "( )" }, source.words());
        let line = Line::from(vec![label, Span::raw(text)]);
        rows.push(Row { line, field: None, part: chosen.then_some((Focus::Source, FIELDS + 1)) });
    }
    if let (Some(label), Some(input)) = (form.source.label(), form.value()) {
        let hidden = form.source.is_typed() && !form.shown;
        let stars = TextInput::new("*".repeat(input.value().chars().count()));
        rows.push(text_row(form, Focus::Value, label, if hidden { &stars } else { input }, room.min(58), appearance));
        let hint = if form.source.is_typed() { "paste works; F4 shows or hides it" } else { "" };
        notes(&mut rows, state, Focus::Value, hint, width, appearance);
    }
    let mark = if form.protect { "[x]" } else { "[ ]" };
    let text = format!("{mark} ask before the first change after each switch (Space)");
    let line = Line::from(vec![label(form, Focus::Protect, "Protect", appearance), Span::raw(text)]);
    rows.push(Row { line, field: None, part: Some((Focus::Protect, FIELDS + 1)) });
    rows.push(Line::raw("").into());
    rows.push(button(state, appearance, now));
    if let Some(tested) = form.tried.as_ref().filter(|tested| !matches!(tested, Tested::Answered(_))) {
        let said = appearance.text(&answer(tested, &host(form.address.value())));
        rows.extend(banner(&said, width, appearance).into_iter().map(Row::from));
    }
    rows
}

fn label(form: &ProfileForm, focus: Focus, text: &str, appearance: &Appearance) -> Span<'static> {
    let in_use = form.focus == focus;
    let marker = if in_use { ">" } else { " " };
    Span::styled(
        format!("   {marker} {text:<12}"),
        appearance.style(if in_use { StyleRole::InUse } else { StyleRole::Text }),
    )
}

fn text_row(
    form: &ProfileForm,
    focus: Focus,
    text: &str,
    input: &TextInput,
    columns: u16,
    appearance: &Appearance,
) -> Row {
    let line = Line::from(label(form, focus, text, appearance));
    Row { line, field: Some((input.clone(), columns)), part: Some((focus, 0)) }
}

/// What is wrong with a part, under it, or else a hint.
fn notes(rows: &mut Vec<Row>, state: &AppState, focus: Focus, hint: &'static str, width: u16, appearance: &Appearance) {
    let profiles = &state.profiles;
    match profiles.form.error_at(focus, |name| profiles.is_taken(name)) {
        Some(error) => {
            rows.extend(banner(&appearance.text(&error), width, appearance).into_iter().take(2).map(Row::from))
        }
        None => {
            let hint = Line::styled(format!("{:17}{hint}", ""), appearance.style(StyleRole::Quiet));
            rows.push(hint.into());
        }
    }
}

fn button(state: &AppState, appearance: &Appearance, now: Now) -> Row {
    let form = &state.profiles.form;
    let since = |slot| state.pending.since(slot).map(|since| now.mono.saturating_duration_since(since).as_secs());
    let text = match (since(Slot::TryProfile), state.pending.is_running(Slot::WriteProfile), &form.tried) {
        (Some(seconds), _, _) => format!("[ asking for one animal {seconds} s ]"),
        (None, true, _) => "[ writing ]".to_owned(),
        (None, false, Some(_)) => "[ F2 Write it all the same ]".to_owned(),
        (None, false, None) => "[ F2 Test and write ]".to_owned(),
    };
    let role = if form.focus == Focus::Save { StyleRole::Selected } else { StyleRole::Key };
    let line = Line::from(vec![label(form, Focus::Save, "", appearance), Span::styled(text, appearance.style(role))]);
    Row { line, field: None, part: Some((Focus::Save, FIELDS + 2)) }
}
