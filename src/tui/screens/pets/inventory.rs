//! The whole inventory: what one request cannot reach, read page by page or merged from the lists of the three statuses.

mod state;

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::api::inventory::{Coverage, in_parts};
use crate::app::inventory::changes::Baseline;
use crate::clock::Now;
use crate::model::Pet;
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, Ongoing};
use crate::tui::pending::Slot;
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
    vec![state.begin(ReadInventory, now)]
}

/// Gives out the whole inventory as it comes, in parts of some size.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadInventory;

impl Job for ReadInventory {
    type Answer = Coverage;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Inventory;

    async fn run(self: Arc<Self>, env: Env) -> Result<Coverage, Failure> {
        let api = env.api("whole inventory").await?;
        let (job, env) = (&self, &env);
        Ok(in_parts(&api, move |part| env.tell(job, part)).await?)
    }

    fn done(&self, app: &mut AppState, read: Result<Coverage, Failure>, now: Now) -> Vec<Effect> {
        let failure = match read {
            Ok(coverage) => {
                let effects = settle(app, Ended::Read(coverage), now);
                app.tell(app.pets.whole.word());
                return effects;
            }
            Err(failure) => failure,
        };
        let why = failure.sentence(&app.link.service);
        on_failure(app, failure.clone(), now);
        let taken = app.pets.whole.coming.len() > app.pets.whole.pets.len();
        let effects = settle(app, Ended::Failed(failure), now);
        let here = match (taken, app.pets.whole.pets.is_empty()) {
            (true, _) => "Showing what was loaded; r starts again.",
            (false, false) => "Showing the earlier inventory; r starts again.",
            (false, true) => "Nothing was loaded; W retries.",
        };
        app.complain(format!("{why} {here}"));
        effects
    }
}

impl Ongoing for ReadInventory {
    /// Some more of it.
    type Part = Vec<Pet>;

    fn on_part(&self, app: &mut AppState, pets: Vec<Pet>, now: Now) -> Vec<Effect> {
        app.pets.whole.coming.extend(pets);
        app.pets.whole.came_at = Some(now);
        on_sign_of_life(app, now)
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
