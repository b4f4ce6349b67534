//! The requests of the form to the worker, and the replies.

use crate::api::failure::Failure;
use crate::app::outbox::send::{NotCreated, SentAt};
use crate::app::outbox::unknown_outcome::SearchedPets;
use crate::model::{IdempotencyKey, NewPet, Pet};

/// A request of the form.
#[derive(Clone, Debug, PartialEq)]
pub enum AddTask {
    /// Add a pet, once for each key.
    Create(NewPet, IdempotencyKey),
    /// Send a pet again that was first sent then with this key, if the service certainly still knows the key.
    Settle(NewPet, IdempotencyKey, SentAt),
    /// Search for a pet of this name and category that may have been added.
    SearchFor(NewPet),
}

/// The reply to a request of the form.
#[derive(Clone, Debug, PartialEq)]
pub enum AddReply {
    /// A pet was added.
    Created(Result<Pet, NotCreated>),
    /// A pet was not sent again: the service may have forgotten its key.
    NotSettled,
    /// The result of searching for a pet that may have been added.
    SearchedFor(Result<SearchedPets, Failure>),
}
