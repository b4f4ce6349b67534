//! A sender: takes a row, sends it until its outcome is known, and records that.
//!
//! A row is recorded as sent just before: after a kill, only the outcome of the rows that were being sent is unknown.

use std::time::Instant;

use futures_util::{Stream, StreamExt as _};

use super::shared::{ImportEnded, Shared, Turn};
use super::{ImportedRow, Waiting};
use crate::api::retry::{FailedAttempt, create_pet, dice};
use crate::api::{Client, Failure};
use crate::clock::{self, Now};
use crate::transfer::RowOutcome;
use crate::transfer::journal::RowAnswer;

/// How often a row that fails while others succeed is sent again.
const OWN_FAILURES: u32 = 3;

/// How to treat a failure.
enum Verdict {
    /// The key is refused, for every row.
    Everybody,
    /// Sending it again may help, after a pause.
    Again,
    /// Sending it again is useless.
    Never,
}

impl Shared {
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
        let error = match create_pet(&self.client, &row.new, &key, again).await {
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
