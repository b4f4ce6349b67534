//! What rapid entry asks the worker for, and what comes back.

use jiff::Timestamp;

use crate::api::failure::Failure;
use crate::config::queue::QueueRecord;
use crate::model::{IdempotencyKey, NewPet, Pet};
use crate::tui::screens::add_pet::jobs::SearchedPets;

/// What a job of rapid entry does.
#[derive(Clone, Debug, PartialEq)]
pub enum RapidTask {
    /// Write what became of lines into their file.
    Write(Vec<QueueRecord>),
    /// Send a line in this lane, once.
    Send(usize, Box<LineToSend>),
    /// Look for an animal of this name and category that may have been added.
    SearchFor(NewPet),
}

/// A line to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineToSend {
    /// Its number in the file.
    pub line: u64,
    /// The animal.
    pub new: NewPet,
    /// With which key.
    pub key: IdempotencyKey,
    /// Whose API key goes with it, for the file.
    pub by: String,
    /// It was typed then and sent since, and may have arrived: only for a service that is sure to know its key still.
    pub again: Option<Timestamp>,
}

/// What came of a job of rapid entry.
#[derive(Clone, Debug, PartialEq)]
pub enum RapidReply {
    /// What became of lines was written into their file, or why not.
    Written(Result<(), String>),
    /// What came of sending the line in this lane.
    Sent(usize, LineSent),
    /// The search for an animal that may have been added.
    SearchedFor(Result<SearchedPets, Failure>),
}

/// What came of sending a line.
#[derive(Clone, Debug, PartialEq)]
pub enum LineSent {
    /// It was added.
    Saved(Pet),
    /// This came instead of the animal.
    Failed(Failure),
    /// It was not sent this time, for this reason.
    NotSent(Failure),
    /// It may have arrived before, and the service does not keep keys: it was not sent again.
    NotRepeatable,
}
