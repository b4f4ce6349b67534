//! The whole inventory: what one request cannot reach, read page by page or merged from the lists of the three statuses.

use crate::api::failure::Failure;
use crate::api::inventory::Coverage;
use crate::clock::Now;
use crate::model::{ObservedStatus, Pet, PetStatus};
use crate::tui::effect::{Effect, Job, Task};
use crate::tui::pending::Slot;
use crate::tui::screens::pets::changes::Baseline;
use crate::tui::screens::pets::state::Count;
use crate::tui::screens::pets::update::{ask_where_unasked, on_failure, on_sign_of_life};
use crate::tui::session_cache::keep;
use crate::tui::state::{AppState, MessageKind};

/// The whole inventory, as far as it was read.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Whether it is shown instead of the lists.
    pub open: bool,
    /// What was read last.
    pets: Vec<Pet>,
    /// What came so far of what is being read.
    coming: Vec<Pet>,
    /// When the last of it came.
    came_at: Option<Now>,
    /// How the last reading ended, and when.
    ended: Option<(Ended, Now)>,
    /// How many animals have each status, in the order of [`PetStatus::ALL`].
    counts: [usize; 3],
}

/// How a reading of the whole inventory ended.
#[derive(Clone, Debug, PartialEq)]
enum Ended {
    /// With all that the service gives.
    Read(Coverage),
    /// By the user.
    Stopped,
    /// By a failure.
    Failed(Failure),
}

impl Inventory {
    /// The animals, where they are shown.
    #[must_use]
    pub fn shown(&self) -> Option<&[Pet]> {
        self.is_there().then_some(&self.pets[..])
    }

    /// The animals that were read.
    #[must_use]
    pub fn read(&self) -> &[Pet] {
        &self.pets
    }

    /// When they were read.
    #[must_use]
    pub fn at(&self) -> Option<Now> {
        self.ended.as_ref().map(|(_, at)| *at)
    }

    /// How many animals came so far of what is being read.
    #[must_use]
    pub fn coming(&self) -> usize {
        self.coming.len()
    }

    /// How many there are in all.
    #[must_use]
    pub fn total(&self) -> Option<Count> {
        self.is_there().then(|| Count { seen: self.pets.len(), or_more: !self.is_complete() })
    }

    /// How many have `status`.
    #[must_use]
    pub fn count(&self, status: PetStatus) -> Option<Count> {
        let or_more = match &self.ended {
            Some((Ended::Read(coverage), _)) => coverage.full.contains(&status),
            Some((Ended::Stopped | Ended::Failed(_), _)) | None => true,
        };
        self.is_there().then(|| Count { seen: self.counts[status as usize], or_more })
    }

    /// Whether it is shown: it was asked for, and read at least in part.
    #[must_use]
    pub const fn is_there(&self) -> bool {
        self.open && self.ended.is_some()
    }

    /// Whether it is certainly all that the service lists.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        matches!(&self.ended, Some((Ended::Read(coverage), _)) if coverage.complete)
    }

    /// What was read, and what may be missing of it.
    #[must_use]
    pub fn word(&self) -> String {
        let seen = self.pets.len();
        match &self.ended {
            None => String::new(),
            Some((Ended::Read(coverage), _)) => coverage.honest_word(seen),
            Some((Ended::Stopped, _)) => format!("Stopped after {seen} animals: the rest was not read. r reads all."),
            Some((Ended::Failed(failure), _)) => {
                format!("{seen} animals, then: {} r reads all.", failure.sentence("the service"))
            }
        }
    }

    /// Takes what came as what there is; of an earlier, longer reading nothing is thrown away for a part. Tells whether
    /// it was taken.
    fn take(&mut self, ended: Ended, now: Now) -> bool {
        let coming = std::mem::take(&mut self.coming);
        if !matches!(ended, Ended::Read(_)) && coming.len() <= self.pets.len() {
            return false;
        }
        self.pets = coming;
        self.pets.shrink_to_fit();
        self.counts = PetStatus::ALL.map(|status| {
            let status = ObservedStatus::Known(status);
            self.pets.iter().filter(|pet| pet.status.as_ref() == Some(&status)).count()
        });
        // A part is as old as what came last of it, however long the rest was waited for.
        self.ended = Some((ended, self.came_at.take().unwrap_or(now)));
        true
    }
}

/// Shows the whole inventory, and reads it where that was not done; or goes back to the lists.
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

/// Reads it, from the beginning.
pub fn read(state: &mut AppState, now: Now) -> Vec<Effect> {
    state.pets.whole.coming = Vec::new();
    state.pets.changes.begin(true);
    let id = state.pending.begin(Slot::Inventory, now.mono);
    vec![Effect::Job(Job { slot: Slot::Inventory, id, task: Task::ReadInventory })]
}

/// Some more of it came.
pub fn on_part(state: &mut AppState, pets: Vec<Pet>, now: Now) -> Vec<Effect> {
    state.pets.whole.coming.extend(pets);
    state.pets.whole.came_at = Some(now);
    on_sign_of_life(state, now)
}

/// The reading ended.
pub fn on_read(state: &mut AppState, result: Result<Coverage, Failure>, now: Now) -> Vec<Effect> {
    match result {
        Ok(coverage) => {
            let effects = settle(state, Ended::Read(coverage), now);
            state.say(MessageKind::Note, state.pets.whole.word());
            effects
        }
        Err(failure) => {
            let why = failure.sentence(&state.link.service);
            on_failure(state, failure.clone(), now);
            let taken = state.pets.whole.coming() > state.pets.whole.read().len();
            let effects = settle(state, Ended::Failed(failure), now);
            let here = match (taken, state.pets.whole.read().is_empty()) {
                (true, _) => "What was read until then is shown; r reads all.",
                (false, false) => "What was read before is still shown; r reads all.",
                (false, true) => "Nothing was read; W tries again.",
            };
            state.say(MessageKind::Error, format!("{why} {here}"));
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
    // An older reading that stays is older than what the lists have told since.
    if pets.whole.take(ended, now) {
        pets.changes.learn(&pets.whole.pets, before, now.wall);
    }
    // Where nothing came there is nothing to show: the lists stay.
    pets.whole.open &= pets.whole.is_there();
    pets.reorder();
    keep::keep(state, now)
}
