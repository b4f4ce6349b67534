//! What rapid entry knows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::app::outbox::queue::{Open, QueueRecord, Unfinished};
use crate::config::file::Concurrency;
use crate::local::barcodes::Codes;
use crate::model::draft::parse_category_id;
use crate::model::text::cut;
use crate::model::{Draft, FieldError, IdempotencyKey, PetId, PetStatus, display_safe};
use crate::tui::keymap::Context;
use crate::tui::text_input::TextInput;

/// The most lines that may wait.
pub(super) const MOST_WAITING: usize = 1_000;

/// The most lines that are shown; of more, the oldest that were saved go first.
const MOST_SHOWN: usize = 2_000;

/// Characters that come this soon after one another are not typed by a person, and a key this soon after them may end
/// a scan.
const BURST: Duration = Duration::from_millis(50);

/// The least characters of a scan.
const LEAST_BURST: usize = 3;

/// Rapid entry.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Whether it is shown, and not the form.
    pub on: bool,
    /// What it was set up with.
    pub setup: RapidSetup,
    /// As typed.
    pub name: TextInput,
    /// As typed; stays for the next line.
    pub category: TextInput,
    /// As chosen; stays for the next line.
    pub status: Option<PetStatus>,
    /// Where the cursor is.
    pub focus: Focus,
    /// The number of the line that is marked.
    pub marked: u64,
    /// In the order of typing.
    pub lines: Vec<Line>,
    /// How many were saved in this session.
    pub saved: usize,
    /// The refused line that is being mended.
    pub mending: Option<Mending>,
    /// The line that is looked for.
    pub looking: Option<u64>,
    /// What is to be written into the file.
    pub unwritten: Vec<QueueRecord>,
    /// What is being written.
    pub writing: Vec<QueueRecord>,
    /// Until when nothing is sent.
    pub pause: Option<Instant>,
    /// Until when nothing is written.
    pub write_pause: Option<Instant>,
    /// How many times in a row nothing came of sending.
    pub tries: u32,
    /// How long the last answer took.
    pub took: Duration,
    /// The number of the last line.
    pub last: u64,
    /// The name was begun with the cursor elsewhere: those keys may have been meant for what is there.
    pub stray: bool,
    burst: Burst,
}

/// What rapid entry is set up with.
#[derive(Clone, Debug, Default)]
pub struct RapidSetup {
    /// The codes that scanners read; none without a file of them.
    pub codes: Option<Arc<Codes>>,
    /// The signs that the scanner puts in front.
    pub strip: String,
    /// Whether it ends each code with Tab. From anybody else Tab only goes to the next field.
    pub tab: bool,
    /// The most lines that are under way at once.
    pub concurrency: Concurrency,
}

/// The parts of the screen, in the order of Tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    Category,
    Status,
    #[default]
    Name,
    Lines,
}

impl Focus {
    /// What Tab goes through; from the lines, too.
    pub const FIELDS: [Self; 3] = [Self::Category, Self::Status, Self::Name];
}

/// A line that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number; a mended one has another.
    pub number: u64,
    /// When it was taken.
    pub at: Timestamp,
    /// The animal.
    pub draft: Draft,
    /// The code that was scanned, where it stands for the animal or is unknown.
    pub code: Option<String>,
    /// With which key it is sent, however often.
    pub key: IdempotencyKey,
    /// It was sent, and nobody knows what became of it: with whose API key.
    pub sent: Option<String>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is not in the file yet.
    Unwritten,
    /// It waits to be sent.
    Waiting,
    /// It is under way, in this lane, since then.
    Sending(usize, Instant),
    /// It was added with this id.
    Saved(PetId),
    /// It was refused: by whom, and why.
    Refused(String),
    /// Its code is in no file.
    UnknownCode,
    /// It may have been added. An animal that looks like it, if one was found.
    Unknown(Option<PetId>),
}

/// A refused line in the fields, and what stood there before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mending {
    pub number: u64,
    /// The category before.
    pub category: TextInput,
    /// The status before.
    pub status: Option<PetStatus>,
}

/// Characters of the name that came faster than a person types.
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

impl RapidSetup {
    /// A line without what the scanner puts in front, and without blanks at both ends.
    pub(super) fn code_in<'a>(&self, line: &'a str) -> &'a str {
        let line = line.trim();
        line.strip_prefix(self.strip.as_str()).unwrap_or(line).trim()
    }
}

impl Fate {
    /// Whether it is neither known nor given up what becomes of it.
    pub const fn is_waiting(&self) -> bool {
        match self {
            Self::Unwritten | Self::Waiting | Self::Sending(..) => true,
            Self::Saved(_) | Self::Refused(_) | Self::UnknownCode | Self::Unknown(_) => false,
        }
    }

    /// Whether the user has to do something about it.
    pub(super) const fn wants_the_user(&self) -> bool {
        match self {
            Self::Refused(_) | Self::UnknownCode | Self::Unknown(_) => true,
            Self::Unwritten | Self::Waiting | Self::Sending(..) | Self::Saved(_) => false,
        }
    }
}

impl State {
    /// Where a key goes.
    pub const fn context(&self) -> Context {
        match self.focus {
            Focus::Name | Focus::Category => Context::Rapid,
            Focus::Status | Focus::Lines => Context::RapidChoice,
        }
    }

    /// The text field that has the cursor.
    pub const fn input(&mut self) -> Option<&mut TextInput> {
        match self.focus {
            Focus::Name => Some(&mut self.name),
            Focus::Category => Some(&mut self.category),
            Focus::Status | Focus::Lines => None,
        }
    }

    /// What the sticky fields hold, for another name.
    pub fn draft(&self, name: &str) -> Draft {
        Draft { name: name.to_owned(), category_id: self.category.value().trim().to_owned(), status: self.status }
    }

    /// How many lines have which fate.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { saved: self.saved, ..Counts::default() };
        for line in &self.lines {
            match line.fate {
                Fate::Unwritten | Fate::Waiting | Fate::Sending(..) => counts.waiting += 1,
                Fate::Refused(_) | Fate::UnknownCode => counts.refused += 1,
                Fate::Unknown(_) => counts.unknown += 1,
                Fate::Saved(_) => {}
            }
        }
        counts
    }

    /// Whether every line to come would be refused for the category. Without one it may come from the file of codes.
    pub(super) fn has_wrong_category(&self) -> bool {
        let read = parse_category_id(self.category.value().trim());
        matches!(read, Err(FieldError::CategoryNotInt64(_)))
    }

    /// Whether anything waits to be written or sent.
    pub(super) fn has_work(&self) -> bool {
        !self.unwritten.is_empty() || self.lines.iter().any(|line| line.fate.is_waiting())
    }

    /// Whether a line is on its way to the file or to the service at this moment.
    pub fn is_under_way(&self) -> bool {
        let under_way = |line: &Line| matches!(line.fate, Fate::Unwritten | Fate::Sending(..));
        !self.unwritten.is_empty() || !self.writing.is_empty() || self.lines.iter().any(under_way)
    }

    /// What may not be in the file yet, in order.
    pub fn not_in_file(&self) -> Vec<QueueRecord> {
        self.writing.iter().chain(&self.unwritten).cloned().collect()
    }

    /// When something that waits is due by itself.
    pub fn next_due(&self) -> Option<Instant> {
        self.pause.into_iter().chain(self.write_pause).min().filter(|_| self.has_work())
    }

    pub fn line(&mut self, number: u64) -> Option<&mut Line> {
        self.lines.iter_mut().find(|line| line.number == number)
    }

    pub(super) fn marked_line(&self) -> Option<&Line> {
        self.lines.iter().find(|line| line.number == self.marked)
    }

    /// A number that no line has.
    pub(super) const fn next_number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Puts a line at the end, or into the place of the one that is mended.
    pub fn place(&mut self, line: Line) {
        if let Some(Mending { number, category, status }) = self.mending.take() {
            (self.category, self.status) = (category, status);
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

    /// Takes note that text came into the name field.
    pub(super) fn note_text(&mut self, text: &str, now: Instant) {
        let goes_on = !self.name.is_empty() && self.burst.last.is_some_and(|at| is_close(at, now));
        let before = if goes_on { self.burst.count } else { 0 };
        self.burst = Burst { count: before + text.chars().count(), last: Some(now) };
    }

    /// Whether what stands in the name field came as a scan that a key at `now` ends.
    pub(super) fn is_scan(&self, now: Instant) -> bool {
        let whole = self.burst.count == self.name.value().chars().count() && self.burst.count >= LEAST_BURST;
        whole && self.burst.last.is_some_and(|at| is_close(at, now))
    }

    /// How many lines were taken in the minute before the newest.
    pub(super) fn per_minute(&self) -> usize {
        let Some(newest) = self.lines.iter().map(|line| line.at).max() else { return 0 };
        let minute = SignedDuration::from_secs(60);
        self.lines.iter().filter(|line| newest.duration_since(line.at) < minute).count()
    }

    /// What the file has for this service, which is in use again or from now on.
    pub fn restore(&mut self, left: Unfinished) {
        self.lines = left.open.into_iter().map(Line::restored).collect();
        self.last = self.lines.iter().map(|line| line.number).max().unwrap_or(0);
        self.on = false;
        self.unwritten.clear();
        self.writing.clear();
        self.looking = None;
        self.pause = None;
        self.write_pause = None;
        self.tries = 0;
        if self.focus == Focus::Lines {
            self.focus = Focus::Name;
        }
        let is_there = |mending: &mut Mending| self.lines.iter().any(|line| line.number == mending.number);
        if let Some(Mending { category, status, .. }) = self.mending.take_if(|mending| !is_there(mending)) {
            (self.category, self.status) = (category, status);
        }
    }
}

fn is_close(before: Instant, now: Instant) -> bool {
    now.saturating_duration_since(before) < BURST
}

impl Line {
    fn restored(open: Open) -> Self {
        let Open { typed, sent, refused } = open;
        Self {
            number: typed.line,
            at: typed.at,
            // What the file holds is checked as if it were typed.
            fate: match (refused, typed.pet.check()) {
                (Some(_), _) if typed.code.as_ref() == Some(&typed.pet.name) => Fate::UnknownCode,
                (Some(why), _) => Fate::Refused(cut(&display_safe(&why), 14)),
                (None, Ok(_)) => Fate::Waiting,
                (None, Err(errors)) => Fate::Refused(reason(&errors)),
            },
            draft: typed.pet,
            code: typed.code,
            key: typed.key,
            sent,
        }
    }
}

/// Why a line was refused here, in a word or two for the list.
pub fn reason(errors: &[FieldError]) -> String {
    match errors.first() {
        Some(FieldError::NameBlank) | None => "blank",
        Some(FieldError::NameTooLong { .. }) => "name too long",
        Some(FieldError::NameCharacter { .. }) => "bad character",
        Some(FieldError::CategoryMissing) => "no category",
        Some(FieldError::CategoryNotInt64(_)) => "wrong category",
        Some(FieldError::StatusUnknown(_)) => "wrong status",
    }
    .to_owned()
}
