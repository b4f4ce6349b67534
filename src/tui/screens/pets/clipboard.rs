//! What leaves the pets screen: the id, JSON or curl line of a pet for the clipboard, and the rows for a file.

use std::sync::Arc;

use crate::api::exchange::curl_for_list;
use crate::clock::Now;
use crate::model::Pet;
use crate::model::words::counted;
use crate::tui::effect::Effect;
use crate::tui::popups::{Contents, WriteBox, copy};
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

/// Asks into which file to write the rows shown.
pub fn export(state: &mut AppState) {
    let pets: Vec<Pet> = state.pets.rows_from(0).cloned().collect();
    if pets.is_empty() {
        state.tell("No rows to export.");
        return;
    }
    let is_whole = state.pets.store.covers(state.pets.filter());
    let which = match state.pets.filter() {
        _ if !state.pets.searched().is_empty() => "found",
        Some(status) => status.as_str(),
        None if is_whole => "all",
        None => "part",
    };
    let rows = counted(pets.len(), "row");
    let what = if is_whole { rows } else { format!("{rows}, there may be more") };
    let write = WriteBox::new(format!("pets-{which}.csv"), Contents::Pets { shown: Arc::new(pets), whole: false });
    state.popups.show(write.holding(what));
}
