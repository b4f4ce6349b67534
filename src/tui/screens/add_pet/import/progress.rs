//! An import that is under way, or has ended.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::jobs::{ImportEnd, ImportSource};
use crate::model::text::short;
use crate::transfer::ColumnMapping;
use crate::transfer::import::{ImportEvent, ImportOptions, ImportProgress};
use crate::transfer::journal::RowOutcome;

use super::preview::PreviewState;

/// Rows that were added and are still shown.
const LAST_ROWS: usize = 200;

/// Rows that were not added and are shown; all of them are in the report.
const MOST_TO_MEND: usize = 1_000;

/// An import that was begun.
#[derive(Clone, Debug)]
pub struct Running {
    /// The file as it was looked at, for as long as nothing of it was ever sent.
    pub looked: Option<Box<PreviewState>>,
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
    /// How it is sent.
    pub how: ImportOptions,
    /// Where it is imported from and where its report is, once it has begun.
    pub files: Option<(String, String)>,
    /// How many rows can be sent.
    pub good: u64,
    /// Where the animals go, as the header calls it.
    pub service: String,
    /// The counts.
    pub progress: ImportProgress,
    /// The last rows that were dealt with, the newest first.
    pub rows: VecDeque<RowEntry>,
    /// Those that were not added, the newest first.
    pub rejects: VecDeque<RowEntry>,
    /// Nothing new is sent for now.
    pub paused: bool,
    /// What came of it, once it has ended.
    pub ended: Option<ImportEnd>,
    /// Only rows that were not added are listed.
    pub only_rejects: bool,
    /// The marked row, from 0.
    pub cursor: usize,
    /// Why all wait, where they do.
    pub waiting: Option<String>,
    /// Since when the speed is measured, and how many rows were added then.
    since: Option<(Instant, u64)>,
    /// How many rows were added in how much time, as it was seen last.
    speed: Option<f64>,
}

/// A row as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowEntry {
    /// Its line in the file.
    pub line: u64,
    /// The animal's name; nothing where it was not read.
    pub name: String,
    /// What became of it.
    pub shown: Shown,
}

/// What became of a row, as the list shows it. Every text is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It was added, with this id.
    Added(i64),
    /// It was not, for this reason.
    Refused(String),
    /// It may have been added.
    Unknown(String),
    /// It was not sent, and may be later.
    NotSent(String),
}

impl Running {
    /// An import that begins.
    pub fn new(source: ImportSource, reading: ColumnMapping, how: ImportOptions, good: u64, service: String) -> Self {
        Self {
            looked: None,
            source,
            reading,
            how,
            files: None,
            good,
            service,
            progress: ImportProgress::default(),
            rows: VecDeque::new(),
            rejects: VecDeque::new(),
            paused: false,
            ended: None,
            only_rejects: false,
            cursor: 0,
            waiting: None,
            since: None,
            speed: None,
        }
    }

    /// Whether rows are being sent, or will be.
    pub const fn is_under_way(&self) -> bool {
        self.ended.is_none()
    }

    /// Takes what has happened.
    pub fn take(&mut self, progress: ImportProgress, told: Vec<ImportEvent>, now: Instant) {
        let (begun, before) = *self.since.get_or_insert((now, self.progress.added));
        let took = now.saturating_duration_since(begun);
        if took >= Duration::from_millis(500) {
            self.speed = Some((progress.added - before.min(progress.added)) as f64 / took.as_secs_f64());
        }
        if progress.waiting_until.is_none() {
            self.waiting = None;
        }
        self.progress = progress;
        for told in told {
            let entry = match told {
                ImportEvent::Row { line, name, outcome, .. } => RowEntry { line, name, shown: shown(&outcome) },
                ImportEvent::Bad(bad) => {
                    RowEntry { line: bad.line, name: String::new(), shown: Shown::Refused(bad.reasons()) }
                }
                ImportEvent::UnknownOutcome { line, .. } => RowEntry {
                    line,
                    name: String::new(),
                    shown: Shown::Unknown("sent before without an answer; left alone".to_owned()),
                },
                ImportEvent::Waiting { why, .. } => {
                    self.waiting = Some(why);
                    continue;
                }
            };
            if matches!(entry.shown, Shown::Refused(_) | Shown::Unknown(_)) {
                push(&mut self.rejects, entry.clone(), MOST_TO_MEND);
            }
            push(&mut self.rows, entry, LAST_ROWS);
            // The mark stays on its row.
            if self.cursor > 0 && !self.only_rejects {
                self.cursor = (self.cursor + 1).min(self.rows.len() - 1);
            }
        }
    }

    /// Sending goes on or stops for a while: the speed is measured anew.
    pub(super) fn measure_anew(&mut self) {
        (self.since, self.speed) = (None, None);
    }

    /// The rows that are listed, the newest first.
    pub const fn listed(&self) -> &VecDeque<RowEntry> {
        if self.only_rejects { &self.rejects } else { &self.rows }
    }

    pub fn marked(&self) -> Option<&RowEntry> {
        self.listed().get(self.cursor)
    }

    /// Rows that are not dealt with yet.
    pub const fn left(&self) -> u64 {
        self.good.saturating_sub(self.progress.dealt_with())
    }

    /// How much is done, in hundredths.
    pub const fn percent(&self) -> u64 {
        let done = self.good - self.left();
        match (done * 100).checked_div(self.good) {
            Some(percent) => percent,
            None => 100,
        }
    }

    /// Rows added in a second, where that is known.
    pub const fn speed(&self) -> Option<f64> {
        self.speed
    }

    /// How long the rest takes at this speed.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let speed = self.speed.filter(|speed| *speed > 0.0)?;
        Duration::try_from_secs_f64(self.left() as f64 / speed).ok()
    }
}

fn push(rows: &mut VecDeque<RowEntry>, entry: RowEntry, most: usize) {
    rows.push_front(entry);
    rows.truncate(most);
}

fn shown(outcome: &RowOutcome) -> Shown {
    let words = |answer: &crate::transfer::journal::RowAnswer| {
        let status = answer.status.map(|status| format!("{status} ")).unwrap_or_default();
        let code = answer.code.as_ref().map(|code| format!("{} ", short(code))).unwrap_or_default();
        format!("{status}{code}{}", answer.message)
    };
    match outcome {
        RowOutcome::Added(id) => Shown::Added(*id),
        RowOutcome::Refused(answer) => Shown::Refused(words(answer)),
        RowOutcome::Unknown(answer) => Shown::Unknown(words(answer)),
        RowOutcome::NotSent(answer) => Shown::NotSent(words(answer)),
        RowOutcome::Invalid(why) => Shown::Refused(why.clone()),
    }
}
