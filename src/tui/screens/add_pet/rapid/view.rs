//! Paints the lines below the form.

use crate::model::Draft;
use crate::model::text::cut;
use crate::tui::state::{AppState, Screen};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::shown;
use crate::tui::widgets::page::Page;

use super::state::{Fate, State};

/// The message row without a message: why the line in hand was refused.
pub fn place(rapid: &State) -> &str {
    rapid.explanation().unwrap_or("Category and status stay until you change them.")
}

/// The columns of the list beside the names.
const BESIDE_NAME: usize = 50;

/// How many lines are waiting, for the header: on other screens, and here if they are not being sent.
pub fn waiting_word(state: &AppState) -> Option<String> {
    let rapid = &state.add.rapid;
    let is_seen = state.screen == Screen::AddPet && rapid.pause.is_none() && !state.key_refused();
    let waiting = rapid.counts().waiting;
    (waiting > 0 && !is_seen).then(|| format!("{waiting} waiting"))
}

/// Paints how many lines there are, and under that the lines, or what they are.
pub fn draw(rapid: &State, page: &mut Page<'_>) {
    let counts = rapid.counts();
    let counts = [
        (counts.saved, "saved"),
        (counts.waiting, "waiting"),
        (counts.refused, "refused"),
        (counts.unknown, "unknown"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    let counts = if counts.is_empty() { "no pets yet" } else { &counts };
    page.line(cut(&format!("   This session: {counts}"), page.columns()));
    page.styled(format!(" {}", page.appearance.rule(page.columns().saturating_sub(2))), StyleRole::Border);
    page.go_to(page.rest());
    if !rapid.lines.is_empty() {
        draw_lines(rapid, page);
    } else if page.left() > 1 {
        page.paragraph(3, "Type or scan a name. Each pet is a line here: saved at once, then sent.");
    }
}

/// The newest on top, with the cursor on the selected one.
fn draw_lines(rapid: &State, page: &mut Page<'_>) {
    let name = page.columns().saturating_sub(BESIDE_NAME);
    let columns = [("", 2), ("TIME", 10), ("NAME", name), ("CATEGORY", 10), ("STATUS", 11), ("RESULT", 15)];
    page.headings(&columns);
    let rows = usize::from(page.left());
    let marked = rapid.lines.iter().rev().position(|line| line.number == rapid.marked).filter(|_| rapid.in_lines);
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
