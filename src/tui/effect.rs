//! Everything that the app can ask for. Plain data: the worker does the network, the loop does the terminal.

use crate::api::NextPage;
use crate::model::{ApiKey, IdempotencyKey, NewPet, PetQuery};

use super::inflight::{ReqId, Slot};

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Work for the worker.
    Job(Job),
    /// Stop what runs in this slot; its reply no longer matters.
    Cancel(Slot),
    /// Give the terminal back and stop, as Ctrl-Z asks.
    Suspend,
    /// Paint everything anew.
    Redraw,
}

/// A job, with the slot and the id that its reply will carry.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Where the reply belongs. A newer job replaces the older one of its slot, except for [`Slot::Create`].
    pub slot: Slot,
    /// Which job it is.
    pub id: ReqId,
    /// What to do.
    pub task: Task,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Ask for a list, and follow its next pages up to `pages` in all.
    List {
        /// What to ask for.
        query: PetQuery,
        /// How many pages to follow, at least 1.
        pages: u16,
    },
    /// Ask for one further page.
    More(NextPage),
    /// Add an animal, once for each key.
    Create(NewPet, IdempotencyKey),
    /// Look for an animal of this name and category that may have been added.
    LookUp(NewPet),
    /// Ask for one animal with this key; go on with the key if it is accepted.
    TestKey(ApiKey),
    /// Add this many samples, one after another; the key stands for all of them.
    AddSamples(usize, IdempotencyKey),
}
