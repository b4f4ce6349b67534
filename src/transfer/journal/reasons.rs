//! Why rows were not added, read from the journal. Memory holds only the places of a bounded number of rows.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::lines::{Head, Line, RowAnswer, Word, failed, read_head};
use super::replay::{MOST_LINE, Past, RowNumbers, RowState};
use crate::model::display_safe;
use crate::transfer::input::Print;
use crate::transfer::rows::Row;
use crate::transfer::{ColumnMapping, TransferError};

/// The most rows whose reasons can be read; of others, only the state is known.
const MOST: usize = 250_000;

/// A journal opened for reading.
pub(in crate::transfer) struct Reasons {
    past: Past,
    numbers: RowNumbers,
    path: PathBuf,
    file: BufReader<File>,
    /// The offsets of the outcomes.
    places: HashMap<u64, u64>,
}

impl Reasons {
    /// Opens the journal at `path`, if it is of the same file and column mapping.
    pub(in crate::transfer) fn read(path: &Path, file: &Print, reading: &ColumnMapping) -> Result<Self, TransferError> {
        let head = read_head(path)?;
        head.check_reading(path, reading)?;
        let mut places = HashMap::new();
        let past = Past::read(path, head, "", |line, place| match line.outcome {
            Some(Word::Refused | Word::Unknown) if places.len() < MOST => drop(places.insert(line.row, place)),
            // A later line supersedes an earlier one.
            Some(_) => drop(places.remove(&line.row)),
            None => {}
        })?;
        if let Some(differs) = past.head.file.difference(file) {
            return Err(TransferError::changed(path, differs));
        }
        let file = BufReader::new(File::open(path).map_err(|source| failed(path, source))?);
        let numbers = RowNumbers::of(Some(&past), false);
        Ok(Self { past, numbers, path: path.to_owned(), file, places })
    }

    /// How the file was read.
    pub(in crate::transfer) const fn head(&self) -> &Head {
        &self.past.head
    }

    /// Why this row was not added, safe to show; `None` if it was added or never sent.
    pub(in crate::transfer) fn why(&mut self, row: &Row) -> Result<Option<String>, TransferError> {
        let number = self.numbers.take(row);
        let what = match self.past.state(number) {
            RowState::Open | RowState::Added => return Ok(None),
            RowState::Refused => "refused",
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
