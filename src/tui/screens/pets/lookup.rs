//! Look-up by id: in the loaded rows, then in the lists, and with the deprecated operation only where
//! those cannot answer.

mod state;

use crate::api::failure::Failure;
use crate::api::find::{Ask, LookupResult};
use crate::clock::Now;
use crate::model::{PetId, sunset};
use crate::tui::effect::Effect;
use crate::tui::keymap::LookupAction;
use crate::tui::pending::Slot;
use crate::tui::popups::copy;
use crate::tui::screens::pets::jobs::PetsTask;
use crate::tui::screens::pets::update::{on_failure, on_sign_of_life};
use crate::tui::state::AppState;
use crate::tui::text_input::{TextInput, Typing};

pub use state::{ById, Lookup};

/// Shown when there is nothing to copy.
const NOTHING_FOUND: &str = "Nothing to copy yet. Enter looks up the id.";

/// Opens the look-up.
pub fn open(state: &mut AppState) {
    state.message = None;
    state.pets.searching = false;
    state.pets.by_id.get_or_insert_default();
}

/// Looks up the pet with this id.
pub fn look_up(state: &mut AppState, id: PetId, now: Now) -> Vec<Effect> {
    open(state);
    state.pets.by_id = Some(ById { input: TextInput::new(id.to_string()), ..ById::default() });
    look(state, false, now)
}

/// A key there.
pub fn on_action(state: &mut AppState, action: LookupAction, now: Now) -> Vec<Effect> {
    let Some(by_id) = &mut state.pets.by_id else { return Vec::new() };
    match action {
        LookupAction::Confirm => look(state, false, now),
        LookupAction::AskDeprecated => look(state, true, now),
        LookupAction::Back => leave(state),
        LookupAction::Clear => {
            let effects = leave(state);
            open(state);
            effects
        }
        LookupAction::Copy | LookupAction::CopyJson => {
            let Some(pet) = by_id.pet() else {
                return state.note(NOTHING_FOUND);
            };
            if action == LookupAction::CopyJson {
                let json = serde_json::to_string(pet).unwrap_or_default();
                return copy(state, json, "the pet as JSON", now);
            }
            let id = pet.id.to_string();
            let what = format!("id {id}");
            copy(state, id, &what, now)
        }
    }
}

/// Closes the look-up and cancels what runs.
pub fn leave(state: &mut AppState) -> Vec<Effect> {
    state.pets.by_id = None;
    state.cancel(Slot::ById).into_iter().collect()
}

impl ById {
    /// What is typed goes into the field.
    pub fn on_typing(&mut self, typing: Typing<'_>) {
        self.input.take(typing.trimmed());
        self.error = None;
    }
}

/// Looks up the pet; with `at_once`, by the deprecated operation.
fn look(state: &mut AppState, at_once: bool, now: Now) -> Vec<Effect> {
    state.message = None;
    let Some(by_id) = &mut state.pets.by_id else { return Vec::new() };
    let id = match by_id.id() {
        Ok(id) => id,
        Err(why) => {
            by_id.error = Some(why);
            by_id.input.select();
            return Vec::new();
        }
    };
    let here = if at_once { None } else { state.pets.find(id).map(|(pet, at)| (pet.clone(), at)) };
    let was_here = here.as_ref().map(|(_, at)| at.wall);
    let result = here.map(|(pet, _)| Ok(LookupResult { pet: Some(pet), steps: Vec::new() }));
    let asks = result.is_none();
    if let Some(by_id) = &mut state.pets.by_id {
        by_id.looked = Some(Lookup { id, at: now, result, was_here });
    }
    if !asks {
        return state.cancel(Slot::ById).into_iter().collect();
    }
    let ask = match at_once {
        true => Ask::Now,
        // Removed, or about to be: only used on request.
        false if sunset::is_over(now.wall) => Ask::Never,
        false => Ask::IfNeeded,
    };
    vec![state.begin(PetsTask::Find(id, ask), now)]
}

/// The user stopped the look-up: the typed id stays.
pub fn on_cancelled(state: &mut AppState) {
    if let Some(by_id) = &mut state.pets.by_id {
        by_id.looked = None;
    }
}

/// The look-up ended.
pub(super) fn on_found(state: &mut AppState, result: Result<LookupResult, Failure>, now: Now) -> Vec<Effect> {
    let effects = match &result {
        Err(failure) => {
            on_failure(state, failure.clone(), now);
            Vec::new()
        }
        Ok(_) => on_sign_of_life(state, now),
    };
    if let Some(looked) = state.pets.by_id.as_mut().and_then(|by_id| by_id.looked.as_mut()) {
        looked.result = Some(result);
    }
    effects
}
