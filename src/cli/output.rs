//! stdout for data, stderr for notes.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;

use crate::api::{Exchange, Recorder};

use super::exit::{Exit, Failed};

/// Writes to stdout; `false` when whoever read it has gone, which is no failure.
pub fn write(write: impl FnOnce(&mut io::BufWriter<io::StdoutLock<'_>>) -> io::Result<()>) -> Result<bool, Failed> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    // What could not be written must not be tried again when the buffer is dropped.
    let _ = out.into_parts();
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failed::new(Exit::Failure, format!("cannot write to standard output: {error}"))),
    }
}

/// A line for people, on stderr.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// How much is said on stderr beside failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Nothing.
    Quiet,
    /// What may be missing, or is deprecated, or comes late.
    Normal,
    /// And each request.
    Verbose,
}

impl Voice {
    /// A line for people, unless they asked for quiet.
    pub fn note(self, text: &str) {
        if self != Self::Quiet {
            note(text);
        }
    }

    /// What tells of each request, where that was asked for.
    pub fn recorder(self) -> Option<Recorder> {
        (self == Self::Verbose).then(|| -> Recorder { Arc::new(|exchange| note(&line(&exchange))) })
    }
}

/// What was asked and what came of it, without the key.
fn line(exchange: &Exchange) -> String {
    let Exchange { method, path_and_query, status, size, took, failure, .. } = exchange;
    let milliseconds = took.as_millis();
    let status = status.map_or_else(|| "no answer".to_owned(), |status| status.to_string());
    match failure {
        None => format!("{method} {path_and_query}: {status}, {size} bytes, {milliseconds} ms"),
        Some(why) => format!("{method} {path_and_query}: {status}, {why}, {milliseconds} ms"),
    }
}

/// The width of the terminal that stdout is; `None` where it is none.
#[must_use]
pub fn columns() -> Option<usize> {
    let columns = io::stdout().is_terminal().then(|| crossterm::terminal::size().map_or(80, |(columns, _)| columns));
    columns.map(usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_request_is_one_line_with_its_status_and_its_time() {
        let answered = Exchange {
            method: "GET".into(),
            path_and_query: "/v1/pets?limit=20".into(),
            status: Some(200),
            size: 812,
            took: Duration::from_micros(3900),
            ..Exchange::default()
        };
        assert_eq!(line(&answered), "GET /v1/pets?limit=20: 200, 812 bytes, 3 ms");
        let failed = Exchange { status: None, failure: Some("no connection (refused)".into()), ..answered };
        assert_eq!(line(&failed), "GET /v1/pets?limit=20: no answer, no connection (refused), 3 ms");
    }
}
