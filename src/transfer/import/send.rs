//! A sender: takes a row, sends it until its outcome is known, and records that.
//!
//! Rows are prefetched for the senders: they are already recorded as sent, so a sender can send the next one immediately.
//! After a kill, their outcome is unknown like that of rows being sent; they are at most as many as the senders. Any other
//! end returns them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, mpsc};

use super::shared::{ImportEnded, Shared, Turn};
use super::{ImportedRow, Waiting};
use crate::api::retry::dice;
use crate::api::retry::{FailedAttempt, create_pet};
use crate::api::{Client, Failure};
use crate::clock::{self, Now};
use crate::model::display_safe;
use crate::transfer::journal::{RowAnswer, RowOutcome};
use crate::transfer::rows::Row;

/// How often a row that fails while others succeed is sent again.
const OWN_FAILURES: u32 = 3;

pub(super) struct Sender {
    pub(super) shared: Arc<Shared>,
    pub(super) queue: Arc<Queue>,
}

/// How to treat a failure.
enum Verdict {
    /// The key is refused, for every row.
    Everybody,
    /// Sending it again may help, after a pause.
    Again(Option<Duration>),
    /// Sending it again is useless.
    Never,
}

impl Sender {
    pub(super) async fn run(self) {
        let halt = self.shared.halt.clone();
        loop {
            let turn = async {
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
        shared.progress.send_modify(|progress| progress.under_way += 1);
        let outcome = self.once(&turn).await;
        // If that cannot be written, its outcome stays unknown, which is correct.
        shared.note(|journal| journal.outcome(*row, *line, &outcome));
        let name = display_safe(&new.name).into_owned();
        shared.settled(ImportedRow { line: *line, name, outcome, was_sent: true });
    }

    /// Sends a row until its outcome is known or cannot be determined.
    async fn once(&self, Turn { row, may_exist }: &Turn) -> RowOutcome {
        let shared = &*self.shared;
        let (key, first) = (shared.work.key(row.row), clock::now());
        let (mut own_failures, mut successes) = (0, shared.pace.successes());
        let again = |FailedAttempt { error, began, is_unknown }: FailedAttempt<'_>| {
            let asked = match verdict(error) {
                Verdict::Everybody => {
                    shared.end(ImportEnded::Unauthorized(error.clone()));
                    return None;
                }
                Verdict::Never => return None,
                Verdict::Again(asked) => asked,
            };
            let others_succeed = std::mem::replace(&mut successes, shared.pace.successes()) < successes;
            own_failures += u32::from(others_succeed && is_own(error) || is_the_rows(error));
            self.pause(began, asked, error);
            let repeats_safely = !is_unknown && !may_exist || is_known_since(&shared.client, first);
            (repeats_safely && own_failures <= OWN_FAILURES)
                .then_some(async { shared.halt.run_until_cancelled(shared.pace.ready()).await.is_some() })
        };
        let error = match create_pet(&shared.client, &row.new, &key, again).await {
            Ok(pet) => {
                shared.pace.succeeded(clock::now().mono);
                return RowOutcome::Added(pet.id);
            }
            Err(error) => error,
        };
        match verdict(&error) {
            _ if *may_exist => RowOutcome::Unknown(RowAnswer::new("It may have been added before.")),
            _ if error.outcome_unknown() => RowOutcome::Unknown(RowAnswer::from(&error)),
            Verdict::Never => RowOutcome::Refused(RowAnswer::from(&error)),
            Verdict::Everybody | Verdict::Again(_) => RowOutcome::NotSent(RowAnswer::from(&error)),
        }
    }

    /// Makes all senders wait, or gives up.
    fn pause(&self, began: Instant, asked: Option<Duration>, error: &Failure) {
        let shared = &*self.shared;
        let now = clock::now().mono;
        match shared.pace.failed(began, asked, now, dice()) {
            None => shared.end(ImportEnded::NoAnswer(error.clone())),
            Some(wait) if wait.is_zero() => {}
            Some(wait) => {
                let why = RowAnswer::from(error).message;
                shared.progress.send_modify(|progress| {
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
        Failure::NotSent { .. } | Failure::NoAnswer { .. } | Failure::Broken { .. } | Failure::Malformed { .. } => {
            Verdict::Again(None)
        }
        Failure::Refused { status: 401 | 403, .. } => Verdict::Everybody,
        Failure::Refused { status: 408 | 429 | 500 | 502..=504, .. } => Verdict::Again(error.asked_pause()),
        Failure::Refused { .. } if error.is_in_progress() => Verdict::Again(error.asked_pause()),
        _ => Verdict::Never,
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

/// The rows recorded as sent.
pub(super) struct Queue(pub(super) Mutex<mpsc::Receiver<Turn>>);

/// Takes rows from the reader, records them as sent, and queues them, half the queue at a time with one write, until
/// the rows end or the import stops.
pub(super) async fn announce(shared: Arc<Shared>, mut parts: mpsc::Receiver<Vec<Turn>>, ready: mpsc::Sender<Turn>) {
    let at_once = ready.max_capacity().div_ceil(2);
    let announced = async {
        while let Some(mut part) = parts.recv().await {
            while !part.is_empty() {
                let rest = part.split_off(part.len().min(at_once));
                let turns = std::mem::replace(&mut part, rest);
                let Ok(room) = ready.reserve_many(turns.len()).await else { return };
                let at = shared.clock.now();
                if !shared.note(|journal| journal.sending(turns.iter().map(|turn| &turn.row), at)) {
                    return;
                }
                room.zip(turns).for_each(|(place, turn)| place.send(turn));
            }
        }
    };
    shared.halt.run_until_cancelled(announced).await;
}

impl Queue {
    pub(super) async fn next(&self) -> Option<Turn> {
        self.0.lock().await.recv().await
    }

    /// After the senders have ended: records the remaining rows as not sent.
    pub(super) async fn give_back(&self, shared: &Shared) {
        let mut ready = self.0.lock().await;
        ready.close();
        while let Some(Turn { row, may_exist }) = ready.recv().await {
            // Rows with an unknown outcome keep it.
            if !may_exist {
                let outcome = RowOutcome::NotSent(RowAnswer::new("It was not sent."));
                shared.note(|journal| journal.outcome(row.row, row.line, &outcome));
            }
        }
    }
}
