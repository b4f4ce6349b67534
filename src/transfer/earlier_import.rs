//! Compares the report beside a file with its current rows, to decide whether an import resumes, starts over or asks,
//! so no row is added twice or skipped silently.
//!
//! Rows are compared by name, category and status. An unfinished import resumes if everything it added is still in the
//! file. A report without any row of the file is of another file, such as last week's; only if that import is
//! unfinished and the file has as many rows, it may be the same file with every row edited. In between, a corrected
//! file looks like a new delivery with equal rows, and only the user knows.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use EarlierVerdict::{Anew, Choose, Done, GoOn};

use super::import::Seen;
use super::journal::{Comparison, Head, Past, RowNumbers, kept, read_head};
use super::{ColumnMapping, Input, Result, Start, Target, TransferError};
use crate::clock::time_zone;
use crate::model::counted;

/// An earlier import of a file of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlierImport {
    pub report: PathBuf,
    /// When it began.
    pub began: Timestamp,
    /// The column mapping: as then, unless another one is chosen.
    pub reading: ColumnMapping,
    /// The current file, and the earlier import.
    pub seen: Seen,
    /// Whether the file and its column mapping are unchanged.
    pub same_file: bool,
    /// Whether every row was added.
    pub finished: bool,
    /// Whether a later import has replaced it.
    pub replaced: bool,
    /// Rows it added, or sent without an answer.
    pub added: u64,
    /// How many of them are in the file now.
    pub here: u64,
    /// Other rows of the file that can be sent.
    pub new: u64,
    /// Rows of the file that cannot be sent.
    pub bad: u64,
    /// How many of the rows that it added it has no answer for.
    pub unknown: u64,
    /// How many rows the file had then.
    pub rows_then: u64,
}

/// The conclusion from an earlier import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierVerdict {
    /// It added every row of the file: nothing is left to send.
    Done,
    /// It resumes: rows it added are not sent again.
    GoOn,
    /// The file is unrelated: a new import starts, and its report is kept.
    Anew,
    /// Some rows match rows it added: they may be the same pets or others.
    Choose,
}

impl EarlierImport {
    /// The earlier import that matters for the file at `path`, if any. Blocks, and reads the file.
    pub fn look(path: &Path, reading: &ColumnMapping, report: &Path, target: &Target) -> Result<Option<Self>> {
        let beside = match read_head(report) {
            Err(TransferError::NoJournal(_)) => None,
            Err(error) => return Err(error),
            Ok(head) => {
                head.check_service(report, target)?;
                Some(Self::of_beside(path, reading, report, head)?)
            }
        };
        if beside.as_ref().is_some_and(|beside| beside.way() != Anew) {
            return Ok(beside);
        }
        // The file of an older import may be back.
        let before = kept(report).into_iter().filter_map(|report| Some((read_head(&report).ok()?, report)));
        let mut before: Vec<_> = before.filter(|(head, _)| head.service == target.service).collect();
        before.sort_unstable_by_key(|(head, _)| Reverse(head.at));
        for (head, report) in before {
            let chosen = if reading.is_default() { &head.reading } else { reading };
            let reading = chosen.clone().with_names_of(reading);
            // An unreadable report is ignored.
            let Ok(earlier) = Self::compare(path, &reading, &report, head) else { continue };
            if earlier.added > 0 && earlier.here == earlier.added && (earlier.new == 0 || !earlier.finished) {
                return Ok(Some(Self { replaced: true, ..earlier }));
            }
        }
        Ok(beside)
    }

    /// The import whose report is beside the file.
    fn of_beside(path: &Path, reading: &ColumnMapping, report: &Path, mut head: Head) -> Result<Self> {
        head.reading = head.reading.with_names_of(reading);
        if !reading.is_default() || head.reading == *reading {
            return Self::compare(path, reading, report, head);
        }
        match Self::compare(path, &head.reading, report, head.clone()) {
            // The mapping chosen for that file does not apply to another one.
            Ok(earlier) if !earlier.same_file && earlier.way() == Anew => {}
            // It names columns that this file does not have.
            Err(TransferError::NoColumn { .. } | TransferError::Columns(_)) => {}
            earlier => return earlier,
        }
        Self::compare(path, reading, report, head)
    }

    fn compare(path: &Path, reading: &ColumnMapping, report: &Path, head: Head) -> Result<Self> {
        let input = Input::file(path)?;
        let file = input.print()?;
        let seen = Seen { file, import: head.id };
        let past = Past::of(report, head)?;
        let difference = past.head.file.difference(&seen.file);
        let mut numbers = RowNumbers::of(&past, difference.is_some());
        let (same_bytes, finished, added) = (difference.is_none(), past.is_finished(), past.added());
        if let Some(differs) = difference.filter(|_| numbers.by_place) {
            return Err(TransferError::changed(report, differs));
        }
        // Another column mapping makes other pets of the same rows.
        if added > 0 && (same_bytes || !finished) {
            past.head.check_reading(report, reading)?;
        }
        let Comparison { here, new, bad } = numbers.compare(&past, input, reading)?;
        Ok(Self {
            report: report.to_owned(),
            began: past.head.at,
            reading: reading.clone(),
            seen,
            same_file: same_bytes && past.head.reading.agrees_with(reading),
            finished,
            replaced: false,
            added,
            here,
            new,
            bad,
            unknown: past.unknown_rows.len() as u64,
            rows_then: past.rows(),
        })
    }

    /// The conclusion from it.
    pub fn way(&self) -> EarlierVerdict {
        let has_all = self.here == self.added;
        let more = self.more();
        match self {
            Self { replaced: true, .. } => Choose,
            Self { finished: true, same_file: true, .. } => Done,
            Self { same_file: true, .. } => GoOn,
            Self { here: 0, finished: false, .. } if !has_all && more == 0 => Choose,
            Self { here: 0, .. } => Anew,
            // More rows than then are new ones, and may equal added ones on purpose.
            Self { finished: false, .. } if more > 0 && self.new > 0 => Choose,
            Self { finished: true, new: 0, bad: 0, .. } if has_all => Done,
            Self { finished: false, .. } | Self { new: 0, .. } if has_all => GoOn,
            _ => Choose,
        }
    }

    /// How many rows more the file has now; fewer if negative.
    fn more(&self) -> i64 {
        (self.here + self.new + self.bad).cast_signed().saturating_sub_unsigned(self.rows_then)
    }

    /// A new import of all rows that replaces this one.
    pub fn anew(&self) -> Start {
        // A report that was already replaced cannot be replaced again.
        Start::Anew((!self.replaced).then(|| self.seen.clone()))
    }

    /// How it relates to the file, in one or two sentences.
    pub fn sentence(&self) -> String {
        let Self { added, here, new, .. } = self;
        let date = self.began.to_zoned(time_zone()).strftime("%Y-%m-%d").to_string();
        let all = here + new;
        match self.way() {
            Done => format!("This file was imported on {date}; every row was added."),
            GoOn if self.same_file => format!(
                "The import of this file began on {date} and is not finished. Rows it added are not sent again."
            ),
            GoOn => format!(
                "The file has changed since its import began on {date}: {here} of {all} rows were added then and are not \
                 sent again."
            ),
            Anew => format!("The import of {date} was of another file. Its report is kept."),
            Choose if *here == 0 => format!(
                "None of the {added} rows that the import of {date} added is in the file unchanged. Rows that were edited \
                 would be added a second time."
            ),
            Choose if here < added => format!(
                "{here} of {all} rows match rows that the import of {date} added; it also added {} not in the file unchanged.",
                counted(added - here, "row")
            ),
            Choose if !self.finished && self.more() > 0 => format!(
                "The file has {} more than when its import began on {date}, which added {here} of its {all} rows.",
                counted(self.more().unsigned_abs(), "row")
            ),
            Choose => format!("{here} of {all} rows match rows that the import of {date} added."),
        }
    }
}
