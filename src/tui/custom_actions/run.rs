//! What the user's own actions are, one run of them, and what came of it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use crate::config::CustomAction;
use crate::model::text::short;
use crate::model::{Pet, PetId};

/// The user's own actions, and what they have yet to do.
#[derive(Clone, Debug, Default)]
pub struct CustomActions {
    /// As the configuration has them.
    pub all: Arc<[CustomAction]>,
    /// Runs for added pets that wait for an earlier one of their action.
    pub(in crate::tui) waiting: VecDeque<Run>,
    /// The added pets that were handled: each may come as an answer and as an event.
    pub(in crate::tui) handled: BTreeSet<PetId>,
}

/// One run of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its number in the configuration.
    pub number: usize,
    pub action: CustomAction,
    /// What it gets.
    pub pets: Vec<Pet>,
    /// Whether a pet that was added asked for it, not the user.
    pub automatic: bool,
}

impl Run {
    /// What it is about, in words.
    pub fn subject(&self) -> String {
        match self.pets.as_slice() {
            [pet] => format!("{} {}", pet.id, short(&pet.name)),
            pets => format!("{} rows", pets.len()),
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    pub number: usize,
    pub automatic: bool,
    /// What the program printed, or why it failed.
    pub result: Result<String, String>,
}
