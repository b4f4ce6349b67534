//! What is new, changed or gone since the pets were last read: found for `watch`, and marked in the list.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde::Serialize;

use crate::model::export::Column;
use crate::model::{Pet, PetId};

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// When it was seen.
    pub at: Timestamp,
    /// Whether the pet is new, changed or gone.
    #[serde(rename = "change")]
    pub kind: ChangeKind,
    /// As it is now, or as it was if it is gone. Clean its texts before showing them.
    pub pet: Pet,
    /// As it was before a change.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// The marks of what has changed in the list of pets.
#[derive(Clone, Debug, Default)]
pub struct ChangeMarks {
    seen: SeenPets,
    marks: HashMap<PetId, ChangeKind>,
    /// The marks are from an earlier refresh: the next change clears them.
    old_marks: bool,
}

impl ChangeMarks {
    /// What the table marks at this pet.
    pub fn mark(&self, id: PetId) -> Option<ChangeKind> {
        self.marks.get(&id).copied()
    }

    /// The id of every pet that was seen or added here.
    pub fn known_ids(&self) -> impl Iterator<Item = PetId> {
        self.seen.pets.keys().chain(&self.seen.own).copied()
    }

    /// Takes up the pets that an earlier session saw; of a pet that is there twice, the last one counts.
    pub fn know<'a>(&mut self, pets: impl Iterator<Item = &'a Pet>) {
        self.seen.pets.extend(pets.map(|pet| (pet.id, pet.clone())));
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
        }
    }

    /// Forgets a pet.
    pub fn forget(&mut self, id: PetId) {
        self.seen.pets.remove(&id);
        self.marks.remove(&id);
    }

    /// The pets after this one are gone: others may get their ids.
    pub fn forget_after(&mut self, last: PetId) {
        self.seen.pets.retain(|id, _| *id <= last);
        self.seen.own.retain(|id| *id <= last);
        self.marks.retain(|id, _| *id <= last);
    }

    /// Pets that were added here are not changes, also where a list showed them first.
    pub fn added(&mut self, ids: impl IntoIterator<Item = PetId>) {
        for id in ids {
            if !self.seen.pets.contains_key(&id) {
                self.seen.own.insert(id);
            } else if self.mark(id) == Some(ChangeKind::New) {
                self.marks.remove(&id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PetStatus;
    use crate::tui::testing::animals;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn marks(changes: &ChangeMarks, pets: &[Pet]) -> Vec<Option<ChangeKind>> {
        pets.iter().map(|pet| changes.mark(pet.id)).collect()
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
    fn renames_and_other_categories_are_marked_like_another_status() {
        let mut changes = ChangeMarks::default();
        let mut pets = animals(5);
        changes.learn(&pets, Baseline::Unknown, true, AT);
        assert!(pets.iter().all(|pet| changes.mark(pet.id).is_none()), "the first answer is not news");
        pets[0].status = Some(PetStatus::Sold.into());
        pets[1].status = None;
        pets[2].name = "Tom".into();
        pets[3].category_id = 77;
        changes.learn(&pets, Baseline::All, true, AT);
        let marks = marks(&changes, &pets);
        assert_eq!(marks[..4], [Some(ChangeKind::Changed); 4]);
        assert_eq!(marks[4], None);
        pets[2].name = "Tim".into();
        changes.begin(false);
        changes.learn(&pets, Baseline::All, true, AT);
        assert_eq!((changes.mark(pets[0].id), changes.mark(pets[2].id)), (None, Some(ChangeKind::Changed)));
    }

    #[test]
    fn a_pet_is_called_new_only_where_it_would_have_been_seen_before() {
        let pets = animals(5);
        for (before, new) in [(Baseline::Unknown, 0), (Baseline::UpTo(100_234), 1), (Baseline::All, 3)] {
            let mut changes = ChangeMarks::default();
            changes.learn(&pets[..2], Baseline::Unknown, false, AT);
            changes.learn(&pets, before, false, AT);
            let marked = pets.iter().filter(|pet| changes.mark(pet.id) == Some(ChangeKind::New));
            assert_eq!(marked.count(), new, "{before:?}");
        }
    }

    #[test]
    fn pets_added_here_are_no_changes_whether_a_list_or_the_answer_came_first() {
        let pets = animals(3);
        let mut changes = ChangeMarks::default();
        changes.added([pets[0].id]);
        changes.learn(&[], Baseline::All, true, AT);
        changes.learn(&pets[..2], Baseline::All, true, AT);
        assert_eq!(marks(&changes, &pets), [None, Some(ChangeKind::New), None]);
        changes.learn(&pets, Baseline::All, true, AT);
        changes.added([pets[2].id]);
        assert_eq!(marks(&changes, &pets), [None, Some(ChangeKind::New), None]);
    }

    #[test]
    fn marks_stay_until_something_else_changes_or_the_user_asks_again() {
        let mut changes = ChangeMarks::default();
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
    fn what_an_earlier_session_saw_is_not_new_and_of_two_lists_the_newer_one_counts() {
        let (old, mut new) = (animals(3), animals(2));
        new[0].status = Some(PetStatus::Sold.into());
        let mut changes = ChangeMarks::default();
        changes.know(old.iter().chain(&new));
        changes.learn(&new, Baseline::All, false, AT);
        changes.learn(&old[2..], Baseline::All, false, AT);
        assert!(old.iter().all(|pet| changes.mark(pet.id).is_none()));
    }
}
