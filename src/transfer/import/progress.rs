//! The events and progress of an import.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::transfer::journal::RowOutcome;
use crate::transfer::rows::Bad;

/// Takes what is event, in the task that has it. It must not wait.
pub type OnImportEvent = Arc<dyn Fn(ImportEvent) + Send + Sync>;

/// What became of a row, and what else there is to on_event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportEvent {
    /// A row was sent.
    Row {
        /// Its line in the file.
        line: u64,
        /// The pet's name, safe to show.
        name: String,
        /// What happened to it.
        outcome: RowOutcome,
    },
    /// A row cannot be sent.
    Bad(Bad),
    /// A row may have been added before, and was skipped.
    UnknownOutcome {
        /// Its line in the file.
        line: u64,
    },
    /// Sending pauses.
    Waiting {
        /// How long.
        wait: Duration,
        /// Why, safe to show.
        why: String,
    },
}

impl ImportEvent {
    /// Whether it is a row that was not added.
    pub const fn is_error(&self) -> bool {
        match self {
            Self::Row { outcome, .. } => !matches!(outcome, RowOutcome::Added(_) | RowOutcome::NotSent(_)),
            Self::Bad(_) | Self::UnknownOutcome { .. } => true,
            Self::Waiting { .. } => false,
        }
    }
}

/// The counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportProgress {
    /// Added now.
    pub added: u64,
    /// Added before, by the journal.
    pub added_before: u64,
    /// Refused by the service, now or before.
    pub refused: u64,
    /// Rows that cannot be sent.
    pub invalid: u64,
    /// May have been added.
    pub unknown: u64,
    /// Those that were not sent now, since that could add them twice.
    pub left_alone: u64,
    /// Sent, but definitely not added: they may be sent again.
    pub not_sent: u64,
    /// Rows whose status was corrected.
    pub corrected: u64,
    /// Sent, and no answer yet.
    pub under_way: u64,
    /// Nothing is sent before this time.
    pub waiting_until: Option<Instant>,
}

impl ImportProgress {
    /// Good rows that are done.
    pub const fn dealt_with(&self) -> u64 {
        self.added + self.added_before + self.refused + self.unknown
    }

    /// Rows that were not added.
    pub const fn errors(&self) -> u64 {
        self.refused + self.invalid + self.unknown
    }

    pub(super) const fn count(&mut self, event: &ImportEvent) {
        match event {
            ImportEvent::Row { outcome, .. } => {
                self.under_way = self.under_way.saturating_sub(1);
                match outcome {
                    RowOutcome::Added(_) => self.added += 1,
                    RowOutcome::Refused(_) => self.refused += 1,
                    RowOutcome::Unknown(_) => self.unknown += 1,
                    RowOutcome::Invalid(_) => self.invalid += 1,
                    RowOutcome::NotSent(_) => self.not_sent += 1,
                }
            }
            ImportEvent::Bad(_) => self.invalid += 1,
            ImportEvent::UnknownOutcome { .. } => {
                self.unknown += 1;
                self.left_alone += 1;
            }
            ImportEvent::Waiting { .. } => {}
        }
    }
}
