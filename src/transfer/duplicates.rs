//! Rows that are twice in a file: the same name, category and status. Counted in bounded memory.

use std::hash::{BuildHasher as _, RandomState};

use crate::model::NewPet;

/// The most different rows that are remembered; beyond, nothing more is counted.
pub const MOST: usize = 3_000_000;

/// Places for them, a power of two: a quarter stays empty, so that a search is short.
const PLACES: usize = 1 << 22;

/// Remembers rows by a hash of 54 bits: 22 of them say the place, 32 are kept there. Of three million rows one in a
/// thousand files would have one counted wrongly.
#[derive(Debug)]
pub struct Doubles {
    places: Vec<u32>,
    taken: usize,
    hasher: RandomState,
    /// How many rows were there before.
    pub count: u64,
    /// Whether not all rows were looked at.
    pub stopped: bool,
}

impl Default for Doubles {
    fn default() -> Self {
        // Zeroed memory is taken from the system only where it is written.
        Self { places: vec![0; PLACES], taken: 0, hasher: RandomState::new(), count: 0, stopped: false }
    }
}

impl Doubles {
    /// Takes a row: whether it was there before, as far as that is known.
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
        let mut doubles = Doubles::default();
        let rows = [new("a", 1, None), new("a", 2, None), new("b", 1, None), new("a", 1, Some(PetStatus::Sold))];
        assert_eq!(rows.each_ref().map(|row| doubles.take(row)), [false; 4]);
        assert_eq!(rows.each_ref().map(|row| doubles.take(row)), [true; 4]);
        for number in 0..100_000 {
            doubles.take(&new("c", number, None));
        }
        assert_eq!((doubles.count, doubles.stopped), (4, false));
    }
}
