//! Pieces that several screens paint with; where the cursor of a list goes, and which lines are shown.

pub mod form;
pub mod page;

use super::key::Movement;
use crate::api::Failure;

/// From this width on there are panes at the right.
pub const WIDE: u16 = 110;

/// Columns or rows as the terminal counts them, which has no more.
pub fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// What came instead of an answer, in a word or two.
pub fn away_word(failure: &Failure) -> String {
    match failure {
        Failure::NotSent { .. } | Failure::NoAnswer { .. } | Failure::Broken { .. } => "OFFLINE".into(),
        Failure::NotStarted { .. } => "NOT STARTED".into(),
        Failure::NotOverSsh => "NOT OVER SSH".into(),
        Failure::Refused { status, .. } => format!("ERROR {status}"),
        Failure::Malformed { .. } => "BAD ANSWER".into(),
        Failure::Busy => "BUSY".into(),
        Failure::Crashed { .. } => "CRASHED".into(),
    }
}

/// The line that a movement leads to from `cursor`, among so many `lines` with a `page` of them shown.
pub fn moved(cursor: usize, movement: Movement, lines: usize, page: usize) -> usize {
    let last = lines.saturating_sub(1);
    let line = match movement {
        Movement::Up => cursor.saturating_sub(1),
        Movement::Down => cursor + 1,
        Movement::PageUp => cursor.saturating_sub(page),
        Movement::PageDown => cursor + page,
        Movement::HalfPageUp => cursor.saturating_sub(page.div_ceil(2)),
        Movement::HalfPageDown => cursor + page.div_ceil(2),
        Movement::First => 0,
        Movement::Last => last,
    };
    line.min(last)
}

/// The first line shown, so that the one under the cursor is.
pub const fn first_shown(cursor: usize, visible: usize) -> usize {
    (cursor + 1).saturating_sub(visible)
}

/// The lines shown, so that the one under the cursor is, each with whether it is that one.
pub fn shown<I: Iterator>(lines: I, cursor: usize, visible: usize) -> impl Iterator<Item = (bool, I::Item)> {
    let first = first_shown(cursor, visible);
    lines.enumerate().skip(first).take(visible).map(move |(at, line)| (at == cursor, line))
}

/// The first line of the page with the cursor: on slow connections a whole screen for each step would be too much.
pub const fn first_of_page(cursor: usize, page: usize) -> usize {
    cursor / page * page
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator as _;

    use super::*;

    #[test]
    fn the_cursor_stays_in_the_list() {
        let from =
            |cursor, lines| -> Vec<_> { Movement::iter().map(|movement| moved(cursor, movement, lines, 3)).collect() };
        assert_eq!(from(4, 9), [3, 5, 1, 7, 2, 6, 0, 8]);
        assert_eq!(from(8, 9), [7, 8, 5, 8, 6, 8, 0, 8]);
        // The list has become shorter.
        assert_eq!(from(8, 2), [1, 1, 1, 1, 1, 1, 0, 1]);
        assert_eq!(from(0, 0), [0; 8]);
    }
}
