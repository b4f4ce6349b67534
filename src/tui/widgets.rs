//! Pieces that several screens paint with; where the cursor of a list goes, and which lines are shown.

pub mod form;
pub mod page;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::key::Movement;
use super::theme::{Appearance, StyleRole};
use crate::api::failure::Failure;
use crate::model::text::cut;

/// From this width on there are panes at the right.
pub const WIDE: u16 = 110;

/// Writes `text` at `(x, y)` in at most `columns`, none of it behind the right edge; gives the column behind it.
///
/// Nearly all of what is shown is ASCII, a byte and a column each: that needs no search for clusters.
fn write_at(buf: &mut Buffer, x: u16, y: u16, text: &str, columns: u16, style: Style) -> u16 {
    if !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return buf.set_stringn(x, y, text, columns.into(), style).0;
    }
    let room = usize::from(columns.min(buf.area.right().saturating_sub(x)));
    let letters = text.len().min(room);
    if letters == 0 {
        return x;
    }
    let first = buf.index_of(x, y);
    for (at, cell) in buf.content[first..first + letters].iter_mut().enumerate() {
        cell.set_symbol(&text[at..=at]).set_style(style);
    }
    // No more than the room, which is that of a column.
    x + cells(letters)
}

/// A box with a title; gives the area inside. What is inside stays as it is, which saves going over every cell of it.
pub fn boxed(buf: &mut Buffer, area: Rect, title: &str, appearance: &Appearance) -> Rect {
    let area = area.intersection(buf.area);
    let (set, style) = (appearance.border(), appearance.style(StyleRole::Border));
    if area.width < 2 || area.height < 2 {
        return Rect { width: 0, height: 0, ..area };
    }
    let (right, bottom) = (area.right() - 1, area.bottom() - 1);
    let mut edge = |x: u16, y: u16, symbol: &str| {
        buf[(x, y)].set_symbol(symbol).set_style(style);
    };
    for x in area.x + 1..right {
        edge(x, area.y, set.horizontal_top);
        edge(x, bottom, set.horizontal_bottom);
    }
    for y in area.y + 1..bottom {
        edge(area.x, y, set.vertical_left);
        edge(right, y, set.vertical_right);
    }
    edge(area.x, area.y, set.top_left);
    edge(right, area.y, set.top_right);
    edge(area.x, bottom, set.bottom_left);
    edge(right, bottom, set.bottom_right);
    let inner = Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 };
    let title = cut(title, usize::from(area.width).saturating_sub(6));
    #[cfg(test)]
    super::testing::loss::boxed(area, crate::model::text::width(&title) + 2);
    if area.width > 6 {
        write_at(buf, area.x + 2, area.y, &format!(" {title} "), area.width - 2, appearance.style(StyleRole::Heading));
    }
    inner
}

/// Gives blank cells the ground of all text.
pub fn cover(buf: &mut Buffer, area: Rect, appearance: &Appearance) {
    let ground = appearance.style(StyleRole::Text);
    // Most themes leave it to the terminal.
    if ground != Style::new() {
        buf.set_style(area, ground);
    }
}

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
