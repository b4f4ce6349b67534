//! Counts duplicate rows of a file, with the same name, category and status, in bounded memory.

use std::hash::{BuildHasher as _, RandomState};

use crate::model::NewPet;

/// The most different rows that are remembered.
pub const MOST: usize = 3_000_000;

/// Slots for them, a power of two. At least a quarter stays empty, so searches are short.
const PLACES: usize = 1 << 22;

/// Remembers rows by a hash of 54 bits: 22 select the slot, 32 are stored there. With three million rows, one file in a
/// thousand would have one row counted wrongly.
#[derive(Debug)]
pub struct Duplicates {
    places: Vec<u32>,
    taken: usize,
    hasher: RandomState,
    /// How many duplicates were found.
    pub count: u64,
    /// Whether not all rows were compared.
    pub stopped: bool,
}

impl Default for Duplicates {
    fn default() -> Self {
        // Zeroed memory is allocated only when it is written.
        Self { places: vec![0; PLACES], taken: 0, hasher: RandomState::new(), count: 0, stopped: false }
    }
}

impl Duplicates {
    /// Whether this row was there before, as far as known.
    pub fn take(&mut self, new: &NewPet) -> bool {
        let hash = self.hasher.hash_one((&new.name, new.category_id, new.status));
        let mark = ((hash >> 32) as u32).max(1);
        let mut place = hash as usize & (PLACES - 1);
        while self.places[place] != 0 {
            if self.places[place] == mark {
                self.count += 1;
                return true;
            }
            place = (place + 1) & (PLACES - 1);
        }
        if self.taken == MOST {
            self.stopped = true;
        } else {
            self.taken += 1;
            self.places[place] = mark;
        }
        false
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
