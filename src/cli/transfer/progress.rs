//! Progress on stderr: a bar on a terminal, lines in accessible mode, otherwise a line a minute.

use std::io::{IsTerminal as _, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::cli::output::Verbosity;
use crate::cli::signals::Signals;
use crate::cli::{Exit, note};
use crate::config::Settings;

/// How often a bar is drawn, and how often a line is written: for a screen reader, and without a terminal.
const DRAWN: Duration = Duration::from_millis(200);
const SPOKEN: Duration = Duration::from_secs(10);
const WRITTEN: Duration = Duration::from_secs(60);

/// The progress display. Cheap to clone; clones share the bar.
#[derive(Clone)]
pub struct TransferProgress {
    bar: ProgressBar,
    /// How often it is updated.
    each: Duration,
    verbosity: Verbosity,
}

impl TransferProgress {
    /// For this many rows, if known.
    pub fn new(rows: Option<u64>, verbosity: Verbosity, settings: &Settings) -> Self {
        // Verbose output would tear a bar apart.
        let (target, each) = match (stderr().is_terminal() && verbosity == Verbosity::Normal, settings.accessible) {
            (true, false) => (ProgressDrawTarget::stderr(), DRAWN),
            (true, true) => (ProgressDrawTarget::hidden(), SPOKEN),
            (false, _) => (ProgressDrawTarget::hidden(), WRITTEN),
        };
        let bar = ProgressBar::with_draw_target(rows, target);
        let template = match rows {
            Some(_) => "[{bar:24}] {pos} of {len} {percent:>3}%  {rate}  about {eta}  {wide_msg}",
            None => "{spinner} {pos}  {rate}  {wide_msg}",
        };
        // An invalid template shows the default bar.
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = write!(out, "{:.1} a second", state.per_sec());
        };
        let style = style.with_key("rate", rate).progress_chars("#>-");
        bar.set_style(if settings.ascii { style.tick_chars("|/-\\ ") } else { style });
        Self { bar, each, verbosity }
    }

    /// Writes a line without disturbing the bar.
    pub fn note(&self, text: &str) {
        self.bar.suspend(|| note(text));
    }

    /// Waits for `work`, and shows the rows and text of `now`; `on_signal` gets the exit status of each signal.
    pub async fn during<T>(
        &self,
        work: impl Future<Output = T>,
        signals: &mut Signals,
        now: impl Fn() -> (u64, String),
        mut on_signal: impl FnMut(Exit),
    ) -> T {
        tokio::pin!(work);
        let done = loop {
            tokio::select! {
                done = &mut work => break done,
                exit = signals.next() => on_signal(exit),
                () = self.follow(&now) => {}
            }
        };
        self.bar.finish_and_clear();
        done
    }

    /// Shows them until this is dropped.
    async fn follow(&self, now: impl Fn() -> (u64, String)) {
        let mut due = tokio::time::interval(self.each);
        due.tick().await;
        if self.verbosity == Verbosity::Quiet {
            return std::future::pending().await;
        }
        loop {
            due.tick().await;
            let (rows, text) = now();
            if !self.bar.is_hidden() {
                self.bar.set_position(rows);
                self.bar.set_message(text);
                self.bar.tick();
            } else {
                let of = self.bar.length().map_or_else(String::new, |all| format!(" of {all}"));
                note(&format!("{rows}{of}: {text}"));
            }
        }
    }
}
