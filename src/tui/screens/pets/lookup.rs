//! One animal by its id: from the rows that are here, then from the lists, and from the deprecated operation only where
//! those cannot answer.

use jiff::Timestamp;

use crate::api::failure::Failure;
use crate::api::find::{Ask, LookupResult};
use crate::clock::Now;
use crate::model::{Pet, PetId, sunset};
use crate::tui::effect::{Effect, Job, Task};
use crate::tui::keymap::{Action, PetAction};
use crate::tui::pending::Slot;
use crate::tui::popups;
use crate::tui::screens::pets::update::{on_failure, on_sign_of_life};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::text_input::TextInput;

/// The look for one animal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ById {
    /// The id, as typed.
    pub input: TextInput,
    /// What is wrong with it.
    pub error: Option<String>,
    /// What was looked for last, and what came of it.
    pub looked: Option<Lookup>,
}

/// One look.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// For which animal.
    pub id: PetId,
    /// When it began.
    pub at: Now,
    /// What came of it; absent while it runs.
    pub result: Option<Result<LookupResult, Failure>>,
    /// Where it was among the rows that were here already, when those were read: nothing was asked then.
    pub was_here: Option<Timestamp>,
}

impl ById {
    /// The animal that was found.
    #[must_use]
    pub fn pet(&self) -> Option<&Pet> {
        match &self.looked.as_ref()?.result {
            Some(Ok(found)) => found.pet.as_ref(),
            Some(Err(_)) | None => None,
        }
    }

    /// How it was found, for the message line.
    #[must_use]
    pub fn word(&self) -> String {
        match self.looked.as_ref().and_then(|looked| looked.result.as_ref().map(|result| (looked, result))) {
            Some((Lookup { was_here: Some(_), .. }, _)) => "Found without a request.".to_owned(),
            Some((_, Ok(LookupResult { steps, .. }))) if steps.len() == 1 => "1 request was made.".to_owned(),
            Some((_, Ok(LookupResult { steps, .. }))) => format!("{} requests were made.", steps.len()),
            Some((_, Err(_))) | None => String::new(),
        }
    }

    /// The id that was typed, or what is wrong with it.
    fn id(&self) -> Result<PetId, String> {
        let text = self.input.value().trim();
        match text.parse() {
            _ if text.is_empty() => Err("Type the id of an animal: a whole number.".to_owned()),
            Ok(id) => Ok(id),
            Err(_) => {
                let shown = crate::model::text::short(text);
                Err(format!("\"{shown}\" is no id. Ids are whole numbers of 64 bits, such as 100232."))
            }
        }
    }
}

/// Said where there is nothing to copy.
const NOTHING_FOUND: &str = "No animal was found yet that could be copied. Enter looks for the id.";

/// Opens the look for one animal.
pub fn open(state: &mut AppState) {
    state.message = None;
    state.pets.searching = false;
    state.pets.by_id.get_or_insert_default();
}

/// A key there.
pub fn on_action(state: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    let Some(by_id) = &mut state.pets.by_id else { return Vec::new() };
    match action {
        Action::Confirm => return look(state, false, now),
        Action::Pet(PetAction::AskDeprecated) => return look(state, true, now),
        Action::Back => return leave(state),
        Action::Clear => {
            let effects = leave(state);
            open(state);
            return effects;
        }
        Action::Edit(edit) => {
            by_id.input.edit(edit);
            by_id.error = None;
        }
        Action::Copy => {
            if let Some(id) = by_id.pet().map(|pet| pet.id.to_string()) {
                let what = format!("the id {id}");
                return popups::copy(state, id, &what, now);
            }
            state.say(MessageKind::Note, NOTHING_FOUND);
        }
        Action::Pet(PetAction::CopyJson) => {
            if let Some(pet) = by_id.pet() {
                let json = serde_json::to_string(pet).unwrap_or_default();
                return popups::copy(state, json, "the animal as JSON", now);
            }
            state.say(MessageKind::Note, NOTHING_FOUND);
        }
        // The key map has the others only elsewhere.
        _ => {}
    }
    Vec::new()
}

/// Goes back to the rows, where it is open. What runs is given up.
pub fn leave(state: &mut AppState) -> Vec<Effect> {
    state.pets.by_id = None;
    if state.pending.forget(Slot::ById) { vec![Effect::Cancel(Slot::ById)] } else { Vec::new() }
}

/// Text typed or pasted into the field.
pub fn on_text(state: &mut AppState, text: &str) {
    if let Some(by_id) = &mut state.pets.by_id {
        by_id.input.insert(text.trim());
        by_id.error = None;
    }
}

/// Looks for the animal; with `at_once`, by the deprecated operation.
fn look(state: &mut AppState, at_once: bool, now: Now) -> Vec<Effect> {
    state.message = None;
    let Some(by_id) = &mut state.pets.by_id else { return Vec::new() };
    let id = match by_id.id() {
        Ok(id) => id,
        Err(why) => {
            by_id.error = Some(why);
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
        return if state.pending.forget(Slot::ById) { vec![Effect::Cancel(Slot::ById)] } else { Vec::new() };
    }
    let ask = match at_once {
        true => Ask::Now,
        // Gone by now, or about to go: only who asks for it by hand gets it.
        false if sunset::is_over(now.wall) => Ask::Never,
        false => Ask::IfNeeded,
    };
    let job = state.pending.begin(Slot::ById, now.mono);
    vec![Effect::Job(Job { slot: Slot::ById, id: job, task: Task::Find(id, ask) })]
}

/// The user stopped the look: what was typed stays.
pub fn on_cancelled(state: &mut AppState) {
    if let Some(by_id) = &mut state.pets.by_id {
        by_id.looked = None;
    }
}

/// The look ended.
pub fn on_found(state: &mut AppState, result: Result<LookupResult, Failure>, now: Now) -> Vec<Effect> {
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
