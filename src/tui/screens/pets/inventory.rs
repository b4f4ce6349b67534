//! The whole inventory: what one request cannot reach, read page by page or merged from the lists of the three statuses.

mod state;

use crate::api::failure::Failure;
use crate::api::inventory::Coverage;
use crate::app::inventory::changes::Baseline;
use crate::clock::Now;
use crate::model::Pet;
use crate::tui::effect::Effect;
use crate::tui::pending::Slot;
use crate::tui::screens::pets::jobs::PetsTask;
use crate::tui::screens::pets::update::{ask_where_unasked, on_failure, on_sign_of_life};
use crate::tui::session_cache::keep;
use crate::tui::state::AppState;
use state::Ended;

pub use state::Inventory;

/// Shows the whole inventory, reading it if needed, or goes back to the lists.
pub fn toggle(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.message = None;
    state.pets.whole.open = !state.pets.whole.open;
    state.pets.reorder();
    if !state.pets.whole.open {
        return ask_where_unasked(state, now);
    }
    let unread = state.pets.whole.ended.is_none() && !state.pending.is_running(Slot::Inventory);
    if unread { read(state, now) } else { Vec::new() }
}

/// Reads it to know how many pets there are; the lists stay.
pub(super) fn count(state: &mut AppState, now: Now) -> Vec<Effect> {
    if state.pending.is_running(Slot::Inventory) {
        return state.note("Counting. Ctrl-C stops.");
    }
    if state.pets.total().is_some_and(|total| !total.or_more) {
        return state.note("These numbers are exact.");
    }
    read(state, now)
}

/// Reads it, from the beginning.
pub fn read(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.pets.whole.coming = Vec::new();
    state.pets.changes.begin(true);
    vec![state.begin(PetsTask::ReadInventory, now)]
}

/// Some more of it came.
pub(super) fn on_part(state: &mut AppState, pets: Vec<Pet>, now: Now) -> Vec<Effect> {
    state.pets.whole.coming.extend(pets);
    state.pets.whole.came_at = Some(now);
    on_sign_of_life(state, now)
}

/// The reading ended.
pub(super) fn on_read(state: &mut AppState, result: Result<Coverage, Failure>, now: Now) -> Vec<Effect> {
    match result {
        Ok(coverage) => {
            let effects = settle(state, Ended::Read(coverage), now);
            state.tell(state.pets.whole.word());
            effects
        }
        Err(failure) => {
            let why = failure.sentence(&state.link.service);
            on_failure(state, failure.clone(), now);
            let taken = state.pets.whole.coming.len() > state.pets.whole.pets.len();
            let effects = settle(state, Ended::Failed(failure), now);
            let here = match (taken, state.pets.whole.pets.is_empty()) {
                (true, _) => "Showing what was loaded; r starts again.",
                (false, false) => "Showing the earlier inventory; r starts again.",
                (false, true) => "Nothing was loaded; W retries.",
            };
            state.complain(format!("{why} {here}"));
            effects
        }
    }
}

/// The user stopped it: what came stays.
pub fn on_cancelled(state: &mut AppState, now: Now) -> Vec<Effect> {
    settle(state, Ended::Stopped, now)
}

fn settle(state: &mut AppState, ended: Ended, now: Now) -> Vec<Effect> {
    let pets = &mut state.pets;
    let before = if pets.whole.is_complete() { Baseline::All } else { Baseline::Unknown };
    // An older reading that stays is older than the lists.
    if pets.whole.take(ended, now) {
        pets.count_views();
        pets.changes.learn(&pets.whole.pets, before, pets.whole.is_complete(), now.wall);
    }
    // What arrived is put among the rows of this reading, not among those of the one before.
    pets.reorder();
    pets.add_arrived();
    // Where nothing came there is nothing to show: the lists stay.
    pets.whole.open &= pets.whole.is_there();
    pets.reorder();
    keep::keep(state, now)
}
