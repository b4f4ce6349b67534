//! What is new, changed or gone since the pets were last read.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde::Serialize;

use crate::model::export::Column;
use crate::model::{Pet, PetId};

/// Where no change can be undone.
pub const NOTHING_TO_UNDO: &str = "Nothing to undo: only your last change can be taken back.";

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
        Column::OF_PETS.into_iter().filter_map(move |column| {
            let before = before.filter(|before| column.of(before) != column.of(&self.pet))?;
            Some((column, before))
        })
    }
}

/// The pets as last seen.
#[derive(Clone, Debug, Default)]
pub struct SeenPets {
    pets: HashMap<PetId, Pet>,
}

impl SeenPets {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.pets.len()
    }

    /// The differences in `pets`, in their order, and then the pets that are gone, by id. Pets that were not seen before
    /// are new but for the `first` answer; only if `pets` is the `whole` inventory, a missing pet is gone.
    pub fn learn<'a>(
        &mut self,
        pets: impl Iterator<Item = &'a Pet>,
        first: bool,
        whole: bool,
        at: Timestamp,
    ) -> Vec<Change> {
        let (mut changes, mut seen) = (Vec::new(), HashSet::new());
        for pet in pets {
            // The same pet may be in two lists that were requested one after the other: the first one counts.
            if !seen.insert(pet.id) || self.pets.get(&pet.id) == Some(pet) {
                continue;
            }
            let before = self.pets.insert(pet.id, pet.clone());
            let kind = if before.is_some() { ChangeKind::Changed } else { ChangeKind::New };
            if before.is_some() || !first {
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

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::UNIX_EPOCH;

    fn pet(id: PetId, name: &str) -> Pet {
        Pet { id, name: name.into(), category_id: 1, status: None }
    }

    #[test]
    fn each_difference_is_reported_once() {
        let mut known = SeenPets::default();
        known.learn([pet(1, "a"), pet(2, "b"), pet(3, "c")].iter(), true, true, AT);
        let now = [pet(2, "b"), pet(3, "C"), pet(4, "d"), pet(4, "twice")];
        let change = |kind, pet| Change { at: AT, kind, pet, before: None };
        let changed = Change { before: Some(pet(3, "c")), ..change(ChangeKind::Changed, pet(3, "C")) };
        let expected = [changed, change(ChangeKind::New, pet(4, "d")), change(ChangeKind::Gone, pet(1, "a"))];
        assert_eq!(known.learn(now.iter(), false, true, AT), expected);
        assert_eq!(known.learn(now[..3].iter(), false, true, AT), []);
    }

    #[test]
    fn a_pet_that_left_a_list_that_is_cut_is_not_gone_and_not_new_when_it_is_back() {
        let mut known = SeenPets::default();
        known.learn([pet(1, "a"), pet(2, "b")].iter(), true, false, AT);
        for now in [&[pet(2, "b")][..], &[pet(1, "a"), pet(2, "b")]] {
            assert_eq!(known.learn(now.iter(), false, false, AT), []);
        }
    }
}
