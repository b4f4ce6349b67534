//! An import that is ready to be sent, its options and controls.

use std::path::PathBuf;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use smart_default::SmartDefault;
use uuid::Uuid;

use crate::api::Client;
use crate::clock;
use crate::transfer::input::Print;
use crate::transfer::journal::{Head, Past};
use crate::transfer::preview::RowCounts;
use crate::transfer::{ColumnMapping, Input, Journal, Result, Target, TransferError};

/// How rows are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SmartDefault)]
pub struct ImportOptions {
    /// Rows sent at a time, 1 to 16.
    #[default(4)]
    pub concurrency: usize,
    /// Send no more rows after one that was not added. Otherwise the others are sent.
    pub stop_on_error: bool,
    /// Send rows that may have been added even if that could add them twice. Otherwise they are skipped and counted as
    /// unknown.
    pub send_unknown: bool,
    /// The timeouts and pauses.
    pub patience: Patience,
}

/// The timeouts and pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SmartDefault)]
pub struct Patience {
    /// The first pause after a failure; each further one is twice as long.
    #[default(Duration::from_millis(200))]
    pub first: Duration,
    /// The longest pause that the service did not ask for.
    #[default(Duration::from_secs(60))]
    pub longest: Duration,
    /// The import stops after this time without a success, or if the service asks for a longer pause. Without a limit,
    /// somebody must be there to stop it.
    pub give_up: Option<Duration>,
    /// How long requests may take after the import is stopped.
    #[default(Duration::from_secs(10))]
    pub stop_within: Duration,
}

/// The controls of a running import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportControl {
    /// Nothing: rows are sent.
    Go,
    /// Send no new rows, wait for those being sent, and end.
    Stop,
    /// End immediately.
    Abort,
}

/// How an import begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// A new import without an earlier report.
    #[default]
    New,
    /// It resumes from its report.
    GoOn,
    /// It replaces an earlier one: the one that was seen, or whichever is there.
    Anew(Option<Seen>),
}

/// The state that the decision how to start is based on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub file: Print,
    /// The earlier import.
    pub import: Uuid,
}

/// An import to start or continue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportRun {
    /// How the file is read; if that is the default, a continued import uses that of its report.
    pub reading: ColumnMapping,
    /// The number of its rows, if known.
    pub counts: Option<RowCounts>,
    pub start: Start,
    /// The report, written row by row; without one, it cannot be continued.
    pub report: Option<PathBuf>,
    /// How rows are sent.
    pub how: ImportOptions,
}

/// An import that is ready to be sent.
#[derive(Debug)]
pub struct Work {
    /// What its journal had before, but for a new one the head alone.
    pub past: Past,
    pub(super) how: ImportOptions,
    pub journal: Option<Journal>,
    /// Whether it does not resume.
    pub(super) is_new: bool,
}

impl Work {
    /// Prepares `run` with the rows of `input`, which it also returns. Blocks.
    pub fn start(run: ImportRun, input: Input, target: &Target) -> Result<(Input, Self)> {
        let ImportRun { reading, counts, start, report, how } = run;
        let at = clock::now().wall;
        let Some(report) = report else {
            let past = Head::new(Print::default(), target, reading, counts, at).into();
            return Ok((input, Self { past, how, journal: None, is_new: true }));
        };
        let seen = match start {
            Start::GoOn => {
                let (journal, past) = Journal::resume(&report, &input, target, &reading)?;
                return Ok((input, Self { past, how, journal: Some(journal), is_new: false }));
            }
            Start::New => None,
            Start::Anew(ref seen) => seen.as_ref(),
        };
        let is_free = Journal::guard(&report);
        let replaces = seen.is_some() || matches!(start, Start::Anew(_)) && is_free.is_err();
        if !replaces {
            is_free?;
        }
        let file = input.print()?;
        // The decision holds only if the file is still the same.
        if let Some(differs) = seen.and_then(|seen| seen.file.difference(&file)) {
            return Err(TransferError::changed(&report, differs));
        }
        let head = Head::new(file, target, reading, counts, at);
        let journal = if replaces {
            Journal::replace(&report, &head, seen.map(|seen| seen.import))?
        } else {
            Journal::create(&report, &head)?
        };
        Ok((input, Self { past: head.into(), how, journal: Some(journal), is_new: true }))
    }

    /// Removes the journal of an import that sent nothing.
    pub(super) fn discard(self) {
        if let Some(journal) = self.journal.filter(|_| self.is_new) {
            journal.discard();
        }
    }

    /// Whether a row that may have been added can be sent again to `client`'s service without adding it twice.
    pub(super) fn can_repeat(&self, row: u64, client: &Client, now: Timestamp) -> bool {
        self.past.unknown_rows.get(&row).is_some_and(|unknown| {
            let age = SignedDuration::from_secs(now.as_second().saturating_sub(unknown.sent));
            unknown.ours && client.surely_knows(age)
        })
    }
}
