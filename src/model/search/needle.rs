//! Matching letters: ignores case, and accents unless they were typed.
//!
//! The matcher has its own substring search, which overlooks the end of a name that is not ASCII; and it takes a
//! base letter with its marks for ASCII. So only its scores are used, and it is given letters that were folded here.

use std::sync::LazyLock;

use nucleo_matcher::Utf32String;
use nucleo_matcher::chars::{normalize, to_lower_case};

use crate::model::draft::NAME_MAX_CHARS;

/// Letters to search for, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needle {
    /// Folded, as the names are for comparison.
    pub letters: Utf32String,
    /// Whether `e` also matches `é`: only if no accent was typed.
    pub plain: bool,
}

/// The letters of a text, folded for comparison: marks on a letter are left out. A service may send names of
/// any length; no more is read than a name may have.
pub fn folded(text: &str, plain: bool) -> impl Iterator<Item = char> + Clone + '_ {
    let folds: &'static Folds = if plain { &PLAIN } else { &ACCENTED };
    letters(text).map(|c| folds.of(c)).take(NAME_MAX_CHARS)
}

/// What the letters below U+2000 are folded to, which would take long to find out for each letter of each name.
struct Folds {
    known: [char; 0x2000],
    plain: bool,
}

static PLAIN: LazyLock<Folds> = LazyLock::new(|| Folds::new(true));
static ACCENTED: LazyLock<Folds> = LazyLock::new(|| Folds::new(false));

impl Folds {
    fn new(plain: bool) -> Self {
        let known = std::array::from_fn(|code| {
            let letter = u32::try_from(code).ok().and_then(char::from_u32);
            letter.map_or(char::REPLACEMENT_CHARACTER, |letter| fold(letter, plain))
        });
        Self { known, plain }
    }

    fn of(&self, c: char) -> char {
        match self.known.get(c as usize) {
            Some(known) => *known,
            // Chinese, Japanese and what is between them have one case only.
            None if matches!(c, '\u{2e80}'..='\u{a63f}') => c,
            None => fold(c, self.plain),
        }
    }
}

fn fold(c: char, plain: bool) -> char {
    to_lower_case(if plain { normalize(c) } else { c })
}

/// A text to search.
#[derive(Clone, Copy)]
pub enum Text<'a> {
    /// Nothing but ASCII, and as much of it as [`folded`] gives.
    Ascii(&'a [u8]),
    /// Any.
    Other(&'a str),
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        if text.is_ascii() {
            Self::Ascii(&text.as_bytes()[..text.len().min(NAME_MAX_CHARS)])
        } else {
            Self::Other(text)
        }
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> + Clone + '_ {
    text.chars().filter(|c| !is_mark(*c))
}

/// Marks on the letter before, and joiners of emoji.
pub const fn is_mark(c: char) -> bool {
    c >= '\u{300}'
        && matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

impl Needle {
    /// Nothing where `text` has no letters.
    pub fn new(text: &str) -> Option<Self> {
        let plain = letters(text).all(|c| normalize(c) == c);
        let folded: Vec<char> = letters(text).map(to_lower_case).collect();
        if folded.is_empty() {
            return None;
        }
        let letters = if folded.iter().all(char::is_ascii) {
            Utf32String::Ascii(folded.into_iter().collect())
        } else {
            Utf32String::Unicode(folded.into())
        };
        Some(Self { letters, plain })
    }

    /// How many letters there are.
    pub fn count(&self) -> usize {
        self.letters.len()
    }

    fn chars(&self) -> impl Iterator<Item = char> + '_ {
        self.letters.slice(..).chars()
    }

    /// Whether the letters are in `text` in this order, whatever is between them.
    pub fn is_scattered_in(&self, text: Text<'_>) -> bool {
        match (text, &self.letters) {
            (Text::Ascii(mut rest), Utf32String::Ascii(wanted)) => {
                wanted.bytes().all(|letter| match rest.iter().position(|byte| byte.eq_ignore_ascii_case(&letter)) {
                    Some(at) => {
                        rest = &rest[at + 1..];
                        true
                    }
                    None => false,
                })
            }
            (Text::Ascii(_), Utf32String::Unicode(_)) => false,
            (Text::Other(text), _) => {
                let mut letters = folded(text, self.plain);
                self.chars().all(|wanted| letters.any(|letter| letter == wanted))
            }
        }
    }

    /// The first place in `text`, counted in its letters, where these come together.
    pub fn find_in(&self, text: Text<'_>) -> Option<usize> {
        match (text, &self.letters) {
            (Text::Ascii(text), Utf32String::Ascii(wanted)) => {
                let wanted = wanted.as_bytes();
                text.windows(wanted.len()).position(|part| part.eq_ignore_ascii_case(wanted))
            }
            (Text::Ascii(_), Utf32String::Unicode(_)) => None,
            (Text::Other(text), _) => {
                let first = self.letters.slice(..).get(0);
                let mut letters = folded(text, self.plain).enumerate();
                loop {
                    let (at, _) = letters.find(|(_, letter)| *letter == first)?;
                    let rest = letters.clone().map(|(_, letter)| letter);
                    if rest.take(self.count() - 1).eq(self.chars().skip(1)) {
                        return Some(at);
                    }
                }
            }
        }
    }

    /// Whether `text` begins with these letters.
    pub fn begins(&self, text: &str) -> bool {
        folded(text, self.plain).take(self.count()).eq(self.chars())
    }

    /// Whether whatever begins with `self` begins with `other`.
    pub fn starts_with(&self, other: &Self) -> bool {
        self.plain == other.plain
            && self.count() >= other.count()
            && self.chars().zip(other.chars()).all(|(a, b)| a == b)
    }

    /// Whether whatever contains `self` contains `other`.
    pub fn contains(&self, other: &Self) -> bool {
        let (letters, wanted): (Vec<_>, Vec<_>) = (self.chars().collect(), other.chars().collect());
        self.plain == other.plain && letters.windows(wanted.len()).any(|window| window == wanted)
    }
}
