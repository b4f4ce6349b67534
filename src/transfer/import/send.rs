//! One of several senders: takes a row, sends it as often as it takes, writes what came of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::prefetch::Queue;
use super::shared::{ImportEnded, Shared, Turn};
use super::{ImportControl, ImportEvent};
use crate::api::error::RetryAfter;
use crate::api::retry::dice;
use crate::api::{ApiError, Client, Failure};
use crate::clock::{self, Now};
use crate::model::{PetId, ProblemCode, display_safe};
use crate::transfer::journal::{RowAnswer, RowOutcome};
use crate::transfer::rows::Row;

/// How often a row that fails while others succeed is sent again.
const OWN_FAILURES: u32 = 3;

pub(super) struct Sender {
    pub(super) shared: Arc<Shared>,
    pub(super) queue: Arc<Queue>,
    pub(super) controls: watch::Receiver<ImportControl>,
}

/// What a failure asks for.
enum Verdict {
    /// No row will fare better.
    Everybody(ImportEnded),
    /// Sending it again may help, after a pause.
    Again(Option<Duration>),
    /// It is the row.
    Never,
}

impl Sender {
    pub(super) async fn run(mut self) {
        let halt = self.shared.halt.clone();
        loop {
            let turn = async {
                // Nobody who could wish for anything is left: then it goes on.
                let _ = self.controls.wait_for(|control| *control != ImportControl::Pause).await;
                self.shared.pace.ready().await;
                self.queue.next().await
            };
            tokio::select! {
                biased;
                () = halt.cancelled() => return,
                turn = turn => match turn {
                    Some(turn) => self.send(turn).await,
                    None => return,
                },
            }
        }
    }

    async fn send(&self, turn: Turn) {
        let shared = &*self.shared;
        let Row { row, line, new, .. } = &turn.row;
        shared.progress.send_modify(|progress| {
            progress.under_way += 1;
            progress.waiting_until = None;
        });
        let outcome = match self.once(&turn).await {
            Ok(id) => RowOutcome::Added(id),
            Err(outcome) => outcome,
        };
        // Where that cannot be written, the row stays in doubt, which is true.
        shared.note(|journal| journal.outcome(*row, *line, &outcome));
        shared.settled(ImportEvent::Row {
            row: *row,
            line: *line,
            name: display_safe(&new.name).into_owned(),
            outcome,
        });
    }

    /// Sends a row until it is added, or it is known that it is not, or nothing more can be known.
    async fn once(&self, turn: &Turn) -> Result<PetId, RowOutcome> {
        let shared = &*self.shared;
        let (key, first) = (shared.work.key(turn.row.row), clock::now());
        // The first failure after which it may have been added: what fails for sure later says nothing about that one.
        let mut outcome_unknown = turn
            .doubted
            .then(|| RowAnswer { message: "It may have been added before.".to_owned(), ..RowAnswer::default() });
        let (mut own_failures, mut successes) = (0, shared.pace.successes());
        loop {
            let began = clock::now().mono;
            let error = match shared.client.create_pet(&turn.row.new, &key).await {
                Ok(pet) => {
                    shared.pace.succeeded(clock::now().mono);
                    return Ok(pet.id);
                }
                Err(error) => error,
            };
            let answer = RowAnswer::from(&error);
            if error.outcome_unknown() {
                outcome_unknown.get_or_insert(answer.clone());
            }
            let or = |outcome: fn(RowAnswer) -> RowOutcome| {
                outcome_unknown.clone().map_or(outcome(answer.clone()), RowOutcome::Unknown)
            };
            match verdict(&error) {
                Verdict::Everybody(why) => {
                    shared.end(why);
                    return Err(or(RowOutcome::NotSent));
                }
                Verdict::Never => return Err(or(RowOutcome::Refused)),
                Verdict::Again(asked) => {
                    let others_succeed = std::mem::replace(&mut successes, shared.pace.successes()) < successes;
                    own_failures += u32::from(others_succeed && is_own(&error) || is_the_rows(&error));
                    self.pause(began, asked, &error);
                    let repeats_safely = outcome_unknown.is_none() || is_known_since(&shared.client, first);
                    if !repeats_safely || own_failures > OWN_FAILURES {
                        return Err(or(RowOutcome::NotSent));
                    }
                }
            }
            tokio::select! {
                biased;
                () = shared.halt.cancelled() => return Err(or(RowOutcome::NotSent)),
                () = shared.pace.ready() => {}
            }
        }
    }

    /// Makes all senders wait, or ends the import where that is of no use.
    fn pause(&self, began: Instant, asked: Option<Duration>, error: &ApiError) {
        let shared = &*self.shared;
        let now = clock::now().mono;
        match shared.pace.failed(began, asked, now, dice()) {
            None => shared.end(ImportEnded::NoAnswer(Failure::from(error))),
            Some(wait) if wait.is_zero() => {}
            Some(wait) => {
                shared.progress.send_modify(|progress| progress.waiting_until = Some(now + wait));
                (shared.tell)(ImportEvent::Waiting { wait, why: RowAnswer::from(error).message });
            }
        }
    }
}

/// Whether the service still knows a key that it got just after `first`: a machine that slept may have slept for days.
fn is_known_since(client: &Client, first: Now) -> bool {
    let now = clock::now();
    let passed = now.mono.saturating_duration_since(first.mono);
    let passed = passed.max(now.wall.duration_since(first.wall).unsigned_abs());
    passed < client.idempotency_retention()
}

fn verdict(error: &ApiError) -> Verdict {
    match error {
        ApiError::NotSent(_)
        | ApiError::ConnectTimeout(_)
        | ApiError::Timeout(_)
        | ApiError::Broken(_)
        | ApiError::Malformed(_) => Verdict::Again(None),
        ApiError::Refused { status: 401 | 403, .. } => {
            Verdict::Everybody(ImportEnded::Unauthorized(Failure::from(error)))
        }
        ApiError::Refused { status: 408 | 429 | 500 | 502..=504, retry_after, .. } => {
            Verdict::Again(asked(*retry_after))
        }
        ApiError::Refused { status: 409, problem: Some(problem), retry_after, .. }
            if problem.code == ProblemCode::IdempotencyInProgress.as_str() =>
        {
            Verdict::Again(asked(*retry_after))
        }
        ApiError::Refused { .. } => Verdict::Never,
    }
}

const fn asked(retry_after: Option<RetryAfter>) -> Option<Duration> {
    match retry_after {
        Some(RetryAfter::Seconds(seconds)) => Some(Duration::from_secs(seconds)),
        Some(RetryAfter::Other) | None => None,
    }
}

/// Whether it may be the row where others succeed.
fn is_own(error: &ApiError) -> bool {
    error.outcome_unknown() && !matches!(error, ApiError::Refused { status: 409, .. })
}

/// Whether it is rather the row than the service.
const fn is_the_rows(error: &ApiError) -> bool {
    matches!(error, ApiError::Refused { status: 500, .. } | ApiError::Malformed(_))
}

impl From<&ApiError> for RowAnswer {
    fn from(error: &ApiError) -> Self {
        let failure = Failure::from(error);
        match &failure {
            Failure::Refused { status, code, message, .. } => {
                Self { status: Some(*status), code: code.clone(), message: message.clone() }
            }
            Failure::NotSent { .. }
            | Failure::NotStarted { .. }
            | Failure::NoAnswer { .. }
            | Failure::Broken { .. }
            | Failure::Malformed { .. }
            | Failure::Busy
            | Failure::Crashed { .. } => Self { message: failure.sentence("the service"), ..Self::default() },
        }
    }
}
