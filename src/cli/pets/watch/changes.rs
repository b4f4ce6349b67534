//! What is new, changed or gone since the last check. Pure.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

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

/// A change of a pet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WatchedChange {
    pub change: ChangeKind,
    /// As it is now, or as it was if it is gone.
    pub pet: Pet,
    /// As it was before a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Pet>,
}

/// The pets as last seen.
pub struct SeenPets(HashMap<PetId, Pet>);

impl SeenPets {
    pub fn new<'a>(pets: impl Iterator<Item = &'a Pet>) -> Self {
        Self(pets.map(|pet| (pet.id, pet.clone())).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The differences in `pets`, in their order, and then the pets that are gone, by id. Only if `pets` is the `whole`
    /// inventory, a missing pet is gone.
    pub fn change_to<'a>(&mut self, pets: impl Iterator<Item = &'a Pet>, whole: bool) -> Vec<WatchedChange> {
        let (mut changes, mut seen) = (Vec::new(), HashSet::new());
        for pet in pets {
            // The same pet may be in two lists that were requested one after the other: the first one counts.
            if !seen.insert(pet.id) || self.0.get(&pet.id) == Some(pet) {
                continue;
            }
            let before = self.0.insert(pet.id, pet.clone());
            let change = if before.is_some() { ChangeKind::Changed } else { ChangeKind::New };
            changes.push(WatchedChange { change, pet: pet.clone(), before });
        }
        if whole && seen.len() < self.0.len() {
            let mut gone: Vec<PetId> = self.0.keys().filter(|id| !seen.contains(id)).copied().collect();
            gone.sort_unstable();
            let gone = gone.iter().filter_map(|id| self.0.remove(id));
            changes.extend(gone.map(|pet| WatchedChange { change: ChangeKind::Gone, pet, before: None }));
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pet(id: PetId, name: &str) -> Pet {
        Pet { id, name: name.into(), category_id: 1, status: None }
    }

    fn change(change: ChangeKind, pet: Pet) -> WatchedChange {
        WatchedChange { change, pet, before: None }
    }

    #[test]
    fn each_difference_is_reported_once() {
        let mut known = SeenPets::new([pet(1, "a"), pet(2, "b"), pet(3, "c")].iter());
        let now = [pet(2, "b"), pet(3, "C"), pet(4, "d"), pet(4, "twice")];
        let changed = WatchedChange { before: Some(pet(3, "c")), ..change(ChangeKind::Changed, pet(3, "C")) };
        let expected = [changed, change(ChangeKind::New, pet(4, "d")), change(ChangeKind::Gone, pet(1, "a"))];
        assert_eq!(known.change_to(now.iter(), true), expected);
        assert_eq!(known.change_to(now[..3].iter(), true), []);
    }

    #[test]
    fn a_pet_that_left_a_list_that_is_cut_is_not_gone_and_not_new_when_it_is_back() {
        let mut known = SeenPets::new([pet(1, "a"), pet(2, "b")].iter());
        assert_eq!(known.change_to([pet(2, "b")].iter(), false), []);
        assert_eq!(known.change_to([pet(1, "a"), pet(2, "b")].iter(), false), []);
        assert_eq!(known.change_to([pet(3, "c")].iter(), false), [change(ChangeKind::New, pet(3, "c"))]);
    }
}
