//! Handles keys of rapid entry.

use crate::clock::Now;
use crate::model::text::short;
use crate::model::words::counted;
use crate::tui::effect::Effect;
use crate::tui::keymap::{Movement, RapidAction};
use crate::tui::popups::PendingChange;
use crate::tui::screens::pets;
use crate::tui::state::{AppState, MessageKind, Screen};
use crate::tui::text_input::Typing;
use crate::tui::widgets::form::neighbour;

use super::super::update::{is_still_switching, next_status};
use super::state::Focus;
use super::{input, lines};

/// Switches between the form and rapid entry, keeping the typed text. Asks first for a protected service.
pub fn switch(state: &mut AppState, now: Now) -> Vec<Effect> {
    lines::leave_as_it_was(state);
    if !state.add.rapid.on {
        let change = PendingChange::Rapid(state.add.rapid.counts().waiting);
        if state.asks_first(change, now) {
            return Vec::new();
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
        let has_category = rapid.category_id().is_some();
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
pub fn on_action(state: &mut AppState, action: RapidAction, now: Now) -> Vec<Effect> {
    let rapid = &mut state.add.rapid;
    let acts = matches!(action, RapidAction::Confirm | RapidAction::Refresh | RapidAction::Delete);
    if acts && rapid.focus == Focus::Lines && is_still_switching(state, "the line was not changed.") {
        return vec![input::bell()];
    }
    let rapid = &mut state.add.rapid;
    let goes_on = rapid.focus == Focus::Category && matches!(action, RapidAction::Confirm | RapidAction::NextField);
    // The field shows the error.
    if goes_on && rapid.has_wrong_category() {
        rapid.category.select();
        return vec![input::bell()];
    }
    match (action, rapid.focus) {
        (RapidAction::Confirm, Focus::Name) if rapid.stray && !rapid.is_scan(now.mono) => {
            rapid.stray = false;
            let name = short(rapid.name.value());
            state.say(
                MessageKind::Note,
                format!("Your keys went into the name field. Enter again saves \"{name}\"; F8 clears it."),
            );
            return vec![input::bell()];
        }
        (RapidAction::Confirm, Focus::Name) => return input::take_name(state, now),
        (RapidAction::Confirm, Focus::Category | Focus::Status) => rapid.focus = Focus::Name,
        (RapidAction::Confirm, Focus::Lines) => return lines::open(state, now),
        (RapidAction::NextField, Focus::Name) if rapid.setup.tab && rapid.is_scan(now.mono) => {
            return input::take_name(state, now);
        }
        (RapidAction::NextField, focus) => rapid.focus = neighbour(&Focus::FIELDS, focus, true),
        (RapidAction::PreviousField, focus) => rapid.focus = neighbour(&Focus::FIELDS, focus, false),
        (RapidAction::Move(_), Focus::Name | Focus::Category) => lines::enter(state),
        (RapidAction::Move(movement), Focus::Lines) => lines::step(state, movement.is_down()),
        (RapidAction::Move(movement), Focus::Status) => rapid.status = next_status(rapid.status, movement),
        (RapidAction::PreviousTab, Focus::Status) => rapid.status = next_status(rapid.status, Movement::Up),
        (RapidAction::NextTab, Focus::Status) => rapid.status = next_status(rapid.status, Movement::Down),
        (RapidAction::Refresh, Focus::Lines) => lines::send_again(state),
        (RapidAction::Delete, Focus::Lines) => lines::drop_marked(state, now),
        // The status and the lines share these keys.
        (RapidAction::PreviousTab | RapidAction::NextTab | RapidAction::Refresh | RapidAction::Delete, _) => {}
        (RapidAction::Clear, _) => {
            rapid.stray = false;
            if rapid.editing.is_some() {
                lines::leave_as_it_was(state);
            } else if let Some(input) = rapid.input() {
                input.clear();
            }
        }
        (RapidAction::Back, Focus::Name | Focus::Category) if rapid.editing.is_some() => {
            lines::leave_as_it_was(state);
        }
        (RapidAction::Back, Focus::Lines | Focus::Status) => rapid.focus = Focus::Name,
        (RapidAction::Back | RapidAction::Save, _) => return leave(state, now),
    }
    Vec::new()
}

/// Puts text into the field with the cursor, or else into the name field, so a scan is never lost.
pub fn on_typing(state: &mut AppState, typing: Typing<'_>, now: Now) {
    let rapid = &mut state.add.rapid;
    if let Typing::Text(text) = typing
        && rapid.focus != Focus::Category
    {
        rapid.note_text(text, now.mono);
        rapid.stray |= rapid.focus != Focus::Name && rapid.name.is_empty();
        rapid.focus = Focus::Name;
    }
    if let Some(input) = rapid.input() {
        input.take(typing);
    }
    rapid.stray &= !rapid.name.is_empty();
}

/// Goes to the list and reloads it. Lines are still sent.
fn leave(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.screen = Screen::Pets;
    let counts = state.add.rapid.counts();
    if counts.waiting > 0 {
        let text = format!("{} still being sent in the background.", counted(counts.waiting, "line"));
        state.say(MessageKind::Note, text);
    }
    if counts.saved == 0 || state.key_refused() {
        return Vec::new();
    }
    pets::update::reload(state, true, now)
}
