//! The present search gets a name and becomes a view.

use std::sync::Arc;

use super::super::BUILT_IN;
use super::super::update::show_tab;
use crate::clock::Now;
use crate::config::edit;
use crate::config::file::View;
use crate::config::file::{is_taken, name_fault};
use crate::model::search::Query;
use crate::model::text::short;
use crate::tui::command::{Command, Place, closes, command};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, blocking};
use crate::tui::pending::Slot;
use crate::tui::popups::{FieldBox, Popup};
use crate::tui::state::{AppState, Layout};
use crate::tui::text_input::Typing;
use crate::tui::widgets::page::Page;

#[derive(Debug)]
struct ViewBox(FieldBox);

static BOX: &[Command] = &[
    command("confirm", "Enter F2", "save", "save the view", confirm)
        .when(|app| app.popups.get().is_some_and(|ViewBox(view)| view.error.is_none() && !view.input.is_empty())),
    closes("Esc F3", "cancel", "close without saving"),
];

pub static PLACE: Place = Place::new("save-view", "Save as a view", &[BOX]).text().in_box();

pub fn open(app: &mut AppState, _: Now) {
    app.popups.show(ViewBox(FieldBox::default()));
}

fn confirm(state: &mut AppState, now: Now) -> Vec<Effect> {
    let Some(ViewBox(view)) = state.popups.get() else { return Vec::new() };
    let name = view.input.value().trim().to_owned();
    match present(state, name) {
        Ok(view) => state.begin_if_free(AddView(Box::new(view)), now),
        Err(why) => {
            refuse(state, why);
            Vec::new()
        }
    }
}

/// Says in the box why nothing was saved, or below if it was closed.
fn refuse(state: &mut AppState, why: String) {
    match state.popups.get_mut() {
        Some(ViewBox(view)) => view.refuse(why),
        None => state.complain(why),
    }
}

/// What is shown as a view of this name, or why it cannot be saved.
fn present(state: &AppState, name: String) -> Result<View, String> {
    let is_used = state.pets.tabs().0[BUILT_IN..].iter().any(|tab| tab.view.name == name);
    if let Some(fault) = name_fault(&name).or_else(|| is_used.then(|| is_taken(&name))) {
        return Err(fault);
    }
    let view = state.pets.as_view(name);
    match Query::fault(&view.search, &state.pets.categories) {
        Some(fault) => Err(format!("This search cannot be saved: {fault}.")),
        None => Ok(view),
    }
}

/// Adds a view to the configuration file; the rest of that stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct AddView(pub Box<View>);

impl Job for AddView {
    type Answer = ();
    type Error = String;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Views;

    async fn run(self: Arc<Self>, env: Env) -> Result<(), String> {
        let write = move || {
            edit::add_view(env.machine.configuration()?, &self.0).map_err(|error| error.to_string())?;
            Ok(())
        };
        blocking(write).await
    }

    fn done(&self, app: &mut AppState, written: Result<(), String>, now: Now) -> Vec<Effect> {
        if let Err(why) = written {
            refuse(app, format!("The view was not saved: {why}"));
            return Vec::new();
        }
        app.popups.take::<ViewBox>();
        app.pets.add_view(View::clone(&self.0));
        let effects = show_tab(app, app.pets.tabs().0.len() - 1, now);
        app.say_done(format!("View {} saved. To change it, edit config.toml.", short(&self.0.name)), now.mono);
        effects
    }
}

impl Popup for ViewBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing)
    }

    fn draw(&self, _: &AppState, _: Now, page: &mut Page<'_>, _: &mut Layout) {
        page.popup(62, 9, "Save as a view");
        self.0.draw("Name", 26, "Enter saves the search, status and order shown as a tab.", page);
    }
}
