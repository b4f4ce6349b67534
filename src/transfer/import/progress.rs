//! What an import tells while it works.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::transfer::journal::{Outcome, State};
use crate::transfer::rows::Bad;

/// Takes what is told, in the task that has it. It must not wait.
pub type Tell = Arc<dyn Fn(Told) + Send + Sync>;

/// What became of a row, and what else there is to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// A row was sent.
    Row {
        /// Its number, from 1.
        row: u64,
        /// Its line in the file.
        line: u64,
        /// The animal's name, safe to show.
        name: String,
        /// What became of it.
        outcome: Outcome,
    },
    /// A row cannot be sent.
    Bad(Bad),
    /// A row may have been added before, and is left alone.
    Doubt {
        /// Its number, from 1.
        row: u64,
        /// Its line in the file.
        line: u64,
    },
    /// All wait.
    Waiting {
        /// For so long.
        wait: Duration,
        /// Why, safe to show.
        why: String,
    },
}

impl Told {
    /// Whether it is a row that was not added.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        match self {
            Self::Row { outcome, .. } => match outcome {
                Outcome::Refused(_) | Outcome::Unknown(_) | Outcome::Invalid(_) => true,
                Outcome::Added(_) | Outcome::NotSent(_) => false,
            },
            Self::Bad(_) | Self::Doubt { .. } => true,
            Self::Waiting { .. } => false,
        }
    }
}

/// The counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Added now.
    pub added: u64,
    /// Added before, as the journal says.
    pub added_before: u64,
    /// Refused by the service, now or before.
    pub refused: u64,
    /// Rows that cannot be sent.
    pub invalid: u64,
    /// May have been added.
    pub unknown: u64,
    /// Certainly not added, though they were sent: they may be sent again.
    pub not_sent: u64,
    /// Rows whose status was mended.
    pub mended: u64,
    /// Sent, and no answer yet.
    pub under_way: u64,
    /// Nothing is sent before.
    pub waiting_until: Option<Instant>,
}

impl Progress {
    /// Good rows of which is known what became.
    #[must_use]
    pub const fn dealt_with(&self) -> u64 {
        self.added + self.added_before + self.refused + self.unknown
    }

    /// Rows that were not added.
    #[must_use]
    pub const fn errors(&self) -> u64 {
        self.refused + self.invalid + self.unknown
    }

    pub(super) const fn count(&mut self, told: &Told) {
        match told {
            Told::Row { outcome, .. } => {
                self.under_way = self.under_way.saturating_sub(1);
                match outcome {
                    Outcome::Added(_) => self.added += 1,
                    Outcome::Refused(_) => self.refused += 1,
                    Outcome::Unknown(_) => self.unknown += 1,
                    Outcome::Invalid(_) => self.invalid += 1,
                    Outcome::NotSent(_) => self.not_sent += 1,
                }
            }
            Told::Bad(_) => self.invalid += 1,
            Told::Doubt { .. } => self.unknown += 1,
            Told::Waiting { .. } => {}
        }
    }

    /// A row of which the journal says enough.
    pub(super) const fn before(&mut self, state: State) {
        match state {
            State::Added => self.added_before += 1,
            State::Refused => self.refused += 1,
            State::Open | State::InDoubt => {}
        }
    }

    /// What is under way is not waited for any more.
    pub(super) const fn abandon(&mut self) {
        self.unknown += self.under_way;
        self.under_way = 0;
    }
}
