//! The lines below the form.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::outbox::queue::{Fate, Line, QueueRecord, QueuedPet, Unfinished};
use crate::config::file::Concurrency;
use crate::model::{Categories, Draft};

/// The most lines that may wait.
pub(super) const MOST_WAITING: usize = 1_000;

/// The most lines shown; beyond that, the oldest saved lines are removed.
const MOST_SHOWN: usize = 2_000;

/// Characters closer together than this come from a scanner; a key this soon after them may end a scan.
const BURST: Duration = Duration::from_millis(50);

/// The fewest characters of a scan.
const LEAST_BURST: usize = 3;

/// The lines, and what is with them.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// The configuration.
    pub setup: AddSetup,
    /// The cursor is at a line.
    pub in_lines: bool,
    /// The number of the selected line.
    pub marked: u64,
    /// In the order of typing.
    pub lines: Vec<Line>,
    /// How many were saved in this session.
    pub saved: usize,
    /// Some were since the list was read.
    pub unread: bool,
    /// The refused line being edited.
    pub editing: Option<EditedLine>,
    /// Records to write to the file.
    pub unwritten: Vec<QueueRecord>,
    /// What is being written.
    pub writing: Vec<QueueRecord>,
    /// The last writing failed.
    pub is_unwritable: bool,
    /// What earlier sessions have added of what the file has.
    pub before: Vec<QueuedPet>,
    /// Nothing is sent before this time.
    pub pause: Option<Instant>,
    /// Nothing is written before this time.
    pub write_pause: Option<Instant>,
    /// How many times in a row sending failed.
    pub tries: u32,
    /// How long the last answer took.
    pub took: Duration,
    /// The number of the last line.
    pub last: u64,
    /// The name was begun with the cursor elsewhere, so the keys may not be a name.
    pub stray: bool,
    /// Was asked about, since the same was added a moment ago.
    pub asked: Option<Draft>,
    burst: Burst,
}

/// How pets are added, from the configuration.
#[derive(Clone, Debug, Default)]
pub struct AddSetup {
    /// The prefix that the scanner sends.
    pub strip: String,
    /// Whether it ends each code with Tab. A typed Tab only goes to the next field.
    pub tab: bool,
    /// The most lines sent at a time.
    pub concurrency: Concurrency,
    /// The names of categories, also in the form.
    pub categories: Arc<Categories>,
}

/// A refused line in the form, and what the form had before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedLine {
    pub number: u64,
    pub before: Draft,
}

/// Characters of the name that came faster than typing.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    count: usize,
    last: Option<Instant>,
}

/// How many lines have which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub saved: usize,
    pub waiting: usize,
    pub refused: usize,
    pub unknown: usize,
}

impl AddSetup {
    /// A line without the prefix of the scanner and surrounding spaces.
    pub fn code_in<'a>(&self, line: &'a str) -> &'a str {
        let line = line.trim();
        line.strip_prefix(self.strip.as_str()).unwrap_or(line).trim()
    }
}

impl Outbox {
    /// How many lines have which fate.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { saved: self.saved, ..Counts::default() };
        for line in &self.lines {
            match line.fate {
                Fate::Unwritten | Fate::Waiting | Fate::Sending(..) => counts.waiting += 1,
                Fate::Refused(_) => counts.refused += 1,
                Fate::Unknown(_) => counts.unknown += 1,
                Fate::Saved(_) => {}
            }
        }
        counts
    }

    /// Whether anything waits to be written or sent.
    pub(super) fn has_work(&self) -> bool {
        !self.unwritten.is_empty() || self.lines.iter().any(|line| line.fate.is_waiting())
    }

    /// Whether a line is being written or sent.
    pub fn is_under_way(&self) -> bool {
        let under_way = |line: &Line| matches!(line.fate, Fate::Unwritten | Fate::Sending(..));
        !self.unwritten.is_empty() || !self.writing.is_empty() || self.lines.iter().any(under_way)
    }

    /// Records that may not be in the file yet, in order.
    pub fn not_in_file(&self) -> impl Iterator<Item = &QueueRecord> {
        self.writing.iter().chain(&self.unwritten)
    }

    /// When waiting work is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.pause.into_iter().chain(self.write_pause).min().filter(|_| self.has_work())
    }

    /// Why the line that is selected or edited was refused.
    pub(super) fn explanation(&self) -> Option<&str> {
        let selected = self.in_lines.then_some(self.marked);
        let number = self.editing.as_ref().map(|editing| editing.number).or(selected)?;
        self.lines.iter().find(|line| line.typed.line == number)?.fate.explanation()
    }

    pub fn line(&mut self, number: u64) -> Option<&mut Line> {
        self.lines.iter_mut().find(|line| line.typed.line == number)
    }

    /// An unused line number.
    pub(super) const fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Appends a line, or puts it in the place of the one that was edited.
    pub(super) fn place(&mut self, line: Line, edited: Option<u64>) {
        if let Some(number) = edited {
            self.unwritten.push(QueueRecord::Dropped { line: number });
            if let Some(corrected) = self.line(number) {
                *corrected = line;
                return;
            }
        }
        self.lines.push(line);
        if self.lines.len() > MOST_SHOWN
            && let Some(oldest) = self.lines.iter().position(|line| matches!(line.fate, Fate::Saved(_)))
        {
            self.lines.remove(oldest);
        }
    }

    /// Takes what an earlier version sent without an answer, unless it is a line already.
    pub fn take_over(&mut self, open: Line) {
        if self.lines.iter().all(|line| line.typed.key != open.typed.key) {
            self.last = open.typed.line;
            self.unwritten.extend(open.records());
            self.lines.push(Line { fate: Fate::Unwritten, ..open });
        }
    }

    /// Notes that text came into the name, or `begins` it.
    pub fn note_text(&mut self, text: &str, begins: bool, now: Instant) {
        let goes_on = !begins && self.burst.last.is_some_and(|at| is_close(at, now));
        let before = if goes_on { self.burst.count } else { 0 };
        self.burst = Burst { count: before + text.chars().count(), last: Some(now) };
    }

    /// Whether the name is a scan that a key at `now` ends.
    pub fn is_scan(&self, name: &str, now: Instant) -> bool {
        let whole = self.burst.count == name.chars().count() && self.burst.count >= LEAST_BURST;
        whole && self.burst.last.is_some_and(|at| is_close(at, now))
    }

    /// Takes over what the file has for the service in use.
    pub fn restore(&mut self, left: Unfinished) {
        self.lines = left.open.into_iter().map(|open| open.checked(&self.setup.categories)).collect();
        self.before = left.saved;
        self.last = self.lines.iter().map(|line| line.typed.line).max().unwrap_or(0);
        self.unwritten.clear();
        self.writing.clear();
        self.pause = None;
        self.write_pause = None;
        self.tries = 0;
        self.in_lines = false;
    }
}

fn is_close(before: Instant, now: Instant) -> bool {
    now.saturating_duration_since(before) < BURST
}
