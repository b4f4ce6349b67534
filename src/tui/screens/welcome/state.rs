//! What is offered at the first start, and what was chosen.

use crate::app::first_run::StartChoice;

/// The first start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The directories that will be written.
    pub directories: Vec<String>,
    /// The marked option, from 0.
    pub cursor: usize,
    /// What was chosen: the program starts again with it.
    pub chosen: Option<StartChoice>,
}

/// What is offered: what it is, what comes of it, and what the program starts again with; a service elsewhere needs a
/// profile first.
pub const OPTIONS: [(&str, &str, Option<StartChoice>); 3] = [
    ("Look around", "250 pets; not saved", Some(StartChoice::Samples)),
    ("Use a store on this computer", "embedded; starts empty", Some(StartChoice::Embedded)),
    ("Connect to a service", "needs address and key", None),
];
