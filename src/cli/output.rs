//! stdout for data, stderr for notes.

use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::api::{Exchange, Recorder};
use crate::tui::terminal;

use super::exit::{Exit, Failed};

/// Whether standard output was closed when the program began.
static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks before `main`: the standard library then has put `/dev/null` in the place of a closed descriptor, and what is
/// written would be lost without a word.
#[ctor::ctor(unsafe)]
fn look() {
    WAS_CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
}

/// Fails where there is no standard output: for what must not be done unless its result can be told.
pub fn is_there() -> Result<(), Failed> {
    if WAS_CLOSED.load(Ordering::Relaxed) {
        return Err(Failed::new(Exit::Failure, "cannot write to standard output: it is closed"));
    }
    Ok(())
}

/// Writes to stdout; `false` when whoever read it has gone, which is no failure.
pub fn write(write: impl FnOnce(&mut io::BufWriter<io::StdoutLock<'_>>) -> io::Result<()>) -> Result<bool, Failed> {
    is_there()?;
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
    io::stdout().is_terminal().then(|| terminal::size().map_or(80, |size| size.width).into())
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
