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

/// The columns before a sentence.
const START: usize = 34;

/// The columns of a name that are shown however much has changed.
const LEAST_NAME: usize = 8;

/// The rows that show the selected sentence in full.
const BELOW: u16 = 3;

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
            let Some(id) = log.get(*cursor).map(|change| change.pet.id) else { return };
            state.popup = None;
            state.screen = Screen::Pets;
            state.pets.by_id = None;
            state.pets.pinned = state.pets.find(id).map(|(pet, _)| pet.clone());
            state.pets.drawer = state.pets.pinned.is_some();
            if !state.pets.drawer {
                state.say(MessageKind::Note, format!("Pet {id} is gone, or not in these rows. # looks it up."));
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
    format!("{} {} {}", change.at, change.pet.id, change.sentence(&change.pet.name))
}

pub fn draw(cursor: usize, state: &AppState, now: Now, page: &mut Page<'_>) {
    let log = state.pets.changes.log();
    let title = format!("Changes: {} of {}", cursor + 1, log.len());
    page.popup(page.area.width.min(90), page.area.height.saturating_sub(2), &title);
    let appearance = page.appearance;
    // A sentence that is cut in its row is below in full.
    let whole = |change: &Change| appearance.text(&change.sentence(&change.pet.name));
    let longest = log.iter().map(|change| width(&whole(change))).max().unwrap_or(0);
    let below = if longest + START > page.columns() { BELOW } else { 0 };
    let rows = usize::from(page.area.height.saturating_sub(below));
    for (chosen, change) in shown(log.iter(), cursor, rows) {
        page.click_row(chosen);
        if chosen {
            page.point(1);
        }
        let when = appearance.moment(change.at, now.wall);
        let start = format!(" {} {when:<16} {:>8}  ", marker(chosen), change.pet.id);
        let room = page.columns().saturating_sub(width(&start) + 3);
        // What has changed matters most: the name is cut first.
        let tail = width(&change.sentence(""));
        let name = cut(&appearance.text(&change.pet.name), room.saturating_sub(tail).max(LEAST_NAME));
        let text = cut(&appearance.text(&change.sentence(&name)), room);
        let role = StyleRole::Selected.when(chosen);
        page.line(vec![
            appearance.span(start, role),
            appearance.status(change.pet.status.as_ref()),
            Span::raw(" "),
            appearance.span(text, role),
        ]);
    }
    if let Some(change) = log.get(cursor).filter(|_| below > 0) {
        page.down_to(BELOW);
        page.wrapped(2, &change.sentence(&change.pet.name), BELOW.into());
    }
}
