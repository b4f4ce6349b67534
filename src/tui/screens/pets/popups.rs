//! The boxes over the pets: how many rows a request asks for; a pet by its id, from the loaded rows, then from the
//! lists, and with the deprecated operation only where those cannot answer; and a name that makes the search a view.

use std::sync::Arc;

use super::update::{on_failure, on_sign_of_life, reload, show_tab, waits};
use super::{BUILT_IN, ReadNext};
use crate::api::Failure;
use crate::api::find::{Ask, Lists, LookupResult, find};
use crate::clock::Now;
use crate::config::file::{is_taken, name_fault};
use crate::config::{View, edit};
use crate::model::search::Query;
use crate::model::sunset::{self, GET_PET_REMOVED_ON_WORDS};
use crate::model::{Limit, Pet, PetId, counted, short};
use crate::tui::command::closes;
use crate::tui::popups::FieldBox;
use crate::tui::{AppState, Command, Env, Job, Page, Place, Popup, Screen, Slot, TextInput, Typing, blocking, command};

#[derive(Debug)]
pub struct LimitBox(pub FieldBox);

static LIMIT: &[Command] = &[
    command("confirm", "Enter F2", "use it", "use this number", use_limit)
        .when(|app| app.popups.get().is_some_and(|LimitBox(field)| field.input.value().parse::<Limit>().is_ok())),
    closes("Esc F3", "cancel", "close without a change"),
];

pub static LIMIT_PLACE: Place = Place::new("limit-box", "Number of rows", &[LIMIT]).text().in_box();

pub fn open_limit(app: &mut AppState, _: Now) {
    let mut input = TextInput::new(app.pets.limit.to_string());
    input.select();
    app.popups.show(LimitBox(FieldBox { input, error: None }));
}

fn use_limit(app: &mut AppState, now: Now) {
    let Some(LimitBox(field)) = app.popups.get_mut() else { return };
    let typed = field.input.value().trim();
    let Ok(limit) = typed.parse() else {
        let why = format!("\"{}\" is not a number from 1 to 100.", short(typed));
        return field.refuse(why);
    };
    app.popups.close();
    app.message = None;
    app.pets.limit = limit;
    if !waits(app) {
        reload(app, ReadNext::Nothing, now);
    }
}

impl Popup for LimitBox {
    fn place(&self) -> &'static Place {
        &LIMIT_PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing.trimmed())
    }

    fn draw(&self, _: &AppState, page: &mut Page<'_>) {
        page.popup(62, 9, "How many rows?");
        let note = "How many the first request asks for, 1 to 100.";
        self.0.draw("Rows", 6, note, page);
    }
}

/// The id that was typed, or what is wrong with it.
fn id(typed: &str) -> Result<PetId, String> {
    match typed.parse() {
        _ if typed.is_empty() => Err("Type a pet's id: a whole number.".to_owned()),
        Ok(id) => Ok(id),
        Err(_) => Err(format!("\"{}\" is not an id. Type a whole number, for example 100232.", short(typed))),
    }
}

/// Looks up the pet with this id.
pub fn look_up(state: &mut AppState, id: PetId, now: Now) {
    state.popups.show(LookupBox(FieldBox { input: TextInput::new(id.to_string()), error: None }));
    look(state, false, now);
}

#[derive(Debug, Default)]
pub struct LookupBox(pub FieldBox);

static LOOKUP: &[Command] = &[
    command("confirm", "Enter F2 F5", "look up", "look it up", |app, now| look(app, false, now)).when(has_id),
    command("ask-deprecated", "g", "GET /pets/ID", "GET /pets/{petId}", |app, now| look(app, true, now)).when(has_id),
    command("back", "Esc F3", "close", "close", |app, _| {
        app.popups.close();
        app.cancel(Slot::ById);
    }),
];

pub static LOOKUP_PLACE: Place = Place::new("by-id", "Pet by id", &[LOOKUP]).text().in_box();

fn has_id(app: &AppState) -> bool {
    app.popups.get().is_some_and(|LookupBox(lookup)| id(lookup.input.value().trim()).is_ok())
}

/// Looks up the pet; with `at_once`, by the deprecated operation.
fn look(state: &mut AppState, at_once: bool, now: Now) {
    let Some(LookupBox(lookup)) = state.popups.get_mut() else { return };
    let id = match id(lookup.input.value().trim()) {
        Ok(id) => id,
        Err(why) => return lookup.refuse(why),
    };
    lookup.error = None;
    // The next id replaces it.
    lookup.input.select();
    let here = if at_once { None } else { state.pets.store.get(id).cloned() };
    if let Some(pet) = here {
        state.cancel(Slot::ById);
        return show(state, pet, "in the loaded rows", now);
    }
    let ask = match at_once {
        true => Ask::Now,
        // Removed, or about to be: only used on request.
        false if sunset::is_over(now.wall) => Ask::Never,
        false => Ask::IfNeeded,
    };
    state.start(FindPet { id, ask }, now);
}

/// Selects the pet that was found.
fn show(state: &mut AppState, pet: Pet, how: &str, now: Now) {
    state.popups.take::<LookupBox>();
    state.screen = Screen::Pets;
    state.say_done(format!("Pet {} found {how}.", pet.id), now.mono);
    state.pets.drawer = true;
    state.pets.go_to(pet);
}

/// Looks up the pet with this id.
#[derive(Clone, Debug, PartialEq)]
pub struct FindPet {
    pub id: PetId,
    pub ask: Ask,
}

impl Job for FindPet {
    type Answer = Result<LookupResult, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::ById;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        find(&env.api("pet by id").await?, &Lists::default(), self.id, self.ask).await
    }

    fn done(&self, app: &mut AppState, found: Self::Answer, now: Now) {
        let Some(LookupBox(lookup)) = app.popups.get_mut() else { return };
        match found {
            Err(failure) => {
                lookup.error = Some(format!("{} Enter tries again.", failure.sentence(&app.link.service)));
                on_failure(app, failure, now);
            }
            Ok(found) => {
                let further = if found.get.is_some() { "" } else { " g asks for it directly." };
                let why_none = format!("{}{further}", found.why_none());
                match found.pet {
                    Some(pet) => show(app, pet, &format!("with {}", counted(found.steps, "request")), now),
                    None => lookup.error = Some(why_none),
                }
                on_sign_of_life(app, now);
            }
        }
    }
}

impl Popup for LookupBox {
    fn place(&self) -> &'static Place {
        &LOOKUP_PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing.trimmed())
    }

    fn draw(&self, state: &AppState, page: &mut Page<'_>) {
        page.popup(62, 12, "Pet by id");
        let looking = state.pending.since(Slot::ById);
        let looking =
            looking.map(|since| format!("Looking for it ... ({} s, Ctrl-C cancels)", page.now.seconds_since(since)));
        let note = looking.as_deref().unwrap_or("Enter searches the loaded rows, then the lists by status.");
        self.0.draw("Id", 21, note, page);
        page.gap();
        // The operation by id is deprecated, which is shown wherever it can be used.
        let when = if sunset::is_over(page.now.wall) { "was" } else { "will be" };
        let text = format!(
            "g asks GET /pets/{{petId}}, which is deprecated and {when} removed on {GET_PET_REMOVED_ON_WORDS}."
        );
        page.wrapped(3, &text, 2);
    }
}

#[derive(Debug, Default)]
pub struct ViewBox(FieldBox);

static VIEW: &[Command] = &[
    command("confirm", "Enter F2", "save", "save the view", save_view)
        .when(|app| app.popups.get().is_some_and(|ViewBox(view)| view.error.is_none() && !view.input.is_empty())),
    closes("Esc F3", "cancel", "close without saving"),
];

pub static VIEW_PLACE: Place = Place::new("save-view", "Save as a view", &[VIEW]).text().in_box();

fn save_view(state: &mut AppState, now: Now) {
    let Some(ViewBox(view)) = state.popups.get() else { return };
    let name = view.input.value().trim().to_owned();
    match present(state, name) {
        Ok(view) => state.start_if_free(AddView(Box::new(view)), now),
        Err(why) => refuse(state, why),
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
    type Answer = Result<(), String>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Views;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let write = move || {
            edit::add_view(env.machine.configuration()?, &self.0).map_err(|error| error.to_string())?;
            Ok(())
        };
        blocking(write).await
    }

    fn done(&self, app: &mut AppState, written: Self::Answer, now: Now) {
        if let Err(why) = written {
            return refuse(app, format!("The view was not saved: {why}"));
        }
        app.popups.take::<ViewBox>();
        app.pets.add_view(View::clone(&self.0));
        show_tab(app, app.pets.tabs().0.len() - 1, now);
        app.say_done(format!("View {} saved. To change it, edit config.toml.", short(&self.0.name)), now.mono);
    }
}

impl Popup for ViewBox {
    fn place(&self) -> &'static Place {
        &VIEW_PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing)
    }

    fn draw(&self, _: &AppState, page: &mut Page<'_>) {
        page.popup(62, 9, "Save as a view");
        self.0.draw("Name", 26, "Enter saves the search, status and order shown as a tab.", page);
    }
}
