//! The requests of rapid entry to the worker, and the replies.

use crate::api::failure::Failure;
use crate::app::outbox::queue::{LineSent, LineToSend, QueueRecord};
use crate::app::outbox::unknown_outcome::SearchedPets;
use crate::model::NewPet;

/// A request of rapid entry.
#[derive(Clone, Debug, PartialEq)]
pub enum RapidTask {
    /// Write records to the queue file.
    Write(Vec<QueueRecord>),
    /// Send a line once, in this lane.
    Send(usize, Box<LineToSend>),
    /// Search for a pet of this name and category that may have been added.
    SearchFor(NewPet),
}

/// The reply to a request of rapid entry.
#[derive(Clone, Debug, PartialEq)]
pub enum RapidReply {
    /// Records were written to the queue file, or why not.
    Written(Result<(), String>),
    /// The result of sending the line in this lane.
    Sent(usize, LineSent),
    /// The result of searching for a pet that may have been added.
    SearchedFor(Result<SearchedPets, Failure>),
}
