//! Sentences that several tasks share: the most important word first.

use crate::api::failure::explain;
use crate::api::{Failure, Remedy};
use crate::domains::Stage;
use crate::model::short;
use crate::model::{Categories, NewPet, ObservedStatus, Pet};

/// A pet of the service.
pub fn pet(pet: &Pet, categories: &Categories) -> String {
    let status = match &pet.status {
        None => "no status".to_owned(),
        Some(ObservedStatus::Known(status)) => status.to_string(),
        Some(ObservedStatus::Unknown(word)) => format!("unknown status {}", short(word)),
    };
    format!("{}, category {}, {status}, id {}", pet.name, categories.label(pet.category_id), pet.id)
}

/// A pet that was not added yet.
pub(super) fn new_pet(new: &NewPet, categories: &Categories) -> String {
    let status = new.status.map_or(String::new(), |status| format!(", {status}"));
    format!("{}, category {}{status}", new.name, categories.label(new.category_id))
}

/// What happened, and what to do next.
pub fn failure(failure: &Failure, service: &str) -> [String; 2] {
    let todo = match (failure.remedy(), failure) {
        (Remedy::EnterKey, _) => {
            "Set PETSTORE_API_KEY to a key that this service accepts, then start petstore again.".to_owned()
        }
        (Remedy::Wait(seconds), _) => format!("Wait {seconds} seconds, then try again."),
        (_, Failure::Refused { status: 429, .. }) => "Wait a minute, then try again.".to_owned(),
        (_, failure) => explain(failure).todo.to_owned(),
    };
    [failure.sentence(service), format!("What to do: {todo}")]
}

/// The stage of a domain.
pub fn state(state: Stage) -> String {
    state.to_string().replace('-', " ").replace("dns", "DNS")
}
