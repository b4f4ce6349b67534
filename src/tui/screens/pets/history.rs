//! What was done to the pet in the detail, for keys that may audit. Asked for once the cursor rests on it; others see nothing
//! of this.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::History;
use super::change::{ago, verbs};
use super::update::refuse_key;
use crate::api::{Failure, Remedy};
use crate::clock::Now;
use crate::model::words::list;
use crate::model::{Categories, PetHistoryEntry, PetId, cut, short};
use crate::tui::{App, Env, Job, Screen, Slot, WIDE};

/// How long the cursor rests on a pet before it is asked about: passing rows asks nothing.
const REST: Duration = Duration::from_millis(300);

/// After this time, how long ago something was reads otherwise.
const MINUTE: Duration = Duration::from_secs(60);

/// The most columns that a foreign name takes in a line.
const NAME_WIDTH: usize = 24;

impl History {
    /// It has one more line now: it is asked for again.
    pub fn forget(&mut self, id: PetId) {
        self.of.take_if(|of| *of == id);
    }

    /// The changes of a pet, the newest first, each in words. How it was added is shown apart.
    pub fn lines<'a>(&'a self, id: PetId, categories: &'a Categories, now: Now) -> impl Iterator<Item = String> + 'a {
        let known = self.known.iter().filter(move |(of, _)| *of == id);
        known.flat_map(|(_, entries)| entries.iter().rev()).filter_map(move |entry| line(entry, categories, now))
    }
}

/// `sold by Ada, 2 min ago (was available)`
fn line(entry: &PetHistoryEntry, categories: &Categories, now: Now) -> Option<String> {
    let (from, to) = (entry.from.as_ref()?, &entry.to);
    let name = |name: &str| cut(&short(name), NAME_WIDTH);
    let label = |id| name(&categories.label(id));
    let sold = to.status.as_ref().map(|status| verbs(status.as_str()).0.to_owned());
    let renamed = to.name.as_ref().map(|_| "renamed".to_owned());
    let moved = to.category_id.map(|id| format!("moved to {}", label(id)));
    let status = from.status.as_ref().map(|status| name(status.as_str()));
    let was = [status, from.name.as_deref().map(name), from.category_id.map(label)];
    let [what, was] = [[sold, renamed, moved], was].map(|words| list(words.into_iter().flatten()));
    let by = entry.by.as_ref().map_or(String::new(), |by| format!(" by {}", name(by.word())));
    let at = entry.at.map_or(String::new(), |at| format!(", {}", ago(at, now)));
    Some(format!("{what}{by}{at} (was {was})"))
}

/// When it is asked for, or what is shown of it reads otherwise.
pub fn next_due(app: &App, now: Now) -> Option<Instant> {
    let History { of, due, known, .. } = &app.pets.history;
    let is_shown = known.as_ref().is_some_and(|(id, entries)| *of == Some(*id) && !entries.is_empty());
    due.filter(|_| app.link.health_is_ok()).or_else(|| is_shown.then(|| now.mono + MINUTE))
}

/// Asks for what the detail shows and is not known.
pub fn ask(app: &mut App, now: Now) {
    let pets = &app.pets;
    let has_detail = app.screen == Screen::Pets && (pets.drawer || app.size.columns >= WIDE);
    let is_reported = pets.offers_changes == Some(true) && !pets.history.refused && !app.is_switching();
    let of = pets.selected().map(|pet| pet.id).filter(|_| has_detail && is_reported);
    if of != pets.history.of {
        app.cancel(Slot::History);
        (app.pets.history.of, app.pets.history.due) = (of, of.map(|_| now.mono + REST));
    }
    let is_due = app.link.health_is_ok() && app.pets.history.due.is_some_and(|at| at <= now.mono);
    if let Some(id) = of.filter(|_| is_due) {
        app.pets.history.due = None;
        app.start(ReadHistory(id), now);
    }
}

/// Asks for the history of this pet.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadHistory(pub PetId);

impl Job for ReadHistory {
    type Answer = Result<Vec<PetHistoryEntry>, Failure>;
    const SLOT: fn(&Self) -> Slot = |_| Slot::History;

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        env.api("history").await?.history(self.0).await
    }

    fn done(&self, app: &mut App, answer: Self::Answer, now: Now) {
        let history = &mut app.pets.history;
        match answer {
            Ok(entries) => history.known = Some((self.0, entries)),
            Err(failure) if failure.remedy() == Remedy::EnterKey => refuse_key(app, failure, now),
            // Without it, the detail says the rest. What is away is found out by what matters more.
            Err(failure) => history.refused = matches!(failure, Failure::Refused { status: 403, .. }),
        }
    }
}
