//! A pet by its id: from the loaded rows, then from the lists, and with the deprecated operation only where those cannot
//! answer. What is found is selected.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::api::find::{Ask, Lists, LookupResult, find};
use crate::clock::Now;
use crate::model::sunset::{self, GET_PET_REMOVED_ON_WORDS};
use crate::model::text::short;
use crate::model::words::counted;
use crate::model::{Pet, PetId};
use crate::tui::command::{Command, Place, command};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::popups::{FieldBox, Popup};
use crate::tui::screens::pets::update::{on_failure, on_sign_of_life};
use crate::tui::state::{AppState, Layout, Screen};
use crate::tui::text_input::{TextInput, Typing};
use crate::tui::widgets::page::Page;

/// The id that was typed, or what is wrong with it.
fn id(typed: &str) -> Result<PetId, String> {
    match typed.parse() {
        _ if typed.is_empty() => Err("Type a pet's id: a whole number.".to_owned()),
        Ok(id) => Ok(id),
        Err(_) => Err(format!("\"{}\" is not an id. Type a whole number, for example 100232.", short(typed))),
    }
}

/// Looks up the pet with this id.
pub fn look_up(state: &mut AppState, id: PetId, now: Now) -> Vec<Effect> {
    state.popups.show(LookupBox(FieldBox { input: TextInput::new(id.to_string()), error: None }));
    look(state, false, now)
}

#[derive(Debug)]
pub struct LookupBox(pub FieldBox);

static BOX: &[Command] = &[
    command("confirm", "Enter F2 F5", "look up", "look it up", |app, now| look(app, false, now)).when(has_id),
    command("ask-deprecated", "g", "GET /pets/ID", "GET /pets/{petId}", |app, now| look(app, true, now)).when(has_id),
    command("back", "Esc F3", "close", "close", |app, _| {
        app.popups.close();
        app.cancel(Slot::ById).into_iter().collect()
    }),
];

pub static PLACE: Place = Place::new("by-id", "Pet by id", &[BOX]).text().in_box();

pub fn open(app: &mut AppState, _: Now) {
    app.popups.show(LookupBox(FieldBox::default()));
}

fn has_id(app: &AppState) -> bool {
    app.popups.get().is_some_and(|LookupBox(lookup)| id(lookup.input.value().trim()).is_ok())
}

/// Looks up the pet; with `at_once`, by the deprecated operation.
fn look(state: &mut AppState, at_once: bool, now: Now) -> Vec<Effect> {
    let Some(LookupBox(lookup)) = state.popups.get_mut() else { return Vec::new() };
    let id = match id(lookup.input.value().trim()) {
        Ok(id) => id,
        Err(why) => {
            lookup.refuse(why);
            return Vec::new();
        }
    };
    lookup.error = None;
    // The next id replaces it.
    lookup.input.select();
    let here = if at_once { None } else { state.pets.store.get(id).cloned() };
    if let Some(pet) = here {
        let effects = Vec::from_iter(state.cancel(Slot::ById));
        show(state, pet, "in the loaded rows", now);
        return effects;
    }
    let ask = match at_once {
        true => Ask::Now,
        // Removed, or about to be: only used on request.
        false if sunset::is_over(now.wall) => Ask::Never,
        false => Ask::IfNeeded,
    };
    vec![state.begin(FindPet { id, ask }, now)]
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
    type Answer = LookupResult;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::ById;

    async fn run(self: Arc<Self>, env: Env) -> Result<LookupResult, Failure> {
        Ok(find(&env.api("pet by id").await?, &Lists::default(), self.id, self.ask).await?)
    }

    fn done(&self, app: &mut AppState, found: Result<LookupResult, Failure>, now: Now) -> Vec<Effect> {
        let Some(LookupBox(lookup)) = app.popups.get_mut() else { return Vec::new() };
        match found {
            Err(failure) => {
                lookup.error = Some(format!("{} Enter tries again.", failure.sentence(&app.link.service)));
                on_failure(app, failure, now);
                Vec::new()
            }
            Ok(found) => {
                let further = if found.is_final() { "" } else { " g asks for it directly." };
                let why_none = format!("{}{further}", found.why_none());
                match found.pet {
                    Some(pet) => show(app, pet, &format!("with {}", counted(found.steps.len(), "request")), now),
                    None => lookup.error = Some(why_none),
                }
                on_sign_of_life(app, now)
            }
        }
    }
}

impl Popup for LookupBox {
    fn place(&self) -> &'static Place {
        &PLACE
    }

    fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        self.0.on_typing(typing.trimmed())
    }

    fn draw(&self, state: &AppState, now: Now, page: &mut Page<'_>, _: &mut Layout) {
        page.popup(62, 12, "Pet by id");
        let looking = state.pending.since(Slot::ById);
        let looking =
            looking.map(|since| format!("Looking for it ... ({} s, Ctrl-C cancels)", now.seconds_since(since)));
        let note = looking.as_deref().unwrap_or("Enter searches the loaded rows, then the lists by status.");
        self.0.draw("Id", 21, note, page);
        page.gap();
        // The operation by id is deprecated, which is shown wherever it can be used.
        let when = if sunset::is_over(now.wall) { "was" } else { "will be" };
        let text = format!(
            "g asks GET /pets/{{petId}}, which is deprecated and {when} removed on {GET_PET_REMOVED_ON_WORDS}."
        );
        page.wrapped(3, &text, 2);
    }
}
