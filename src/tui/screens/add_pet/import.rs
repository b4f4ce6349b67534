//! Import of a file: choose it, preview it, send it. Nothing is sent before the whole file was checked and previewed.
//!
//! [`crate::transfer`] does the work; these are its three steps on the screen. A running import continues while other
//! screens are shown, and resumes from its report after a restart.

pub mod jobs;
pub mod preview;
pub mod update;
pub mod view;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::model::short;
use crate::transfer::import::ImportProgress;
use crate::transfer::{ColumnMapping, ImportRun, ImportSource, ImportedRow};
use crate::tui::{Screen, TextInput, Typing};

use preview::PreviewState;

/// The most recent rows that are shown.
const LAST_ROWS: usize = 200;

/// The most rejects that are shown; the report has all.
const MOST_REJECTS: usize = 1_000;

/// The most bytes of pasted lines in a draft: with their escapes, it can still be read.
const MOST_KEPT: usize = 512 << 10;

/// Pasted lines, of which nothing was sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastedLines {
    /// As pasted.
    pub text: Arc<str>,
    /// How they are read.
    pub reading: ColumnMapping,
}

/// The import.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Whether it is shown instead of the form.
    pub on: bool,
    /// The screen on which its key was pressed.
    pub opened_from: Screen,
    /// The name of the file, as typed.
    pub path: TextInput,
    /// Why the file cannot be imported.
    pub error: Option<String>,
    /// The step of the import.
    pub phase: Phase,
    /// The text that was pasted into the form and is imported instead.
    pub pasted: Option<Arc<str>>,
    /// The file of an import that was started, and is neither finished nor dropped.
    pub unfinished: Option<String>,
}

/// The step of an import.
#[derive(Clone, Debug, Default)]
pub enum Phase {
    #[default]
    File,
    Looked(Box<PreviewState>),
    /// It is running or has ended.
    Running(Box<Running>),
}

/// An import to start or resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunImport {
    pub source: ImportSource,
    /// Its report is beside the file if it names none.
    pub run: ImportRun,
}

/// An import that was started.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// The preview of the file, as long as nothing of it was sent.
    pub looked: Option<Box<PreviewState>>,
    pub job: RunImport,
    /// The file and the report, once it has started.
    pub files: Option<(String, String)>,
    /// The service, as the header names it.
    pub service: String,
    /// The counts.
    pub progress: ImportProgress,
    /// The most recent rows, the newest first.
    pub rows: VecDeque<ImportedRow>,
    /// The rows that were not added, the newest first.
    pub rejects: VecDeque<ImportedRow>,
    /// Whether rows are being sent, or will be.
    pub is_under_way: bool,
    /// Only rows that were not added are listed.
    pub only_rejects: bool,
    /// The selected row, from 0.
    pub cursor: usize,
    /// When measuring the speed began, and how many rows were added then.
    pub(super) since: Option<(Instant, u64)>,
    /// Rows added a second, if known.
    pub(super) speed: Option<f64>,
}

impl State {
    /// Puts typed text into the field with the cursor.
    pub fn on_typing(&mut self, typing: Typing<'_>) -> bool {
        match &mut self.phase {
            Phase::File => {
                self.error = None;
                self.path.take(typing)
            }
            Phase::Looked(looked) => {
                let Some(input) = looked.input() else { return false };
                let is_cut = input.take(typing);
                looked.changed = true;
                is_cut
            }
            Phase::Running(_) => false,
        }
    }

    /// The name of that file, short.
    pub fn unfinished_name(&self) -> Option<String> {
        self.unfinished.as_ref().map(|file| short(file_name(file)))
    }

    /// Whether that file is the one that is shown.
    pub(super) fn shows_unfinished(&self) -> bool {
        self.unfinished.is_some() && self.file() == self.unfinished.as_deref()
    }

    /// The file that is shown: its place once that is known.
    pub(super) fn file(&self) -> Option<&str> {
        match &self.phase {
            Phase::File => Some(self.path.value()),
            Phase::Looked(looked) => looked.seen().and_then(|seen| seen.path.as_deref()?.to_str()),
            Phase::Running(running) => running.files.as_ref().map(|(file, _)| file.as_str()),
        }
    }

    /// The import that is running or has ended.
    pub const fn running(&self) -> Option<&Running> {
        if let Phase::Running(running) = &self.phase { Some(running) } else { None }
    }

    /// The same, for changes.
    pub(super) const fn running_mut(&mut self) -> Option<&mut Running> {
        if let Phase::Running(running) = &mut self.phase { Some(running) } else { None }
    }

    /// The preview of the file.
    pub(super) const fn looked_mut(&mut self) -> Option<&mut PreviewState> {
        if let Phase::Looked(looked) = &mut self.phase { Some(looked) } else { None }
    }

    /// What is imported, if known.
    pub const fn source(&self) -> Option<&ImportSource> {
        match &self.phase {
            Phase::File => None,
            Phase::Looked(looked) => Some(&looked.source),
            Phase::Running(running) => Some(&running.job.source),
        }
    }

    /// Whether the preview of pasted lines is open.
    pub fn previews_paste(&self) -> bool {
        matches!(self.phase, Phase::Looked(_)) && self.is_paste()
    }

    fn is_paste(&self) -> bool {
        self.source().is_some_and(ImportSource::is_pasted)
    }

    /// The pasted lines that are in no file yet.
    pub fn unsent(&self) -> Option<&Arc<str>> {
        let has_file = self.running().is_some_and(|running| running.files.is_some());
        self.pasted.as_ref().filter(|_| self.is_paste() && !has_file)
    }

    /// The same for a draft.
    pub fn draft(&self) -> Option<PastedLines> {
        let text = self.unsent().filter(|text| text.len() <= MOST_KEPT)?.clone();
        let reading = match &self.phase {
            Phase::File => return None,
            Phase::Looked(looked) => looked.reading(),
            Phase::Running(running) => running.job.run.reading.clone(),
        };
        Some(PastedLines { text, reading })
    }

    /// How many pasted rows were not added, and are nowhere else.
    pub fn at_risk(&self) -> u64 {
        match (self.unsent(), self.running()) {
            (Some(text), _) => rows_of(text) as u64,
            (None, Some(running)) if self.is_paste() && !running.is_under_way && self.unfinished.is_none() => {
                running.progress.errors()
            }
            (None, _) => 0,
        }
    }

    /// The import that is running.
    pub fn under_way(&self) -> Option<&Running> {
        self.running().filter(|running| running.is_under_way)
    }

    /// Whether it shows a countdown to the next try.
    pub fn is_waiting(&self) -> bool {
        self.under_way().is_some_and(|running| running.progress.waiting.is_some())
    }
}

/// How many lines of a text are not blank.
pub fn rows_of(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

impl Running {
    /// Takes the counts and new rows.
    pub fn take(&mut self, progress: ImportProgress, rows: Vec<ImportedRow>, now: Instant) {
        let (begun, before) = *self.since.get_or_insert((now, self.progress.added));
        let took = now.saturating_duration_since(begun);
        if took >= Duration::from_millis(500) {
            self.speed = Some((progress.added - before.min(progress.added)) as f64 / took.as_secs_f64());
        }
        self.progress = progress;
        for row in rows {
            if row.is_error() {
                self.rejects.push_front(row.clone());
                self.rejects.truncate(MOST_REJECTS);
            }
            self.rows.push_front(row);
            self.rows.truncate(LAST_ROWS);
            // The selection stays on its row.
            if self.cursor > 0 && !self.only_rejects {
                self.cursor = (self.cursor + 1).min(self.rows.len() - 1);
            }
        }
    }

    /// The rows that are listed, the newest first.
    pub const fn listed(&self) -> &VecDeque<ImportedRow> {
        if self.only_rejects { &self.rejects } else { &self.rows }
    }

    /// How many rows there are to send.
    pub fn good(&self) -> u64 {
        self.job.run.counts.map_or(0, |counts| counts.good)
    }

    /// Whether rows are left, or others may be sent again. Pasted ones that are invalid stay so.
    pub fn can_go_on(&self) -> bool {
        let ImportProgress { refused, unknown, invalid, .. } = self.progress;
        self.left() + refused + unknown > 0 || invalid > 0 && self.job.source.is_file()
    }

    /// Rows not done yet.
    pub fn left(&self) -> u64 {
        self.good().saturating_sub(self.progress.dealt_with())
    }

    /// How much is done, in percent.
    pub fn percent(&self) -> u64 {
        let done = self.good() - self.left();
        (done * 100).checked_div(self.good()).unwrap_or(100)
    }

    /// How long the rest takes at this speed.
    pub(super) fn time_left(&self) -> Option<Duration> {
        Duration::try_from_secs_f64(self.left() as f64 / self.speed?).ok()
    }
}

#[cfg(test)]
pub(in crate::tui) mod tests;
