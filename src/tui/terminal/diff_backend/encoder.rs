//! Writes runs: the shortest ways between them, and no change of looks that is not needed.

use std::io::Write as _;

use ratatui::buffer::Cell;

use super::grid::{Grid, Scroll};
use super::runs::{Run, Sgr, What, is_written_by, letters, within};

/// What was written, and in which state the terminal is afterwards.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    /// The bytes.
    pub written: Vec<u8>,
    /// How the next letter looks, where that is known.
    look: Option<Sgr>,
    /// Column and row of the cursor, where they are certain.
    place: Option<(usize, usize)>,
}

/// Back one column for each, which is never longer than to say how many.
const FEW: usize = 4;

impl Encoder {
    /// Takes up where another one ended, with nothing written.
    pub fn after(other: &Self) -> Self {
        Self { written: Vec::new(), ..*other }
    }

    /// Makes everything blank.
    pub fn clear(&mut self) {
        self.look = None;
        self.take(Sgr::PLAIN);
        self.say("\x1b[2J");
        self.place = None;
    }

    /// Moves rows by margins and index, which every terminal has.
    pub fn scroll(&mut self, scroll: &Scroll, rows: usize) {
        // New rows have the background of the moment.
        self.take(Sgr::PLAIN);
        let whole = scroll.top == 0 && scroll.bottom + 1 == rows;
        if !whole {
            let first = if scroll.top == 0 { String::new() } else { (scroll.top + 1).to_string() };
            let last = if scroll.bottom + 1 == rows { String::new() } else { format!(";{}", scroll.bottom + 1) };
            self.say(&format!("\x1b[{first}{last}r"));
        }
        let (edge, index) = if scroll.by > 0 { (scroll.bottom, "\n") } else { (scroll.top, "\x1bM") };
        self.go_to(0, edge);
        self.say(&index.repeat(scroll.by.unsigned_abs()));
        self.place = Some((0, edge));
        if !whole {
            self.say("\x1b[r");
            self.place = None;
        }
    }

    /// Writes one run of `screen`.
    pub fn write(&mut self, run: &Run, screen: &Grid) {
        let row = screen.row(run.y);
        let cells = &row[run.start..run.end];
        match run.what {
            What::Erase => {
                self.take(Sgr::PLAIN);
                self.go(run.start, run.y, screen);
                self.say("\x1b[K");
            }
            What::Text => {
                if !self.look.is_some_and(|look| cells.iter().all(|cell| look.shows(cell))) {
                    self.take(run.look);
                }
                self.go(run.start, run.y, screen);
                self.letters(cells);
                // Behind the last column the cursor is at one place on some terminals and at another one on others.
                self.place = (run.end < row.len()).then_some((run.end, run.y));
            }
            What::Doubtful => {
                self.take(run.look);
                self.go(run.start, run.y, screen);
                if cells.len() > 1 {
                    // It may cover less than its room.
                    self.say(&" ".repeat(cells.len()));
                    self.go_to(run.start, run.y);
                }
                self.say(within(cells[0].symbol(), row.len() - run.start));
                self.place = None;
            }
        }
    }

    /// Moves the cursor, over letters that are there already or by the shortest sequence.
    pub fn go(&mut self, x: usize, y: usize, screen: &Grid) {
        if self.place == Some((x, y)) {
            return;
        }
        let way = self.place.map(|from| (from, self.length(from, (x, y), screen.row(y))));
        match way.filter(|(_, length)| *length <= absolute_length(x, y)) {
            Some((from, _)) => self.go_from(from, (x, y), screen.row(y)),
            None => self.go_to(x, y),
        }
        self.place = Some((x, y));
    }

    fn go_to(&mut self, x: usize, y: usize) {
        let _ = match (x, y) {
            (0, 0) => write!(self.written, "\x1b[H"),
            (0, _) => write!(self.written, "\x1b[{}H", y + 1),
            (_, 0) => write!(self.written, "\x1b[;{}H", x + 1),
            (..) => write!(self.written, "\x1b[{};{}H", y + 1, x + 1),
        };
    }

    /// The bytes of [`Encoder::go_from`].
    fn length(&self, (from_x, from_y): (usize, usize), (x, y): (usize, usize), row: &[Cell]) -> usize {
        let vertical = match y.checked_sub(from_y) {
            Some(down) if down <= FEW => down,
            Some(down) => sequence_length(down),
            None => sequence_length(from_y - y),
        };
        vertical + self.along_length(from_x, x, row).min(self.along_length(0, x, row) + 1)
    }

    fn go_from(&mut self, (from_x, from_y): (usize, usize), (x, y): (usize, usize), row: &[Cell]) {
        let from_edge = self.along_length(0, x, row) + 1 < self.along_length(from_x, x, row);
        if from_edge {
            self.say("\r");
        }
        match y.checked_sub(from_y) {
            // Never from the last row, where it would scroll.
            Some(down) if down <= FEW => self.repeat(b'\n', down),
            Some(down) => self.sequence(down, 'B'),
            None => self.sequence(from_y - y, 'A'),
        }
        self.go_along(if from_edge { 0 } else { from_x }, x, row);
    }

    /// The bytes from one column to another one of a row.
    fn along_length(&self, from: usize, to: usize, row: &[Cell]) -> usize {
        match to.checked_sub(from) {
            None if from - to <= FEW => from - to,
            None => sequence_length(from - to),
            Some(_) if self.is_shorter_by_letters(from, to, row) => letters(&row[from..to]),
            Some(forward) => sequence_length(forward),
        }
    }

    fn go_along(&mut self, from: usize, to: usize, row: &[Cell]) {
        match to.checked_sub(from) {
            None if from - to <= FEW => self.repeat(b'\x08', from - to),
            None => self.sequence(from - to, 'D'),
            Some(_) if self.is_shorter_by_letters(from, to, row) => self.letters(&row[from..to]),
            Some(forward) => self.sequence(forward, 'C'),
        }
    }

    /// Whether the letters on the way take fewer bytes than to say how many they are.
    fn is_shorter_by_letters(&self, from: usize, to: usize, row: &[Cell]) -> bool {
        let most = sequence_length(to - from);
        let between = &row[from..to];
        between.len() < most && letters(between) < most && self.look.is_some_and(|look| is_written_by(between, look))
    }

    fn take(&mut self, look: Sgr) {
        if self.look != Some(look) {
            self.say(&Sgr::change(self.look, look));
            self.look = Some(look);
        }
    }

    /// Writes a sequence as it is.
    pub fn say(&mut self, sequence: &str) {
        self.written.extend_from_slice(sequence.as_bytes());
    }

    fn letters(&mut self, cells: &[Cell]) {
        cells.iter().for_each(|cell| self.say(cell.symbol()));
    }

    fn repeat(&mut self, byte: u8, count: usize) {
        self.written.extend(std::iter::repeat_n(byte, count));
    }

    /// A control sequence with a count, which is left out where it is one; none for nothing.
    fn sequence(&mut self, count: usize, end: char) {
        let _ = match count {
            0 => Ok(()),
            1 => write!(self.written, "\x1b[{end}"),
            _ => write!(self.written, "\x1b[{count}{end}"),
        };
    }
}

/// The bytes of [`Encoder::sequence`].
const fn sequence_length(count: usize) -> usize {
    match count {
        0 => 0,
        1 => 3,
        _ => 3 + digits(count),
    }
}

/// The bytes of [`Encoder::go_to`].
const fn absolute_length(x: usize, y: usize) -> usize {
    match (x, y) {
        (0, 0) => 3,
        (0, _) => 3 + digits(y + 1),
        (_, 0) => 4 + digits(x + 1),
        (..) => 4 + digits(y + 1) + digits(x + 1),
    }
}

/// The decimal digits of a number that is not zero.
const fn digits(number: usize) -> usize {
    number.ilog10() as usize + 1
}
