//! How many rows?

use crate::clock::Now;
use crate::model::Limit;
use crate::model::text::short;
use crate::tui::command::{Command, Place, closes, command};
use crate::tui::effect::Effect;
use crate::tui::popups::{FieldBox, Popup};
use crate::tui::screens::pets::update::set_limit;
use crate::tui::state::{AppState, Layout};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::widgets::page::Page;

#[derive(Debug)]
pub struct LimitBox(pub FieldBox);

static BOX: &[Command] = &[
    command("confirm", "Enter F2", "use it", "use this number", confirm)
        .when(|app| app.popups.get().is_some_and(|LimitBox(field)| field.input.value().parse::<Limit>().is_ok())),
    closes("Esc F3", "cancel", "close without a change"),
];

pub static PLACE: Place = Place::new("limit-box", "Number of rows", &[BOX]).text().in_box();

pub fn open(app: &mut AppState, _: Now) {
    let mut input = TextInput::new(app.pets.limit.to_string());
    input.select();
    app.popups.show(LimitBox(FieldBox { input, error: None }));
}

fn confirm(app: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(LimitBox(field)) = app.popups.get_mut() else { return Vec::new() };
    let typed = field.input.value().trim();
    let Ok(limit) = typed.parse() else {
        let why = format!("\"{}\" is not a number from 1 to 100.", short(typed));
        field.refuse(why);
        return Vec::new();
    };
    app.popups.close();
    set_limit(app, limit, now)
}

impl Popup for LimitBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing.trimmed())
    }

    fn draw(&self, _: &AppState, _: Now, page: &mut Page<'_>, _: &mut Layout) {
        page.popup(62, 9, "How many rows?");
        let note = "How many the first request asks for, 1 to 100.";
        self.0.draw("Rows", 6, note, page);
    }
}
