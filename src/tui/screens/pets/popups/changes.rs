//! What has changed among the pets, the newest first.

use ratatui::text::Span;

use crate::app::inventory::changes::Change;
use crate::clock::Now;
use crate::model::text::{cut, width};
use crate::tui::keymap::ChangesAction;
use crate::tui::popups::{Contents, Popup, WriteBox};
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::{moved, shown};
use crate::tui::widgets::page::{Page, marker};

pub fn open(state: &mut AppState) {
    if state.pets.changes.log().is_empty() {
        let text = "No changes in these rows. r refreshes, W compares the whole inventory.";
        state.say(MessageKind::Note, text);
        return;
    }
    state.pets.changes.unseen = 0;
    state.popup = Some(Popup::Changes(0));
}

pub fn on_action(state: &mut AppState, action: ChangesAction) {
    let log = state.pets.changes.log();
    let Some(Popup::Changes(cursor)) = &mut state.popup else { return };
    match action {
        ChangesAction::Move(movement) => *cursor = moved(*cursor, movement, log.len(), 10),
        ChangesAction::Open => {
            let Some(id) = log.get(*cursor).map(|change| change.id) else { return };
            state.popup = None;
            state.screen = Screen::Pets;
            state.pets.by_id = None;
            state.pets.pinned = state.pets.find(id).map(|(pet, _)| pet.clone());
            state.pets.drawer = state.pets.pinned.is_some();
            if !state.pets.drawer {
                state.say(MessageKind::Note, format!("Pet {id} is not in these rows. # looks it up."));
            }
        }
        ChangesAction::WriteFile => {
            let text: String = log.iter().map(|change| line(change) + "\n").collect();
            state.popup = Some(Popup::Write(WriteBox::new("changes.txt", Contents::Text(text))));
        }
        ChangesAction::Back => state.popup = None,
    }
}

/// A change as one line of a file: its time as RFC 3339.
fn line(change: &Change) -> String {
    format!("{} {} {}", change.at, change.id, change.sentence(&change.name))
}

pub fn draw(cursor: usize, state: &AppState, now: Now, page: &mut Page<'_>) {
    let log = state.pets.changes.log();
    let title = format!("Changes: {} of {}", cursor + 1, log.len());
    page.popup(page.area.width.min(90), page.area.height.saturating_sub(2), &title);
    let appearance = page.appearance;
    let rows = usize::from(page.area.height);
    for (chosen, change) in shown(log.iter(), cursor, rows) {
        if chosen {
            page.point(1);
        }
        let when = appearance.moment(change.at, now.wall);
        let start = format!(" {} {when:<16} {:>8}  ", marker(chosen), change.id);
        let room = page.columns().saturating_sub(width(&start) + 4);
        // The new status at the end matters most: the name is cut instead.
        let tail = width(&change.sentence(""));
        let name = cut(&appearance.text(&change.name), room.saturating_sub(tail));
        let text = appearance.text(&change.sentence(&name));
        let role = StyleRole::Selected.when(chosen);
        page.line(vec![
            appearance.span(start, role),
            appearance.status(change.to.status()),
            Span::raw(" "),
            appearance.span(text, role),
        ]);
    }
}
