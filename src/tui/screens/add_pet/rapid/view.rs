//! Paints rapid entry.

use ratatui::text::Span;

use crate::model::Draft;
use crate::model::text::cut;
use crate::tui::state::{AppState, Screen};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::shown;
use crate::tui::widgets::page::Page;

use super::state::{Fate, Focus, State};

/// The message row without a message: why the line in hand was refused.
pub fn place(rapid: &State) -> &str {
    rapid.explanation().unwrap_or("Keep typing while lines are sent. Up: fix a refused line.")
}

/// The columns of the list beside the names.
const BESIDE_NAME: usize = 50;

/// How many lines are waiting, for the header: on other screens, and here if they are not being sent.
pub fn waiting_word(state: &AppState) -> Option<String> {
    let rapid = &state.add.rapid;
    let is_seen = state.screen == Screen::AddPet && rapid.on && rapid.pause.is_none() && !state.key_refused();
    let waiting = rapid.counts().waiting;
    (waiting > 0 && !is_seen).then(|| format!("{waiting} waiting"))
}

/// Paints rapid entry.
pub fn draw(state: &AppState, page: &mut Page<'_>) {
    let rapid = &state.add.rapid;
    draw_intro(rapid, page);
    draw_sticky(rapid, page);
    page.y += 2;
    let is_name = rapid.focus == Focus::Name;
    page.label(2, 1, "Name", is_name);
    page.input(13, page.area.width.saturating_sub(16), &rapid.name, is_name);
    page.y += 2;
    let counts = rapid.counts();
    let counts = [
        (counts.saved, "saved"),
        (counts.waiting, "waiting"),
        (counts.refused, "refused"),
        (counts.unknown, "unknown"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let counts = if counts.is_empty() { "no lines yet" } else { &counts };
    page.line(cut(&format!("   This session: {counts}"), page.columns()));
    page.styled(format!(" {}", page.appearance.rule(page.columns().saturating_sub(2))), StyleRole::Border);
    page.go_to(page.rest());
    draw_lines(rapid, page);
}

/// An introduction, if there is room.
fn draw_intro(rapid: &State, page: &mut Page<'_>) {
    if page.area.height < 16 {
        return;
    }
    let first = match rapid.focus {
        Focus::Category => "Type the category and press Enter; then scan or type names.",
        Focus::Status | Focus::Name | Focus::Lines => "Scan or type a name and press Enter.",
    };
    let text = format!("{first} Each line is saved at once. Category and status stay until you change them.");
    page.gap();
    page.margin = 3;
    page.paragraph(3, &text);
    page.gap();
}

/// The fields that stay from line to line.
fn draw_sticky(rapid: &State, page: &mut Page<'_>) {
    let [is_category, is_status] = [Focus::Category, Focus::Status].map(|focus| rapid.focus == focus);
    page.label(2, 1, "Category", is_category);
    page.input(14, 12, &rapid.category, is_category);
    page.label(30, 1, "Status", is_status);
    let mark = page.appearance.status(rapid.status.map(Into::into).as_ref());
    let word = rapid.status.map_or("not set", |status| status.as_str());
    page.line_at(40, vec![Span::raw("["), mark, Span::raw(format!(" {word}]"))]);
    if is_status {
        page.point(41);
    }
    let categories = &rapid.setup.categories;
    let (text, role) = match rapid.category_id() {
        None if rapid.has_wrong_category() && categories.is_empty() => ("! not a number".to_owned(), StyleRole::Error),
        None if rapid.has_wrong_category() => ("! not a category".to_owned(), StyleRole::Error),
        Some(id) if id < 0 => ("! negative".to_owned(), StyleRole::Wait),
        Some(id) if categories.name(id).is_some() => (cut(&categories.label(id), 22), StyleRole::Quiet),
        _ if is_category || is_status => (String::new(), StyleRole::Quiet),
        _ => ("(Tab to change)".to_owned(), StyleRole::Quiet),
    };
    // A narrow window has it on the row below.
    if page.columns() >= 76 {
        page.at(57, text, role);
    } else {
        page.y += 1;
        page.at(14, text, role);
        page.y -= 1;
    }
}

/// The lines, the newest on top, with the cursor on the selected one.
fn draw_lines(rapid: &State, page: &mut Page<'_>) {
    let name = page.columns().saturating_sub(BESIDE_NAME);
    let columns = [("", 2), ("TIME", 10), ("NAME", name), ("CATEGORY", 10), ("STATUS", 11), ("RESULT", 15)];
    page.headings(&columns);
    let rows = usize::from(page.left());
    let in_lines = rapid.focus == Focus::Lines;
    let marked = rapid.lines.iter().rev().position(|line| line.number == rapid.marked).filter(|_| in_lines);
    for (here, line) in shown(rapid.lines.iter().rev(), marked.unwrap_or(0), rows) {
        let (mark, role, result) = match &line.fate {
            Fate::Unwritten => (" ", StyleRole::Wait, "waiting".to_owned()),
            Fate::Waiting => ("*", StyleRole::Wait, "waiting".to_owned()),
            Fate::Sending(..) => ("*", StyleRole::Wait, "sending".to_owned()),
            Fate::Saved(id) => ("+", StyleRole::Good, format!("id {id}")),
            Fate::Refused(why) => ("!", StyleRole::Error, why.split(':').next().unwrap_or_default().to_owned()),
            Fate::Unknown(None) => ("?", StyleRole::Wait, "no answer".to_owned()),
            Fate::Unknown(Some(id)) => ("?", StyleRole::Wait, format!("id {id}?")),
        };
        let Draft { name, category_id, status } = &line.draft;
        let name = if name.trim().is_empty() { "(blank)" } else { name };
        let (time, category) = (page.appearance.time(line.at), format!("{:>8}", cut(category_id, 8)));
        let status = status.map_or("not set", |status| status.as_str());
        let [time, name, category, status] = [&time, name, &category, status].map(|text| (text, StyleRole::Text));
        let cells = [(mark, role), time, name, category, status, (&*result, role)];
        page.row(here && marked.is_some(), &columns, &cells);
    }
}
