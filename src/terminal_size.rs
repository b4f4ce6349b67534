//! The size of the terminal, for whoever paints and whoever aligns. Usable everywhere.

use std::io;

use rustix::termios::tcgetwinsize;

/// Where the terminal does not know its size, as over a serial line: columns and rows.
const USUAL: (u16, u16) = (80, 24);

/// More than any screen has. A terminal may claim anything, and each cell of it takes memory several times.
const MOST: (u16, u16) = (1_000, 500);

/// The columns and rows of the terminal that stdout is. Asked without opening anything.
///
/// # Errors
/// Stdout is no terminal.
#[expect(clippy::disallowed_methods, reason = "nothing is written")]
pub fn terminal_size() -> io::Result<(u16, u16)> {
    let size = tcgetwinsize(io::stdout())?;
    Ok(usable(size.ws_col, size.ws_row))
}

/// The columns and rows to go by where a terminal says these.
pub fn usable(columns: u16, rows: u16) -> (u16, u16) {
    if columns == 0 || rows == 0 { USUAL } else { (columns.min(MOST.0), rows.min(MOST.1)) }
}
