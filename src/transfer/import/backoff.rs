//! A shared pause: a failure makes all senders wait, longer each time, and any success resets that.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::time::sleep_until;

use super::Patience;

/// The longest pause that the service may ask for: its number of seconds may be absurd.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

/// When anything may be sent.
#[derive(Debug)]
pub(super) struct Pace {
    patience: Patience,
    state: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// Nothing is sent before this time.
    until: Option<Instant>,
    /// The number of pauses in a row.
    pauses: u32,
    last_success: Instant,
    successes: u64,
}

impl Pace {
    pub(super) fn new(patience: Patience, now: Instant) -> Self {
        Self { patience, state: Mutex::new(Inner { until: None, pauses: 0, last_success: now, successes: 0 }) }
    }

    /// Waits until something may be sent.
    pub(super) async fn ready(&self) {
        loop {
            let until = self.state.lock().until;
            match until {
                Some(until) if until > crate::clock::now().mono => sleep_until(until.into()).await,
                _ => return,
            }
        }
    }

    pub(super) fn succeeded(&self, now: Instant) {
        let mut state = self.state.lock();
        state.pauses = 0;
        state.last_success = now;
        state.successes += 1;
    }

    /// How many requests have succeeded.
    pub(super) fn successes(&self) -> u64 {
        self.state.lock().successes
    }

    /// Notes that a request that `began` then has failed, and the pause the service `asked` for. Returns how long to
    /// wait; `None` to give up. `dice` in 0..1 spreads the clients of a recovering service.
    pub(super) fn failed(&self, began: Instant, asked: Option<Duration>, now: Instant, dice: f64) -> Option<Duration> {
        let mut state = self.state.lock();
        let Patience { first, longest, give_up, .. } = self.patience;
        let waited = now.saturating_duration_since(state.last_success).max(asked.unwrap_or_default());
        if give_up.is_some_and(|give_up| waited >= give_up) {
            return None;
        }
        let until = match asked {
            Some(asked) => now + asked.min(LONGEST_ASKED),
            // A failure that began before the pause is not new.
            None if state.until.is_some_and(|until| began < until) => now,
            None => {
                let wait = first.saturating_mul(1 << state.pauses.min(20)).min(longest);
                state.pauses += 1;
                now + wait.mul_f64(0.5 + dice.clamp(0.0, 1.0) / 2.0)
            }
        };
        let until = state.until.map_or(until, |before| before.max(until));
        state.until = Some(until);
        Some(until.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_wait_together_longer_each_time_and_not_for_ever() {
        let begin = crate::clock::now().mono;
        let at = |seconds| begin + Duration::from_secs(seconds);
        let limit = Some(Duration::from_secs(300));
        let pace = Pace::new(Patience { first: Duration::from_secs(1), give_up: limit, ..Patience::default() }, begin);
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
        let endless = Pace::new(Patience::default(), begin);
        assert_eq!(endless.failed(at(90_000), Some(Duration::MAX), at(90_000), 1.0), Some(LONGEST_ASKED));
    }
}
