//! Times as DNS has them, in words.

use jiff::{SignedDuration, Timestamp};

pub use crate::model::words::{duration, list, moment};

/// A number of seconds as a TTL has them.
pub fn ttl(seconds: u32) -> String {
    duration(SignedDuration::from_secs(seconds.into()))
}

/// The moment `seconds` after `at`.
pub fn after(at: Timestamp, seconds: u32) -> Option<Timestamp> {
    // Fractions of a second do not matter here.
    Timestamp::from_second(at.as_second().checked_add(seconds.into())?).ok()
}
