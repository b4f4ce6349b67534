//! What is new, changed or gone since the pets were last read.

use std::collections::{BTreeMap, HashMap, HashSet};

use jiff::Timestamp;
use serde::Serialize;

use crate::model::export::Column;
use crate::model::words::counts;
use crate::model::{Pet, PetId, PetMembers, PetStatus, short};

/// Where no change can be undone.
pub const NOTHING_TO_UNDO: &str =
    "Nothing to undo: only your last change can be taken back, as long as nobody has changed the pet since.";

/// What most sales and returns make of pets: what is in the store is sold, what was sold comes back.
pub fn likely(pets: &[Pet]) -> PetStatus {
    let are_sold = pets.iter().all(|pet| pet.is(PetStatus::Sold));
    if are_sold { PetStatus::Available } else { PetStatus::Sold }
}

/// `Rex (#17)`
pub fn named(pet: &Pet) -> String {
    format!("{} (#{})", short(&pet.name), pet.id)
}

/// The status of a pet in a sentence.
pub fn status(pet: &Pet) -> String {
    pet.status.as_ref().map_or_else(|| "without a status".to_owned(), |status| short(status.as_str()))
}

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
    /// The name of the key that changed it, or its id, as far as this key may see that. Clean it before showing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl Change {
    /// The columns that differ, and the pet as it was.
    pub fn differences(&self) -> impl Iterator<Item = (Column, &Pet)> {
        let differ = |before| differences(before, &self.pet).map(move |column| (column, before));
        self.before.iter().flat_map(differ)
    }
}

fn differences(before: &Pet, pet: &Pet) -> impl Iterator<Item = Column> {
    Column::OF_PETS.into_iter().filter(|column| column.of(before) != column.of(pet))
}

/// What a file changes.
#[derive(Clone, Debug, Default)]
pub struct FileChanges {
    /// The pets as they are, and as they will be.
    pub pets: Vec<(Pet, Pet)>,
    /// How many are right already.
    pub so: usize,
    /// Those that were not found.
    pub missing: Vec<PetId>,
}

impl FileChanges {
    /// Compares what the rows want with the pets that are known.
    pub fn of(rows: &BTreeMap<PetId, PetMembers>, known: impl Fn(PetId) -> Option<Pet>) -> Self {
        let mut changes = Self::default();
        for (&id, to) in rows {
            let Some(seen) = known(id) else {
                changes.missing.push(id);
                continue;
            };
            let wanted = to.typed_over(&seen);
            if wanted == seen { changes.so += 1 } else { changes.pets.push((seen, wanted)) }
        }
        changes
    }

    /// `2 to change, 5 right already, 1 not found`
    pub fn counts(&self) -> String {
        let all = [(self.pets.len(), "to change"), (self.so, "right already"), (self.missing.len(), "not found")];
        counts(all).join(", ")
    }

    /// Each change: `Rex (#17): status available -> sold`.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        let line = |(seen, wanted): &(Pet, Pet)| {
            let what = differences(seen, wanted).map(|column| {
                let [from, to] = [seen, wanted].map(|pet| short(&column.word(pet)));
                format!("{} {from} -> {to}", column.as_str())
            });
            format!("{}: {}", named(seen), what.collect::<Vec<_>>().join(", "))
        };
        self.pets.iter().map(line)
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
                changes.push(Change { at, kind, pet: pet.clone(), before, by: None });
            }
        }
        if whole && seen.len() < self.pets.len() {
            let mut gone: Vec<PetId> = self.pets.keys().filter(|id| !seen.contains(id)).copied().collect();
            gone.sort_unstable();
            let gone = gone.iter().filter_map(|id| self.pets.remove(id));
            changes.extend(gone.map(|pet| Change { at, kind: ChangeKind::Gone, pet, before: None, by: None }));
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
        let change = |kind, pet| Change { at: AT, kind, pet, before: None, by: None };
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

    #[test]
    fn a_file_is_compared_with_the_pets_as_they_are() {
        let sold = PetMembers { status: Some(PetStatus::Sold.into()), ..PetMembers::default() };
        let named = |name: &str| PetMembers { name: Some(name.to_owned()), category_id: Some(1), status: None };
        let rows = BTreeMap::from([(1, sold.clone()), (2, named("b")), (3, named("C\u{1b}")), (4, sold)]);
        let known = |id| (id < 4).then(|| pet(id, if id == 2 { " b " } else { "c" }));
        let changes = FileChanges::of(&rows, known);
        assert_eq!(changes.counts(), "2 to change, 1 right already, 1 not found");
        let lines: Vec<_> = changes.lines().collect();
        assert_eq!(lines, ["c (#1): status not set -> sold", "c (#3): name c -> C⟨U+001B⟩"]);
        assert_eq!(changes.missing, [4]);
    }
}
