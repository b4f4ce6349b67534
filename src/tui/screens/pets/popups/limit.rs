//! How many rows?

use crate::clock::Now;
use crate::model::Limit;
use crate::model::text::short;
use crate::tui::effect::Effect;
use crate::tui::keymap::AskAction;
use crate::tui::popups::{FieldBox, Popup};
use crate::tui::screens::pets::update::set_limit;
use crate::tui::state::AppState;
use crate::tui::text_input::TextInput;
use crate::tui::widgets::page::Page;

/// The box, with the limit in use, which the next text replaces.
pub fn open(limit: Limit) -> Popup {
    let mut input = TextInput::new(limit.to_string());
    input.select();
    Popup::Limit(FieldBox { input, error: None })
}

pub fn on_action(state: &mut AppState, action: AskAction, now: Now) -> Vec<Effect> {
    let Some(Popup::Limit(field)) = &mut state.popup else { return Vec::new() };
    let typed = field.input.value().trim();
    match (action, typed.parse()) {
        (AskAction::Confirm, Err(_)) => {
            let why = format!("\"{}\" is not a number from 1 to 100.", short(typed));
            field.refuse(why);
        }
        (AskAction::Confirm, Ok(limit)) => {
            state.popup = None;
            return set_limit(state, limit, now);
        }
        (AskAction::Back, _) => state.popup = None,
    }
    Vec::new()
}

pub fn draw(field: &FieldBox, state: &AppState, page: &mut Page<'_>) {
    page.popup(62, 9, "How many rows?");
    let note = if state.link.has_pages {
        "1 to 100. Down on the last row loads more."
    } else {
        "1 to 100. For more, try the status tabs: up to 100 each."
    };
    field.draw("Rows", 6, note, page);
}
