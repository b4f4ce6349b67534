//! What follows from a key in rapid entry.

use crate::clock::Now;
use crate::model::PetStatus;
use crate::model::text::short;
use crate::tui::effect::Effect;
use crate::tui::keymap::{Action, RapidAction};
use crate::tui::popups::{PendingChange, confirm};
use crate::tui::screens::pets;
use crate::tui::state::{AppState, MessageKind, Screen};

use super::state::{Focus, State};
use super::{input, lines};

/// Changes from the form to rapid entry, or back. What is typed goes along. A protected service is asked about first.
pub fn switch(state: &mut AppState, now: Now) -> Vec<Effect> {
    lines::leave_as_it_was(state);
    if !state.add.rapid.on {
        let change = PendingChange::Rapid(state.add.rapid.counts().waiting);
        if let Some(asked) = confirm::ask(state, change, now) {
            return asked;
        }
    }
    let add = &mut state.add;
    let form_is_free = add.sent.is_none();
    let rapid = &mut add.rapid;
    rapid.on = !rapid.on;
    if rapid.on {
        rapid.category = add.category.clone();
        rapid.status = add.status;
        if form_is_free && rapid.name.is_empty() {
            rapid.name = std::mem::take(&mut add.name);
        }
        let has_category = rapid.draft("Rex").check().is_ok();
        rapid.focus = if has_category { Focus::Name } else { Focus::Category };
    } else if form_is_free {
        add.category = rapid.category.clone();
        add.status = rapid.status;
        if add.name.is_empty() {
            add.name = std::mem::take(&mut rapid.name);
        }
    }
    Vec::new()
}

/// A key in rapid entry.
pub fn on_action(state: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    let rapid = &state.add.rapid;
    let is_about_line = match action {
        Action::Confirm | Action::Refresh | Action::Delete => rapid.focus == Focus::Lines,
        Action::Rapid(RapidAction::UseCode) => true,
        _ => false,
    };
    if is_about_line && state.is_switching() {
        let there = short(&state.profiles.using);
        state.say(MessageKind::Error, format!("Switching to {there}: the line is as it was."));
        return vec![input::bell()];
    }
    let rapid = &mut state.add.rapid;
    let goes_on = rapid.focus == Focus::Category && matches!(action, Action::Confirm | Action::NextField);
    // The field says it as long as it is so.
    if goes_on && rapid.has_wrong_category() {
        return vec![input::bell()];
    }
    match (action, rapid.focus) {
        (Action::Confirm, Focus::Name) if rapid.stray && !rapid.is_scan(now.mono) => {
            rapid.stray = false;
            let name = short(rapid.name.value());
            state.say(
                MessageKind::Note,
                format!("Your keys went into the name. Enter again saves \"{name}\"; F8 clears it."),
            );
            return vec![input::bell()];
        }
        (Action::Confirm, Focus::Name) => return input::take_name(state, now),
        (Action::Confirm, Focus::Category) => rapid.focus = Focus::Name,
        (Action::Confirm, Focus::Status) => rapid.focus = Focus::Name,
        (Action::Confirm, Focus::Lines) => return lines::open(state, now),
        (Action::NextField, Focus::Name) if rapid.setup.tab && rapid.is_scan(now.mono) => {
            return input::take_name(state, now);
        }
        (Action::NextField | Action::PreviousField, focus) => {
            rapid.focus = neighbour(focus, action == Action::NextField);
        }
        (Action::Up | Action::Down, Focus::Name | Focus::Category) => lines::enter(state),
        (Action::Up | Action::Down, Focus::Lines) => lines::step(state, action == Action::Down),
        (Action::Up | Action::PreviousTab, Focus::Status) => choose(rapid, false),
        (Action::Down | Action::NextTab, Focus::Status) => choose(rapid, true),
        (Action::Refresh, Focus::Lines) => lines::send_again(state),
        (Action::Delete, Focus::Lines) => lines::drop_marked(state, now),
        (Action::Rapid(RapidAction::UseCode), _) => input::use_code(state, now),
        (Action::Rapid(RapidAction::RapidEntry), _) => return switch(state, now),
        (Action::Clear, _) => {
            rapid.stray = false;
            if rapid.mending.is_some() {
                lines::leave_as_it_was(state);
            } else if let Some(input) = rapid.input() {
                input.clear();
            }
        }
        (Action::Edit(edit), _) => {
            if let Some(input) = rapid.input() {
                input.edit(edit);
            }
            rapid.stray &= !rapid.name.is_empty();
        }
        (Action::Back, Focus::Name | Focus::Category) if rapid.mending.is_some() => lines::leave_as_it_was(state),
        (Action::Back, Focus::Lines | Focus::Status) => rapid.focus = Focus::Name,
        (Action::Back | Action::Save, _) => return leave(state, now),
        // The key map has the others only elsewhere.
        _ => {}
    }
    Vec::new()
}

/// Text goes into the field that has the cursor; where there is none, into that for the name: a scan is never lost.
pub fn on_text(state: &mut AppState, text: &str, now: Now) {
    let rapid = &mut state.add.rapid;
    if rapid.focus != Focus::Category {
        rapid.note_text(text, now.mono);
        rapid.stray |= rapid.focus != Focus::Name && rapid.name.is_empty();
        rapid.focus = Focus::Name;
    }
    if let Some(input) = rapid.input() {
        input.insert(text);
    }
}

/// To the list, which is asked for again. The lines go on being sent.
fn leave(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.screen = Screen::Pets;
    let counts = state.add.rapid.counts();
    if counts.waiting > 0 {
        let text = format!("{} lines wait; they go on being sent while you do other things.", counts.waiting);
        state.say(MessageKind::Note, text);
    }
    if counts.saved == 0 || state.key_refused() {
        return Vec::new();
    }
    pets::update::reload(state, true, now)
}

const fn neighbour(focus: Focus, next: bool) -> Focus {
    match (focus, next) {
        (Focus::Category, true) | (Focus::Name, false) => Focus::Status,
        (Focus::Status, true) | (Focus::Category | Focus::Lines, false) => Focus::Name,
        (Focus::Name, true) | (Focus::Status, false) => Focus::Category,
        (Focus::Lines, true) => Focus::Category,
    }
}

fn choose(rapid: &mut State, next: bool) {
    let choices = [None, Some(PetStatus::Available), Some(PetStatus::Pending), Some(PetStatus::Sold)];
    let here = choices.iter().position(|choice| *choice == rapid.status).unwrap_or(0);
    let there = if next { (here + 1).min(choices.len() - 1) } else { here.saturating_sub(1) };
    rapid.status = choices[there];
}
