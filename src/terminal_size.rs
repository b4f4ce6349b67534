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
fn usable(columns: u16, rows: u16) -> (u16, u16) {
    if columns == 0 || rows == 0 { USUAL } else { (columns.min(MOST.0), rows.min(MOST.1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_size_that_a_terminal_claims_takes_more_memory_than_a_screen_could_need() {
        assert_eq!(usable(0, 0), (80, 24));
        assert_eq!(usable(0, u16::MAX), (80, 24));
        assert_eq!(usable(u16::MAX, u16::MAX), (1_000, 500));
        assert_eq!(usable(u16::MAX, 1), (1_000, 1));
        assert_eq!(usable(960, 270), (960, 270), "a whole 4K screen in the smallest letters");
    }
}
