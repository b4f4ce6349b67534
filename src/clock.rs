//! The only reader of the clock. Everything else takes [`Now`] as a parameter, so that tests choose the time.

use std::time::Instant;

use jiff::Timestamp;

/// A moment, on both clocks: one for durations, one for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Never goes backwards; for ages and time limits.
    pub mono: Instant,
    /// The time of day; for showing and storing.
    pub wall: Timestamp,
}

/// Reads both clocks.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
pub fn now() -> Now {
    Now { mono: Instant::now(), wall: Timestamp::now() }
}
