//! What all that work at one import share.

use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use super::backoff::Pace;
use super::plan::{ImportOptions, OnError};
use super::progress::{ImportEvent, ImportProgress, OnImportEvent};
use super::work::Work;
use crate::api::{Client, Failure};
use crate::clock::{self, Now};
use crate::transfer::journal::{self, Journal, RowOutcome, RowState};
use crate::transfer::rows::{self, Bad, Row};
use crate::transfer::{Input, TransferError};

/// Rows that the reader hands over at once, so that it need not wake the senders for each.
const PART: usize = 32;

/// Why an import has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportEnded {
    /// Every row was dealt with.
    Complete,
    /// It was told to.
    Stopped,
    /// A row was not added, and [`OnError::Stop`] was chosen.
    OnError,
    /// So many rows were not added that it was too much.
    TooManyErrors,
    /// The service does not accept the key.
    Unauthorized(Failure),
    /// Nothing has succeeded for too long, or the service asks for too long a pause.
    NoAnswer(Failure),
    /// The file or the journal failed, for this reason.
    Failed(String),
}

/// The clock of the service, as one of its answers had it; this machine's where they have no date.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServiceClock {
    pub(super) date: Timestamp,
    pub(super) at: Now,
}

impl ServiceClock {
    pub(super) fn now(self) -> Timestamp {
        let passed = clock::now().mono.saturating_duration_since(self.at.mono);
        self.date.checked_add(passed).unwrap_or(Timestamp::MAX)
    }
}

/// What all that work at one import share.
pub(super) struct Shared {
    pub(super) work: Work,
    pub(super) how: ImportOptions,
    pub(super) client: Client,
    pub(super) clock: ServiceClock,
    pub(super) pace: Pace,
    pub(super) progress: watch::Sender<ImportProgress>,
    pub(super) tell: OnImportEvent,
    /// Nothing new is sent.
    pub(super) halt: CancellationToken,
    pub(super) ended: Mutex<Option<ImportEnded>>,
}

impl Shared {
    /// Sends nothing new, for the first of the reasons that are given.
    pub(super) fn end(&self, why: ImportEnded) {
        self.ended.lock().get_or_insert(why);
        self.halt.cancel();
    }

    /// Writes to the journal, if there is one. What cannot be written ends the import.
    pub(super) fn note(&self, write: impl FnOnce(&Journal) -> Result<(), TransferError>) -> bool {
        match self.work.journal.as_ref().map_or(Ok(()), write) {
            Ok(()) => true,
            Err(error) => {
                self.end(ImportEnded::Failed(error.to_string()));
                false
            }
        }
    }

    /// Counts what became of a row, tells it, and ends the import where that is enough.
    pub(super) fn settled(&self, told: ImportEvent) {
        let mut errors = 0;
        self.progress.send_modify(|progress| {
            progress.count(&told);
            errors = progress.errors();
        });
        let is_error = told.is_error();
        (self.tell)(told);
        if is_error && self.how.on_error == OnError::Stop {
            self.end(ImportEnded::OnError);
        } else if is_error && self.how.max_errors.is_some_and(|most| errors >= most) {
            self.end(ImportEnded::TooManyErrors);
        }
    }

    /// Reads everything, in a thread of its own.
    pub(super) fn read(&self, input: Input, turns: &mpsc::Sender<Vec<Turn>>) {
        let (mut part, name) = (Vec::new(), input.name.clone());
        let read = || rows::read(input, &self.work.reading, |row| self.sort(row, &mut part, turns));
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => self.end(ImportEnded::Failed(error.to_string())),
            // What is read is hostile, and not all of its readers are from here. It must not be taken for its end.
            Err(_) => {
                let source = io::Error::other("its reader gave up; please report this");
                self.end(ImportEnded::Failed(TransferError::Read { name, source }.to_string()));
            }
        }
        // Without senders it is not needed any more.
        let _ = turns.blocking_send(part);
    }

    /// Deals with a row that is read: what is not to be sent ends here.
    fn sort(&self, row: Result<Row, Bad>, part: &mut Vec<Turn>, turns: &mpsc::Sender<Vec<Turn>>) -> ControlFlow<()> {
        if self.halt.is_cancelled() {
            return ControlFlow::Break(());
        }
        let turn = match row {
            Ok(row) => self.turn(row),
            Err(bad) => {
                let is_new = self.state(bad.row) == RowState::Open;
                let why = bad.sentence();
                if is_new && !self.note(|journal| journal.outcome(bad.row, bad.line, &RowOutcome::Invalid(why))) {
                    return ControlFlow::Break(());
                }
                self.settled(ImportEvent::Bad(bad));
                None
            }
        };
        part.extend(turn);
        if part.len() >= PART && turns.blocking_send(std::mem::take(part)).is_err() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn state(&self, row: u64) -> RowState {
        self.work.past.as_ref().map_or(RowState::Open, |past| past.state(row))
    }

    fn turn(&self, row: Row) -> Option<Turn> {
        if row.corrected {
            self.progress.send_modify(|progress| progress.corrected += 1);
        }
        let before = self.work.past.as_ref().and_then(|past| past.hash(row.row));
        // The file was written to meanwhile.
        if before.is_some_and(|before| before != journal::hash(&row.new)) {
            let path = self.work.journal.as_ref().map_or_else(PathBuf::new, |journal| journal.path.clone());
            let changed = TransferError::Changed { path, what: format!("line {} is another row", row.line) };
            self.end(ImportEnded::Failed(changed.to_string()));
            return None;
        }
        match self.state(row.row) {
            RowState::Open => Some(Turn { row, doubted: false }),
            RowState::Refused if self.how.retry_refused => Some(Turn { row, doubted: false }),
            RowState::Unknown => {
                let is_safe = self.work.can_repeat(row.row, &self.client, self.clock.now());
                if !is_safe && !self.how.send_unknown {
                    self.settled(ImportEvent::UnknownOutcome { line: row.line });
                    return None;
                }
                Some(Turn { row, doubted: true })
            }
            RowState::Added => {
                self.progress.send_modify(|progress| progress.added_before += 1);
                None
            }
            RowState::Refused => {
                self.progress.send_modify(|progress| progress.refused += 1);
                None
            }
        }
    }
}

/// A row to send.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) row: Row,
    /// Whether it may have been added before.
    pub(super) doubted: bool,
}
