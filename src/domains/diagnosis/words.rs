//! Times and lists in words.

use std::fmt::Display;

use jiff::{SignedDuration, Timestamp};

/// `3 h 20 min`, `14 min`, `40 s`: as much as helps somebody who waits.
pub fn duration(duration: SignedDuration) -> String {
    let seconds = duration.as_secs().max(0);
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600, seconds / 60);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min"),
        3600..172_800 if minutes % 60 == 0 => format!("{hours} h"),
        3600..172_800 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} days"),
    }
}

/// `2026-11-21 08:30 UTC`
pub fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// A number of seconds as a TTL has them.
pub fn ttl(seconds: u32) -> String {
    duration(SignedDuration::from_secs(seconds.into()))
}

/// The moment `seconds` after `at`.
pub fn after(at: Timestamp, seconds: u32) -> Option<Timestamp> {
    // Nobody waits for a fraction of a second.
    Timestamp::from_second(at.as_second().checked_add(seconds.into())?).ok()
}

/// `a`, `a and b`, `a, b and c`; at most six, then a number.
pub fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.len() > 6 {
        let rest = items.len() - 5;
        items.truncate(5);
        items.push(format!("{rest} more"));
    }
    match items.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_lists_read_well() {
        let words = |seconds| duration(SignedDuration::from_secs(seconds));
        assert_eq!(
            [5, 90, 3600, 41_000, 172_800, -3].map(words),
            ["5 s", "1 min", "1 h", "11 h 23 min", "2 days", "0 s"]
        );
        assert_eq!(list(["a"]), "a");
        assert_eq!(list(["a", "b", "c"]), "a, b and c");
        assert_eq!(list(1..=8), "1, 2, 3, 4, 5 and 3 more");
    }
}
