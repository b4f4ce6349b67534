//! What the form asks the worker for, and what comes back.

use jiff::Timestamp;

use crate::api::failure::Failure;
use crate::app::outbox::send::NotCreated;
use crate::app::outbox::unknown_outcome::SearchedPets;
use crate::model::{IdempotencyKey, NewPet, Pet};

/// What a job of the form does.
#[derive(Clone, Debug, PartialEq)]
pub enum AddTask {
    /// Add an animal, once for each key.
    Create(NewPet, IdempotencyKey),
    /// Add an animal that was sent at this time with this key, if the service is sure to know the key still.
    Settle(NewPet, IdempotencyKey, Timestamp),
    /// Look for an animal of this name and category that may have been added.
    SearchFor(NewPet),
}

/// What came of a job of the form.
#[derive(Clone, Debug, PartialEq)]
pub enum AddReply {
    /// An animal was added, with its id.
    Created(Result<Pet, NotCreated>),
    /// An animal was not sent again: the service may not know its key any more.
    NotSettled,
    /// The search for an animal that may have been added.
    SearchedFor(Result<SearchedPets, Failure>),
}
