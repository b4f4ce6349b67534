//! The list of the tab that is shown: the first thing that is asked, so that rows come soon.

use std::sync::Arc;

use super::update::{on_answer, on_failure};
use super::{follow, inventory};
use crate::api::failure::Failure;
use crate::api::inventory::Coverage;
use crate::api::list::{self, List, ListAnswer};
use crate::clock::Now;
use crate::model::PetQuery;
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
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
        let (is_new, status) = (answer.list.is_some(), self.query.status);
        let Some(list) = answer.list.or_else(|| self.known.clone()) else { return Vec::new() };
        let is_whole = list.next().is_none() && list.pets.len() < usize::from(self.query.limit.get());
        // Those that are the same are taken up, too: they came.
        pets.take(list.pets.iter().cloned(), now);
        match status {
            None if is_whole => pets.store.finish(Coverage::ALL, now),
            Some(_) if is_whole && pets.store.settle(status) => pets.read_due = true,
            None | Some(_) => {}
        }
        if is_whole {
            pets.show_all();
        }
        pets.listed = Some((self.query, list));
        pets.read_due |= pets.store.coverage().is_none();
        let is_due = std::mem::take(&mut pets.read_due) && !(is_whole && status.is_none());
        let mut effects = if answer.offers_events { follow::begin(app, now) } else { Vec::new() };
        if is_due && !app.pending.is_running(Slot::Inventory) {
            effects.extend(inventory::read(app, now));
        } else if is_new {
            effects.extend(keep::keep(app, now));
        }
        effects
    }
}
