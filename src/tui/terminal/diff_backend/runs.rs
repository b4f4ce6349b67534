//! What must be written in a row, as runs of cells that look the same.

use std::ops::Range;

use ratatui::buffer::Cell;
use unicode_width::UnicodeWidthChar as _;

use super::sgr::{Sgr, same};

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
pub(super) fn differences(y: usize, columns: Range<usize>, old: &[Cell], new: &[Cell], runs: &mut Vec<Run>) {
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
        let goes_on = self.what == What::Text && look.shows(cell) && may_be_written(between, look);
        if goes_on {
            self.look = look;
            self.blank &= cell.symbol() == " " && between.iter().all(|cell| cell.symbol() == " ");
            self.end = end;
        }
        goes_on
    }
}

/// Whether writing these unchanged cells takes no more than a move over them.
fn may_be_written(between: &[Cell], look: Sgr) -> bool {
    between.len() <= MOVE && is_written_by(between, look) && letters(between) <= MOVE
}

/// Whether these cells can be written with this look, one after the other.
pub(super) fn is_written_by(cells: &[Cell], look: Sgr) -> bool {
    let single = |symbol: &str| !symbol.is_empty() && !is_doubtful(symbol);
    cells.iter().all(|cell| look.shows(cell) && single(cell.symbol()))
}

/// How many bytes the letters of these cells take.
pub fn letters(cells: &[Cell]) -> usize {
    cells.iter().map(|cell| cell.symbol().len()).sum()
}
