//! Changes of a pet (an addition: the description shows no update). A request is a JSON Patch (RFC 6902) of the operations
//! `test` and `replace`; what is kept of a change are the members that became different.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::pet::{AddedBy, ObservedStatus, Pet, PetStatus};

/// A member that can be changed, and a value of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "path", content = "value")]
pub enum PetMember {
    /// See [`check_name`](super::draft::check_name).
    #[serde(rename = "/name")]
    Name(String),
    /// Any int64.
    #[serde(rename = "/categoryId")]
    CategoryId(i64),
    /// One of the three of the description.
    #[serde(rename = "/status")]
    Status(PetStatus),
}

impl PetMember {
    fn put_into(&self, pet: Pet) -> Pet {
        match self.clone() {
            Self::Name(name) => Pet { name, ..pet },
            Self::CategoryId(category_id) => Pet { category_id, ..pet },
            Self::Status(status) => Pet { status: Some(status.into()), ..pet },
        }
    }
}

/// One operation of a patch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum PatchOperation {
    /// The member has this value, or nothing is changed.
    Test(PetMember),
    /// The member gets this value.
    Replace(PetMember),
}

/// What to change, in this order; all of it or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct PetPatch(pub Vec<PatchOperation>);

impl PetPatch {
    /// Tests `from`, then makes `to` of it; a status that is not one of the three is not tested.
    pub fn new(from: PetMembers, to: PetMembers) -> Self {
        Self(from.each().map(PatchOperation::Test).chain(to.each().map(PatchOperation::Replace)).collect())
    }

    /// What makes `wanted` of a pet that is as it was `seen`.
    pub fn between(seen: &Pet, wanted: &Pet) -> Self {
        let (from, to) = PetMembers::of_change(seen, wanted);
        Self::new(from, to)
    }

    /// What it makes of `pet`; nothing where a test fails.
    pub fn apply(&self, pet: &Pet) -> Option<Pet> {
        self.0.iter().try_fold(pet.clone(), |pet, operation| match operation {
            PatchOperation::Replace(member) => Some(member.put_into(pet)),
            // A value that a member has already changes nothing.
            PatchOperation::Test(member) => Some(pet.clone()).filter(|same| *same == member.put_into(pet)),
        })
    }
}

/// Values of some members of a pet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PetMembers {
    /// Its name. Clean it before showing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category_id: Option<i64>,
    /// Its status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ObservedStatus>,
}

impl PetMembers {
    /// What `old` and `new` have where they differ.
    pub fn of_change(old: &Pet, new: &Pet) -> (Self, Self) {
        let of = |pet: &Pet| Self {
            name: (old.name != new.name).then(|| pet.name.clone()),
            category_id: (old.category_id != new.category_id).then_some(pet.category_id),
            status: pet.status.clone().filter(|_| old.status != new.status),
        };
        (of(old), of(new))
    }

    /// `seen` with these members, which were typed or read from a file: blanks around its name get lost there, but stay.
    pub fn typed_over(&self, seen: &Pet) -> Pet {
        let pet = self.over(seen);
        if pet.name == seen.name.trim() { Pet { name: seen.name.clone(), ..pet } } else { pet }
    }

    /// `pet` with these members.
    pub fn over(&self, pet: &Pet) -> Pet {
        Pet {
            id: pet.id,
            name: self.name.as_ref().unwrap_or(&pet.name).clone(),
            category_id: self.category_id.unwrap_or(pet.category_id),
            status: self.status.as_ref().or(pet.status.as_ref()).cloned(),
        }
    }

    fn each(self) -> impl Iterator<Item = PetMember> {
        let status = self.status.and_then(|status| status.as_str().parse().ok()).map(PetMember::Status);
        [self.name.map(PetMember::Name), self.category_id.map(PetMember::CategoryId), status].into_iter().flatten()
    }
}

/// One line of the history of a pet: its addition, or a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PetHistoryEntry {
    /// When; nothing if that was not recorded.
    pub at: Option<Timestamp>,
    /// By which API key; nothing if that was not recorded.
    pub by: Option<AddedBy>,
    /// What the changed members were before; nothing of the addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<PetMembers>,
    /// What they became.
    pub to: PetMembers,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pet(name: &str, status: PetStatus) -> Pet {
        Pet { id: 7, name: name.to_owned(), category_id: 1, status: Some(status.into()) }
    }

    #[test]
    fn a_patch_tests_what_was_seen_and_replaces_what_differs() {
        let (seen, wanted) = (pet("Rex", PetStatus::Available), pet("Rex", PetStatus::Sold));
        let patch = PetPatch::between(&seen, &wanted);
        assert_eq!(
            serde_json::to_string(&patch).unwrap(),
            r#"[{"op":"test","path":"/status","value":"available"},{"op":"replace","path":"/status","value":"sold"}]"#
        );
        assert_eq!(patch.apply(&seen), Some(wanted.clone()));
        assert_eq!(patch.apply(&pet("Max", PetStatus::Available)), Some(pet("Max", PetStatus::Sold)));
        assert_eq!(patch.apply(&wanted), None);
        assert_eq!(PetPatch::between(&seen, &seen), PetPatch::default());
    }

    #[test]
    fn operations_count_in_their_order() {
        let [test, replace] = [PatchOperation::Test, PatchOperation::Replace];
        let sold = PetMember::Status(PetStatus::Sold);
        let available = pet("Rex", PetStatus::Available);
        assert!(PetPatch(vec![replace(sold.clone()), test(sold.clone())]).apply(&available).is_some());
        assert_eq!(PetPatch(vec![test(sold.clone()), replace(sold)]).apply(&available), None);
    }
}
