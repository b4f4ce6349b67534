//! What a journal says, in two bits a row; more only of rows whose outcome is not known.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use super::{Head, Line, Word};
use crate::model::text::short;
use crate::transfer::TransferError;

/// The longest line that is read, in octets.
pub(super) const MOST_LINE: u64 = 64 << 10;

/// No line is shorter than this, so that a journal cannot name rows that it has no room for.
const LEAST_LINE: u64 = 10;

/// What is known of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing was sent, or certainly nothing was added.
    Open,
    /// It was added.
    Added,
    /// The service did not take it, or it cannot be sent.
    Refused,
    /// It was sent, and what became of it is not known.
    InDoubt,
}

impl State {
    const ALL: [Self; 4] = [Self::Open, Self::Added, Self::Refused, Self::InDoubt];
}

/// A row that may have been added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// Its line in the file.
    pub line: u64,
    /// Of what was sent.
    pub hash: u64,
    /// When it was sent first, in seconds since 1970.
    pub sent: i64,
}

/// What a journal says.
#[derive(Clone, Debug)]
pub struct Past {
    /// Its first line.
    pub head: Head,
    /// Whether the API key is still the one with which it began.
    pub same_key: bool,
    /// The rows that may have been added.
    pub doubts: HashMap<u64, Doubt>,
    states: Vec<u8>,
    /// How long the journal is without a last line that is cut off, in octets.
    pub(super) whole: u64,
}

impl Past {
    /// What is known of a row.
    #[must_use]
    pub fn state(&self, row: u64) -> State {
        let (place, shift) = place(row);
        self.states.get(place).map_or(State::Open, |states| State::ALL[usize::from(states >> shift & 3)])
    }

    fn set(&mut self, row: u64, state: State) {
        let (place, shift) = place(row);
        if place >= self.states.len() {
            self.states.resize(place + 1, 0);
        }
        self.states[place] = self.states[place] & !(3 << shift) | (state as u8) << shift;
    }

    /// Each line and where it begins is shown to `each`.
    pub(super) fn read(
        path: &Path,
        head: Head,
        same_key: bool,
        mut each: impl FnMut(&Line, u64),
    ) -> Result<Self, TransferError> {
        let failed = |source| super::failed(path, source);
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut past = Self { head, same_key, doubts: HashMap::new(), states: Vec::new(), whole: 0 };
        let mut input = BufReader::with_capacity(256 << 10, file);
        let (mut text, mut number) = (Vec::new(), 0_u64);
        loop {
            text.clear();
            number += 1;
            let count = input.by_ref().take(MOST_LINE).read_until(b'\n', &mut text).map_err(failed)?;
            if !text.ends_with(b"\n") {
                if count as u64 == MOST_LINE {
                    return Err(damaged(path, number, "it is too long"));
                }
                // The end, or a line of which the end of the program cut off the rest.
                return Ok(past);
            }
            if number > 1 {
                let line = serde_json::from_slice(&text).map_err(|error| damaged(path, number, &error.to_string()))?;
                each(&line, past.whole);
                past.take(line, size).map_err(|why| damaged(path, number, why))?;
            }
            past.whole += count as u64;
        }
    }

    fn take(&mut self, line: Line, size: u64) -> Result<(), &'static str> {
        if line.end.is_some() {
            return Ok(());
        }
        if line.row == 0 || line.row > size / LEAST_LINE {
            return Err("there is no such row");
        }
        if let Some(sent) = line.sent {
            let hash = line.hash.as_deref().and_then(|hash| u64::from_str_radix(hash, 16).ok());
            let hash = hash.ok_or("the hash is missing")?;
            let doubt = Doubt { line: line.line.unwrap_or_default(), hash, sent };
            self.doubts.entry(line.row).or_insert(doubt);
            self.set(line.row, State::InDoubt);
        }
        let state = match line.outcome {
            None => return Ok(()),
            Some(Word::Unknown) => return Ok(()),
            Some(Word::Added) => State::Added,
            Some(Word::Refused | Word::Invalid) => State::Refused,
            Some(Word::NotSent) => State::Open,
        };
        self.doubts.remove(&line.row);
        self.set(line.row, state);
        Ok(())
    }
}

/// The octet of a row, and where in it its two bits are.
const fn place(row: u64) -> (usize, u32) {
    ((row / 4) as usize, (row % 4) as u32 * 2)
}

fn damaged(path: &Path, number: u64, why: &str) -> TransferError {
    TransferError::NotAJournal { path: path.to_owned(), why: format!("line {number}: {}", short(why)) }
}

/// Whether the last line says that every row has been dealt with.
pub(super) fn ended(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(MOST_LINE)))?;
    let mut text = Vec::new();
    file.take(MOST_LINE).read_to_end(&mut text)?;
    let last = text.strip_suffix(b"\n").and_then(|text| text.rsplit(|octet| *octet == b'\n').next());
    Ok(last.and_then(|last| serde_json::from_slice::<Line>(last).ok()).is_some_and(|line| line.end.is_some()))
}
