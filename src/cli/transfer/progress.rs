//! Progress on stderr: one line that changes on a terminal, lines in accessible mode, otherwise a line a minute.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::Duration;

use jiff::SignedDuration;

use crate::cli::output::{Verbosity, note, safe};
use crate::clock;
use crate::config::Settings;
use crate::model::text::cut;
use crate::model::words::duration;
use crate::terminal_size::terminal_size;

/// How often the line changes, and how often one is written: for a screen reader, and without a terminal.
const DRAWN: Duration = Duration::from_millis(200);
const SPOKEN: Duration = Duration::from_secs(10);
const WRITTEN: Duration = Duration::from_secs(60);

/// The progress display.
#[derive(Clone, Copy)]
pub struct TransferProgress {
    /// How many rows there are, if known.
    rows: Option<u64>,
    is_drawn: bool,
    /// How often it is updated.
    each: Duration,
    verbosity: Verbosity,
}

impl TransferProgress {
    pub fn new(rows: Option<u64>, verbosity: Verbosity, settings: &Settings) -> Self {
        // Verbose output would tear the line apart.
        let (is_drawn, each) = match (stderr().is_terminal() && verbosity == Verbosity::Normal, settings.accessible) {
            (true, false) => (true, DRAWN),
            (true, true) => (false, SPOKEN),
            (false, _) => (false, WRITTEN),
        };
        Self { rows, is_drawn, each, verbosity }
    }

    /// Writes a line above the one that changes.
    pub fn note(&self, text: &str) {
        self.clear();
        note(text);
    }

    /// Shows the rows and text of `now`, until this is dropped.
    pub async fn follow(&self, mut now: impl FnMut() -> (u64, String)) {
        let mut due = tokio::time::interval(self.each);
        due.tick().await;
        if self.verbosity == Verbosity::Quiet {
            return std::future::pending().await;
        }
        let (begun, (before, _)) = (clock::now().mono, now());
        loop {
            due.tick().await;
            let (rows, text) = now();
            let of = self.rows.map_or_else(String::new, |all| format!(" of {all}"));
            if !self.is_drawn {
                note(&format!("{rows}{of}: {text}"));
                continue;
            }
            let took = clock::now().mono.saturating_duration_since(begun).as_secs_f64();
            let rate = rows.saturating_sub(before) as f64 / took.max(f64::EPSILON);
            let left = self.rows.filter(|_| rate >= 0.1).map_or_else(String::new, |all| {
                let seconds = (all.saturating_sub(rows) as f64 / rate) as i64;
                format!("  about {} left", duration(SignedDuration::from_secs(seconds)))
            });
            let line = format!("{rows}{of}  {rate:.1} a second{left}  {}", safe(&text));
            let columns = terminal_size().map_or(80, |(columns, _)| usize::from(columns));
            self.draw(&cut(&line, columns.saturating_sub(1)));
        }
    }

    /// Removes the line.
    pub fn clear(&self) {
        self.draw("");
    }

    fn draw(&self, line: &str) {
        if self.is_drawn {
            let _ = stderr().write_all(format!("\r{line}\x1b[K").as_bytes());
        }
    }
}
