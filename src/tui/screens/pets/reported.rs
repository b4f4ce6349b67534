//! What the service reports: new pets, over a connection, and who added which.

use crate::model::{PetId, Provenance, Provenances};

/// What the service reports, and what is not settled of it.
#[derive(Clone, Debug, Default)]
pub struct Follow {
    pub(super) link: FollowLink,
    /// The last pet that was reported, or the position at which the reports began.
    pub(in crate::tui) position: Option<PetId>,
    /// Reported while this program was adding pets: they may be its own.
    pub(super) held: Vec<PetId>,
}

/// The connection to the reports of the service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FollowLink {
    /// There is none.
    #[default]
    Off,
    /// New pets come at once.
    Live,
    /// The service has refused it: it is not tried again.
    Refused,
}

impl Follow {
    /// Whether new pets come at once.
    pub fn is_live(&self) -> bool {
        self.link == FollowLink::Live
    }

    /// Another key is in use, with which it may be tried again.
    pub fn on_other_key(&mut self) {
        self.link = FollowLink::Off;
    }
}

/// Who added pets, as far as it was asked for or reported.
#[derive(Clone, Debug, Default)]
pub struct KnownProvenance {
    pub(super) of: Provenances,
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
    pub(super) fn on_listed(&mut self) {
        self.barrier.take_if(|barrier| *barrier == Barrier::Failed);
    }

    /// Learns of a pet that was reported.
    pub(super) fn learn(&mut self, id: PetId, provenance: Option<Provenance>) {
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
