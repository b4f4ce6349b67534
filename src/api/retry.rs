//! Whether and when to ask again. Pure: the caller waits, and brings the dice.
//!
//! Only for GET. A creation is never repeated here, since the description has no way to tell a repeat from a second animal.

use std::time::Duration;

use super::ApiError;
use super::error::RetryAfter;

/// The most times one GET is repeated.
pub const MAX_REPEATS: u32 = 3;

/// The longest wait that a service may ask for before a command gives up instead.
pub const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// How long to wait before repeat number `repeat` (from 0) of a GET that ended with `error`; `None` where repeating
/// does not help, or not soon. `dice` in 0..1 spreads the clients of a service that comes back.
#[must_use]
pub fn wait_before_repeat(repeat: u32, error: &ApiError, dice: f64) -> Option<Duration> {
    if repeat >= MAX_REPEATS {
        return None;
    }
    let own_pace = Duration::from_millis(200 << repeat).mul_f64(0.5 + dice.clamp(0.0, 1.0));
    match error {
        ApiError::Broken(_) => Some(own_pace),
        ApiError::Refused { status: 429 | 500 | 502 | 503 | 504, retry_after, .. } => match retry_after {
            None => Some(own_pace),
            Some(RetryAfter::Seconds(seconds)) => {
                Some(Duration::from_secs(*seconds)).filter(|wait| *wait <= LONGEST_WAIT)
            }
            Some(RetryAfter::Other) => None,
        },
        // Whoever did not answer or was not there within the time limit will not be there a moment later either.
        ApiError::NotSent(_) | ApiError::ConnectTimeout(_) | ApiError::Timeout(_) => None,
        ApiError::Refused { .. } | ApiError::Malformed(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(status: u16, retry_after: Option<RetryAfter>) -> ApiError {
        ApiError::Refused { status, problem: None, excerpt: String::new(), retry_after }
    }

    #[test]
    fn only_what_may_pass_by_itself_is_asked_again_and_three_times_at_most() {
        for status in [429, 500, 502, 503, 504] {
            assert_eq!(wait_before_repeat(0, &refused(status, None), 0.5), Some(Duration::from_millis(200)));
            assert_eq!(wait_before_repeat(2, &refused(status, None), 0.5), Some(Duration::from_millis(800)));
            assert_eq!(wait_before_repeat(3, &refused(status, None), 0.5), None);
        }
        for status in [301, 400, 401, 404, 405, 501] {
            assert_eq!(wait_before_repeat(0, &refused(status, None), 0.5), None, "{status}");
        }
        assert_eq!(wait_before_repeat(0, &ApiError::Timeout(Duration::from_secs(30)), 0.5), None);
    }

    #[test]
    fn a_service_that_names_its_time_is_heard_but_not_for_ever() {
        let wait = |after| wait_before_repeat(0, &refused(429, Some(after)), 0.9);
        assert_eq!(wait(RetryAfter::Seconds(1)), Some(Duration::from_secs(1)));
        assert_eq!(wait(RetryAfter::Seconds(3600)), None);
        assert_eq!(wait(RetryAfter::Other), None);
    }
}
