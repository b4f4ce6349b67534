//! The search over the rows that are here: what fits, how well, and which letters to underline.
//!
//! Made for 100,000 rows at each key: names are searched where they are, and the buffer is kept. An answer takes 28 bytes
//! for each row that fits.

use std::cmp::Reverse;

use nucleo_matcher::{Config, Matcher, Utf32Str};
use unicode_segmentation::UnicodeSegmentation as _;

pub use crate::model::search::Query;
use crate::model::search::{Needle, Text, folded, is_mark};
use crate::model::{Pet, PetId};

/// The rows of `pets` that fit, in their order.
pub fn fitting(query: &Query, pets: &[Pet]) -> Vec<u32> {
    (0..).zip(pets).filter(|(_, pet)| query.fits(pet)).map(|(row, _)| row).collect()
}

/// Says how well rows fit, and where: the matcher and its buffer.
#[derive(Clone, Debug)]
pub struct Search {
    matcher: Matcher,
    letters: Vec<char>,
}

impl Default for Search {
    fn default() -> Self {
        let mut config = Config::DEFAULT;
        config.normalize = false;
        Self { matcher: Matcher::new(config), letters: Vec::new() }
    }
}

impl Search {
    /// The `rows` of `pets`, all of which fit, the best match first: by score, then the shorter name, then the id.
    pub fn best_first(&mut self, query: &Query, pets: &[Pet], mut rows: Vec<u32>) -> Vec<u32> {
        let way = way(query, pets, &rows);
        rows.sort_by_cached_key(|row| -> Rank {
            let pet = &pets[*row as usize];
            let score = way.map_or(0, |way| self.score(query, pet, way));
            (Reverse(score), pet.name.chars().count() as u32, pet.id)
        });
        rows
    }

    /// Which signs of the name of `pet` (grapheme clusters, from 0, upwards) the query is about: those to underline.
    pub fn positions(&mut self, query: &Query, pet: &Pet) -> Vec<usize> {
        let letters = self.letters(query, &pet.name);
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

    /// The letters of `name` that `query` is about, upwards.
    fn letters(&mut self, query: &Query, name: &str) -> Vec<usize> {
        let mut found = Vec::new();
        for word in query.words() {
            let (matcher, name) = self.ready(word, name);
            matcher.fuzzy_indices(name, word.letters.slice(..), &mut found);
        }
        let mut letters: Vec<usize> = found.into_iter().map(|letter| letter as usize).collect();
        for exact in query.exact() {
            letters.extend(exact.find_in(name.into()).into_iter().flat_map(|start| start..start + exact.count()));
        }
        letters.sort_unstable();
        letters.dedup();
        letters
    }

    fn score(&mut self, query: &Query, pet: &Pet, way: ScoreName) -> u32 {
        let score = |word: &Needle| {
            let (matcher, name) = self.ready(word, &pet.name);
            let in_name = way(matcher, name, word.letters.slice(..)).map(u32::from);
            in_name.or_else(|| word.in_the_rest(pet)).unwrap_or(0)
        };
        query.words().map(score).sum()
    }

    /// The matcher, and the name as it takes it for that needle.
    fn ready<'a>(&'a mut self, needle: &Needle, name: &'a str) -> (&'a mut Matcher, Utf32Str<'a>) {
        let name = match Text::from(name) {
            Text::Ascii(name) => {
                self.matcher.config.ignore_case = true;
                Utf32Str::Ascii(name)
            }
            Text::Other(name) => {
                // Folded already.
                self.matcher.config.ignore_case = false;
                self.letters.clear();
                self.letters.extend(folded(name, needle.plain));
                Utf32Str::Unicode(&self.letters)
            }
        };
        (&mut self.matcher, name)
    }
}

/// So many letters of names times letters of words are scored the best way within some milliseconds.
const BEST_WORK: usize = 4_000_000;
/// So many rows times letters of words the quick way.
const QUICK_WORK: usize = 300_000;

/// The place of a row among those that fit.
type Rank = (Reverse<u32>, u32, PetId);

type ScoreName = fn(&mut Matcher, Utf32Str<'_>, Utf32Str<'_>) -> Option<u16>;

/// How the rows of a search are scored: by the best place in a name that fits, or by the first one, which is quicker, or
/// not at all: with that many matches the shorter name is as good a guess.
fn way(query: &Query, pets: &[Pet], rows: &[u32]) -> Option<ScoreName> {
    let letters: usize = query.words().map(|word| word.count()).sum();
    let names: usize = rows.iter().map(|row| pets[*row as usize].name.len()).sum();
    if letters.saturating_mul(names) <= BEST_WORK {
        Some(Matcher::fuzzy_match)
    } else if letters.saturating_mul(rows.len()) <= QUICK_WORK {
        Some(Matcher::fuzzy_match_greedy)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
