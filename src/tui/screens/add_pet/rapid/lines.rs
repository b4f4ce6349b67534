//! The actions on the selected line.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::app::outbox::queue::QueueRecord;
use crate::app::outbox::unknown_outcome::{SearchedPets, search_for};
use crate::clock::Now;
use crate::model::NewPet;
use crate::model::text::short;
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::state::AppState;
use crate::tui::text_input::TextInput;

use super::state::{EditedLine, Fate, Focus, Line};

/// Goes to the newest line that needs the user, or else to the newest.
pub fn enter(state: &mut AppState) {
    let rapid = &mut state.add.rapid;
    let newest = rapid.lines.iter().rev().find(|line| line.fate.wants_the_user()).or(rapid.lines.last());
    match newest.map(|line| line.number) {
        Some(number) => {
            rapid.marked = number;
            rapid.focus = Focus::Lines;
        }
        None => state.tell("No lines yet."),
    }
}

/// Selects the line above or below. The newest is on top, and above it is the name field.
pub fn step(state: &mut AppState, down: bool) {
    let rapid = &mut state.add.rapid;
    let Some(here) = rapid.lines.iter().position(|line| line.number == rapid.marked) else {
        rapid.focus = Focus::Name;
        return;
    };
    match (down, rapid.lines.get(here + 1)) {
        (true, _) => rapid.marked = rapid.lines[here.saturating_sub(1)].number,
        (false, Some(newer)) => rapid.marked = newer.number,
        (false, None) => rapid.focus = Focus::Name,
    }
}

/// Enter on the selected line: edits a refused one, searches for one with an unknown outcome, and accepts what was
/// found.
pub fn open(state: &mut AppState, now: Now) -> Vec<Effect> {
    let rapid = &mut state.add.rapid;
    let Some(line) = rapid.line(rapid.marked).cloned() else { return Vec::new() };
    match line.fate {
        Fate::Refused(_) => {
            if rapid.name.value().trim().is_empty() || rapid.editing.is_some() {
                edit(state, line);
            } else {
                state.tell("First save the name you typed, or clear it (F8).");
            }
        }
        Fate::Unknown(None) => return look(state, &line, now),
        Fate::Unknown(Some(id)) => {
            if let Some(line) = rapid.line(rapid.marked) {
                line.fate = Fate::Saved(id);
            }
            rapid.saved += 1;
            rapid.unwritten.push(QueueRecord::Saved { line: line.number, id });
            state.say_done(format!("{} is pet {id}.", short(&line.draft.name)), now.mono);
        }
        Fate::Unwritten | Fate::Waiting | Fate::Sending(..) => {
            state.tell("This line is sent automatically.");
        }
        Fate::Saved(id) => state.tell(format!("Saved as pet {id}.")),
    }
    Vec::new()
}

fn edit(state: &mut AppState, line: Line) {
    let rapid = &mut state.add.rapid;
    rapid.stop_editing();
    let (category, status) = (rapid.category.clone(), rapid.status);
    rapid.editing = Some(EditedLine { number: line.number, category, status });
    rapid.name = TextInput::new(line.draft.name);
    rapid.category = TextInput::new(line.draft.category_id);
    rapid.status = line.draft.status;
    rapid.focus = Focus::Name;
    state.tell("Fix it: Enter sends it as a new line, Esc leaves it as it was.");
}

/// Restores the fields as they were before a line was edited.
pub(super) fn leave_as_it_was(state: &mut AppState) {
    if state.add.rapid.stop_editing().is_some() {
        state.add.rapid.name.clear();
    }
}

fn look(state: &mut AppState, line: &Line, now: Now) -> Vec<Effect> {
    let Ok(new) = line.draft.check(&state.add.rapid.setup.categories) else { return Vec::new() };
    state.tell(format!("Searching for {} ...", short(&line.draft.name)));
    vec![state.begin(SearchForLine { line: line.number, new }, now)]
}

/// Searches for a pet of this name and category that may have been added from a line.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchForLine {
    pub line: u64,
    pub new: NewPet,
}

impl Job for SearchForLine {
    type Answer = SearchedPets;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::SearchForLine;

    async fn run(self: Arc<Self>, env: Env) -> Result<SearchedPets, Failure> {
        Ok(search_for(&env.api("search").await?, &self.new).await?)
    }

    fn done(&self, app: &mut AppState, searched: Result<SearchedPets, Failure>, _: Now) -> Vec<Effect> {
        let added: Vec<_> = app.added.iter().map(|added| added.pet.id).collect();
        let service = app.link.service.clone();
        let Some(line) = app.add.rapid.line(self.line).filter(|line| matches!(line.fate, Fate::Unknown(_))) else {
            return Vec::new();
        };
        let name = short(&line.draft.name);
        let text = match searched {
            Ok(searched) => {
                let complete = searched.complete;
                let found = searched.newest(|id| added.contains(&id)).map(|pet| pet.id);
                line.fate = Fate::Unknown(found);
                match (found, complete) {
                    (Some(id), _) => {
                        format!("Pet {id} has this name and category. Enter: that is it. F5: send again. Del: drop.")
                    }
                    (None, true) => format!("{name} is not in the list yet. F5 sends it again, Del drops it."),
                    (None, false) => {
                        format!(
                            "{name} was not found, but the list may be incomplete. F5 sends it again, Del drops it."
                        )
                    }
                }
            }
            Err(failure) => format!("Searching for {name} failed: {}", failure.sentence(&service)),
        };
        app.note(text)
    }
}

/// Sends the selected line with an unknown outcome again, which may add a second pet.
pub(super) fn send_again(state: &mut AppState) {
    let rapid = &mut state.add.rapid;
    match rapid.line(rapid.marked) {
        Some(line) if matches!(line.fate, Fate::Unknown(_)) => {
            line.fate = Fate::Waiting;
            line.sent = None;
        }
        Some(_) | None => state.tell("Only a line without an answer (?) can be sent again."),
    }
}

/// Drops the selected line, unless it is being sent or saved.
pub(super) fn drop_marked(state: &mut AppState, now: Now) {
    let rapid = &mut state.add.rapid;
    let Some(here) = rapid.lines.iter().position(|line| line.number == rapid.marked) else { return };
    match rapid.lines[here].fate {
        Fate::Unwritten | Fate::Sending(..) | Fate::Saved(_) => {
            state.tell("A line that is being sent or saved cannot be dropped.");
        }
        Fate::Waiting | Fate::Refused(_) | Fate::Unknown(_) => {
            let line = rapid.lines.remove(here);
            rapid.unwritten.push(QueueRecord::Dropped { line: line.number });
            match rapid.lines.get(here).or(rapid.lines.last()) {
                Some(next) => rapid.marked = next.number,
                None => rapid.focus = Focus::Name,
            }
            state.say_done(format!("Dropped {}.", short(&line.draft.name)), now.mono);
        }
    }
}
