//! What leaves the pets screen: the id, JSON or curl line of a pet for the clipboard, and the rows for a file.

use std::sync::Arc;

use crate::api::exchange::curl_for_list;
use crate::clock::Now;
use crate::model::Pet;
use crate::model::text::short;
use crate::model::words::counted;
use crate::tui::effect::Effect;
use crate::tui::popups::{Contents, PetSet, WriteBox, copy};
use crate::tui::state::AppState;

const NO_ROW: &str = "No row to copy.";

/// Copies the id of the selected pet.
pub(super) fn copy_id(state: &mut AppState, now: Now) -> Vec<Effect> {
    match state.pets.selected().map(|pet| pet.id) {
        Some(id) => copy(state, id.to_string(), &format!("id {id}"), now),
        None => state.note(NO_ROW),
    }
}

/// Copies the selected pet as the service wrote it.
pub(super) fn copy_json(state: &mut AppState, now: Now) -> Vec<Effect> {
    match state.pets.selected().map(|pet| (pet.id, serde_json::to_string(pet).unwrap_or_default())) {
        Some((id, json)) => copy(state, json, &format!("pet {id} as JSON"), now),
        None => state.note(NO_ROW),
    }
}

/// Copies the command that asks for these rows; the key stays in the environment.
pub fn copy_curl(state: &mut AppState, now: Now) -> Vec<Effect> {
    match &state.link.address {
        Some(address) => {
            let curl = curl_for_list(address, &state.pets.query());
            copy(state, curl, "the curl command (set PETSTORE_API_KEY to run it)", now)
        }
        None => state.note("curl cannot reach the service inside this program. F9 shows petstore commands."),
    }
}

/// Asks into which file to write the rows found, those of the tab, or all pets.
pub fn export(state: &mut AppState) {
    let pets = &state.pets;
    let is_found = !pets.is_searched_as_saved();
    let set = |what: &str, status, pets: Vec<Pet>| {
        let rest = if state.pets.store.covers(status) { "" } else { ", there may be more" };
        PetSet { what: format!("{}{what}{rest}", counted(pets.len(), "pet")), pets: Arc::new(pets) }
    };
    let shown = || pets.rows_from(0).cloned().collect();
    let mut sets = Vec::new();
    if is_found {
        sets.push(set(" found", pets.filter(), shown()));
    }
    if pets.tabs().1 > 0 {
        let of_tab = if is_found { pets.of_tab() } else { shown() };
        sets.push(set(&format!(" of {}", short(&pets.view().name)), pets.filter(), of_tab));
    }
    sets.push(set(" in all", None, if sets.is_empty() { shown() } else { pets.store.pets().to_vec() }));
    let which = match (is_found, pets.filter()) {
        (true, _) => "found",
        (false, Some(status)) => status.as_str(),
        (false, None) if pets.store.covers(None) => "all",
        (false, None) => "part",
    };
    sets.retain(|set| !set.pets.is_empty());
    if sets.is_empty() {
        return state.tell("No rows to export.");
    }
    state.popups.show(WriteBox::new(format!("pets-{which}.csv"), Contents::Pets { sets, chosen: 0 }));
}
