//! What the screen of pets asks the worker for, and what comes back.

use crate::api::NextPage;
use crate::api::failure::Failure;
use crate::api::find::{Ask, LookupResult};
use crate::api::follow::AddedPet;
use crate::api::inventory::Coverage;
use crate::api::list::{List, ListAnswer};
use crate::model::{IdempotencyKey, Pet, PetId, PetQuery, PetStatus, Provenances};

/// What a job about pets does.
#[derive(Clone, Debug, PartialEq)]
pub enum PetsTask {
    /// Ask for a list, and follow its next pages up to `pages` in all.
    List {
        /// What to ask for.
        query: PetQuery,
        /// How many pages to follow, at least 1.
        pages: u16,
        /// What is here already: rows that are still the same need not come again.
        known: Option<List>,
    },
    /// Ask for one further page.
    More(NextPage),
    /// Ask for the list of one status, for how many there are.
    Count {
        /// Which.
        status: PetStatus,
        /// What is here already.
        known: Option<List>,
    },
    /// Give out the whole inventory.
    ReadInventory,
    /// Look up the pet with this id.
    Find(PetId, Ask),
    /// Follow the pets that are added after this one, or from now on, until it is given up.
    Follow {
        /// The last pet that is known.
        after: Option<PetId>,
    },
    /// Ask who added these pets.
    Provenance(Vec<PetId>),
    /// Add this many samples, one after another, with one key for all of them.
    AddSamples(usize, IdempotencyKey),
}

/// What came of a job about pets.
#[derive(Clone, Debug, PartialEq)]
pub enum PetsReply {
    /// The rows of the table, one or more pages of them.
    Listed(Result<ListAnswer, Failure>),
    /// A further page of them.
    More(Result<ListAnswer, Failure>),
    Counted(PetStatus, Result<ListAnswer, Failure>),
    /// A part of the whole inventory; more follows.
    InventoryPart(Vec<Pet>),
    /// The whole inventory was given out.
    InventoryRead(Result<Coverage, Failure>),
    /// The result of a look-up.
    Found(Result<LookupResult, Failure>),
    /// The service has reported something; more follows.
    Followed(Followed),
    /// The service cannot be followed.
    NotFollowed(Failure),
    /// Who added the pets; nothing where the service does not report it.
    Provenance(Result<Option<Provenances>, Failure>),
    /// How many samples were added; fewer than asked for with the reason.
    SamplesAdded(usize, Option<Failure>),
}

/// What the service reports while it is followed.
#[derive(Clone, Debug, PartialEq)]
pub enum Followed {
    /// The connection is there: what is added after this pet comes.
    Connected(PetId),
    /// These were added, in this order.
    Added(Vec<AddedPet>),
    /// Pets that were there are gone: the service goes on after this one.
    PetsLost(PetId),
    /// The connection is gone for a while.
    Lost,
}
