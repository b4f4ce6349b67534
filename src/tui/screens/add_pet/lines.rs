//! What is done with the selected line.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::app::outbox::queue::{Fate, Line};
use crate::app::outbox::{SearchedPets, search_for};
use crate::clock::Now;
use crate::model::text::short;
use crate::model::words::counted;
use crate::model::{Field, NewPet};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::state::AppState;

use super::{CATEGORY, EditedLine, NAME, STATUS};

/// Selects the line above or below. The newest is on top, and above it is the form.
pub fn step(state: &mut AppState, down: bool) {
    let add = &mut state.add;
    let Some(here) = add.outbox.position(add.marked) else {
        add.in_lines = false;
        return;
    };
    match (down, add.outbox.lines.get(here + 1)) {
        (true, _) => add.marked = add.outbox.lines[here.saturating_sub(1)].typed.line,
        (false, Some(newer)) => add.marked = newer.typed.line,
        (false, None) => add.in_lines = false,
    }
}

/// Enter on the selected line: edits a refused one, searches for one with an unknown outcome, and accepts what was
/// found.
pub fn open(state: &mut AppState, now: Now) -> Vec<Effect> {
    let add = &mut state.add;
    let Some(line) = add.outbox.line(add.marked).cloned() else { return Vec::new() };
    match line.fate {
        Fate::Refused(_) => {
            if add.form.value(&NAME).is_empty() || add.editing.is_some() {
                edit(state, line);
            } else {
                state.tell("First add the name you typed, or clear it (F8).");
            }
        }
        Fate::Unknown(None) => return look(state, &line, now),
        Fate::Unknown(Some(id)) => {
            add.outbox.accept(line.typed.line, id);
            add.unread = true;
            state.say_done(format!("{} is pet {id}.", short(&line.typed.pet.name)), now.mono);
        }
        Fate::Unwritten | Fate::Waiting | Fate::Sending(..) => {
            let what = format!("Send {} to", counted(add.outbox.counts().waiting, "line"));
            if !state.asks_first(what, Vec::new(), |_, _| Vec::new(), now) {
                state.tell("This line is sent automatically.");
            }
        }
        Fate::Saved(id) => state.tell(format!("Saved as pet {id}.")),
    }
    Vec::new()
}

fn edit(state: &mut AppState, line: Line) {
    let add = &mut state.add;
    add.stop_editing();
    add.editing = Some(EditedLine { number: line.typed.line, before: add.draft() });
    let field = line.fate.explanation().and_then(named_in);
    add.fill(line.typed.pet);
    add.go_to_name();
    match field {
        Some(Field::CategoryId) => add.form.select(&CATEGORY),
        Some(Field::Status) => add.form.go_to(&STATUS),
        Some(Field::Name) | None => {}
    }
    state.tell("Fix it: F2 sends it as a new line, Esc leaves it as it was.");
}

/// The one field that a reason names. A heuristic, not part of the API.
fn named_in(reason: &str) -> Option<Field> {
    let words: Vec<String> = reason.split(|c: char| !c.is_alphanumeric()).map(str::to_ascii_lowercase).collect();
    let names = |field: Field| match field {
        Field::Name => ["name", "names"].as_slice(),
        Field::CategoryId => &["categoryid", "category"],
        Field::Status => &["status"],
    };
    let mut named =
        Field::ALL.into_iter().filter(|field| words.iter().any(|word| names(*field).contains(&word.as_str())));
    named.next().filter(|_| named.next().is_none())
}

/// Restores the form as it was before a line was edited. Whether one was.
pub fn leave_as_it_was(state: &mut AppState) -> bool {
    state.add.stop_editing().is_some()
}

fn look(state: &mut AppState, line: &Line, now: Now) -> Vec<Effect> {
    let Ok(new) = line.typed.pet.check(&state.add.setup.categories) else { return Vec::new() };
    state.tell(format!("Searching for {} ...", short(&line.typed.pet.name)));
    vec![state.begin(SearchForLine { line: line.typed.line, new }, now)]
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
        let lines = app.add.outbox.lines.iter();
        let added: Vec<_> =
            lines.filter_map(|line| if let Fate::Saved(id) = line.fate { Some(id) } else { None }).collect();
        let Some(line) = app.add.outbox.line_mut(self.line).filter(|line| matches!(line.fate, Fate::Unknown(_))) else {
            return Vec::new();
        };
        let name = short(&line.typed.pet.name);
        let text = match searched {
            Ok(searched) => {
                let none = searched.none_found(&name);
                let found = line.candidate(searched, &app.pets.store, &added).map(|pet| pet.id);
                line.fate = Fate::Unknown(found);
                match found {
                    Some(id) => {
                        format!("Pet {id} has this name and category. Enter: that is it. F5: send again. Del: drop.")
                    }
                    None => format!("{none} F5 sends it again, Del drops it."),
                }
            }
            Err(failure) => format!("Searching for {name} failed: {}", failure.sentence(&app.link.service)),
        };
        app.note(text)
    }
}

/// Sends the selected line with an unknown outcome again, which may add a second pet.
pub fn send_again(state: &mut AppState, _: Now) -> Vec<Effect> {
    let add = &mut state.add;
    if add.outbox.line(add.marked).is_none_or(|line| !matches!(line.fate, Fate::Unknown(_))) {
        return state.note("Only a line without an answer (?) can be sent again.");
    }
    add.outbox.send_again(add.marked);
    Vec::new()
}

/// Drops the selected line, unless it is being sent or saved.
pub fn drop_marked(state: &mut AppState, now: Now) -> Vec<Effect> {
    let add = &mut state.add;
    let Some(here) = add.outbox.position(add.marked) else { return Vec::new() };
    let line = add.outbox.lines[here].clone();
    if !line.fate.can_be_dropped() {
        return state.note("A line that is being sent or saved cannot be dropped.");
    }
    add.outbox.drop_line(line.typed.line);
    match add.outbox.lines.get(here).or(add.outbox.lines.last()) {
        Some(next) => add.marked = next.typed.line,
        None => add.in_lines = false,
    }
    state.say_done(format!("Dropped {}.", short(&line.typed.pet.name)), now.mono);
    Vec::new()
}

#[cfg(test)]
pub(in crate::tui) mod tests;
