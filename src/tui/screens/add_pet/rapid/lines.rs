//! What can be done about a line that is marked.

use crate::api::failure::Failure;
use crate::app::outbox::queue::QueueRecord;
use crate::app::outbox::unknown_outcome::SearchedPets;
use crate::clock::Now;
use crate::model::text::short;
use crate::tui::effect::Effect;
use crate::tui::screens::add_pet::rapid::jobs::RapidTask;
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::TextInput;

use super::state::{Fate, Focus, Line, Mending};

/// Goes to the lines: to the newest that wants the user, else to the newest.
pub fn enter(state: &mut AppState) {
    let rapid = &mut state.add.rapid;
    let newest = rapid.lines.iter().rev().find(|line| line.fate.wants_the_user()).or(rapid.lines.last());
    match newest.map(|line| line.number) {
        Some(number) => {
            rapid.marked = number;
            rapid.focus = Focus::Lines;
        }
        None => state.say(MessageKind::Note, "No line was taken yet."),
    }
}

/// Marks the line before or after, as they are shown: the newest is on top, and above it is the field for the name.
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

/// Enter on the marked line: mends a refused one, looks for one in doubt, and takes what was found.
pub fn open(state: &mut AppState, now: Now) -> Vec<Effect> {
    let rapid = &mut state.add.rapid;
    let Some(line) = rapid.line(rapid.marked).cloned() else { return Vec::new() };
    match line.fate {
        Fate::Refused(_) | Fate::UnknownCode => {
            if rapid.name.value().trim().is_empty() || rapid.mending.is_some() {
                mend(state, line);
            } else {
                state.say(MessageKind::Note, "First save or clear (F8) the name that is typed already.");
            }
        }
        Fate::Unknown(None) => return look(state, &line, now),
        Fate::Unknown(Some(id)) => {
            if let Some(line) = rapid.line(rapid.marked) {
                line.fate = Fate::Saved(id);
            }
            rapid.saved += 1;
            rapid.unwritten.push(QueueRecord::Saved { line: line.number, id });
            state.say_done(format!("{} is animal {id}.", short(&line.draft.name)), now.mono);
        }
        Fate::Unwritten | Fate::Waiting | Fate::Sending(..) => {
            state.say(MessageKind::Note, "This line is sent by itself.");
        }
        Fate::Saved(id) => state.say(MessageKind::Note, format!("Saved as animal {id}.")),
    }
    Vec::new()
}

fn mend(state: &mut AppState, line: Line) {
    let rapid = &mut state.add.rapid;
    rapid.stop_mending();
    let (category, status) = (rapid.category.clone(), rapid.status);
    rapid.mending = Some(Mending { number: line.number, category, status });
    rapid.name = TextInput::new(line.draft.name);
    rapid.category = TextInput::new(line.draft.category_id);
    rapid.status = line.draft.status;
    rapid.focus = Focus::Name;
    state.say(MessageKind::Note, "Mend it; Enter sends it as a new line in its place, Esc leaves it as it was.");
}

/// The fields are as they were before a line was taken into them.
pub(super) fn leave_as_it_was(state: &mut AppState) {
    if state.add.rapid.stop_mending().is_some() {
        state.add.rapid.name.clear();
    }
}

fn look(state: &mut AppState, line: &Line, now: Now) -> Vec<Effect> {
    let Ok(new) = line.draft.check() else { return Vec::new() };
    state.add.rapid.looking = Some(line.number);
    state.say(MessageKind::Note, format!("Looking for {} ...", short(&line.draft.name)));
    vec![state.begin(RapidTask::SearchFor(new), now)]
}

/// The look for a line in doubt ended.
pub fn on_searched(state: &mut AppState, result: Result<SearchedPets, Failure>) {
    let Some(number) = state.add.rapid.looking.take() else { return };
    let added: Vec<_> = state.added.iter().map(|added| added.pet.id).collect();
    let service = state.link.service.clone();
    let Some(line) = state.add.rapid.line(number).filter(|line| matches!(line.fate, Fate::Unknown(_))) else { return };
    let name = short(&line.draft.name);
    let text = match result {
        Ok(searched) => {
            let complete = searched.complete;
            let found = searched.newest(|id| added.contains(&id)).map(|pet| pet.id);
            line.fate = Fate::Unknown(found);
            match (found, complete) {
                (Some(id), _) => {
                    format!(
                        "Animal {id} has this name and category. Enter: that is it. F5: send it again. Del: drop it."
                    )
                }
                (None, true) => format!("{name} is not in the list now. F5 sends it again, Del drops it."),
                (None, false) => {
                    format!("{name} is not among those that the list shows. F5 sends it again, Del drops it.")
                }
            }
        }
        Err(failure) => format!("Looking for {name} failed: {}", failure.sentence(&service)),
    };
    state.say(MessageKind::Note, text);
}

/// Sends the marked line in doubt again, as the user wants it: it may then be there twice.
pub(super) fn send_again(state: &mut AppState) {
    let rapid = &mut state.add.rapid;
    match rapid.line(rapid.marked) {
        Some(line) if matches!(line.fate, Fate::Unknown(_)) => {
            line.fate = Fate::Waiting;
            line.sent = None;
        }
        Some(_) | None => state.say(MessageKind::Note, "Only a line without an answer (?) can be sent again."),
    }
}

/// Drops the marked line, unless it is under way or saved.
pub(super) fn drop_marked(state: &mut AppState, now: Now) {
    let rapid = &mut state.add.rapid;
    let Some(here) = rapid.lines.iter().position(|line| line.number == rapid.marked) else { return };
    match rapid.lines[here].fate {
        Fate::Unwritten | Fate::Sending(..) | Fate::Saved(_) => {
            state.say(MessageKind::Note, "Only a line that is not under way and not saved can be dropped.");
        }
        Fate::Waiting | Fate::Refused(_) | Fate::UnknownCode | Fate::Unknown(_) => {
            let line = rapid.lines.remove(here);
            rapid.unwritten.push(QueueRecord::Dropped { line: line.number });
            match rapid.lines.get(here).or(rapid.lines.last()) {
                Some(next) => rapid.marked = next.number,
                None => rapid.focus = Focus::Name,
            }
            state.say_done(format!("{} is dropped.", short(&line.draft.name)), now.mono);
        }
    }
}
