//! The numbers of rows in a journal. A row is known by its content: two equal rows are two pets, and each number is
//! taken once.

use std::ops::ControlFlow;

use super::lines::hash;
use super::replay::{Past, RowState};
use crate::transfer::rows::{self, Row};
use crate::transfer::{ColumnMapping, Input, TransferError};

/// How the rows of a file compare with those of a journal.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::transfer) struct Comparison {
    /// Rows that were or may have been added.
    pub(in crate::transfer) here: u64,
    /// Others that can be sent.
    pub(in crate::transfer) new: u64,
    /// Rows that cannot be sent.
    pub(in crate::transfer) bad: u64,
}

/// The numbers that can be taken.
#[derive(Debug)]
pub(in crate::transfer) struct RowNumbers {
    /// The hash of each row in the journal, its state, and its number, sorted so that added rows come first.
    rows: Vec<(u64, RowState, u64)>,
    /// At the first row of each hash: how many of that hash are taken.
    taken: Vec<u32>,
    /// The last number in use.
    last: u64,
    /// Whether a row is known by its place: while the file is the same, so that its number is the same even if the end of
    /// the journal was lost in a power cut; and in a journal without hashes.
    pub(in crate::transfer) by_place: bool,
}

impl RowNumbers {
    /// The numbers in a journal, `None` for a new one. `differs` if its file was edited since.
    pub(in crate::transfer) fn of(past: Option<&Past>, differs: bool) -> Self {
        let past = past.filter(|past| differs || !past.head.edits.is_empty());
        let last = past.map_or(0, |past| past.last);
        let mut rows = Vec::new();
        let mut by_place = past.is_none();
        for (number, past) in (1..=last).zip(past.into_iter().cycle()) {
            match (past.hash(number), past.state(number)) {
                (Some(hash), state) => rows.push((hash, state, number)),
                (None, RowState::Added | RowState::Unknown) => by_place = true,
                (None, RowState::Refused | RowState::Open) => {}
            }
        }
        rows.sort_unstable();
        Self { taken: vec![0; rows.len()], rows, last, by_place }
    }

    /// The number of the next row of the file: that of an equal row in the journal, or a new one.
    pub(in crate::transfer) fn take(&mut self, row: &Row) -> u64 {
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
    pub(in crate::transfer) fn compare(
        &mut self,
        past: &Past,
        file: Input,
        reading: &ColumnMapping,
    ) -> Result<Comparison, TransferError> {
        let mut rows = Comparison::default();
        rows::read(file, reading, |row| {
            let count = match row.map(|row| past.state(self.take(&row))) {
                Ok(RowState::Added | RowState::Unknown) => &mut rows.here,
                Ok(RowState::Refused | RowState::Open) => &mut rows.new,
                Err(_) => &mut rows.bad,
            };
            *count += 1;
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }
}
