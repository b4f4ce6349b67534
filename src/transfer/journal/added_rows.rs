//! The rows that a journal has as added or as sent without an answer, by hash. Two equal rows are two pets: each is
//! taken once.

use super::{Past, RowState};

/// The rows that can be taken.
#[derive(Debug, Default)]
pub(in crate::transfer) struct Pool {
    /// The hash of each row, whether its outcome is unknown, and its number, sorted so that added rows come first.
    rows: Vec<(u64, bool, u64)>,
    /// At the first row of each hash: how many of that hash are taken.
    taken: Vec<u32>,
}

impl Pool {
    /// All rows of a journal; `None` if hashes are missing, as in one written by hand.
    pub(in crate::transfer) fn new(past: &Past) -> Option<Self> {
        let known = (1..=past.last).map(|row| (row, past.state(row)));
        let known = known.filter(|(_, state)| matches!(state, RowState::Added | RowState::Unknown));
        let rows = known.map(|(row, state)| Some((past.hash(row)?, state == RowState::Unknown, row)));
        let mut rows = rows.collect::<Option<Vec<_>>>()?;
        rows.sort_unstable();
        Some(Self { taken: vec![0; rows.len()], rows })
    }

    /// How many rows there were.
    pub(in crate::transfer) const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Takes a row with this hash, if one is left. Its number in the journal.
    pub(in crate::transfer) fn take(&mut self, hash: u64) -> Option<u64> {
        let first = self.rows.partition_point(|row| row.0 < hash);
        let taken = self.taken.get_mut(first)?;
        let (_, _, row) = self.rows.get(first + *taken as usize).filter(|row| row.0 == hash)?;
        *taken += 1;
        Some(*row)
    }

    /// The numbers of the remaining rows.
    pub(in crate::transfer) fn rest(&self) -> impl Iterator<Item = u64> {
        let mut first = 0;
        self.rows.iter().enumerate().filter_map(move |(place, row)| {
            if self.rows[first].0 != row.0 {
                first = place;
            }
            (place - first >= self.taken[first] as usize).then_some(row.2)
        })
    }
}
