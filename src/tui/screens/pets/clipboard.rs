//! What leaves the pets screen: the id, JSON or curl line of a pet for the clipboard, and the rows for a file.

use std::sync::Arc;

use crate::api::exchange::curl_for_list;
use crate::clock::Now;
use crate::model::Pet;
use crate::model::words::counted;
use crate::tui::effect::Effect;
use crate::tui::popups::{Contents, WriteBox, copy};
use crate::tui::state::AppState;

use super::update::may_have_more;

const NO_ROW: &str = "No row to copy.";

/// Copies the id of the pet in the detail.
pub(super) fn copy_id(state: &mut AppState, now: Now) -> Vec<Effect> {
    match state.pets.detailed().map(|pet| pet.id) {
        Some(id) => copy(state, id.to_string(), &format!("id {id}"), now),
        None => state.note(NO_ROW),
    }
}

/// Copies the pet in the detail as the service wrote it.
pub(super) fn copy_json(state: &mut AppState, now: Now) -> Vec<Effect> {
    match state.pets.detailed().map(|pet| (pet.id, serde_json::to_string(pet).unwrap_or_default())) {
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
    let which = match state.pets.filter() {
        _ if !state.pets.searched().is_empty() => "found",
        Some(status) => status.as_str(),
        None if state.pets.whole.is_there() && state.pets.whole.is_complete() => "all",
        None if state.pets.whole.is_there() => "part",
        None => "list",
    };
    let rows = counted(pets.len(), "row");
    let whole = &state.pets.whole;
    let missing = if whole.is_there() { !whole.is_complete() } else { may_have_more(state) };
    let what = if missing { format!("{rows}, there may be more") } else { rows };
    let write = WriteBox::new(format!("pets-{which}.csv"), Contents::Pets { shown: Arc::new(pets), whole: false });
    state.popups.show(write.holding(what));
}
