//! The first start: without a configuration the user chooses how to start. Before that nothing is sent to any
//! service, and no file is written.

#[cfg(test)]
mod tests;

use super::profiles;
use crate::app::first_run::StartChoice;
use crate::tui::msg::QuitReason;
use crate::tui::update::QUIT;
use crate::tui::widgets::page::marker;
use crate::tui::{App, Command, LETTERS, Now, Page, Place, StyleRole, command, moved, moves};

/// What is offered: what it is, what comes of it, and what the program starts again with; a service elsewhere needs a
/// profile first.
const OPTIONS: [(&str, &str, Option<StartChoice>); 3] = [
    ("Look around", "250 pets; not saved", Some(StartChoice::Samples)),
    ("Use a store on this computer", "embedded; starts empty", Some(StartChoice::Embedded)),
    ("Connect to a service", "needs address and key", None),
];

static WELCOME: &[Command] = &[
    command("answer-1", "1", "", "select this", |app, now| answer(app, 0, now)),
    command("answer-2", "2", "", "select this", |app, now| answer(app, 1, now)),
    command("answer-3", "3", "", "select this", |app, now| answer(app, 2, now)),
    command("confirm", "Enter F2", "select", "select", |app, now| answer(app, app.welcome.cursor, now)),
    moves(LETTERS, "choose", "choose", |app, movement, _| {
        app.welcome.cursor = moved(app.welcome.cursor, movement, OPTIONS.len(), OPTIONS.len());
    }),
    QUIT.at("q", "quit", "quit"),
];

pub static PLACE: Place = Place::new("welcome", "First start", &[WELCOME]);

/// Ends this start: the program starts again with the choice. Without one, asks for a profile.
fn answer(app: &mut App, number: usize, now: Now) {
    app.welcome.cursor = number;
    app.welcome.chosen = OPTIONS[number].2;
    if app.welcome.chosen.is_some() {
        return app.quitting = Some(QuitReason::User);
    }
    profiles::list::show(app, now);
    app.profiles.form_open = true;
}

/// The least height at which everything is shown.
const LEAST_FOR_ALL: u16 = 18;

/// Paints the screen.
pub fn draw(app: &App, page: &mut Page<'_>) {
    let small = page.area.height < LEAST_FOR_ALL;
    if !small {
        page.gap();
        page.line("   Welcome. No setup is needed: choose how to start.");
        page.gap();
    }
    for (at, (what, note, _)) in OPTIONS.into_iter().enumerate() {
        let marked = at == app.welcome.cursor;
        page.click_row(marked);
        if marked {
            page.point(3);
        }
        let line = format!("{} {}) {what:<28}", marker(marked), at + 1);
        let line = page.appearance.span(line, StyleRole::Selected.when(marked));
        page.line(vec!["   ".into(), line, format!("  {note}").into()]);
    }
    page.gap();
    page.margin = 2;
    let directories = app.welcome.directories.join(", ");
    for (name, text) in [("Writes to", directories.as_str()), ("Help", "? shows the keys, here and on every screen")] {
        let name = page.appearance.span(format!("   {name:<14} "), StyleRole::Quiet);
        page.behind(&name, text, if small { 1 } else { usize::MAX });
    }
}

/// The line without a message.
pub const LINE: &str = "Nothing is sent or written before you choose.";
