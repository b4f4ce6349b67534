//! Writes runs: the shortest ways between them, and no change of looks that is not needed.

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
        self.say(&absolute(0, edge));
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
                cells.iter().for_each(|cell| self.say(cell.symbol()));
                // Behind the last column the cursor is at one place on some terminals and at another one on others.
                self.place = (run.end < row.len()).then_some((run.end, run.y));
            }
            What::Doubtful => {
                self.take(run.look);
                self.go(run.start, run.y, screen);
                if cells.len() > 1 {
                    // It may cover less than its room.
                    self.say(&" ".repeat(cells.len()));
                    self.say(&absolute(run.start, run.y));
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
        let (way, anew) = (self.place.map(|from| self.way(from, (x, y), screen.row(y))), absolute(x, y));
        self.say(&way.filter(|way| way.len() <= anew.len()).unwrap_or(anew));
        self.place = Some((x, y));
    }

    /// From one place to another one, by steps.
    fn way(&self, (from_x, from_y): (usize, usize), (x, y): (usize, usize), row: &[Cell]) -> String {
        let down = match y.checked_sub(from_y) {
            // Never from the last row, where it would scroll.
            Some(down) if down <= FEW => "\n".repeat(down),
            Some(down) => sequence(down, 'B'),
            None => sequence(from_y - y, 'A'),
        };
        let (here, edge) = (self.along(from_x, x, row), self.along(0, x, row));
        if edge.len() + 1 < here.len() { format!("\r{down}{edge}") } else { down + &here }
    }

    /// From one column to another one of a row.
    fn along(&self, from: usize, to: usize, row: &[Cell]) -> String {
        let Some(forward) = to.checked_sub(from) else {
            let back = from - to;
            return if back <= FEW { "\x08".repeat(back) } else { sequence(back, 'D') };
        };
        let (sequence, between) = (sequence(forward, 'C'), &row[from..to]);
        // The letters on the way may take fewer bytes than to say how many they are.
        let is_shorter = forward < sequence.len() && letters(between) < sequence.len();
        if is_shorter && self.look.is_some_and(|look| is_written_by(between, look)) {
            return between.iter().map(Cell::symbol).collect();
        }
        sequence
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
}

/// A control sequence with a count, which is left out where it is one; none for nothing.
fn sequence(count: usize, end: char) -> String {
    match count {
        0 => String::new(),
        1 => format!("\x1b[{end}"),
        _ => format!("\x1b[{count}{end}"),
    }
}

/// To a place, wherever the cursor is.
fn absolute(x: usize, y: usize) -> String {
    match (x, y) {
        (0, 0) => "\x1b[H".to_owned(),
        (0, _) => format!("\x1b[{}H", y + 1),
        (_, 0) => format!("\x1b[;{}H", x + 1),
        (..) => format!("\x1b[{};{}H", y + 1, x + 1),
    }
}
