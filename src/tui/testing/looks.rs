//! How states look, as the text of a snapshot. Nothing is in it twice: a state is described by the rows in which it differs
//! from the one before it that it is most like.

use std::collections::HashMap;
use std::fmt::{self, Display, Write as _};

use super::loss::whole_at_every_size;
use super::{TestApp, letters, runs};

/// The letters of each row of a frame, and the runs of each row that are not plain.
type Frame = [Vec<String>; 2];

#[derive(Default)]
pub struct Looks {
    seen: Vec<(String, Frame)>,
    text: String,
}

impl Looks {
    /// The looks of states that are described after this one, which another snapshot holds.
    pub fn after(name: &str, make: impl Fn(u16, u16) -> TestApp) -> Self {
        let mut looks = Self::default();
        for (columns, rows) in [(80, 24), (120, 40)] {
            looks.frame(name, &mut make(columns, rows));
        }
        Self { text: String::new(), ..looks }
    }

    /// A state, which has to be whole at every size, as it is at 80x24.
    pub fn state(&mut self, name: &str, make: impl Fn(u16, u16) -> TestApp) {
        whole_at_every_size(name, &make);
        self.frame(name, &mut make(80, 24));
    }

    /// The same of a state whose layout is another one where there is room: at 120x40, too.
    pub fn wide_state(&mut self, name: &str, make: impl Fn(u16, u16) -> TestApp) {
        self.state(name, &make);
        self.frame(name, &mut make(120, 40));
    }

    /// A state as it is.
    pub fn frame(&mut self, name: &str, app: &mut TestApp) {
        let buffer = app.buffer();
        let letters = letters(&buffer).lines().map(str::to_owned).collect();
        let styles = (0..buffer.area.height).map(|y| runs(&buffer, y).join(", ")).collect();
        let frame: Frame = [letters, styles];
        let name = format!("{name} {}x{}", buffer.area.width, buffer.area.height);
        let blank: Frame = [vec![String::new(); frame[0].len()], vec![String::new(); frame[0].len()]];
        let alike = self.seen.iter().filter(|(_, seen)| seen[0].len() == frame[0].len());
        let from_others = alike.map(|(other, seen)| (differences(&frame, seen), format!(", as {other} but for")));
        let ways = [(differences(&frame, &blank), String::new())].into_iter().chain(from_others);
        let (rows, base) = ways.min_by_key(|(rows, _)| rows.lines().count()).unwrap();
        let _ = write!(self.text, "== {name}{base}\n{rows}");
        self.seen.push((name, frame));
    }
}

impl Display for Looks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The rows in which a frame differs from another one: the letters, of which those that follow each other and are the same
/// are one, then the styles, each with all its rows.
fn differences(frame: &Frame, base: &Frame) -> String {
    let mut text = String::new();
    for (part, separator) in [(0, "|"), (1, ": ")] {
        let rows = frame[part].iter().zip(&base[part]).enumerate();
        let mut rows: Vec<_> = rows.filter(|(_, (row, base))| row != base).map(|(y, (row, _))| (y, row)).collect();
        if part == 1 {
            // By the first row of each style.
            let first: HashMap<_, _> = rows.iter().rev().map(|(y, row)| (*row, *y)).collect();
            rows.sort_by_key(|(y, row)| (first[row], *y));
        }
        for same in rows.chunk_by(|one, next| next.1 == one.1 && (part == 1 || next.0 == one.0 + 1)) {
            let ranges = same.chunk_by(|one, next| next.0 == one.0 + 1).map(|range| match range {
                [(only, _)] => only.to_string(),
                [(first, _), .., (last, _)] => format!("{first}-{last}"),
                [] => String::new(),
            });
            let row = if part == 1 && same[0].1.is_empty() { "plain" } else { same[0].1 };
            let _ = writeln!(text, "{:>5}{separator}{row}", ranges.collect::<Vec<_>>().join(","));
        }
    }
    text
}
