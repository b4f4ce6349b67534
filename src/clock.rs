//! The only code that reads the clock. Everything else takes [`Now`] as a parameter, so that tests choose the time.

use std::time::Instant;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A moment, on both clocks: one for durations, one for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Never goes backwards; for ages and time limits.
    pub mono: Instant,
    /// The time of day; for showing and storing.
    pub wall: Timestamp,
}

impl Now {
    /// The whole seconds since `start`.
    pub fn seconds_since(self, start: Instant) -> u64 {
        self.mono.saturating_duration_since(start).as_secs()
    }

    /// By how much the time of day was changed since `start`: it did not pass, or was passed over.
    pub fn clock_change_since(self, start: Self) -> SignedDuration {
        let passed = SignedDuration::try_from(self.mono.saturating_duration_since(start.mono));
        self.wall.duration_since(start.wall).saturating_sub(passed.unwrap_or(SignedDuration::MAX))
    }

    /// The seconds until `end`, rounded up.
    pub fn seconds_until(self, end: Instant) -> u128 {
        end.saturating_duration_since(self.mono).as_millis().div_ceil(1000)
    }
}

/// The time zone of this machine, or of the variable `TZ`.
///
/// Its file is read without its name, for which a thousand other files would be read: 3.7 million instructions, and a
/// millisecond of every start.
#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
pub fn time_zone() -> TimeZone {
    let is_named = std::env::var_os("TZ").is_some();
    let file = (!is_named).then(|| std::fs::read("/etc/localtime").ok()).flatten();
    file.and_then(|file| TimeZone::tzif("Local", &file).ok()).unwrap_or_else(TimeZone::system)
}

/// Reads both clocks.
#[expect(clippy::disallowed_methods, reason = "this is the one place that may")]
pub fn now() -> Now {
    Now { mono: Instant::now(), wall: Timestamp::now() }
}
