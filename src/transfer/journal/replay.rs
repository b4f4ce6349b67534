//! The state of every row in a journal, in nine bytes a row: its state and the hash of what was sent. More only for
//! rows with an unknown outcome.
//!
//! A row is known by its content: two equal rows are two pets, and each number is taken once.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::lines::{Head, Line, RowAnswer, RowState, failed, hash, read_head};
use crate::local::log::Lines;
use crate::model::{IdempotencyKey, display_safe, short};
use crate::transfer::input::Print;
use crate::transfer::rows::{self, Row};
use crate::transfer::{ColumnMapping, Input, Result, TransferError};

/// The most rows whose reasons can be read; of others, only the state is known.
const MOST: usize = 250_000;

/// The longest line that is read, in bytes.
const MOST_LINE: u64 = 64 << 10;

/// The shortest possible line: a journal cannot name more rows than it has room for.
const LEAST_LINE: u64 = 10;

/// A row that may have been added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRow {
    /// When it was sent first, in seconds since 1970.
    pub sent: i64,
    /// Whether it was only sent with the API key in use, to which the service's memory belongs.
    pub ours: bool,
    /// The Idempotency-Key, if not derived from the row's number.
    pub key: Option<IdempotencyKey>,
}

/// The content of a journal.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// Its first line.
    pub head: Head,
    /// The rows that may have been added.
    pub unknown_rows: HashMap<u64, UnknownRow>,
    /// The last row in it.
    pub last: u64,
    /// The fingerprint of the API key in use.
    who: String,
    states: Vec<RowState>,
    /// The hash of what was sent; 0 for other rows.
    hashes: Vec<u64>,
    /// Whether its last line says that every row is done.
    ended: bool,
    /// How many rows were not added then, if that line says so.
    undone: Option<u64>,
    /// The length of the journal without a partial last line, in bytes.
    pub whole: u64,
}

/// That of a new journal.
impl From<Head> for Past {
    fn from(head: Head) -> Self {
        Self { head, ..Self::default() }
    }
}

impl Past {
    /// The state of a row.
    pub fn state(&self, row: u64) -> RowState {
        self.states.get(row as usize).copied().unwrap_or(RowState::NotSent)
    }

    /// The hash of what was sent.
    pub fn hash(&self, row: u64) -> Option<u64> {
        self.hashes.get(row as usize).copied().filter(|hash| *hash != 0)
    }

    /// Whether every row of its file was added.
    pub fn is_finished(&self) -> bool {
        let undone = || (1..=self.last).filter(|row| self.state(*row) != RowState::Added).count() as u64;
        self.ended && self.undone.unwrap_or_else(undone) == 0
    }

    /// How many rows were or may have been added.
    pub fn added(&self) -> u64 {
        self.states.iter().filter(|state| matches!(state, RowState::Added | RowState::Unknown)).count() as u64
    }

    /// How many rows its file had, as far as known.
    pub fn rows(&self) -> u64 {
        self.head.good.map_or(self.last, |good| good.saturating_add(self.head.bad.unwrap_or(0)))
    }

    /// The Idempotency-Key of a row, the same whenever it is sent.
    pub fn key_of(&self, row: u64) -> IdempotencyKey {
        let sent = self.unknown_rows.get(&row).and_then(|unknown| unknown.key.clone());
        sent.unwrap_or_else(|| self.head.key_of(row))
    }

    fn set(&mut self, row: u64, state: RowState) {
        let row = row as usize;
        self.states.resize(self.states.len().max(row + 1), RowState::NotSent);
        self.states[row] = state;
    }

    /// Reads the journal at `path`, for any API key.
    pub fn of(path: &Path, head: Head) -> Result<Self> {
        Self::read(path, head, "", |_, _| {})
    }

    /// Passes each line and its offset to `each`. `who` is the fingerprint of the API key in use.
    pub fn read(path: &Path, head: Head, who: &str, mut each: impl FnMut(&Line, u64)) -> Result<Self> {
        let failed = |source| failed(path, source);
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut past = Self { who: who.to_owned(), ..head.into() };
        let mut lines = Lines::new(BufReader::with_capacity(256 << 10, file), MOST_LINE);
        for number in 1.. {
            let damaged = |why: &str| TransferError::Damaged { path: path.to_owned(), line: number, why: short(why) };
            let next = lines.next_line().map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => damaged("it is too long"),
                _ => failed(error),
            });
            let Some((place, text)) = next? else { break };
            if number > 1 {
                let line: Line = serde_json::from_slice(text).map_err(|error| damaged(&error.to_string()))?;
                each(&line, place);
                past.take(line, size).map_err(damaged)?;
            }
        }
        past.whole = lines.end();
        Ok(past)
    }

    fn take(&mut self, line: Line, size: u64) -> Result<(), &'static str> {
        (self.ended, self.undone) = (line.end.is_some(), line.undone);
        if let Some(edited) = line.edited {
            self.head.take(edited);
            return Ok(());
        }
        if self.ended {
            return Ok(());
        }
        if line.row == 0 || line.row > size / LEAST_LINE {
            return Err("this row cannot exist");
        }
        self.last = self.last.max(line.row);
        let hash = line.hash.as_deref().and_then(|hash| u64::from_str_radix(hash, 16).ok());
        if let Some(hash) = hash {
            let row = line.row as usize;
            self.hashes.resize(self.hashes.len().max(row + 1), 0);
            self.hashes[row] = hash;
        }
        if let Some(sent) = line.sent {
            hash.ok_or("the hash is missing")?;
            let ours = *line.by.as_ref().unwrap_or(&self.head.key) == self.who;
            let unknown = UnknownRow { sent, ours, key: line.key };
            self.unknown_rows.entry(line.row).and_modify(|before| before.ours &= ours).or_insert(unknown);
            self.set(line.row, RowState::Unknown);
        }
        if let Some(known) = line.outcome.filter(|outcome| *outcome != RowState::Unknown) {
            self.unknown_rows.remove(&line.row);
            self.set(line.row, known);
        }
        Ok(())
    }
}

/// How the rows of a file compare with those of a journal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Comparison {
    /// Rows that were or may have been added.
    pub here: u64,
    /// Others that can be sent.
    pub new: u64,
    /// Rows that cannot be sent.
    pub bad: u64,
}

/// The numbers that can be taken.
#[derive(Debug)]
pub struct RowNumbers {
    /// The hash of each row in the journal, its state, and its number, sorted so that added rows come first.
    rows: Vec<(u64, RowState, u64)>,
    /// At the first row of each hash: how many of that hash are taken.
    taken: Vec<u32>,
    /// The last number in use.
    last: u64,
    /// Whether a row is known by its place: while the file is the same, so that its number is the same even if the end of
    /// the journal was lost in a power cut; and in a journal without hashes.
    pub by_place: bool,
}

impl RowNumbers {
    /// The numbers in a journal. `differs` if its file was edited since.
    pub fn of(past: &Past, differs: bool) -> Self {
        let past = Some(past).filter(|past| differs || !past.head.edits.is_empty());
        let last = past.map_or(0, |past| past.last);
        let mut rows = Vec::new();
        let mut by_place = past.is_none();
        for (number, past) in (1..=last).zip(past.into_iter().cycle()) {
            match (past.hash(number), past.state(number)) {
                (Some(hash), state) => rows.push((hash, state, number)),
                (None, RowState::Added | RowState::Unknown) => by_place = true,
                (None, RowState::Refused | RowState::Invalid | RowState::NotSent) => {}
            }
        }
        rows.sort_unstable();
        Self { taken: vec![0; rows.len()], rows, last, by_place }
    }

    /// The number of the next row of the file: that of an equal row in the journal, or a new one.
    pub fn take(&mut self, row: &Row) -> u64 {
        if self.by_place {
            return row.row;
        }
        let hash = hash(&row.new);
        let first = self.rows.partition_point(|known| known.0 < hash);
        if let Some(taken) = self.taken.get_mut(first)
            && let Some((.., number)) = self.rows.get(first + *taken as usize).filter(|known| known.0 == hash)
        {
            *taken += 1;
            return *number;
        }
        self.last += 1;
        self.last
    }

    /// Compares the rows of `file` with those of its journal. Blocks.
    pub fn compare(&mut self, past: &Past, file: Input, reading: &ColumnMapping) -> Result<Comparison> {
        let mut rows = Comparison::default();
        rows::read(file, reading, |row| {
            let count = match row.map(|row| past.state(self.take(&row))) {
                Ok(RowState::Added | RowState::Unknown) => &mut rows.here,
                Ok(RowState::Refused | RowState::Invalid | RowState::NotSent) => &mut rows.new,
                Err(_) => &mut rows.bad,
            };
            *count += 1;
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }
}

/// Why rows were not added. Memory holds only the places of a bounded number of them.
pub struct Reasons {
    past: Past,
    numbers: RowNumbers,
    path: PathBuf,
    file: BufReader<File>,
    /// The offsets of the outcomes.
    places: HashMap<u64, u64>,
}

impl Reasons {
    /// Opens the journal at `path`, if it is of the same file and column mapping.
    pub fn read(path: &Path, file: &Print, reading: &ColumnMapping) -> Result<Self> {
        let head = read_head(path)?;
        head.check_reading(path, reading)?;
        let mut places = HashMap::new();
        let past = Past::read(path, head, "", |line, place| match line.outcome {
            Some(RowState::Refused | RowState::Unknown) if places.len() < MOST => drop(places.insert(line.row, place)),
            // A later line supersedes an earlier one.
            Some(_) => drop(places.remove(&line.row)),
            None => {}
        })?;
        if let Some(differs) = past.head.file.difference(file) {
            return Err(TransferError::changed(path, differs));
        }
        let file = BufReader::new(File::open(path).map_err(|source| failed(path, source))?);
        let numbers = RowNumbers::of(&past, false);
        Ok(Self { past, numbers, path: path.to_owned(), file, places })
    }

    /// How the file was read.
    pub fn head(&self) -> &Head {
        &self.past.head
    }

    /// Why this row was not added, safe to show; `None` if it was added or never sent.
    pub fn why(&mut self, row: &Row) -> Result<Option<String>> {
        let number = self.numbers.take(row);
        let what = match self.past.state(number) {
            RowState::NotSent | RowState::Added => return Ok(None),
            RowState::Refused | RowState::Invalid => "refused",
            RowState::Unknown => "may have been added",
        };
        let why = match self.places.get(&number) {
            Some(place) => {
                let answer = self.answer(*place);
                let wrong = |error: io::Error| TransferError::NotAJournal {
                    path: self.path.clone(),
                    why: display_safe(&error.to_string()).into_owned(),
                };
                format!(": {}", display_safe(&answer.map_err(wrong)?.words()))
            }
            None => String::new(),
        };
        Ok(Some(format!("line {}: {what}{why}", row.line)))
    }

    fn answer(&mut self, place: u64) -> io::Result<RowAnswer> {
        self.file.seek(SeekFrom::Start(place))?;
        let mut text = Vec::new();
        self.file.by_ref().take(MOST_LINE).read_until(b'\n', &mut text)?;
        let Line { status, code, message, .. } = serde_json::from_slice(&text)?;
        Ok(RowAnswer { status, code, message: message.unwrap_or_default() })
    }
}
