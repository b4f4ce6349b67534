//! Rows in aligned columns for people, cut if there is too little room.

use std::io::{self, Write};

use super::{cut, width};

/// The width of the widest cell of each column.
pub fn widths(rows: &[impl AsRef<[String]>]) -> Vec<usize> {
    let columns = rows.first().map_or(0, |row| row.as_ref().len());
    let widest = |at: usize| rows.iter().map(|row| width(&row.as_ref()[at])).max().unwrap_or_default();
    (0..columns).map(widest).collect()
}

/// A row in columns of these widths, those of `numbers` right-aligned, without trailing spaces. `paint` colours the cell
/// of a column.
pub fn line(row: &[String], widths: &[usize], numbers: &[usize], paint: impl Fn(usize, String) -> String) -> String {
    let mut line = String::new();
    for (at, (cell, room)) in row.iter().zip(widths).enumerate() {
        let cell = cut(cell, *room);
        let (pad, is_last) = (" ".repeat(room - width(&cell)), at + 1 == row.len());
        let cell = paint(at, cell);
        line.push_str(if at == 0 { "" } else { "  " });
        line += &match numbers.contains(&at) {
            true => pad + &cell,
            false if is_last => cell,
            false => cell + &pad,
        };
    }
    line
}

/// Writes rows of plain text, each column as wide as its widest cell.
pub fn write(out: &mut impl Write, rows: impl IntoIterator<Item = impl AsRef<[String]>>) -> io::Result<()> {
    let rows: Vec<_> = rows.into_iter().collect();
    let widths = widths(&rows);
    rows.iter().try_for_each(|row| writeln!(out, "{}", line(row.as_ref(), &widths, &[], |_, cell| cell)))
}
