//! Added pets as events, written once for all streams that show the same.

use std::fmt::Write as _;
use std::sync::OnceLock;

use axum::body::Bytes;
use serde::Serialize;

use crate::model::{ObservedStatus, Pet, PetId, PetStatus, Provenance};
use crate::store::AddedPet;

/// Which pets a stream shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// All if absent.
    pub(super) status: Option<PetStatus>,
    /// Whether also when and by which key they were added.
    pub(super) has_provenance: bool,
}

/// The data of an event.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    pet: &'a Pet,
    #[serde(flatten)]
    provenance: Option<&'a Provenance>,
}

/// Pets that were added one after another.
#[derive(Debug)]
pub(super) struct Batch {
    pets: Vec<AddedPet>,
    /// The events of all of them, for each view.
    events: [OnceLock<Bytes>; View::COUNT],
}

impl View {
    const STATUSES: usize = PetStatus::ALL.len() + 1;
    const COUNT: usize = 2 * Self::STATUSES;

    fn index(self) -> usize {
        let status = self.status.map_or(0, |status| 1 + status as usize);
        status + if self.has_provenance { Self::STATUSES } else { 0 }
    }

    fn shows(self, pet: &Pet) -> bool {
        self.status.is_none_or(|status| pet.status == Some(ObservedStatus::Known(status)))
    }
}

impl Batch {
    pub(super) fn new(pets: Vec<AddedPet>) -> Self {
        Self { pets, events: Default::default() }
    }

    /// The id of the last one.
    pub(super) fn last(&self) -> Option<PetId> {
        self.pets.last().map(|added| added.pet.id)
    }

    /// The events of those after `position` that `view` shows.
    pub(super) fn events(&self, view: View, position: PetId) -> Bytes {
        let known = self.pets.partition_point(|added| added.pet.id <= position);
        if known == 0 {
            self.events[view.index()].get_or_init(|| events(&self.pets, view)).clone()
        } else {
            events(&self.pets[known..], view)
        }
    }
}

fn events(pets: &[AddedPet], view: View) -> Bytes {
    let mut text = String::new();
    for AddedPet { pet, provenance } in pets.iter().filter(|added| view.shows(&added.pet)) {
        let data = Data { pet, provenance: view.has_provenance.then_some(provenance) };
        // JSON has no line breaks outside of strings, and escapes those within.
        let data = serde_json::to_string(&data).unwrap_or_default();
        // A string takes all that is written to it.
        let _ = write!(text, "event: pet.added\nid: {}\ndata: {data}\n\n", pet.id);
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::AddedBy;

    fn pet(id: PetId, status: PetStatus) -> AddedPet {
        let pet = Pet { id, name: "Rex\u{85}\u{1F415}".into(), category_id: 1, status: Some(status.into()) };
        let added_by = Some(AddedBy { key: "AAAAAAAA".to_owned(), name: Some("till".to_owned()) });
        AddedPet { pet, provenance: Provenance { added_at: None, added_by } }
    }

    #[test]
    fn a_view_has_the_events_after_its_position_and_of_its_status() {
        let batch = Batch::new(vec![pet(1, PetStatus::Sold), pet(2, PetStatus::Pending), pet(5, PetStatus::Sold)]);
        let ids = |status, position| {
            let events = batch.events(View { status, has_provenance: position == 1 }, position);
            let text = str::from_utf8(&events).unwrap();
            text.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(ids(None, 0), ["1", "2", "5"]);
        assert_eq!(ids(None, 1), ["2", "5"]);
        assert_eq!(ids(Some(PetStatus::Sold), 0), ["1", "5"]);
        assert_eq!(ids(Some(PetStatus::Sold), 1), ["5"]);
        assert_eq!(ids(Some(PetStatus::Available), 0), [""; 0]);
        assert_eq!(ids(None, 5), [""; 0]);
        assert_eq!(batch.last(), Some(5));
    }

    #[test]
    fn an_event_is_three_lines_and_a_blank_one() {
        let batch = Batch::new(vec![pet(7, PetStatus::Sold)]);
        let data = "{\"id\":7,\"name\":\"Rex\u{85}\u{1F415}\",\"categoryId\":1,\"status\":\"sold\"";
        let added = "\"addedAt\":null,\"addedBy\":{\"key\":\"AAAAAAAA\",\"name\":\"till\"}";
        for (has_provenance, data) in [(false, format!("{data}}}")), (true, format!("{data},{added}}}"))] {
            let events = batch.events(View { status: None, has_provenance }, 0);
            assert_eq!(events, format!("event: pet.added\nid: 7\ndata: {data}\n\n"));
        }
    }
}
