//! What is asked before something is done.

use std::time::{Duration, Instant};

use crate::model::NewPet;
use crate::tui::custom_actions::run::Run;

/// How long keys are ignored after a box opened on its own.
pub(in crate::tui) const DEAF: Duration = Duration::from_millis(250);

/// Add it?
#[derive(Clone, Debug, PartialEq)]
pub struct ConfirmBox {
    /// What will be done.
    pub change: PendingChange,
    /// Keys pressed before this moment are ignored: the user had not seen the box.
    pub deaf_until: Instant,
}

/// A change that is asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum PendingChange {
    /// Public resolvers are asked about domains.
    PublicResolvers,
    /// This pet is added.
    Add(NewPet),
    /// So many samples are added.
    Samples(usize),
    /// Rapid entry begins; so many lines wait already.
    Rapid(usize),
    /// So many rows of a file are sent.
    Import(u64),
    /// One of the user's own actions runs.
    Run(Box<Run>),
    /// The answer about a pet is no longer waited for. Sends nothing.
    StopWaiting,
    /// No more rows of a file are sent. Sends nothing.
    StopImport,
}
