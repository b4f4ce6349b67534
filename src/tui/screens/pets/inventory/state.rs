//! What was read of the whole inventory.

use crate::api::failure::Failure;
use crate::api::inventory::Coverage;
use crate::clock::Now;
use crate::model::{ObservedStatus, Pet, PetId, PetStatus};
use crate::tui::screens::pets::follow::MOST_KEPT;
use crate::tui::screens::pets::state::Count;

/// The whole inventory, as far as it was read.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Whether it is shown instead of the lists.
    pub open: bool,
    /// What was read last.
    pub pets: Vec<Pet>,
    /// What came so far of what is being read.
    pub coming: Vec<Pet>,
    /// When the last of it came.
    pub(super) came_at: Option<Now>,
    /// How the last reading ended, and when.
    pub(super) ended: Option<(Ended, Now)>,
    /// How many pets there were at its end.
    read: usize,
    /// How many pets have each status, in the order of [`PetStatus::ALL`].
    pub(super) counts: [usize; 3],
    /// A later list has shown something else, or pets were added: its numbers are no longer known to be right.
    pub is_outdated: bool,
}

/// How a reading of the whole inventory ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ended {
    /// With all that the service gives.
    Read(Coverage),
    /// By the user.
    Stopped,
    Failed(Failure),
}

impl Inventory {
    /// The pets, where they are shown.
    pub fn shown(&self) -> Option<&[Pet]> {
        self.is_there().then_some(&self.pets[..])
    }

    /// When they were read.
    pub fn at(&self) -> Option<Now> {
        self.ended.as_ref().map(|(_, at)| *at)
    }

    /// How many there are in all.
    pub fn total(&self) -> Option<Count> {
        self.counts_now().then(|| Count { seen: self.pets.len(), or_more: !self.is_complete() || self.is_outdated })
    }

    /// How many have `status`.
    pub fn count(&self, status: PetStatus) -> Option<Count> {
        let or_more = match &self.ended {
            Some((Ended::Read(coverage), _)) => coverage.full.contains(&status),
            Some((Ended::Stopped | Ended::Failed(_), _)) | None => true,
        };
        self.counts_now().then(|| Count { seen: self.counts[status as usize], or_more })
    }

    /// Whether its numbers are those to show: it is shown itself, or nothing else is known since.
    fn counts_now(&self) -> bool {
        self.is_there() || self.is_complete() && !self.is_outdated
    }

    /// Nothing of it is there any more.
    pub(in crate::tui::screens::pets) fn forget(&mut self) {
        *self = Self { open: self.open, ..Self::default() };
    }

    /// Compares what a later list shows.
    pub fn compare(&mut self, pets: &[Pet]) {
        // Most services list by id.
        let is_sorted = self.pets.is_sorted_by_key(|pet| pet.id);
        let known = |pet: &Pet| match is_sorted {
            true => self.pets.binary_search_by_key(&pet.id, |known| known.id).is_ok_and(|at| self.pets[at] == *pet),
            false => self.pets.contains(pet),
        };
        self.is_outdated |= !pets.iter().all(known);
    }

    /// Takes up a pet that was added after it was read.
    pub(in crate::tui::screens::pets) fn add(&mut self, pet: &Pet) {
        let follows = self.pets.last().is_none_or(|last| last.id < pet.id);
        let is_here = !follows && self.pets.iter().any(|known| known.id == pet.id);
        if is_here || !matches!(self.ended, Some((Ended::Read(_), _))) {
            return;
        }
        if self.pets.len() - self.read >= MOST_KEPT {
            self.is_outdated = true;
            return;
        }
        for status in PetStatus::ALL {
            self.counts[status as usize] += usize::from(pet.status == Some(ObservedStatus::Known(status)));
        }
        self.pets.push(pet.clone());
    }

    /// It is as of now.
    pub(in crate::tui::screens::pets) fn touch(&mut self, now: Now) {
        if let Some((Ended::Read(_), at)) = &mut self.ended {
            *at = now;
        }
    }

    /// The last pet of all, if all are here.
    pub(in crate::tui::screens::pets) fn last_of_all(&self) -> Option<PetId> {
        self.pets.iter().map(|pet| pet.id).max().filter(|_| self.is_complete())
    }

    /// Whether it is shown: it was asked for, and read at least in part.
    pub const fn is_there(&self) -> bool {
        self.open && self.ended.is_some()
    }

    /// Whether it is certainly all that the service lists.
    pub fn is_complete(&self) -> bool {
        matches!(&self.ended, Some((Ended::Read(coverage), _)) if coverage.complete)
    }

    /// Whether reading it again may show more: not where the service has listed all that it lists.
    pub fn may_show_more(&self) -> bool {
        !matches!(&self.ended, Some((Ended::Read(_), _)))
    }

    /// What was read, and what may be missing of it.
    pub fn word(&self) -> String {
        let seen = self.pets.len();
        match &self.ended {
            None => String::new(),
            Some((Ended::Read(coverage), _)) => coverage.honest_word(seen),
            Some((Ended::Stopped, _)) => format!("Stopped after {seen} pets. r starts again."),
            Some((Ended::Failed(failure), _)) => {
                format!("{seen} pets, then: {} r starts again.", failure.sentence("the service"))
            }
        }
    }

    /// Takes what came as what there is; of an earlier, longer reading nothing is thrown away for a part. Tells whether
    /// it was taken.
    pub(super) fn take(&mut self, ended: Ended, now: Now) -> bool {
        let coming = std::mem::take(&mut self.coming);
        if !matches!(ended, Ended::Read(_)) && coming.len() <= self.pets.len() {
            return false;
        }
        self.pets = coming;
        self.pets.shrink_to_fit();
        self.read = self.pets.len();
        self.counts = PetStatus::ALL.map(|status| {
            let status = ObservedStatus::Known(status);
            self.pets.iter().filter(|pet| pet.status.as_ref() == Some(&status)).count()
        });
        // A part is as old as what came last of it, however long the rest was waited for.
        self.ended = Some((ended, self.came_at.take().unwrap_or(now)));
        self.is_outdated = false;
        true
    }
}
