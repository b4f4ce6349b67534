//! What the reader and the senders of an import share. A sender takes a row, sends it until its outcome is known, and records
//! that. A row is recorded as sent just before: after a kill, only the outcome of the rows that were being sent is unknown.

use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures_util::{Stream, StreamExt as _};
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep_until;
use tokio_util::sync::CancellationToken;

use super::progress::{ImportProgress, ImportedRow, OnImportedRow, Waiting};
use super::work::{Patience, Work};
use crate::api::retry::{FailedAttempt, dice, pause, until_done};
use crate::api::{Client, Failure};
use crate::clock::{self, Now};
use crate::transfer::journal::{self, RowAnswer, RowNumbers, RowState};
use crate::transfer::rows::{self, Bad, Row};
use crate::transfer::{Input, Journal, Result, RowOutcome, TransferError};

/// Rows that the reader hands over together, to wake the senders less often.
const PART: usize = 32;

/// The longest pause that the service may ask for: its number of seconds may be absurd.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

/// How often a row that fails while others succeed is sent again.
const OWN_FAILURES: u32 = 3;

/// Why an import has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportEnded {
    /// Every row is done.
    Complete,
    /// Stopped by the user.
    Stopped,
    /// A row was not added, and [`super::ImportOptions::stop_on_error`] was chosen.
    OnError,
    /// The service does not accept the key.
    Unauthorized(Failure),
    /// Nothing succeeded for too long, or the service asked for too long a pause.
    NoAnswer(Failure),
    /// The file or the journal failed: a sentence, safe to show.
    Failed(String),
}

impl ImportEnded {
    /// Why not every row of an import into `service` is done, as a sentence.
    pub fn why(&self, service: &str) -> Option<String> {
        match self {
            Self::Complete => None,
            Self::Stopped => Some("Stopped.".to_owned()),
            Self::OnError => Some("Stopped after a row that was not added.".to_owned()),
            Self::Unauthorized(failure) | Self::NoAnswer(failure) => Some(failure.sentence(service)),
            Self::Failed(why) => Some(why.clone()),
        }
    }
}

/// The shared state of an import.
pub struct Shared {
    pub work: Work,
    pub client: Client,
    pub pace: Mutex<Pace>,
    pub progress: watch::Sender<ImportProgress>,
    pub on_row: OnImportedRow,
    /// No new rows are sent.
    pub halt: CancellationToken,
    pub ended: Mutex<Option<ImportEnded>>,
}

impl Shared {
    /// By the clock of the service if its answers have a date, or else by that of this machine.
    fn now(&self) -> Timestamp {
        self.client.time().unwrap_or_else(|| clock::now().wall)
    }

    /// Waits until something may be sent.
    async fn ready(&self) {
        loop {
            let until = self.pace.lock().until;
            match until {
                Some(until) if until > clock::now().mono => sleep_until(until.into()).await,
                _ => return,
            }
        }
    }

    /// Stops sending; the first reason counts.
    pub fn end(&self, why: ImportEnded) {
        self.ended.lock().get_or_insert(why);
        self.halt.cancel();
    }

    /// The same, because the file or the journal failed.
    fn fail(&self, error: &TransferError) {
        self.end(ImportEnded::Failed(error.sentence()));
    }

    /// Writes to the journal, if there is one. A failure ends the import.
    pub fn note(&self, write: impl FnOnce(&Journal) -> Result<()>) -> bool {
        let written = self.work.journal.as_ref().map_or(Ok(()), write);
        written.inspect_err(|error| self.fail(error)).is_ok()
    }

    /// Counts and reports the row, and ends the import if the options ask for it.
    fn record(&self, row: ImportedRow) {
        self.progress.send_modify(|progress| progress.count(&row));
        let is_error = row.is_error();
        (self.on_row)(row);
        if is_error && self.work.how.stop_on_error {
            self.end(ImportEnded::OnError);
        }
    }

    /// Reads the input, in its own thread.
    pub fn read(&self, input: Input, turns: &mpsc::Sender<Vec<Turn>>) {
        let (mut part, name) = (Vec::new(), input.name.clone());
        let mut numbers = RowNumbers::of(&self.work.past, false);
        let read = || {
            rows::read(input, &self.work.past.head.reading, |row| {
                if self.halt.is_cancelled() {
                    return ControlFlow::Break(());
                }
                match row {
                    Ok(row) => part.extend(self.turn(Row { row: numbers.take(&row), ..row })),
                    Err(bad) => self.skip(&bad),
                }
                if part.len() >= PART && turns.blocking_send(std::mem::take(&mut part)).is_err() {
                    return ControlFlow::Break(());
                }
                ControlFlow::Continue(())
            })
        };
        // The input may be hostile, and the readers are partly third-party code. A panic must not look like the end of
        // the file.
        let crashed = || io::Error::other("its reader crashed. Report this as a bug");
        let read = catch_unwind(AssertUnwindSafe(read));
        if let Err(error) = read.unwrap_or_else(|_| Err(TransferError::Read { name, source: crashed() })) {
            self.fail(&error);
        }
        // It fails only without senders.
        let _ = turns.blocking_send(part);
    }

    /// Records a row that cannot be sent. It has no content to be known by, so a journal names it once.
    fn skip(&self, bad: &Bad) {
        let outcome = RowOutcome::Invalid(bad.reasons());
        if !self.work.is_new || self.note(|journal| journal.outcome(bad.row, bad.line, &outcome)) {
            self.record(ImportedRow { line: bad.line, name: String::new(), outcome, was_sent: false });
        }
    }

    /// The row, unless it is not to be sent.
    fn turn(&self, row: Row) -> Option<Turn> {
        // The file was changed meanwhile.
        if self.work.past.hash(row.row).is_some_and(|before| before != journal::hash(&row.new)) {
            let path = self.work.journal.as_ref().map_or_else(PathBuf::new, |journal| journal.path.clone());
            self.fail(&TransferError::Changed { path, what: format!("line {} is a different row", row.line) });
            return None;
        }
        let may_exist = match self.work.past.state(row.row) {
            RowState::Added => {
                self.progress.send_modify(|progress| progress.added_before += 1);
                return None;
            }
            RowState::Unknown => true,
            // The service may accept now what it refused before.
            RowState::NotSent | RowState::Refused | RowState::Invalid => false,
        };
        if may_exist && !self.work.how.send_unknown && !self.work.can_repeat(row.row, &self.client, self.now()) {
            let outcome = RowOutcome::Unknown(RowAnswer::new("sent before without an answer; not sent again"));
            self.record(ImportedRow::of(&row, outcome, false));
            return None;
        }
        Some(Turn { row, may_exist })
    }

    /// Sends one row after another, until there are no more or the import ends.
    pub async fn send_rows(&self, queue: &tokio::sync::Mutex<impl Stream<Item = Turn> + Unpin>) {
        let next = async || {
            self.ready().await;
            queue.lock().await.next().await
        };
        while let Some(Some(turn)) = self.halt.run_until_cancelled(next()).await {
            self.send(turn).await;
        }
    }

    async fn send(&self, turn: Turn) {
        let row = &turn.row;
        if !self.note(|journal| journal.sending(row, self.now())) {
            return;
        }
        self.progress.send_modify(|progress| progress.under_way += 1);
        let outcome = self.once(&turn).await;
        // If that cannot be written, its outcome stays unknown, which is correct.
        self.note(|journal| journal.outcome(row.row, row.line, &outcome));
        self.record(ImportedRow::of(row, outcome, true));
    }

    /// Sends a row until its outcome is known or cannot be determined.
    async fn once(&self, Turn { row, may_exist }: &Turn) -> RowOutcome {
        let (key, first) = (self.work.past.key_of(row.row), clock::now());
        let (mut own_failures, mut successes) = (0, self.pace.lock().successes);
        let again = |FailedAttempt { error, began, is_unknown }: FailedAttempt<'_>| {
            match verdict(error) {
                Verdict::Everybody => {
                    self.end(ImportEnded::Unauthorized(error.clone()));
                    return None;
                }
                Verdict::Never => return None,
                Verdict::Again => {}
            }
            let others_succeed = std::mem::replace(&mut successes, self.pace.lock().successes) < successes;
            own_failures += u32::from(others_succeed && is_own(error) || is_the_rows(error));
            self.pause(began, error);
            let repeats_safely = !is_unknown && !may_exist || is_known_since(&self.client, first);
            (repeats_safely && own_failures <= OWN_FAILURES)
                .then_some(async { self.halt.run_until_cancelled(self.ready()).await.is_some() })
        };
        let error = match until_done(|| self.client.create_pet(&row.new, &key), again).await {
            Ok(pet) => {
                self.pace.lock().succeeded(clock::now().mono);
                return RowOutcome::Added(pet.id);
            }
            Err(error) => error,
        };
        match verdict(&error) {
            _ if *may_exist => RowOutcome::Unknown(RowAnswer::new("It may have been added before.")),
            _ if error.outcome_unknown() => RowOutcome::Unknown(RowAnswer::from(&error)),
            Verdict::Never => RowOutcome::Refused(RowAnswer::from(&error)),
            Verdict::Everybody | Verdict::Again => RowOutcome::NotSent(RowAnswer::from(&error)),
        }
    }

    /// Makes all senders wait, or gives up.
    fn pause(&self, began: Instant, error: &Failure) {
        let now = clock::now().mono;
        let wait = self.pace.lock().failed(began, error.asked_pause(), now, dice());
        match wait {
            None => self.end(ImportEnded::NoAnswer(error.clone())),
            Some(wait) if wait.is_zero() => {}
            Some(wait) => {
                let why = RowAnswer::from(error).message;
                self.progress.send_modify(|progress| {
                    let since = progress.waiting.as_ref().map_or(now, |waiting| waiting.since);
                    progress.waiting = Some(Waiting { since, until: now + wait, why });
                });
            }
        }
    }
}

/// A row to send.
#[derive(Debug)]
pub struct Turn {
    pub row: Row,
    /// Whether it may have been added before.
    pub may_exist: bool,
}

/// How to treat a failure.
enum Verdict {
    /// The key is refused, for every row.
    Everybody,
    /// Sending it again may help, after a pause.
    Again,
    /// Sending it again is useless.
    Never,
}

/// Whether the service still knows a key that it got just after `first`; the machine may have been suspended for days.
fn is_known_since(client: &Client, first: Now) -> bool {
    let now = clock::now();
    let passed = now.mono.saturating_duration_since(first.mono);
    let passed = passed.max(now.wall.duration_since(first.wall).unsigned_abs());
    passed < client.idempotency_retention()
}

fn verdict(error: &Failure) -> Verdict {
    match error {
        Failure::Refused { status: 401 | 403, .. } => Verdict::Everybody,
        Failure::Refused { status: 408 | 429 | 500 | 502..=504, .. } => Verdict::Again,
        Failure::Refused { .. } if error.is_in_progress() => Verdict::Again,
        Failure::Refused { .. } => Verdict::Never,
        Failure::NotSent { .. } | Failure::NoAnswer { .. } | Failure::Broken { .. } | Failure::Malformed { .. } => {
            Verdict::Again
        }
        Failure::NotStarted { .. } | Failure::NotOverSsh | Failure::Busy | Failure::Crashed { .. } => Verdict::Never,
    }
}

/// Whether the row may be at fault if others succeed.
fn is_own(error: &Failure) -> bool {
    error.outcome_unknown() && !matches!(error, Failure::Refused { status: 409, .. })
}

/// Whether the row is probably at fault.
const fn is_the_rows(error: &Failure) -> bool {
    matches!(error, Failure::Refused { status: 500, .. } | Failure::Malformed { .. })
}

impl From<&Failure> for RowAnswer {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Refused { status, code, message, .. } => {
                Self { status: Some(*status), code: code.clone(), message: message.clone() }
            }
            failure => Self::new(failure.sentence("the service")),
        }
    }
}

/// When anything may be sent: a failure makes all senders wait, longer each time, and any success resets that.
#[derive(Debug)]
pub struct Pace {
    patience: Patience,
    /// Nothing is sent before this time.
    until: Option<Instant>,
    /// The number of pauses in a row.
    pauses: u32,
    last_success: Instant,
    /// How many requests have succeeded.
    successes: u64,
}

impl Pace {
    pub const fn new(patience: Patience, now: Instant) -> Self {
        Self { patience, until: None, pauses: 0, last_success: now, successes: 0 }
    }

    const fn succeeded(&mut self, now: Instant) {
        self.pauses = 0;
        self.last_success = now;
        self.successes += 1;
    }

    /// Notes that a request that `began` then has failed, and the pause the service `asked` for. Returns how long to
    /// wait; `None` to give up. `dice` in 0..1 spreads the clients of a recovering service.
    pub fn failed(&mut self, began: Instant, asked: Option<Duration>, now: Instant, dice: f64) -> Option<Duration> {
        let Patience { first, longest, give_up, .. } = self.patience;
        let waited = now.saturating_duration_since(self.last_success).max(asked.unwrap_or_default());
        if give_up.is_some_and(|give_up| waited >= give_up) {
            return None;
        }
        let until = match asked {
            Some(asked) => now + asked.min(LONGEST_ASKED),
            // A failure that began before the pause is not new.
            None if self.until.is_some_and(|until| began < until) => now,
            None => {
                self.pauses += 1;
                now + pause(first, longest, self.pauses - 1, None, dice)
            }
        };
        let until = self.until.map_or(until, |before| before.max(until));
        self.until = Some(until);
        Some(until.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_wait_together_longer_each_time_and_not_for_ever() {
        let begin = clock::now().mono;
        let at = |seconds| begin + Duration::from_secs(seconds);
        let limit = Some(Duration::from_secs(300));
        let mut pace =
            Pace::new(Patience { first: Duration::from_secs(1), give_up: limit, ..Patience::default() }, begin);
        let second = Duration::from_secs(1);
        assert_eq!(pace.failed(at(0), None, at(10), 1.0), Some(second));
        assert_eq!(pace.failed(at(0), None, at(10), 1.0), Some(second), "the same failure for another sender");
        assert_eq!(pace.failed(at(11), None, at(12), 1.0), Some(second * 2));
        assert_eq!(pace.failed(at(14), None, at(14), 1.0), Some(second * 4));
        assert_eq!(pace.failed(at(14), Some(second * 9), at(14), 1.0), Some(second * 9));
        for seconds in (30..200).step_by(10) {
            let wait = pace.failed(at(seconds + 60), None, at(seconds), 1.0);
            assert!(wait.is_some_and(|wait| wait <= second * 60), "{wait:?}");
        }
        assert_eq!(pace.failed(at(290), Some(second * 301), at(290), 1.0), None);
        assert_eq!(pace.failed(at(300), None, at(300), 1.0), None);
        pace.succeeded(at(300));
        assert_eq!(pace.failed(at(400), None, at(400), 1.0), Some(second));
        let mut endless = Pace::new(Patience::default(), begin);
        assert_eq!(endless.failed(at(90_000), Some(Duration::MAX), at(90_000), 1.0), Some(LONGEST_ASKED));
    }
}
