//! Validates a whole file without sending anything.

use std::ops::ControlFlow;

use super::duplicates::Duplicates;
use super::rows::{self, Bad, FileLayout, Row};
use super::{ColumnMapping, Input, TransferError};
use crate::model::words::counted;

/// The result of validating a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its layout.
    pub layout: FileLayout,
    /// Rows that can be sent.
    pub good: u64,
    /// Good rows whose status was corrected.
    pub corrected: u64,
    /// Rows that cannot be sent.
    pub bad: u64,
    /// Good rows with the same name, category and status as an earlier one.
    pub duplicates: u64,
    /// Whether all duplicates were counted; that stops after three million different rows.
    pub all_duplicates: bool,
}

/// How many rows of a file can be sent, and how many cannot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    pub good: u64,
    pub bad: u64,
}

/// Reads `input` to its end, or until `each` breaks. Good rows come with whether they are duplicates. Sends nothing.
/// Blocks.
pub fn check(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(Result<(Row, bool), Bad>) -> ControlFlow<()>,
) -> Result<Check, TransferError> {
    let (mut good, mut corrected, mut bad) = (0, 0, 0);
    let mut duplicates = Duplicates::default();
    let layout = rows::read(input, reading, |row| {
        each(row.inspect_err(|_| bad += 1).map(|row| {
            good += 1;
            corrected += u64::from(row.corrected);
            let is_duplicate = duplicates.take(&row.new);
            (row, is_duplicate)
        }))
    })?;
    Ok(Check { layout, good, corrected, bad, duplicates: duplicates.count, all_duplicates: !duplicates.stopped })
}

impl Check {
    /// How many rows can be sent, and how many cannot.
    pub const fn counts(&self) -> RowCounts {
        RowCounts { good: self.good, bad: self.bad }
    }

    /// The counts in one sentence, without those that are 0.
    pub fn sentence(&self) -> String {
        let Self { good, corrected, bad, duplicates, all_duplicates, .. } = self;
        let mut sentence = counted(good + bad, "row");
        sentence.push_str(&match (good, bad) {
            (_, 0) => ", all fine".to_owned(),
            (0, _) => ", none can be sent".to_owned(),
            (_, 1) => format!(": {good} fine, 1 needs fixing"),
            (_, _) => format!(": {good} fine, {bad} need fixing"),
        });
        if *corrected > 0 {
            sentence.push_str(&format!("; {} corrected", counted(*corrected, "status value")));
        }
        if *duplicates > 0 {
            let most = if *all_duplicates { "" } else { "at least " };
            sentence.push_str(&format!("; {most}{}", counted(*duplicates, "duplicate")));
        }
        sentence
    }
}
