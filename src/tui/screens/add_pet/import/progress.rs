//! An import that is running or has ended.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::transfer::ImportSource;
use crate::transfer::import::{ImportProgress, ImportRun, ImportedRow};

use super::preview::PreviewState;

/// The most recent rows that are shown.
const LAST_ROWS: usize = 200;

/// The most rejects that are shown; the report has all.
const MOST_REJECTS: usize = 1_000;

/// An import to start or resume.
#[derive(Clone, Debug, PartialEq)]
pub struct RunImport {
    pub source: ImportSource,
    /// Its report is beside the file if it names none.
    pub run: ImportRun,
}

/// An import that was started.
#[derive(Clone, Debug)]
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

impl Running {
    /// An import that starts.
    pub fn new(job: RunImport, looked: Option<Box<PreviewState>>, service: String) -> Self {
        Self {
            looked,
            job,
            files: None,
            service,
            progress: ImportProgress::default(),
            rows: VecDeque::new(),
            rejects: VecDeque::new(),
            is_under_way: true,
            only_rejects: false,
            cursor: 0,
            since: None,
            speed: None,
        }
    }

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
        let speed = self.speed.filter(|speed| *speed > 0.0)?;
        Duration::try_from_secs_f64(self.left() as f64 / speed).ok()
    }
}
