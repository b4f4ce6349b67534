//! What is known of who added which pet.

use crate::model::{PetId, Provenance, Provenances};

/// Who added pets, as far as it was asked for or reported.
#[derive(Clone, Debug, Default)]
pub struct KnownProvenance {
    pub(in crate::tui::screens::pets) of: Provenances,
    /// Why nothing is asked.
    pub(super) barrier: Option<Barrier>,
}

/// Why nothing is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Barrier {
    /// The service does not report it to this key.
    NotReported,
    /// It could not be asked; after the next list it is tried again.
    Failed,
}

impl KnownProvenance {
    /// Of this pet, if it is known.
    pub fn get(&self, id: PetId) -> Option<&Provenance> {
        self.of.get(&id)
    }

    /// Of all pets of which it is known.
    pub fn all(&self) -> &Provenances {
        &self.of
    }

    /// The service was asked for a list.
    pub(in crate::tui::screens::pets) fn on_listed(&mut self) {
        self.barrier.take_if(|barrier| *barrier == Barrier::Failed);
    }

    /// Learns of a pet that was reported.
    pub(in crate::tui::screens::pets) fn learn(&mut self, id: PetId, provenance: Option<Provenance>) {
        match provenance {
            Some(provenance) => {
                self.barrier = None;
                self.of.insert(id, provenance);
            }
            None => self.barrier = Some(Barrier::NotReported),
        }
    }

    /// Another key is in use, which may see it.
    pub fn on_other_key(&mut self) {
        self.barrier = None;
    }
}
