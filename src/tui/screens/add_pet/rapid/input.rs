//! How the form and pasted codes become lines.

use crate::app::outbox::queue::{QueueRecord, QueuedPet};
use crate::clock::Now;
use crate::config::Notify;
use crate::model::Draft;
use crate::model::text::short;
use crate::tui::effect::Effect;
use crate::tui::screens::add_pet::fields::{CATEGORY, NAME};
use crate::tui::screens::add_pet::{State, import};
use crate::tui::state::AppState;

use super::state::{Fate, Line, MOST_WAITING};

/// Handles text that is pasted for the name. Several codes come from a fast scanner: each is taken, the first appended
/// to what is typed already. Several lines of anything else are previewed before they are sent. The rest is typed.
pub fn paste(state: &mut AppState, text: &str, now: Now) -> Option<Vec<Effect>> {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let whole = format!("{}{lines}", state.add.form[&NAME].value());
    let lines: Vec<&str> = lines.trim_end_matches('\n').split('\n').collect();
    let setup = &state.add.rapid.setup;
    let can_be_added = state.may_change() && !state.is_switching();
    let can_be_added = can_be_added && setup.categories.parse(state.add.form.value(&CATEGORY)).is_ok();
    if lines.len() < 2 || !can_be_added || !whole.lines().all(|line| is_code(setup.code_in(line))) {
        return import::start::paste(state, text, now);
    }
    state.add.go_to_name();
    for (taken, line) in lines.iter().enumerate() {
        if let Some(why) = why_full(state) {
            let (rest, from) = (lines.len() - taken, short(line));
            let text = format!("{why} {taken} lines were taken, {rest} were not. Paste again from \"{from}\".");
            state.complain(text);
            return Some(vec![bell()]);
        }
        state.add.form[&NAME].insert(line);
        take(state, now);
    }
    Some(state.note(format!("{} codes pasted, one line each.", lines.len())))
}

/// Why no further line can be taken now.
pub fn why_full(state: &AppState) -> Option<String> {
    let full = state.add.rapid.counts().waiting >= MOST_WAITING;
    full.then(|| format!("{MOST_WAITING} lines are waiting, the maximum."))
}

/// The pet in the form as a line has it: without the prefix of a scanner, with the number of its category.
pub fn draft(add: &State) -> Draft {
    let Draft { name, category_id, status } = add.draft();
    let setup = &add.rapid.setup;
    let category_id = setup.categories.number(category_id.trim()).into_owned();
    Draft { name: setup.code_in(&name).to_owned(), category_id, status }
}

/// Takes the form as a line, and is ready for the next one.
pub fn take(state: &mut AppState, now: Now) {
    let add = &mut state.add;
    let number = add.rapid.next_number();
    let known = state.pets.changes.known_ids().max().unwrap_or(0);
    let (draft, key) = (draft(add), state.keys.make());
    let line = Line { number, at: now.wall, draft, key, known, sent: None, fate: Fate::Unwritten };
    let edited = add.stop_editing();
    if edited.is_none() {
        add.next_animal();
    }
    add.rapid.unwritten.push(typed(&line));
    add.rapid.place(line, edited);
    add.rapid.asked = None;
}

/// The record of a taken line.
fn typed(line: &Line) -> QueueRecord {
    let Line { number, at, draft, key, known, .. } = line.clone();
    QueueRecord::Typed(QueuedPet { line: number, at, key, pet: draft, known })
}

/// Whether it has the form of a barcode: 8 to 14 digits, as in EAN and UPC.
fn is_code(text: &str) -> bool {
    (8..=14).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The terminal's bell.
pub const fn bell() -> Effect {
    Effect::Notify(Notify::Bell, String::new())
}
