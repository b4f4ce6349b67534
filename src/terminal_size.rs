//! The size of the terminal. Usable everywhere.

use std::io;

use rustix::termios::tcgetwinsize;

/// The size in columns and rows if the terminal does not know it, as over a serial line.
const USUAL: (u16, u16) = (80, 24);

/// More than any screen has. A terminal may report any size, and each cell takes memory.
const MOST: (u16, u16) = (1_000, 500);

/// The columns and rows of the terminal on stdout.
///
/// # Errors
/// Stdout is not a terminal.
#[expect(clippy::disallowed_methods, reason = "nothing is written")]
pub fn terminal_size() -> io::Result<(u16, u16)> {
    let size = tcgetwinsize(io::stdout())?;
    Ok(usable(size.ws_col, size.ws_row))
}

/// The size to use if a terminal reports these columns and rows.
pub fn usable(columns: u16, rows: u16) -> (u16, u16) {
    if columns == 0 || rows == 0 { USUAL } else { (columns.min(MOST.0), rows.min(MOST.1)) }
}
