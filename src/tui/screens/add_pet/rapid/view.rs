//! How rapid entry looks.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::model::text::{cut, width};
use crate::model::{ObservedStatus, PetStatus};
use crate::tui::state::{AppState, Screen};
use crate::tui::theme::{Appearance, StyleRole};
use crate::tui::widgets::list::first_shown;
use crate::tui::widgets::{WIDE, boxed, field, pane, put, wrap};

use super::state::{Fate, Focus, Line as Entry, State};

/// What the last but one row says where nothing else is to be said.
pub const PLACE: &str = "You can go on typing while lines are being sent. Up: mend a refused line.";

/// The width of rapid entry where there is a pane beside it.
const BESIDE_PANE: u16 = 82;

/// The columns of the list: their left edges.
const TIME: u16 = 5;
const NAME: u16 = 15;
const FROM_RIGHT: u16 = 36;

/// How many lines wait, where that must be seen: elsewhere, and here where they are not being sent.
#[must_use]
pub fn waiting_word(state: &AppState) -> Option<String> {
    let rapid = &state.add.rapid;
    let is_seen = state.screen == Screen::AddPet && rapid.on && rapid.pause.is_none() && !state.key_refused();
    let waiting = rapid.counts().waiting;
    (waiting > 0 && !is_seen).then(|| format!("{waiting} waiting"))
}

/// Paints rapid entry into `body`; gives the place of the cursor.
pub fn draw(state: &AppState, appearance: &Appearance, buf: &mut Buffer, body: Rect) -> Option<Position> {
    let wide = body.width >= WIDE;
    let area = if wide { Rect { width: BESIDE_PANE, ..body } } else { body };
    let inner = pane(buf, area, "Add pets: rapid entry", appearance, wide);
    let rapid = &state.add.rapid;
    let mut y = draw_intro(buf, inner, rapid);
    let mut cursor = draw_sticky(buf, inner, y, rapid, appearance);
    y += 2;
    let columns = inner.width.saturating_sub(16);
    label_at(buf, inner, 2, y, "Name", rapid.focus == Focus::Name, appearance);
    if y < inner.height {
        let place = field(buf, inner.x + 13, inner.y + y, columns, &rapid.name, appearance);
        cursor = if rapid.focus == Focus::Name { Some(place) } else { cursor };
    }
    let counts = rapid.counts();
    let mut text =
        format!("   This session: {} saved, {} waiting, {} refused", counts.saved, counts.waiting, counts.refused);
    if counts.unknown > 0 {
        text.push_str(&format!(", {} unknown", counts.unknown));
    }
    put(buf, inner, y + 2, &Line::raw(text));
    put(
        buf,
        inner,
        y + 3,
        &Line::styled(
            format!(" {}", appearance.rule(inner.width.saturating_sub(2).into())),
            appearance.style(StyleRole::Border),
        ),
    );
    let list = Rect { y: inner.y + (y + 4).min(inner.height), height: inner.height.saturating_sub(y + 4), ..inner };
    if let Some(place) = draw_lines(buf, list, rapid, appearance) {
        cursor = Some(place);
    }
    if wide {
        draw_beside(buf, Rect { x: area.right(), width: body.width - area.width, ..body }, rapid, appearance);
    }
    cursor
}

/// What this is for, where there is room for it; gives the first free row.
fn draw_intro(buf: &mut Buffer, area: Rect, rapid: &State) -> u16 {
    if area.height < 16 {
        return 0;
    }
    let codes = match &rapid.setup.codes {
        Some(codes) => format!(" Codes: {}.", codes.count()),
        None => String::new(),
    };
    let text = format!(
        "Scan or type a name, press Enter. It is saved at once and the field is empty again. Category and status stay \
         until you change them.{codes}"
    );
    let lines = wrap(&text, usize::from(area.width).saturating_sub(6));
    let free = u16::try_from(lines.len()).unwrap_or(0) + 2;
    for (y, line) in (1..).zip(lines) {
        put(buf, area, y, &Line::raw(format!("   {line}")));
    }
    free
}

fn label_at(buf: &mut Buffer, area: Rect, x: u16, y: u16, label: &str, in_use: bool, appearance: &Appearance) {
    let marker = if in_use { ">" } else { " " };
    let role = if in_use { StyleRole::InUse } else { StyleRole::Text };
    let area = Rect { x: area.x + x, width: area.width.saturating_sub(x), ..area };
    put(buf, area, y, &Line::styled(format!(" {marker} {label}"), appearance.style(role)));
}

/// What stays from line to line; gives the place of the cursor if it is there.
fn draw_sticky(buf: &mut Buffer, area: Rect, y: u16, rapid: &State, appearance: &Appearance) -> Option<Position> {
    label_at(buf, area, 2, y, "Category", rapid.focus == Focus::Category, appearance);
    if y >= area.height {
        return None;
    }
    let category = field(buf, area.x + 14, area.y + y, 12, &rapid.category, appearance);
    label_at(buf, area, 30, y, "Status", rapid.focus == Focus::Status, appearance);
    let status = status_spans(rapid.status, appearance);
    let place = Rect { x: area.x + 40, width: area.width.saturating_sub(40), ..area };
    put(buf, place, y, &Line::from_iter([Span::raw("[")].into_iter().chain(status).chain([Span::raw("]")])));
    let hint = Rect { x: area.x + 57, width: area.width.saturating_sub(57), ..area };
    let (hinted, role) = match rapid.has_wrong_category() {
        true => ("! no whole number", StyleRole::Error),
        false => ("(S-Tab to change)", StyleRole::Quiet),
    };
    put(buf, hint, y, &Line::styled(hinted, appearance.style(role)));
    match rapid.focus {
        Focus::Category => Some(category),
        Focus::Status => Some(Position { x: place.x + 1, y: area.y + y }),
        Focus::Name | Focus::Lines => None,
    }
}

fn status_spans(status: Option<PetStatus>, appearance: &Appearance) -> [Span<'static>; 2] {
    let (mark, role) = appearance.mark(status.map(ObservedStatus::Known).as_ref());
    let word = status.map_or("not set".to_owned(), |status| status.to_string());
    [Span::styled(mark, appearance.style(role)), Span::raw(format!(" {word}"))]
}

/// The lines, the newest on top; gives the place of the marked one where the cursor is there.
fn draw_lines(buf: &mut Buffer, area: Rect, rapid: &State, appearance: &Appearance) -> Option<Position> {
    let right = area.x + area.width.saturating_sub(FROM_RIGHT);
    let heading = format!("     TIME      {:width$} CATEGORY  STATUS     RESULT", "NAME", width = name_width(area));
    put(buf, area, 0, &Line::styled(heading, appearance.style(StyleRole::Heading)));
    let rows = usize::from(area.height.saturating_sub(1));
    let in_lines = rapid.focus == Focus::Lines;
    let marked = rapid.lines.iter().rev().position(|line| line.number == rapid.marked).filter(|_| in_lines);
    // The marked line is always in sight.
    let top = marked.map_or(0, |at| first_shown(at, rows.max(1)));
    let mut cursor = None;
    for (y, (at, line)) in (1..area.height).zip(rapid.lines.iter().rev().enumerate().skip(top)) {
        let here = marked == Some(at);
        if here {
            let style = appearance.style(StyleRole::Selected);
            put(buf, area, y, &Line::styled(" ".repeat(area.width.into()), style));
            cursor = Some(Position { x: area.x + NAME, y: area.y + y });
        }
        draw_line(buf, Rect { y: area.y + y, height: 1, ..area }, line, right, here, appearance);
    }
    cursor
}

fn name_width(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(NAME + FROM_RIGHT))
}

fn draw_line(buf: &mut Buffer, row: Rect, line: &Entry, right: u16, here: bool, appearance: &Appearance) {
    let style = |role| appearance.style(if here { StyleRole::Selected } else { role });
    let (mark, role, result) = match &line.fate {
        Fate::Unwritten => (" ", StyleRole::Wait, "waiting".to_owned()),
        Fate::Waiting => ("*", StyleRole::Wait, "waiting".to_owned()),
        Fate::Sending(..) => ("*", StyleRole::Wait, "sending".to_owned()),
        Fate::Saved(id) => ("+", StyleRole::Good, format!("id {id}")),
        Fate::Refused(why) => ("!", StyleRole::Error, why.clone()),
        Fate::UnknownCode => ("!", StyleRole::Error, "unknown code".to_owned()),
        Fate::Unknown(None) => ("?", StyleRole::Wait, "no answer".to_owned()),
        Fate::Unknown(Some(id)) => ("?", StyleRole::Wait, format!("id {id}?")),
    };
    let marker = if here { ">" } else { " " };
    put(
        buf,
        row,
        0,
        &Line::from(vec![
            Span::styled(format!(" {marker}"), style(StyleRole::Text)),
            Span::styled(format!(" {mark}"), style(role)),
        ]),
    );
    let at = |x: u16| Rect { x, width: row.right().saturating_sub(x), ..row };
    put(buf, at(row.x + TIME), 0, &Line::styled(appearance.time(line.at), style(StyleRole::Text)));
    let name = match &line.code {
        _ if line.draft.name.trim().is_empty() => "(blank)".to_owned(),
        Some(code) if *code != line.draft.name => format!("{} (code {code})", line.draft.name),
        Some(_) | None => line.draft.name.clone(),
    };
    let name = cut(&appearance.text(&name), name_width(row));
    put(buf, at(row.x + NAME), 0, &Line::styled(name, style(StyleRole::Text)));
    let category = cut(&appearance.text(&line.draft.category_id), 8);
    let category = format!("{}{category}", " ".repeat(8_usize.saturating_sub(width(&category))));
    put(buf, at(right + 1), 0, &Line::styled(category, style(StyleRole::Text)));
    let status = line.draft.status.map_or("not set".to_owned(), |status| status.to_string());
    put(buf, at(right + 11), 0, &Line::styled(status, style(StyleRole::Text)));
    put(buf, at(right + 22), 0, &Line::styled(cut(&appearance.text(&result), 14), style(role)));
}

/// Beside it: how fast it goes, and what becomes of the lines.
fn draw_beside(buf: &mut Buffer, area: Rect, rapid: &State, appearance: &Appearance) {
    let inner = boxed(buf, area, "Beside it", appearance);
    let mut texts = vec![format!("Speed: {} in a minute.", rapid.per_minute())];
    if let Some(codes) = &rapid.setup.codes {
        texts.push(format!(
            "{} codes are known. An unknown one is marked with !; F7 takes it as the name.",
            codes.count()
        ));
    }
    texts.push("Each line is written to a file before it is sent.".to_owned());
    texts.push("* sending or waiting, + saved, ! refused, ? no answer".to_owned());
    let mut y = 1;
    for text in texts {
        for line in wrap(&text, usize::from(inner.width).saturating_sub(2)) {
            put(buf, inner, y, &Line::raw(format!(" {line}")));
            y += 1;
        }
        y += 1;
    }
}
