//! What the form asks the worker for, and what comes back.

use jiff::Timestamp;

use crate::api::failure::Failure;
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

/// Why an animal was not added, as far as is known.
#[derive(Clone, Debug, PartialEq)]
pub struct NotCreated {
    /// What came instead of the animal.
    pub failure: Failure,
    /// Whether it may be sent again with its key, which adds no second one.
    pub repeatable: bool,
}

impl From<Failure> for NotCreated {
    /// A failure that says nothing about keys.
    fn from(failure: Failure) -> Self {
        Self { failure, repeatable: false }
    }
}

/// What looking for an animal gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchedPets {
    /// Those of the same name and category.
    pub matches: Vec<Pet>,
    /// Whether every animal of that status was seen.
    pub complete: bool,
}
