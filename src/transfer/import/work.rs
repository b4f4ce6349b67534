//! An import that is ready to be sent.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::api::Client;
use crate::clock;
use crate::model::IdempotencyKey;
use crate::transfer::input::Print;
use crate::transfer::journal::{Head, Journal, Past, Target};
use crate::transfer::{ColumnMapping, Input, TransferError};

/// How an import begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// There is no report yet.
    New,
    /// It goes on by its report.
    GoOn,
    /// It takes the place of an earlier one: of the one that was seen, or whatever is there.
    Anew(Option<Seen>),
}

/// What was looked at before it was decided how to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub file: Print,
    /// The earlier import.
    pub import: Uuid,
}

/// An import that is ready to be sent.
#[derive(Debug)]
pub struct Work {
    pub(super) id: Uuid,
    pub(super) reading: ColumnMapping,
    /// How many rows can be sent, where that is known.
    pub good: Option<u64>,
    pub(super) journal: Option<Journal>,
    pub(super) past: Option<Past>,
}

impl Work {
    /// An import that begins so, with its journal at `report` if it is to have one. `good` says how many rows can be sent,
    /// where that is known. A `reading` by which nothing is decided is that of the journal that it goes on with; in a file
    /// that has changed, rows are then recognised by what is in them. Blocks.
    pub fn start(
        start: &Start,
        input: &Input,
        reading: &ColumnMapping,
        good: Option<u64>,
        report: Option<PathBuf>,
        target: &Target,
    ) -> Result<Self, TransferError> {
        let Some(report) = report else {
            return Ok(Self { id: Uuid::new_v4(), reading: reading.clone(), good, journal: None, past: None });
        };
        let seen = match start {
            Start::GoOn => {
                let (journal, past) = Journal::resume(&report, input, target, reading)?;
                let Head { id, reading, good, .. } = past.head.clone();
                return Ok(Self { id, reading, good, journal: Some(journal), past: Some(past) });
            }
            Start::New => None,
            Start::Anew(seen) => seen.as_ref(),
        };
        let is_free = Journal::guard(&report);
        let replaces = seen.is_some() || matches!(start, Start::Anew(_)) && is_free.is_err();
        if !replaces {
            is_free?;
        }
        let file = input.print()?;
        // What was decided by the file and by that journal, is decided only if they are the same still.
        if let Some(differs) = seen.and_then(|seen| seen.file.difference(&file)) {
            return Err(TransferError::changed(&report, differs));
        }
        let head = Head::new(file, target, reading.clone(), good, clock::now().wall);
        let journal = if replaces {
            Journal::replace(&report, &head, seen.map(|seen| seen.import))?
        } else {
            Journal::create(&report, &head)?
        };
        Ok(Self { id: head.id, reading: head.reading, good, journal: Some(journal), past: None })
    }

    /// Leaves no journal of an import of which nothing was sent.
    pub(super) fn discard(self) {
        if let (Some(journal), None) = (self.journal, self.past) {
            journal.discard();
        }
    }

    /// Where the earlier journal is kept whose place this one's has taken.
    pub fn kept(&self) -> Option<&Path> {
        self.journal.as_ref()?.kept.as_deref()
    }

    /// Whether a row that may have been added can be sent again to `client`'s service without adding it twice.
    pub(super) fn can_repeat(&self, row: u64, client: &Client, now: Timestamp) -> bool {
        let doubt = self.past.as_ref().and_then(|past| past.doubts.get(&row));
        doubt.is_some_and(|doubt| {
            let age = SignedDuration::from_secs(now.as_second().saturating_sub(doubt.sent));
            doubt.ours && client.surely_knows(age)
        })
    }

    /// The Idempotency-Key of a row: the same whenever it is sent.
    pub(super) fn key(&self, row: u64) -> IdempotencyKey {
        let doubt = self.past.as_ref().and_then(|past| Some(past.doubts.get(&row)?.key(&past.head, row)));
        doubt.unwrap_or_else(|| IdempotencyKey::numbered(self.id, row))
    }
}
