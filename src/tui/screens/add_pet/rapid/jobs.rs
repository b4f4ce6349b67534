//! What rapid entry asks the worker for, and what comes back.

use crate::api::failure::Failure;
use crate::app::outbox::queue::{LineSent, LineToSend, QueueRecord};
use crate::app::outbox::unknown_outcome::SearchedPets;
use crate::model::NewPet;

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
