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

/// An option to start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartOption {
    /// [`StartChoice::Samples`]
    Samples,
    /// [`StartChoice::Embedded`]
    Embedded,
    /// A new profile for a service elsewhere.
    Connect,
}

impl StartOption {
    /// All of them, as they are offered.
    pub const ALL: [Self; 3] = [Self::Samples, Self::Embedded, Self::Connect];

    /// What it is, and what comes of it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Samples => ("Look around", "250 pets; not saved"),
            Self::Embedded => ("Use a store on this computer", "embedded; starts empty"),
            Self::Connect => ("Connect to a service", "needs address and key"),
        }
    }
}
