//! Whether and when to retry, and one pet, sent as often as it takes and added once. A list waits only in [`repeated`].
//!
//! The description cannot distinguish a repeated creation from a second pet. Only if the service keeps
//! idempotency keys (an addition) may one be sent again.

use std::time::{Duration, Instant};

use futures_util::future::OptionFuture;
use tokio::time::sleep;

use super::failure::RetryAfter;
use super::{Client, Failure, Result};
use crate::clock;
use crate::model::{IdempotencyKey, Limit, NewPet, Pet, PetQuery};

/// The most times one GET is repeated.
const MAX_REPEATS: u32 = 3;

/// The longest wait that a service may ask for before a command gives up instead.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How long to wait before repeat number `repeat` (from 0) of a GET that ended with `error`, or of a creation that is sent
/// with its key to a service that keeps keys; `None` where repeating does not help, or not soon. `dice` in 0..1 spreads the
/// clients of a service that comes back.
fn wait_before_repeat(repeat: u32, error: &Failure, dice: f64) -> Option<Duration> {
    // A service that did not answer within the time limit will not answer a moment later either.
    let passes_soon = match error {
        Failure::Refused { retry_after: Some(RetryAfter::Other), .. } => false,
        Failure::Refused { status: 429 | 500 | 502 | 503 | 504, .. } | Failure::Broken { .. } => true,
        error => error.is_in_progress(),
    };
    let usual = Duration::from_millis(200 << repeat.min(MAX_REPEATS)).mul_f64(0.5 + dice.clamp(0.0, 1.0));
    let wait = error.asked_pause().unwrap_or(usual);
    (passes_soon && repeat < MAX_REPEATS && wait <= LONGEST_WAIT).then_some(wait)
}

/// Asks again as often as `wait_before_repeat` advises. Only for requests that change nothing.
///
/// # Errors
/// That of the last time it was asked.
pub async fn repeated<T, F: Future<Output = Result<T>>>(mut ask: impl FnMut() -> F) -> Result<T> {
    let mut repeat = 0;
    loop {
        let error = match ask().await {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let Some(wait) = wait_before_repeat(repeat, &error, dice()) else { return Err(error) };
        sleep(wait).await;
        repeat += 1;
    }
}

/// How long to wait after failure number `failures` (from 0) in a row, for something that goes on until it is stopped:
/// twice as long each time, from `first` up to `longest`, or as long as the service asks if that is not longer. `dice` in
/// 0..1 spreads the clients of a service that comes back.
pub fn pause(first: Duration, longest: Duration, failures: u32, error: Option<&Failure>, dice: f64) -> Duration {
    let grown = first.saturating_mul(2_u32.saturating_pow(failures)).min(longest);
    let asked = error.and_then(Failure::asked_pause).unwrap_or_default().min(longest);
    grown.mul_f64(0.5 + dice.clamp(0.0, 1.0) / 2.0).max(asked)
}

/// A number in 0..1; the same one each time where the system has no random numbers.
pub fn dice() -> f64 {
    f64::from(getrandom::u32().unwrap_or(0)) / f64::from(u32::MAX)
}

/// A request that has not added its pet, for all that is known.
#[derive(Clone, Copy, Debug)]
pub struct FailedAttempt<'a> {
    /// What came instead.
    pub error: &'a Failure,
    /// When it began.
    pub began: Instant,
    /// Whether this or an earlier one may have added the pet all the same.
    pub is_unknown: bool,
}

/// Calls `send`, which adds or changes a pet, until that is done or is not to be sent `again`. That gives what to wait for
/// before the next request, which can still say no.
///
/// The failure is the first one after which it may have been done: what fails for sure later says nothing about it, but for
/// an answer that says what the pet is now.
pub async fn until_done<S: Future<Output = Result<Pet>>, W: Future<Output = bool>>(
    mut send: impl FnMut() -> S,
    mut again: impl FnMut(FailedAttempt<'_>) -> Option<W>,
) -> Result<Pet> {
    let mut unknown = None;
    loop {
        let began = clock::now().mono;
        let error = match send().await {
            Ok(pet) => return Ok(pet),
            Err(error) => error,
        };
        let is_first_unknown = unknown.is_none() && error.outcome_unknown();
        let is_unknown = unknown.is_some() || is_first_unknown;
        if OptionFuture::from(again(FailedAttempt { error: &error, began, is_unknown })).await != Some(true) {
            return Err(unknown.filter(|_| error.changed().is_none()).unwrap_or(error));
        }
        if is_first_unknown {
            unknown = Some(error);
        }
    }
}

/// Adds `new` by [`once`].
pub async fn create_pet_once(client: &Client, new: &NewPet, key: &IdempotencyKey) -> Result<Pet> {
    once(client, || client.create_pet(new, key)).await
}

/// Calls `send`, which adds or changes a pet. Where the service keeps idempotency keys, what failed quickly is sent again,
/// which must be with the same key, at most three times within a few seconds. If no answer has shown yet whether it keeps
/// them, a request finds out.
///
/// After a timeout it is not sent again: the user decides.
pub async fn once<S: Future<Output = Result<Pet>>>(client: &Client, send: impl FnMut() -> S) -> Result<Pet> {
    let mut repeat = 0;
    let again = |FailedAttempt { error, .. }: FailedAttempt<'_>| {
        let wait = wait_before_repeat(repeat, error, dice())?;
        repeat += 1;
        Some(async move {
            if !client.keeps_idempotency_keys() {
                // Every answer says it, whatever else it says.
                let _ = client.list_pets(&PetQuery { limit: Limit::MIN, ..PetQuery::default() }).await;
            }
            let keeps_keys = client.keeps_idempotency_keys();
            if keeps_keys {
                sleep(wait).await;
            }
            keeps_keys
        })
    };
    until_done(send, again).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Problem, ProblemCode};

    fn refused(status: u16, retry_after: Option<RetryAfter>) -> Failure {
        Failure::refused(status, Err(""), retry_after)
    }

    #[test]
    fn only_temporary_failures_are_retried_three_times_at_most() {
        for status in [429, 500, 502, 503, 504] {
            assert_eq!(wait_before_repeat(0, &refused(status, None), 0.5), Some(Duration::from_millis(200)));
            assert_eq!(wait_before_repeat(2, &refused(status, None), 0.5), Some(Duration::from_millis(800)));
            assert_eq!(wait_before_repeat(3, &refused(status, None), 0.5), None);
        }
        for status in [301, 400, 401, 404, 405, 501] {
            assert_eq!(wait_before_repeat(0, &refused(status, None), 0.5), None, "{status}");
        }
        assert_eq!(wait_before_repeat(0, &Failure::NoAnswer { after: Duration::from_secs(30) }, 0.5), None);
    }

    #[test]
    fn a_creation_is_sent_again_as_a_question_is_and_while_it_is_carried_out() {
        let busy = refused(503, None);
        assert_eq!(wait_before_repeat(0, &busy, 0.5), Some(Duration::from_millis(200)));
        let problem = |code| Problem::new(code, 409, "still running");
        let conflict = |code| Failure::refused(409, Ok(problem(code)), Some(RetryAfter::Seconds(1)));
        let running = conflict(ProblemCode::IdempotencyInProgress);
        assert_eq!(wait_before_repeat(0, &running, 0.5), Some(Duration::from_secs(1)));
        assert_eq!(wait_before_repeat(3, &running, 0.5), None);
        assert_eq!(wait_before_repeat(0, &conflict(ProblemCode::NotFound), 0.5), None);
        assert_eq!(wait_before_repeat(0, &Failure::NoAnswer { after: Duration::from_secs(30) }, 0.5), None);
    }

    #[test]
    fn pauses_grow_to_a_maximum_and_respect_retry_after() {
        let (second, longest) = (Duration::from_secs(1), Duration::from_secs(300));
        let away = Failure::NoAnswer { after: second };
        let pauses: Vec<_> =
            (0..12).map(|failures| pause(5 * second, longest, failures, Some(&away), 1.0).as_secs()).collect();
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 300, 300, 300, 300, 300, 300]);
        assert_eq!(pause(4 * second, longest, 0, None, 0.0), 2 * second);
        let named = |seconds| refused(429, Some(RetryAfter::Seconds(seconds)));
        assert_eq!(pause(5 * second, longest, 0, Some(&named(60)), 1.0), 60 * second);
        assert_eq!(pause(5 * second, longest, 0, Some(&named(1)), 1.0), 5 * second);
        assert_eq!(pause(5 * second, longest, 0, Some(&named(99_999)), 1.0), 300 * second);
    }

    #[test]
    fn retry_after_is_respected_up_to_a_limit() {
        let wait = |after| wait_before_repeat(0, &refused(429, Some(after)), 0.9);
        assert_eq!(wait(RetryAfter::Seconds(1)), Some(Duration::from_secs(1)));
        assert_eq!(wait(RetryAfter::Seconds(3600)), None);
        assert_eq!(wait(RetryAfter::Other), None);
    }
}
