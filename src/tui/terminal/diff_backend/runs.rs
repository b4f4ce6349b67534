//! What must be written in a row, as runs of cells that look the same; and the shortest sequence from one look to another.

use std::ops::Range;

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthChar as _;

/// What is done from its first column on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Its cells are written.
    Text,
    /// Its only sign is written; terminals disagree about how wide it is.
    Doubtful,
    /// Everything up to the end of the row becomes blank.
    Erase,
}

/// Cells of a row beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What is done.
    pub what: What,
    /// Its row.
    pub y: usize,
    /// Its first column.
    pub start: usize,
    /// The column behind it.
    pub end: usize,
    /// How it looks. Where all of it is blank, anything that shows blanks the same will do.
    pub look: Sgr,
    /// Whether there are only blanks in it.
    blank: bool,
}

/// What erasing the rest of a row takes.
const ERASE: usize = 3;

/// What a move within a row takes, so that as many letters may be written again instead.
const MOVE: usize = 4;

/// Whether the terminal could show this sign on more or fewer columns than it is taken for.
///
/// Terminals agree on single scalars of one column, nor about the ideographs, syllables and full-width letters of
/// East Asia.
fn is_doubtful(symbol: &str) -> bool {
    let mut scalars = symbol.chars();
    match (scalars.next(), scalars.next()) {
        (Some(' '..='~'), None) => false,
        (Some(only), None) => only.width() != Some(1) && !('\u{2e80}'..='\u{ffdc}').contains(&only),
        (None, _) => false,
        (Some(_), Some(_)) => true,
    }
}

/// How many columns a terminal may have used for it that knows nothing about joined signs.
fn reach(symbol: &str) -> usize {
    symbol.chars().map(|scalar| scalar.width().unwrap_or(0)).sum()
}

/// As much of a sign as takes no more than `columns` there, so that it never goes on in the next row.
pub fn within(symbol: &str, columns: usize) -> &str {
    let fits = |end: &usize| reach(&symbol[..*end]) <= columns;
    let ends = symbol.char_indices().map(|(start, scalar)| start + scalar.len_utf8());
    &symbol[..ends.take_while(fits).last().unwrap_or(0)]
}

/// Appends the runs that make row `y` from `old` to `new`, which differ in these columns only.
pub fn differences(y: usize, columns: Range<usize>, old: &[Cell], new: &[Cell], runs: &mut Vec<Run>) {
    let differs = |x: &usize| !same(&old[*x], &new[*x]);
    let Some(last) = columns.clone().rfind(differs) else { return };
    let is_blank = |x: &usize| same(&new[*x], &Cell::EMPTY);
    let blank_from = (columns.start..new.len()).rev().take_while(is_blank).last().unwrap_or(new.len());
    let erased = (blank_from..last + 1).find(differs).filter(|first| last + 1 - first > ERASE);
    let first_of_row = runs.len();
    let (mut x, mut again) = (columns.start, 0);
    while x < erased.unwrap_or(new.len()).min((last + 1).max(again)) {
        let cell = &new[x];
        let end = x + 1 + new[x + 1..].iter().take_while(|half| half.symbol().is_empty()).count();
        let (look, written) = (Sgr::of(cell), !cell.symbol().is_empty() && (x < again || differs(&x)));
        if written && is_doubtful(cell.symbol()) {
            runs.push(Run { what: What::Doubtful, y, start: x, end, look, blank: false });
            again = again.max(x + reach(cell.symbol()));
        } else if written && !runs[first_of_row..].last_mut().is_some_and(|run| run.take(x, end, new)) {
            runs.push(Run { what: What::Text, y, start: x, end, look, blank: cell.symbol() == " " });
        }
        x = end;
    }
    if let Some(start) = erased {
        runs.push(Run { what: What::Erase, y, start, end: new.len(), look: Sgr::PLAIN, blank: false });
    }
}

impl Run {
    /// Goes on with the sign at `x`, if that is shorter than a new run.
    fn take(&mut self, x: usize, end: usize, row: &[Cell]) -> bool {
        let (between, cell) = (&row[self.end..x], &row[x]);
        let look = if self.blank && self.look.blank_is(Sgr::of(cell)) { Sgr::of(cell) } else { self.look };
        // Writing these unchanged cells takes no more than a move over them.
        let is_near = between.len() <= MOVE && is_written_by(between, look) && letters(between) <= MOVE;
        let goes_on = self.what == What::Text && look.shows(cell) && is_near;
        if goes_on {
            self.look = look;
            self.blank &= cell.symbol() == " " && between.iter().all(|cell| cell.symbol() == " ");
            self.end = end;
        }
        goes_on
    }
}

/// Whether these cells can be written with this look, one after the other.
pub fn is_written_by(cells: &[Cell], look: Sgr) -> bool {
    let single = |symbol: &str| !symbol.is_empty() && !is_doubtful(symbol);
    cells.iter().all(|cell| look.shows(cell) && single(cell.symbol()))
}

/// How many bytes the letters of these cells take.
pub fn letters(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| cell.symbol().len()).sum()
}

/// Colours and attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sgr {
    foreground: Color,
    background: Color,
    modifier: Modifier,
}

/// What is seen of a blank, beside its background.
const SEEN_ON_BLANK: Modifier = Modifier::REVERSED
    .union(Modifier::UNDERLINED)
    .union(Modifier::SLOW_BLINK)
    .union(Modifier::RAPID_BLINK)
    .union(Modifier::CROSSED_OUT);

/// Each attribute, the number that begins it, and the one that ends it: some end together with the one before.
const ATTRIBUTES: [(Modifier, u8, u8); 9] = [
    (Modifier::BOLD, 1, 22),
    (Modifier::DIM, 2, 22),
    (Modifier::ITALIC, 3, 23),
    (Modifier::UNDERLINED, 4, 24),
    (Modifier::SLOW_BLINK, 5, 25),
    (Modifier::RAPID_BLINK, 6, 25),
    (Modifier::REVERSED, 7, 27),
    (Modifier::HIDDEN, 8, 28),
    (Modifier::CROSSED_OUT, 9, 29),
];

impl Sgr {
    /// The terminal's own colours without attributes.
    pub const PLAIN: Self = Self { foreground: Color::Reset, background: Color::Reset, modifier: Modifier::empty() };

    pub const fn of(cell: &Cell) -> Self {
        Self { foreground: cell.fg, background: cell.bg, modifier: cell.modifier }
    }

    /// Whether a blank is the same in both.
    fn blank_is(self, other: Self) -> bool {
        let seen = self.modifier.union(other.modifier).intersects(SEEN_ON_BLANK);
        self == other || self.background == other.background && !seen
    }

    /// Whether a cell that is written in this style is correct.
    pub fn shows(self, cell: &Cell) -> bool {
        let wanted = Self::of(cell);
        self == wanted || cell.symbol() == " " && self.blank_is(wanted)
    }

    /// The sequence from one style to another; from an unknown one if `from` is `None`.
    pub fn change(from: Option<Self>, to: Self) -> String {
        // What is left out in front counts as zero, which ends everything.
        let unknown = if to == Self::PLAIN { String::new() } else { format!(";{}", Self::PLAIN.steps(to)) };
        let steps = from.map(|from| from.steps(to)).filter(|steps| steps.len() <= unknown.len());
        format!("\x1b[{}m", steps.unwrap_or(unknown))
    }

    fn steps(self, to: Self) -> String {
        let gone = ATTRIBUTES.into_iter().filter(|(one, ..)| (self.modifier - to.modifier).contains(*one));
        let mut ends: Vec<u8> = gone.map(|(.., off)| off).collect();
        ends.dedup();
        // What ended with another begins again.
        let is_new = |one, off| to.modifier.contains(one) && (!self.modifier.contains(one) || ends.contains(&off));
        let begun = ATTRIBUTES.into_iter().filter(|(one, _, off)| is_new(*one, *off)).map(|(_, on, _)| on);
        let mut steps: Vec<String> = ends.iter().copied().chain(begun).map(|number| number.to_string()).collect();
        if self.foreground != to.foreground {
            steps.push(colour(to.foreground, 0));
        }
        if self.background != to.background {
            steps.push(colour(to.background, 10));
        }
        steps.join(";")
    }
}

/// Whether two cells look the same.
pub fn same(one: &Cell, other: &Cell) -> bool {
    one.symbol() == other.symbol() && Sgr::of(one).shows(other)
}

/// The parameters for a colour of letters; those for the ground are ten more.
#[expect(clippy::wildcard_enum_match_arm, reason = "themes have the others by their numbers")]
fn colour(colour: Color, more: u8) -> String {
    match colour {
        Color::Indexed(index @ 0..8) => (30 + index + more).to_string(),
        Color::Indexed(index @ 8..16) => (82 + index + more).to_string(),
        Color::Indexed(index) => format!("{};5;{index}", 38 + more),
        Color::Rgb(red, green, blue) => format!("{};2;{red};{green};{blue}", 38 + more),
        _ => (39 + more).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(foreground: Color, background: Color, modifier: Modifier) -> Sgr {
        Sgr { foreground, background, modifier }
    }

    #[test]
    fn only_differences_are_written_in_one_sequence_and_a_reset_where_it_is_shorter() {
        let bold = look(Color::Reset, Color::Reset, Modifier::BOLD);
        let red = look(Color::Indexed(1), Color::Reset, Modifier::BOLD);
        let badge = look(Color::Indexed(1), Color::Indexed(24), Modifier::BOLD | Modifier::REVERSED);
        let dim = look(Color::Indexed(15), Color::Indexed(0), Modifier::DIM);
        for (from, to, sequence) in [
            (None, Sgr::PLAIN, "\x1b[m"),
            (None, bold, "\x1b[;1m"),
            (Some(Sgr::PLAIN), bold, "\x1b[1m"),
            (Some(bold), Sgr::PLAIN, "\x1b[m"),
            (Some(bold), red, "\x1b[31m"),
            (Some(red), bold, "\x1b[39m"),
            (Some(red), badge, "\x1b[7;48;5;24m"),
            (Some(badge), red, "\x1b[27;49m"),
            (Some(badge), dim, "\x1b[;2;97;40m"),
            (Some(bold), look(Color::Reset, Color::Reset, Modifier::DIM), "\x1b[;2m"),
            (Some(Sgr::PLAIN), look(Color::Rgb(1, 2, 3), Color::Indexed(8), Modifier::empty()), "\x1b[38;2;1;2;3;100m"),
        ] {
            assert_eq!(Sgr::change(from, to), sequence, "{from:?} to {to:?}");
        }
    }

    #[test]
    fn what_is_not_seen_of_a_blank_is_no_difference() {
        let bold = look(Color::Indexed(1), Color::Reset, Modifier::BOLD);
        assert!(bold.blank_is(Sgr::PLAIN));
        assert!(!bold.blank_is(look(Color::Indexed(1), Color::Indexed(4), Modifier::BOLD)));
        assert!(!Sgr::PLAIN.blank_is(look(Color::Reset, Color::Reset, Modifier::REVERSED)));
        let (mut blank, mut letter) = (Cell::EMPTY, Cell::new("a"));
        blank.modifier = Modifier::BOLD;
        letter.modifier = Modifier::BOLD;
        assert!(same(&blank, &Cell::EMPTY) && !same(&letter, &Cell::new("a")));
    }
}
