//! What is new, changed or gone since the pets were last read: found for the list and for `watch`, and logged for the list.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::export::Column;
use crate::model::{Pet, PetId};

/// The most changes that are kept; the oldest go first.
const MOST: usize = 500;

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// Not seen before.
    New,
    /// At least one column differs.
    Changed,
    /// No longer in the inventory.
    Gone,
}

impl ChangeKind {
    /// Its sign in front of a row or a line.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::New => "+",
            Self::Changed => "*",
            Self::Gone => "-",
        }
    }
}

/// One change of a pet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// When it was seen.
    pub at: Timestamp,
    /// Whether the pet is new, changed or gone.
    #[serde(rename = "change")]
    pub kind: ChangeKind,
    /// As it is now, or as it was if it is gone. Clean its texts before showing them.
    pub pet: Pet,
    /// As it was before a change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Pet>,
}

impl Change {
    /// The columns that differ, and the pet as it was.
    pub fn differences(&self) -> impl Iterator<Item = (Column, &Pet)> {
        let before = self.before.as_ref();
        Column::ALL.into_iter().filter_map(move |column| {
            let before = before.filter(|before| column.of(before) != column.of(&self.pet))?;
            Some((column, before))
        })
    }

    /// What has changed of the pet that is shown as `name`.
    pub fn sentence(&self, name: &str) -> String {
        let mut words = match self.kind {
            ChangeKind::New => vec![format!("new, {}", Column::Status.word(&self.pet))],
            ChangeKind::Gone => vec!["gone".to_owned()],
            ChangeKind::Changed => Vec::new(),
        };
        words.extend(self.differences().map(|(column, before)| match column {
            Column::Id | Column::Name => format!("was {}", column.word(before)),
            Column::CategoryId => format!("category {} -> {}", before.category_id, self.pet.category_id),
            Column::Status => format!("{} -> {}", column.word(before), column.word(&self.pet)),
        }));
        format!("{name}: {}", words.join(", "))
    }
}

/// What the list held when the same was asked before: only then can a pet that is not known be called new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// Nothing is known: this is the first answer, or other rows may only have moved into view.
    Unknown,
    /// Every pet up to this id, in the order of ids.
    UpTo(PetId),
    /// Every pet.
    All,
}

/// The pets as last seen.
#[derive(Clone, Debug, Default)]
pub struct SeenPets {
    pets: HashMap<PetId, Pet>,
    /// Those added here that no list has shown yet: neither new nor gone.
    own: HashSet<PetId>,
}

impl SeenPets {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.pets.len()
    }

    /// The differences in `pets`, in their order, and then the pets that are gone, by id. `before` is what was known of
    /// the same rows; only if `pets` is the `whole` inventory, a missing pet is gone.
    pub fn learn<'a>(
        &mut self,
        pets: impl Iterator<Item = &'a Pet>,
        before: Baseline,
        whole: bool,
        at: Timestamp,
    ) -> Vec<Change> {
        let (mut changes, mut seen) = (Vec::new(), HashSet::new());
        for pet in pets {
            // The same pet may be in two lists that were requested one after the other: the first one counts.
            if !seen.insert(pet.id) || self.pets.get(&pet.id) == Some(pet) {
                continue;
            }
            let is_new = match before {
                Baseline::Unknown => false,
                Baseline::UpTo(last) => pet.id < last,
                Baseline::All => true,
            };
            let is_own = self.own.remove(&pet.id);
            let before = self.pets.insert(pet.id, pet.clone());
            let kind = if before.is_some() { ChangeKind::Changed } else { ChangeKind::New };
            if before.is_some() || is_new && !is_own {
                changes.push(Change { at, kind, pet: pet.clone(), before });
            }
        }
        if whole && seen.len() < self.pets.len() {
            let mut gone: Vec<PetId> = self.pets.keys().filter(|id| !seen.contains(id)).copied().collect();
            gone.sort_unstable();
            let gone = gone.iter().filter_map(|id| self.pets.remove(id));
            changes.extend(gone.map(|pet| Change { at, kind: ChangeKind::Gone, pet, before: None }));
        }
        changes
    }
}

/// The changes for the list of pets: marks for its rows, and a log.
#[derive(Clone, Debug, Default)]
pub struct ChangeLog {
    seen: SeenPets,
    /// What the table marks.
    marks: HashMap<PetId, ChangeKind>,
    /// The marks are from an earlier refresh: the next change clears them.
    old_marks: bool,
    /// What has changed, the newest first.
    log: VecDeque<Change>,
    /// How many of them were not shown yet.
    pub unseen: usize,
}

impl ChangeLog {
    /// What the table marks at this pet.
    pub fn mark(&self, id: PetId) -> Option<ChangeKind> {
        self.marks.get(&id).copied()
    }

    /// What has changed, the newest first.
    pub const fn log(&self) -> &VecDeque<Change> {
        &self.log
    }

    /// The id of every pet that was seen or added here.
    pub fn known_ids(&self) -> impl Iterator<Item = PetId> {
        self.seen.pets.keys().chain(&self.seen.own).copied()
    }

    /// Takes up what an earlier session saw: its lists, which may be of different ages, and what had changed by its end.
    pub fn restore<'a>(&mut self, pets: impl Iterator<Item = &'a Pet>, log: Vec<Change>) {
        self.log = log.into();
        self.log.truncate(MOST);
        let known = &mut self.seen.pets;
        known.extend(pets.map(|pet| (pet.id, pet.clone())));
        // Where lists differ, one of them came before a change that is here; the newest change comes first.
        for Change { kind, pet, .. } in self.log.iter().rev() {
            match kind {
                ChangeKind::Gone => known.remove(&pet.id),
                ChangeKind::New | ChangeKind::Changed => known.insert(pet.id, pet.clone()),
            };
        }
    }

    /// The rows are refreshed. With `by_hand` the marks go now, otherwise with the first change.
    pub fn begin(&mut self, by_hand: bool) {
        if by_hand {
            self.marks.clear();
        }
        self.old_marks = true;
    }

    /// Learns from an answer, as [`SeenPets::learn`] does.
    pub fn learn(&mut self, pets: &[Pet], before: Baseline, whole: bool, at: Timestamp) {
        for change in self.seen.learn(pets.iter(), before, whole, at) {
            if std::mem::take(&mut self.old_marks) {
                self.marks.clear();
            }
            self.marks.insert(change.pet.id, change.kind);
            self.log.push_front(change);
            self.log.truncate(MOST);
            self.unseen = (self.unseen + 1).min(self.log.len());
        }
    }

    /// Forgets a pet, but for what the log says.
    pub fn forget(&mut self, id: PetId) {
        self.seen.pets.remove(&id);
        self.marks.remove(&id);
    }

    /// Pets that were added here are not changes, also where a list showed them first.
    pub fn added(&mut self, ids: impl IntoIterator<Item = PetId>) {
        for id in ids {
            let is_it = |change: &Change| change.pet.id == id && change.kind == ChangeKind::New;
            if !self.seen.pets.contains_key(&id) {
                self.seen.own.insert(id);
            } else if let Some(at) = self.log.iter().position(is_it) {
                self.log.remove(at);
                self.marks.remove(&id);
                self.unseen -= usize::from(at < self.unseen);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ObservedStatus, PetStatus};
    use crate::tui::testing::animals;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn sentences(changes: &ChangeLog) -> Vec<String> {
        changes.log().iter().map(|change| change.sentence(&change.pet.id.to_string())).collect()
    }

    fn pet(id: PetId, name: &str) -> Pet {
        Pet { id, name: name.into(), category_id: 1, status: None }
    }

    #[test]
    fn each_difference_is_reported_once() {
        let mut known = SeenPets::default();
        known.learn([pet(1, "a"), pet(2, "b"), pet(3, "c")].iter(), Baseline::Unknown, true, AT);
        let now = [pet(2, "b"), pet(3, "C"), pet(4, "d"), pet(4, "twice")];
        let change = |kind, pet| Change { at: AT, kind, pet, before: None };
        let changed = Change { before: Some(pet(3, "c")), ..change(ChangeKind::Changed, pet(3, "C")) };
        let expected = [changed, change(ChangeKind::New, pet(4, "d")), change(ChangeKind::Gone, pet(1, "a"))];
        assert_eq!(known.learn(now.iter(), Baseline::All, true, AT), expected);
        assert_eq!(known.learn(now[..3].iter(), Baseline::All, true, AT), []);
    }

    #[test]
    fn a_pet_that_left_a_list_that_is_cut_is_not_gone_and_not_new_when_it_is_back() {
        let mut known = SeenPets::default();
        known.learn([pet(1, "a"), pet(2, "b")].iter(), Baseline::Unknown, false, AT);
        for now in [&[pet(2, "b")][..], &[pet(1, "a"), pet(2, "b")]] {
            assert_eq!(known.learn(now.iter(), Baseline::All, false, AT), []);
        }
    }

    #[test]
    fn renames_other_categories_and_deletions_are_logged_like_another_status() {
        let mut changes = ChangeLog::default();
        let mut pets = animals(4);
        changes.learn(&pets, Baseline::Unknown, true, AT);
        assert_eq!(sentences(&changes), Vec::<String>::new(), "the first answer is not news");
        pets[0].status = Some(PetStatus::Sold.into());
        pets[1].status = None;
        pets[2].status = Some(ObservedStatus::Unknown("reserved".into()));
        let name = std::mem::replace(&mut pets[2].name, "Tom".into());
        let category = std::mem::replace(&mut pets[2].category_id, 77);
        let gone = pets.pop().unwrap();
        changes.learn(&pets, Baseline::All, true, AT);
        let all = [
            format!("{}: gone", gone.id),
            format!("100233: was {name}, category {category} -> 77, available -> reserved"),
            "100232: pending -> not set".to_owned(),
            "100231: available -> sold".to_owned(),
        ];
        assert_eq!(sentences(&changes), all);
        assert_eq!((changes.mark(100_231), changes.unseen), (Some(ChangeKind::Changed), 4));
        pets[2].status = Some(PetStatus::Sold.into());
        changes.begin(false);
        changes.learn(&pets, Baseline::All, true, AT);
        assert_eq!(sentences(&changes)[0], "100233: reserved -> sold");
        assert_eq!((changes.mark(100_231), changes.mark(100_233)), (None, Some(ChangeKind::Changed)));
    }

    #[test]
    fn a_pet_is_called_new_only_where_it_would_have_been_seen_before() {
        let pets = animals(5);
        for (before, new) in [(Baseline::Unknown, 0), (Baseline::UpTo(100_234), 1), (Baseline::All, 3)] {
            let mut changes = ChangeLog::default();
            changes.learn(&pets[..2], Baseline::Unknown, false, AT);
            changes.learn(&pets, before, false, AT);
            assert_eq!(changes.log().len(), new, "{before:?}");
        }
    }

    #[test]
    fn pets_added_here_are_no_changes_whether_a_list_or_the_answer_came_first() {
        let pets = animals(3);
        let mut changes = ChangeLog::default();
        changes.added([pets[0].id]);
        changes.learn(&[], Baseline::All, true, AT);
        changes.learn(&pets[..2], Baseline::All, true, AT);
        assert_eq!(sentences(&changes), ["100232: new, pending"]);
        changes.learn(&pets, Baseline::All, true, AT);
        changes.added([pets[2].id]);
        assert_eq!((sentences(&changes).len(), changes.unseen, changes.mark(pets[2].id)), (1, 1, None));
        changes.learn(&pets[1..], Baseline::All, true, AT);
        assert_eq!(sentences(&changes)[0], "100231: gone", "what was added here may be deleted elsewhere");
    }

    #[test]
    fn marks_stay_until_something_else_changes_or_the_user_asks_again() {
        let mut changes = ChangeLog::default();
        let pets = animals(1);
        changes.learn(&pets, Baseline::All, true, AT);
        assert_eq!(changes.mark(100_231), Some(ChangeKind::New));
        changes.begin(false);
        changes.learn(&pets, Baseline::All, true, AT);
        assert_eq!(changes.mark(100_231), Some(ChangeKind::New));
        changes.begin(true);
        assert_eq!(changes.mark(100_231), None);
    }

    #[test]
    fn lists_of_different_ages_that_are_taken_up_again_are_no_news() {
        let mut now = ChangeLog::default();
        let (old, mut new) = (animals(3), animals(2));
        new[0].status = Some(PetStatus::Sold.into());
        now.learn(&old, Baseline::Unknown, true, AT);
        now.learn(&new, Baseline::Unknown, true, AT);
        let mut next = ChangeLog::default();
        next.restore(new.iter().chain(&old), now.log().iter().cloned().collect());
        assert_eq!((next.mark(old[0].id), next.unseen), (None, 0));
        next.learn(&new, Baseline::All, true, AT);
        assert_eq!(sentences(&next), sentences(&now));
    }

    #[test]
    fn a_list_that_is_full_forgets_the_oldest() {
        let mut changes = ChangeLog::default();
        changes.learn(&animals(MOST + 20), Baseline::All, true, AT);
        assert_eq!((changes.log().len(), changes.unseen), (MOST, MOST));
        assert_eq!(changes.log().back().map(|change| change.pet.id), Some(100_251));
    }
}
