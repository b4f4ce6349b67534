//! The keys of every form.

use crate::model::words::counted;

use super::command::{Command, LETTERS, change, moves};
use super::state::AppState;
use super::text_input::Typing;
use super::widgets::form::Form;

pub const NEXT: Command =
    change("next-field", "Tab Enter down", "next", "next field", |app, _| on_form(app, |form| form.go(true)))
        .called("Tab/Enter");
pub const PREVIOUS: Command =
    change("previous-field", "S-Tab up", "", "previous field", |app, _| on_form(app, |form| form.go(false)));
pub const CONFIRM: Command = change("confirm", "Enter", "", "next field", |app, _| on_form(app, |form| form.go(true)));
pub const CHOOSE: Command =
    moves(LETTERS, "choose", "choose", |app, movement, _| on_form(app, |form| form.choose(movement)));
pub const TOGGLE: Command = change("toggle", "Space", "", "change it", |app, _| on_form(app, Form::toggle));

/// Puts typed text into the field in use. Returns whether the end of it found no room.
pub fn on_typing(app: &mut AppState, typing: Typing<'_>) -> bool {
    app.message = None;
    app.form().is_some_and(|form| form.take(typing))
}

/// Whether nothing is wrong with the form in use; else goes to the first field to fix, and says that `nothing` was done.
pub fn passes(app: &mut AppState, nothing: &str) -> bool {
    let mut form = app.form().cloned().unwrap_or_default();
    let wrong = form.check(&app.known());
    on_form(app, |shown| *shown = form);
    if wrong > 0 {
        app.complain(format!("Fix {} first. {nothing}", counted(wrong, "field")));
    }
    wrong == 0
}

fn on_form(app: &mut AppState, act: impl FnOnce(&mut Form)) {
    app.message = None;
    if let Some(form) = app.form() {
        act(form);
    }
}
