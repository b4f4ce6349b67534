//! Reads the pets: first the list of the tab that is shown, so that rows come soon, then automatically all pets, page by
//! page, or merged from the lists of the three statuses.

use std::sync::Arc;

use super::update::{on_answer, on_failure, on_sign_of_life};
use super::{ReadNext, follow};
use crate::api::failure::{Failure, Remedy};
use crate::api::inventory::{Coverage, in_parts};
use crate::api::list::{self, List, ListAnswer};
use crate::clock::Now;
use crate::model::{Pet, PetId, PetQuery};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job, Ongoing};
use crate::tui::pending::Slot;
use crate::tui::session_cache::keep;
use crate::tui::state::AppState;

/// Asks for a list: one page.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPets {
    /// What to ask for.
    pub query: PetQuery,
    /// What is here already: rows that are still the same need not come again.
    pub known: Option<List>,
}

impl Job for ListPets {
    type Answer = ListAnswer;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::List;

    async fn run(self: Arc<Self>, env: Env) -> Result<ListAnswer, Failure> {
        Ok(list::list(&env.api("list").await?, &self.query, 1, self.known.as_ref()).await?)
    }

    fn done(&self, app: &mut AppState, listed: Result<ListAnswer, Failure>, now: Now) -> Vec<Effect> {
        let answer = match listed {
            Ok(answer) => answer,
            Err(failure) => {
                on_failure(app, failure, now);
                return Vec::new();
            }
        };
        on_answer(app, &answer, now);
        app.pets.provenance.on_listed();
        let pets = &mut app.pets;
        let status = self.query.status;
        let Some(list) = answer.list.or_else(|| self.known.clone()) else { return Vec::new() };
        let is_whole = list.next().is_none() && list.pets.len() < usize::from(self.query.limit.get());
        // Those that are the same are taken up, too: they came. Older ones than those that are loaded would leave a gap.
        let from = pets.store.known_from().filter(|_| status.is_none() && !is_whole).unwrap_or(PetId::MIN);
        pets.take(list.pets.iter().filter(|pet| pet.id >= from).cloned(), now);
        match status {
            None if is_whole => pets.store.finish(Coverage::ALL, now),
            // It may have another status now.
            Some(_) if is_whole && pets.store.misses_any(status) => pets.read_due = ReadNext::All,
            None | Some(_) => {}
        }
        pets.show_all();
        pets.listed = Some((self.query, list));
        let is_reported = answer.offers_events && pets.follow.position.is_some() && pets.store.is_filled();
        let is_due = match std::mem::take(&mut pets.read_due) {
            _ if is_whole && status.is_none() => false,
            ReadNext::Nothing => pets.store.coverage().is_none(),
            ReadNext::New => !is_reported,
            ReadNext::All => true,
        };
        let mut effects = if answer.offers_events { follow::begin(app, now) } else { Vec::new() };
        if is_due && !app.pending.is_running(Slot::Inventory) {
            app.pets.store.expect();
            let most = app.pets.store.load_limit();
            effects.push(app.begin(ReadInventory { most }, now));
        } else {
            effects.extend(keep::keep(app, now));
        }
        effects
    }
}

/// Gives out all pets as they come, in parts of some size.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadInventory {
    /// About as many as it ends after.
    pub most: usize,
}

impl Job for ReadInventory {
    type Answer = Coverage;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::Inventory;

    async fn run(self: Arc<Self>, env: Env) -> Result<Coverage, Failure> {
        let api = env.api("inventory").await?;
        let (job, env) = (&self, &env);
        let query = PetQuery { newest_first: api.offers_order(), ..PetQuery::default() };
        Ok(in_parts(&api, query, self.most, move |part| env.tell(job, part)).await?)
    }

    fn done(&self, app: &mut AppState, read: Result<Coverage, Failure>, now: Now) -> Vec<Effect> {
        match read {
            Ok(coverage) => {
                app.pets.store.finish(coverage, now);
                app.pets.show_all();
            }
            Err(failure) => {
                let why = failure.sentence(&app.link.service);
                // Of a service that answers otherwise, the rows are there, and trying for ever would not help.
                if matches!(failure, Failure::NotSent { .. }) || failure.remedy() == Remedy::EnterKey {
                    on_failure(app, failure, now);
                } else {
                    app.last_failure = Some(failure);
                }
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
