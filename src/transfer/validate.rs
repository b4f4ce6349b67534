//! A look at a whole file before anything is sent.

use std::ops::ControlFlow;

use super::duplicates::Doubles;
use super::rows::{self, Bad, FileLayout, Row};
use super::{ColumnMapping, Input, TransferError};

/// What a file has in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// How it is built.
    pub layout: FileLayout,
    /// Rows that can be sent.
    pub good: u64,
    /// Those of them whose status was mended.
    pub corrected: u64,
    /// Rows that cannot be sent.
    pub bad: u64,
    /// Good rows that came before with the same name, category and status.
    pub doubles: u64,
    /// Whether doubles were counted to the end of the file: that is given up after three million different rows.
    pub all_doubles: bool,
}

/// Reads `input` to its end, or until `each` breaks off: then the counts are those so far. Each good row comes with whether
/// the same animal came before. Sends nothing. Blocks.
pub fn check(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(Result<(Row, bool), Bad>) -> ControlFlow<()>,
) -> Result<Check, TransferError> {
    let (mut good, mut corrected, mut bad) = (0, 0, 0);
    let mut doubles = Doubles::default();
    let layout = rows::read(input, reading, |row| {
        each(match row {
            Ok(row) => {
                good += 1;
                corrected += u64::from(row.corrected);
                let is_double = doubles.take(&row.new);
                Ok((row, is_double))
            }
            Err(row) => {
                bad += 1;
                Err(row)
            }
        })
    })?;
    Ok(Check { layout, good, corrected, bad, doubles: doubles.count, all_doubles: !doubles.stopped })
}

impl Check {
    /// The counts in one sentence.
    pub fn sentence(&self) -> String {
        let Self { good, corrected, bad, doubles, all_doubles, .. } = self;
        let until = if *all_doubles { "" } else { ", not all of which were compared" };
        format!("{good} good, {corrected} of them mended, {bad} bad, {doubles} twice in the file{until}")
    }
}
