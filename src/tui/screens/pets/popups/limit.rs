//! How many rows?

use crate::clock::Now;
use crate::model::Limit;
use crate::model::text::short;
use crate::tui::command::{Command, closes, command};
use crate::tui::effect::Effect;
use crate::tui::popups::{FieldBox, Popup};
use crate::tui::screens::pets::update::{refuses_limit, set_limit};
use crate::tui::state::AppState;
use crate::tui::text_input::TextInput;
use crate::tui::widgets::page::Page;

pub static BOX: &[Command] = &[
    command("confirm", "Enter F2", "use it", "use this number", confirm)
        .when(|app| field(app).is_some_and(|field| field.input.value().parse::<Limit>().is_ok())),
    closes("Esc F3", "cancel", "close without a change"),
];

pub fn open(app: &mut AppState, _: Now) {
    if !refuses_limit(app) {
        let mut input = TextInput::new(app.pets.limit.to_string());
        input.select();
        app.popup = Some(Popup::Limit(FieldBox { input, error: None }));
    }
}

const fn field(app: &AppState) -> Option<&FieldBox> {
    if let Some(Popup::Limit(field)) = &app.popup { Some(field) } else { None }
}

fn confirm(app: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(Popup::Limit(field)) = &mut app.popup else { return Vec::new() };
    let typed = field.input.value().trim();
    let Ok(limit) = typed.parse() else {
        let why = format!("\"{}\" is not a number from 1 to 100.", short(typed));
        field.refuse(why);
        return Vec::new();
    };
    app.popup = None;
    set_limit(app, limit, now)
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
