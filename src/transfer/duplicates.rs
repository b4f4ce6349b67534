//! Counts duplicate rows of a file, with the same name, category and status, in bounded memory.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

use crate::model::NewPet;

/// The most different rows that are remembered.
pub const MOST: usize = 3_000_000;

/// Remembers rows by a hash of 64 bits.
#[derive(Debug, Default)]
pub struct Duplicates {
    known: HashSet<u64>,
    hasher: RandomState,
    /// How many duplicates were found.
    pub count: u64,
    /// Whether not all rows were compared.
    pub stopped: bool,
}

impl Duplicates {
    /// Whether this row was there before, as far as known.
    pub fn take(&mut self, new: &NewPet) -> bool {
        let hash = self.hasher.hash_one((&new.name, new.category_id, new.status));
        let is_full = self.known.len() == MOST;
        let is_known = if is_full { self.known.contains(&hash) } else { !self.known.insert(hash) };
        self.count += u64::from(is_known);
        self.stopped |= is_full && !is_known;
        is_known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PetStatus;

    #[test]
    fn the_same_row_is_found_again_and_others_are_not() {
        let new = |name: &str, category_id, status| NewPet { name: name.into(), category_id, status };
        let mut duplicates = Duplicates::default();
        let rows = [new("a", 1, None), new("a", 2, None), new("b", 1, None), new("a", 1, Some(PetStatus::Sold))];
        assert_eq!(rows.each_ref().map(|row| duplicates.take(row)), [false; 4]);
        assert_eq!(rows.each_ref().map(|row| duplicates.take(row)), [true; 4]);
        for number in 0..100_000 {
            duplicates.take(&new("c", number, None));
        }
        assert_eq!((duplicates.count, duplicates.stopped), (4, false));
    }
}
