//! Paints the add screen.

use crate::app::Fate;
use crate::app::inventory::changes::named;
use crate::app::outbox::Counts;
use crate::clock::Now;
use crate::model::words::counts;
use crate::model::{Draft, ObservedStatus, cut};
use crate::tui::widgets::page::Layout;
use crate::tui::{App, Page, Screen, StyleRole, shown};

/// From this height on, there are blank rows between the fields.
const ROOMY: u16 = 30;

/// The left edge of the fields.
const FIELDS: u16 = 18;

/// The rows of the form and of two lines; in a lower window the part with the cursor is shown.
const LEAST_ROWS: u16 = 14;

/// Paints the form, and the lines below it.
pub fn draw(app: &App, now: Now, page: &mut Page<'_>) {
    page.at_least(LEAST_ROWS, 1, |page| draw_all(app, now, page));
}

fn draw_all(app: &App, now: Now, page: &mut Page<'_>) {
    let add = &app.add;
    let gap = u16::from(page.area.height >= ROOMY);
    page.gap();
    page.at(0, "   Add a pet", StyleRole::Heading);
    if let Some(at) = app.drafts.written_at.filter(|_| add.is_typed()) {
        page.right(1, &format!("draft saved {}", page.appearance.time(at)), StyleRole::Quiet);
    }
    page.y += 1 + gap;
    page.form(&add.form, &Layout { x: FIELDS, beside: true, gap, idle: add.marked.is_some() }, &app.known(), "");
    page.gap();
    draw_below(app, now, page);
}

/// The message row without a message: why the line in hand was refused.
pub fn place(app: &App) -> &str {
    if app.key_refused() && app.add.outbox.counts().waiting > 0 {
        return "Lines wait for an API key: F4 enters one.";
    }
    app.add.explanation(&app.pets.categories).unwrap_or("Category and status stay until you change them.")
}

/// The columns of the list beside the names.
const BESIDE_NAME: usize = 50;

/// How many lines are waiting or to be fixed, for the header: on other screens, and here if they are not being sent.
pub fn waiting_word(app: &App) -> Option<String> {
    let is_seen = app.screen == Screen::AddPet && app.add.pacing.pause.is_none() && !app.key_refused();
    let Counts { waiting, refused, .. } = app.add.outbox.counts();
    let words = counts([(waiting.saturating_sub(app.pets.under_way()), "waiting"), (refused, "to fix (2)")]);
    (!words.is_empty() && !is_seen).then(|| words.join(", "))
}

/// Paints how many lines there are, and under that the lines, or what they are.
fn draw_below(app: &App, now: Now, page: &mut Page<'_>) {
    let add = &app.add;
    let Counts { saved, waiting, refused, unknown } = add.outbox.counts();
    let counts = counts([(saved, "saved"), (waiting, "waiting"), (refused, "to fix"), (unknown, "unknown")]).join(", ");
    let counts = if counts.is_empty() { "no pets yet" } else { &counts };
    page.heading(cut(&format!("   So far: {counts}"), page.columns()));
    page.go_to(page.rest());
    if !add.outbox.lines.is_empty() {
        draw_lines(app, now, page);
    } else if page.left() > 1 {
        page.paragraph(3, "Type or scan a name. Each pet is a line here: saved at once, then sent.");
    }
}

/// The newest on top, with the cursor on the selected one.
fn draw_lines(app: &App, now: Now, page: &mut Page<'_>) {
    let add = &app.add;
    let name = page.columns().saturating_sub(BESIDE_NAME);
    let columns = [("", 2), ("TIME", 10), ("NAME", name), ("CATEGORY", 10), ("STATUS", 11), ("RESULT", 15)];
    page.headings(&columns);
    let rows = usize::from(page.left());
    let lines = &add.outbox.lines;
    let marked = add.marked.and_then(|number| add.outbox.position(number)).map(|at| lines.len() - 1 - at);
    for (here, line) in shown(lines.iter().rev(), marked.unwrap_or(0), rows) {
        let (mark, role, result) = match &line.fate {
            Fate::Unwritten => (" ", StyleRole::Wait, "waiting".to_owned()),
            Fate::Waiting => ("*", StyleRole::Wait, "waiting".to_owned()),
            Fate::Sending(_, since) => ("*", StyleRole::Wait, format!("sending {} s", now.seconds_since(*since))),
            Fate::Saved(id) => ("+", StyleRole::Good, format!("id {id}")),
            Fate::Refused(why) => ("!", StyleRole::Error, why.split(':').next().unwrap_or_default().to_owned()),
            Fate::Unknown(None) => ("?", StyleRole::Wait, "no answer".to_owned()),
            Fate::Unknown(Some(id)) => ("?", StyleRole::Wait, format!("id {id}?")),
        };
        let Draft { name, category_id, status } = &line.typed.pet;
        let changed = line.change().map(|change| named(&change.wanted));
        let name = changed.as_deref().unwrap_or(if name.trim().is_empty() { "(blank)" } else { name });
        let (time, category) = (page.appearance.time(line.typed.at), format!("{:>8}", cut(category_id, 8)));
        let typed = status.map_or("not set", |status| status.as_str());
        // The service decides what is not set.
        let added = if let Fate::Saved(id) = line.fate { app.pets.store.get(id) } else { None };
        let status = added.and_then(|pet| pet.status.as_ref()).map_or(typed, ObservedStatus::as_str);
        let [time, name, category, status] = [&time, name, &category, status].map(|text| (text, StyleRole::Text));
        let cells = [(mark, role), time, name, category, status, (&*result, role)];
        page.row(here && marked.is_some(), &columns, &cells);
    }
}
