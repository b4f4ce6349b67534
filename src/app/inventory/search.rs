//! The search over the rows that are here: what fits, how well, and which letters to underline.
//!
//! Made for 100,000 rows at each key: rows that did not fit do not fit when more is typed, names are searched where they
//! are, and buffers are kept. What is kept takes 28 bytes for each row that fits.

mod score;

pub use crate::model::search::Query;
pub use score::Match;

use unicode_segmentation::UnicodeSegmentation as _;

use crate::model::Pet;
use crate::model::search::is_mark;

use score::Scorer;

/// Finds rows, and remembers the last answer.
#[derive(Clone, Debug, Default)]
pub struct Search {
    query: Query,
    /// How many rows the answer is about.
    of: usize,
    /// The rows that fit, upwards.
    rows: Vec<u32>,
    scorer: Scorer,
}

impl Search {
    /// The rows of `pets` that fit, in their order.
    ///
    /// They must be the rows of the last call, unless [`forget`](Self::forget) was called in between.
    pub fn run(&mut self, query: &Query, pets: &[Pet]) -> &[u32] {
        if self.of == pets.len() && query.narrows(&self.query) {
            if *query != self.query {
                self.rows.retain(|row| query.fits(&pets[*row as usize]));
            }
        } else {
            self.rows.clear();
            self.rows.extend((0..).zip(pets).filter(|(_, pet)| query.fits(pet)).map(|(row, _)| row));
        }
        self.query.clone_from(query);
        self.of = pets.len();
        &self.rows
    }

    /// The same, the best match first: by score, then the shorter name, then the id.
    pub fn best_first(&mut self, query: &Query, pets: &[Pet]) -> &[Match] {
        self.run(query, pets);
        self.scorer.rank(query, pets, &self.rows)
    }

    /// Which signs of the name of `pet` (grapheme clusters, from 0, upwards) the query is about: those to underline.
    pub fn positions(&mut self, query: &Query, pet: &Pet) -> Vec<usize> {
        let letters = self.scorer.letters(query, &pet.name);
        if pet.name.is_ascii() && !pet.name.contains("\r\n") {
            return letters;
        }
        let signs = pet.name.graphemes(true).enumerate();
        let sign_of: Vec<usize> =
            signs.flat_map(|(at, sign)| sign.chars().filter(|c| !is_mark(*c)).map(move |_| at)).collect();
        let mut signs: Vec<usize> = letters.into_iter().filter_map(|letter| sign_of.get(letter).copied()).collect();
        signs.dedup();
        signs
    }

    /// Forgets the last answer: the rows have changed.
    pub fn forget(&mut self) {
        self.of = 0;
        self.rows.clear();
    }
}

#[cfg(test)]
mod tests;
