//! stdout for data, stderr for notes.

use std::io::{self, IsTerminal as _, Write};

use super::exit::{Exit, Failed};

/// Writes to stdout; `false` when whoever read it has gone, which is no failure.
pub fn write(write: impl FnOnce(&mut io::BufWriter<io::StdoutLock<'_>>) -> io::Result<()>) -> Result<bool, Failed> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failed::new(Exit::Failure, format!("cannot write to standard output: {error}"))),
    }
}

/// A line for people, on stderr.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// The width of the terminal that stdout is; `None` where it is none.
#[must_use]
pub fn columns() -> Option<usize> {
    let columns = io::stdout().is_terminal().then(|| crossterm::terminal::size().map_or(80, |(columns, _)| columns));
    columns.map(usize::from)
}
