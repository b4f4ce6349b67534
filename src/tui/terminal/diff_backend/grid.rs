//! A screen as cells in rows, where the second half of a wide character is a cell without a symbol.

use std::ops::Range;

use ratatui::buffer::{Cell, CellDiffOption, CellWidth as _};
use ratatui::layout::Size;

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
