//! Times as DNS has them, in words.

use jiff::{SignedDuration, Timestamp};

use crate::model::text::whole;
pub use crate::model::words::{duration, list, moment};

/// Names from outside, each whole.
pub fn names<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    list(names.into_iter().map(|name| whole(name.as_ref())))
}

/// How long to wait, in words: never less than it is.
pub fn wait(left: SignedDuration) -> String {
    let unit = match left.as_secs() {
        ..=120 => 1,
        121..172_800 => 60,
        _ => 86_400,
    };
    let up = (left.as_millis() + unit * 1000 - 1).div_euclid(unit * 1000);
    duration(SignedDuration::from_secs(i64::try_from(up * unit).unwrap_or(i64::MAX)))
}

/// A number of seconds as a TTL has them, the same.
pub fn ttl(seconds: u32) -> String {
    wait(SignedDuration::from_secs(seconds.into()))
}

/// The moment `seconds` after `at`.
pub fn after(at: Timestamp, seconds: u32) -> Option<Timestamp> {
    // Fractions of a second do not matter here.
    Timestamp::from_second(at.as_second().checked_add(seconds.into())?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_never_shorter_in_words() {
        let words = [59, 90, 120, 121, 3600, 3601, 9000, 172_800, 172_801].map(ttl);
        assert_eq!(words, ["59 s", "90 s", "2 min", "3 min", "1 h", "1 h 1 min", "2 h 30 min", "2 days", "3 days"]);
        assert_eq!(wait(SignedDuration::from_millis(119_001)), "2 min");
        assert_eq!(wait(SignedDuration::from_secs(-5)), "0 s");
    }
}
