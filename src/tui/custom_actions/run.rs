//! One run of the user's own actions, and what came of it.

use crate::config::CustomAction;
use crate::model::Pet;
use crate::model::text::short;

/// One run of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its number in the configuration.
    pub number: usize,
    pub action: CustomAction,
    /// What it gets.
    pub pets: Vec<Pet>,
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
    /// What the program printed, or why it failed.
    pub result: Result<String, String>,
}
