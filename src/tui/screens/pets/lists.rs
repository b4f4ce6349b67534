//! The lists of pets: their rows, further pages of them, and how many pets have each status.

use std::sync::Arc;

use super::update::{at_end, count, on_answer, on_failure};
use super::{ListSource, Loaded, follow};
use crate::api::NextPage;
use crate::api::failure::Failure;
use crate::api::list::{self, List, ListAnswer};
use crate::clock::Now;
use crate::model::{Limit, PetQuery, PetStatus};
use crate::tui::effect::Effect;
use crate::tui::job::{Env, Job};
use crate::tui::pending::Slot;
use crate::tui::session_cache::keep;
use crate::tui::state::AppState;

/// Asks for a list, and follows its next pages up to `pages` in all.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPets {
    /// What to ask for.
    pub query: PetQuery,
    /// How many pages to follow, at least 1.
    pub pages: u16,
    /// What is here already: rows that are still the same need not come again.
    pub known: Option<List>,
}

impl Job for ListPets {
    type Answer = ListAnswer;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::List;

    async fn run(self: Arc<Self>, env: Env) -> Result<ListAnswer, Failure> {
        Ok(list::list(&env.api("list").await?, &self.query, self.pages, self.known.as_ref()).await?)
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
        let mut effects = if answer.offers_events { follow::begin(app, now) } else { Vec::new() };
        let changed = answer.list.is_some();
        match answer.list {
            None => app.pets.confirm(now),
            Some(list) => {
                let loaded = Loaded { limit: app.pets.limit, list, at: now, source: ListSource::Answer };
                app.pets.take(loaded);
            }
        }
        effects.extend(match std::mem::take(&mut app.pets.counts_due) {
            // What will be kept is complete with the last of them.
            true => count(app, now),
            false if changed => keep::keep(app, now),
            false => Vec::new(),
        });
        effects
    }
}

/// Asks for one further page.
#[derive(Clone, Debug, PartialEq)]
pub struct MorePets(pub NextPage);

impl Job for MorePets {
    type Answer = ListAnswer;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |_| Slot::More;

    async fn run(self: Arc<Self>, env: Env) -> Result<ListAnswer, Failure> {
        Ok(list::more(&env.api("next page").await?, &self.0).await?)
    }

    fn done(&self, app: &mut AppState, answer: Result<ListAnswer, Failure>, now: Now) -> Vec<Effect> {
        match answer {
            Err(failure) => on_failure(app, failure, now),
            Ok(answer) => {
                on_answer(app, &answer, now);
                let (here, waits_there) = (app.pets.row_count(), at_end(app));
                if let Some(list) = answer.list {
                    app.pets.append(list, now);
                }
                if waits_there && app.pets.row_count() > here {
                    app.pets.move_to(app.pets.cursor() + 1);
                }
            }
        }
        Vec::new()
    }
}

/// Asks for the list of one status, for how many there are.
#[derive(Clone, Debug, PartialEq)]
pub struct CountPets {
    /// Which.
    pub status: PetStatus,
    /// What is here already.
    pub known: Option<List>,
}

impl Job for CountPets {
    type Answer = ListAnswer;
    type Error = Failure;
    const SLOT: fn(&Self) -> Slot = |job| Slot::Count(job.status);

    async fn run(self: Arc<Self>, env: Env) -> Result<ListAnswer, Failure> {
        let query = PetQuery { status: Some(self.status), limit: Limit::MAX, after: None };
        Ok(list::list(&env.api("count").await?, &query, 1, self.known.as_ref()).await?)
    }

    /// A failure is left to the list, which is asked the same way.
    fn done(&self, app: &mut AppState, counted: Result<ListAnswer, Failure>, now: Now) -> Vec<Effect> {
        match counted {
            Ok(ListAnswer { list: Some(list), .. }) => {
                app.link.has_pages |= list.next().is_some();
                app.pets.take_counted(self.status, list, app.link.has_pages, now);
            }
            Ok(ListAnswer { list: None, .. }) => app.pets.confirm_counted(self.status, now),
            Err(_) => {}
        }
        let is_last = PetStatus::ALL.into_iter().all(|other| !app.pending.is_running(Slot::Count(other)));
        if is_last { keep::keep(app, now) } else { Vec::new() }
    }
}
