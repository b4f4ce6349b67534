//! All pets of the service, read automatically after the first list: page by page, or merged from the lists of the three
//! statuses.

use std::sync::Arc;

use crate::api::failure::Failure;
use crate::api::inventory::{Coverage, in_parts};
use crate::app::inventory::store::MOST_READ;
use crate::clock::Now;
use crate::model::Pet;
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, Ongoing};
use crate::tui::pending::Slot;
use crate::tui::screens::pets::update::{on_failure, on_sign_of_life};
use crate::tui::session_cache::keep;
use crate::tui::state::AppState;

/// Reads all of them, from the beginning.
pub(super) fn read(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.pets.store.expect();
    vec![state.begin(ReadInventory, now)]
}

/// Gives out all pets as they come, in parts of some size.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadInventory;

impl Job for ReadInventory {
    type Answer = Coverage;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Inventory;

    async fn run(self: Arc<Self>, env: Env) -> Result<Coverage, Failure> {
        let api = env.api("inventory").await?;
        let (job, env) = (&self, &env);
        Ok(in_parts(&api, MOST_READ, move |part| env.tell(job, part)).await?)
    }

    fn done(&self, app: &mut AppState, read: Result<Coverage, Failure>, now: Now) -> Vec<Effect> {
        match read {
            Ok(coverage) => {
                app.pets.store.finish(coverage, now);
                app.pets.show_all();
            }
            Err(failure) => {
                let why = failure.sentence(&app.link.service);
                on_failure(app, failure, now);
                app.complain(format!("{why} Not all pets were read; r reads them again."));
            }
        }
        keep::keep(app, now)
    }
}

impl Ongoing for ReadInventory {
    /// Some more of them.
    type Part = Vec<Pet>;

    fn on_part(&self, app: &mut AppState, pets: Vec<Pet>, now: Now) -> Vec<Effect> {
        app.pets.take(pets, now);
        on_sign_of_life(app, now)
    }
}
