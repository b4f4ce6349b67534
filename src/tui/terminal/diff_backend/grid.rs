//! A screen as cells in rows, where the second half of a wide character is a cell without a symbol. Rows that moved are
//! found by their letters, and scrolled by the terminal if that is shorter.

use std::collections::HashMap;
use std::ops::Range;

use ratatui::buffer::{Cell, CellDiffOption, CellWidth as _};
use ratatui::layout::Size;

use super::runs::same;

/// The contents of a screen.
#[derive(Clone, Debug)]
pub struct Grid {
    pub columns: usize,
    pub rows: usize,
    cells: Vec<Cell>,
}

/// Rows that move together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scroll {
    /// The first row of the block.
    pub top: usize,
    /// Its last row, below the first.
    pub bottom: usize,
    /// By how many rows it moves up, or down where this is negative; fewer than it has, and not zero.
    pub by: isize,
}

impl Grid {
    /// Blanks only.
    pub fn blank(size: Size) -> Self {
        let (columns, rows) = (usize::from(size.width), usize::from(size.height));
        Self { columns, rows, cells: vec![Cell::EMPTY; columns * rows] }
    }

    /// The cells of row `y`, which must be less than `rows`.
    pub fn row(&self, y: usize) -> &[Cell] {
        &self.cells[y * self.columns..][..self.columns]
    }

    fn row_mut(&mut self, y: usize) -> &mut [Cell] {
        &mut self.cells[y * self.columns..][..self.columns]
    }

    /// Whether this cell is there already.
    pub fn holds(&self, x: usize, y: usize, cell: &Cell) -> bool {
        x < self.columns && y < self.rows && self.cells[y * self.columns + x] == *cell
    }

    /// Writes a cell; gives the columns that may differ then. What does not fit into the screen is omitted.
    pub fn put(&mut self, x: usize, y: usize, cell: &Cell) -> Range<usize> {
        let end = x + usize::from(cell.cell_width().max(1));
        if y >= self.rows || end > self.columns {
            return 0..0;
        }
        let row = self.row_mut(y);
        // Half of a wide sign is none: the rest of what is written over is as blank as what ratatui has there.
        let is_half = |cell: &Cell| cell.symbol().is_empty();
        let halves = row[..=x].iter().rev().take_while(|left| is_half(left)).count();
        let behind = end + row[end..].iter().take_while(|right| is_half(right)).count();
        let touched = x - halves..behind;
        row[touched.clone()].fill(Cell::EMPTY);
        row[x..end].fill(cell.clone());
        row[x].diff_option = CellDiffOption::None;
        for half in &mut row[x + 1..end] {
            half.set_symbol("");
        }
        touched
    }

    /// Takes some columns of row `y` over from another screen of this size.
    pub fn copy(&mut self, y: usize, columns: Range<usize>, from: &Self) {
        self.row_mut(y)[columns.clone()].clone_from_slice(&from.row(y)[columns]);
    }

    /// Does what a terminal does with its rows.
    pub fn scroll(&mut self, scroll: &Scroll) {
        let (begin, end) = (scroll.top * self.columns, (scroll.bottom + 1) * self.columns);
        let (block, away) = (&mut self.cells[begin..end], scroll.by.unsigned_abs() * self.columns);
        let new = if scroll.by > 0 {
            block.rotate_left(away);
            let kept = block.len() - away;
            &mut block[kept..]
        } else {
            block.rotate_right(away);
            &mut block[..away]
        };
        new.fill(Cell::EMPTY);
    }
}

/// With fewer changed rows no scroll is tried.
const LEAST: usize = 4;

/// What margins, and the moves because of them, take.
const MARGINS: isize = 24;

/// What is taken for beginning to write somewhere in a row.
const START: isize = 6;

/// The scroll that saves most, if any does. Only rows that have `changed` may differ.
pub fn find_scroll(old: &Grid, new: &Grid, changed: &[bool]) -> Option<Scroll> {
    let rows = new.rows;
    if changed.iter().filter(|changed| **changed).count() < LEAST {
        return None;
    }
    let by = most_frequent(old, new, changed)?;
    let source = |y: usize| y.checked_add_signed(by).filter(|source| *source < rows);
    // What each row costs as it is, from its source, and from a blank row, as sums over the rows before.
    let blank = vec![Cell::EMPTY; new.columns];
    let stays = sums(rows, |y| if changed[y] { cost(old.row(y), new.row(y)) } else { 0 });
    let moves = sums(rows, |y| source(y).map_or(0, |source| cost(old.row(source), new.row(y))));
    let comes = sums(rows, |y| cost(&blank, new.row(y)));
    let away = by.unsigned_abs();
    let mut best = (0, None);
    for top in 0..rows {
        for bottom in top + away..rows {
            let (kept, blank) = if by > 0 {
                (top..bottom + 1 - away, bottom + 1 - away..bottom + 1)
            } else {
                (top + away..bottom + 1, top..top + away)
            };
            let over = |sums: &[isize], rows: Range<usize>| sums[rows.end] - sums[rows.start];
            let index = if by > 0 { by } else { -2 * by };
            let after = over(&moves, kept) + over(&comes, blank) + MARGINS + index;
            let saved = over(&stays, top..bottom + 1) - after;
            if saved > best.0 {
                best = (saved, Some(Scroll { top, bottom, by }));
            }
        }
    }
    best.1
}

/// By how many rows most of the changed rows have moved.
fn most_frequent(old: &Grid, new: &Grid, changed: &[bool]) -> Option<isize> {
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (y, letters) in (0..old.rows).filter(|&y| changed[y]).filter_map(|y| Some((y, letters(old.row(y))?))) {
        places.entry(letters).or_default().push(y);
    }
    let mut votes = vec![0; 2 * new.rows];
    for y in (0..new.rows).filter(|&y| changed[y]) {
        let sources = letters(new.row(y)).and_then(|letters| places.get(&letters));
        for source in sources.into_iter().flatten().filter(|&&source| source != y) {
            votes[source + new.rows - y] += 1;
        }
    }
    let (at, _) = votes.into_iter().enumerate().max_by_key(|(_, votes)| *votes).filter(|(_, most)| *most > 0)?;
    isize::try_from(at).ok()?.checked_sub_unsigned(new.rows)
}

/// The letters of a row as a number; none for a blank row, which is everywhere. Equal numbers prove nothing.
fn letters(row: &[Cell]) -> Option<u64> {
    if row.iter().all(|cell| cell.symbol() == " ") {
        return None;
    }
    // A simple step for each letter: a tenth of a key's work, where a hasher and its text were a fifth.
    let step = |hash: u64, letter: &u8| (hash.rotate_left(5) ^ u64::from(*letter)).wrapping_mul(0x517c_c1b7_2722_0a95);
    Some(row.iter().fold(0, |hash, cell| cell.symbol().as_bytes().iter().fold(hash, step)))
}

fn sums(rows: usize, value: impl Fn(usize) -> isize) -> Vec<isize> {
    let sums = (0..rows).scan(0, |sum, y| {
        *sum += value(y);
        Some(*sum)
    });
    std::iter::once(0).chain(sums).collect()
}

/// About how many bytes it takes to make one row the other.
fn cost(old: &[Cell], new: &[Cell]) -> isize {
    let (mut bytes, mut last) = (0, None);
    // A long blank end is erased at once.
    let end = new.iter().rposition(|cell| !same(cell, &Cell::EMPTY)).map_or(0, |x| x + 1);
    for x in (0..end).filter(|&x| !same(&old[x], &new[x])) {
        bytes += new[x].symbol().len().cast_signed();
        bytes += last.map_or(START, |last: usize| (x - last - 1).cast_signed().min(START));
        last = Some(x);
    }
    if (end..new.len()).any(|x| !same(&old[x], &new[x])) {
        bytes += START;
    }
    bytes
}
