//! The language of a search: what was typed, taken apart, and which pets it fits. Letters match whatever their case,
//! and their accents unless they were typed.
//!
//! The matcher has its own substring search, which overlooks the end of a name that is not ASCII; and it takes a
//! base letter with its marks for ASCII. So only its scores are used, and it is given letters that were folded here.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use itoa::Buffer;
use nucleo_matcher::Utf32String;
use nucleo_matcher::chars::{normalize, to_lower_case};

use super::draft::NAME_MAX_CHARS;
use super::{Categories, ObservedStatus, Pet, PetId, Provenances, short};

/// The most terms of a query, so that a pasted page cannot make a search slow.
const MOST_TERMS: usize = 16;

/// The term about who added a pet.
const BY: &str = "by";

/// The word for a pet without a status.
const NO_STATUS: &str = "none";

/// What is searched for: a pet must fit every term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    terms: Vec<Term>,
    asks_who: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    /// What fits is not wanted.
    not: bool,
    filter: Filter,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Filter {
    /// A bare word. It may be scattered over the name, begin the category or the status, or be anywhere in the id.
    Word(Needle),
    /// `"exact words"`, anywhere in the name.
    Contains(Needle),
    /// `cat:3,7`, `cat:dog`
    Category(Vec<i64>),
    /// `id:1002`, just this id, or `id:10*`, every id that begins so.
    Id(String),
    /// `status:sold`, the beginning of the word.
    Status(Needle),
    /// `by:till`, `by:"till 2"`, anywhere in the name of the key that added the pet; with the pets that it fits.
    By(Needle, Arc<HashSet<PetId>>),
}

impl Query {
    /// Takes apart what was typed. Everything that can be typed is a query; what is not finished yet leaves nothing out.
    ///
    /// `rex` (a word), `"mr w"` (these very letters), `cat:3,7`, `cat:dog` (the beginning of a name), `id:1002`, `id:10*`,
    /// `status:sold` or `is:sold`, `status:none`, `by:till` or `by:"till 2"` (after [`Query::know`]); with a `-` before it,
    /// what must not be: `-whis` (these very letters), `-cat:3`. No more than 16 terms count.
    pub fn parse(text: &str, categories: &Categories) -> Self {
        let mut terms: Vec<Term> = Vec::new();
        let mut asks_who = false;
        for token in tokens(text) {
            if terms.len() == MOST_TERMS {
                break;
            }
            asks_who |= token.keyed().0 == BY;
            terms.extend(token.term(categories).filter(|term| !terms.contains(term)));
        }
        Self { terms, asks_who }
    }

    /// Why `text` is not a search that can be saved: what is typed may be unfinished, what is saved may not.
    pub fn fault(text: &str, categories: &Categories) -> Option<String> {
        let mut tokens = tokens(text);
        let fault = tokens.by_ref().take(MOST_TERMS).find_map(|token| token.fault(categories));
        fault.or_else(|| tokens.next().map(|_| format!("a search has at most {MOST_TERMS} terms")))
    }

    /// Whether it is about who added the pets, also if it does not say who yet.
    pub fn asks_who(&self) -> bool {
        self.asks_who
    }

    /// Learns who added pets. Before that, nobody is known to have added any.
    pub fn know(&mut self, provenances: &Provenances) {
        for term in &mut self.terms {
            if let Filter::By(needle, pets) = &mut term.filter {
                let fits = |by: &str| needle.find_in(Text::from(by)).is_some();
                let added = provenances.iter().filter(|(_, provenance)| provenance.by().is_some_and(fits));
                *pets = Arc::new(added.map(|(id, _)| *id).collect());
            }
        }
    }

    /// Whether every pet fits.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether `pet` fits.
    pub fn fits(&self, pet: &Pet) -> bool {
        let name = Text::from(pet.name.as_str());
        self.terms.iter().all(|term| term.filter.fits(pet, name) != term.not)
    }

    /// The bare words.
    pub fn words(&self) -> impl Iterator<Item = &Needle> {
        self.terms.iter().filter_map(|term| if let Filter::Word(word) = &term.filter { Some(word) } else { None })
    }

    /// The letters that the name must contain just so.
    pub fn exact(&self) -> impl Iterator<Item = &Needle> {
        let wanted = self.terms.iter().filter(|term| !term.not);
        wanted.filter_map(|term| if let Filter::Contains(needle) = &term.filter { Some(needle) } else { None })
    }
}

/// The words that a value can follow, after a `:`.
const KEYS: [&str; 5] = ["cat", "id", "status", "is", BY];

/// One term as it was typed.
struct Token<'a> {
    /// One of [`KEYS`] whose value is in quotes, or nothing.
    key: &'static str,
    /// Whether a `-` is before it.
    not: bool,
    text: &'a str,
    /// Whether it is in quotes, and those whether they are closed.
    quotes: Option<bool>,
}

/// The terms of a text, one after another.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (not, after) = rest.strip_prefix('-').map_or((false, rest), |after| (true, after));
        let (start, _) = after.split_once(":\"").unwrap_or_default();
        let key = KEYS.into_iter().find(|key| key.eq_ignore_ascii_case(start));
        let after = key.map_or(after, |key| &after[key.len() + 1..]);
        let quoted = after.strip_prefix('"');
        let split = quoted.map_or_else(|| after.split_once(char::is_whitespace), |quoted| quoted.split_once('"'));
        let (text, after) = split.unwrap_or((quoted.unwrap_or(after), ""));
        let quotes = quoted.map(|_| split.is_some());
        rest = after.trim_start();
        Some(Token { key: key.unwrap_or_default(), not, text, quotes })
    })
}

impl<'a> Token<'a> {
    /// The word before a `:`, in lower case, and what comes after it.
    fn keyed(&self) -> (String, &'a str) {
        let (key, value) = self.text.split_once(':').filter(|_| self.quotes.is_none()).unwrap_or((self.key, self.text));
        (key.to_ascii_lowercase(), value)
    }

    /// `None` if there is nothing to search for yet.
    fn term(&self, categories: &Categories) -> Option<Term> {
        let (key, value) = self.keyed();
        let filter = match key.as_str() {
            "cat" => {
                let mut wanted = value.split(',').filter(|word| !matches!(*word, "" | "-")).peekable();
                wanted.peek()?;
                let of = |word: &str| word.parse().map_or_else(|_| categories.beginning_with(word), |id| vec![id]);
                Filter::Category(wanted.flat_map(of).collect())
            }
            "id" if matches!(value, "" | "-" | "*" | "-*") => return None,
            "id" => Filter::Id(value.to_owned()),
            "status" | "is" => Filter::Status(Needle::new(value)?),
            BY => Filter::By(Needle::new(value)?, Arc::default()),
            _ if self.not || self.quotes.is_some() => Filter::Contains(Needle::new(self.text)?),
            _ => Filter::Word(Needle::new(self.text)?),
        };
        Some(Term { not: self.not, filter })
    }

    fn fault(&self, categories: &Categories) -> Option<String> {
        let shown = short(self.text);
        let (key, value) = self.keyed();
        let is_category = |word: &str| word.parse::<i64>().is_ok() || !categories.beginning_with(word).is_empty();
        if self.quotes == Some(false) {
            return Some(format!("the quotation mark before \"{shown}\" is not closed"));
        }
        if self.term(categories).is_none() {
            return Some(format!("the term \"{shown}\" searches for nothing"));
        }
        match key.as_str() {
            "cat" => {
                let unknown = value.split(',').find(|word| !is_category(word))?;
                Some(format!("\"{}\" is not a category: write a number, or a name of [categories]", short(unknown)))
            }
            "id" if value.strip_suffix('*').unwrap_or(value).parse::<PetId>().is_err() => {
                Some(format!("\"{shown}\" is not an id: write id:17 or id:10*"))
            }
            _ => None,
        }
    }
}

impl Filter {
    fn fits(&self, pet: &Pet, name: Text<'_>) -> bool {
        match self {
            Self::Word(word) => word.is_scattered_in(name) || word.in_the_rest(pet).is_some(),
            Self::Contains(needle) => needle.find_in(name).is_some(),
            Self::Category(numbers) => numbers.contains(&pet.category_id),
            Self::Id(wanted) => match wanted.strip_suffix('*') {
                Some(start) => Buffer::new().format(pet.id).starts_with(start),
                None => Buffer::new().format(pet.id) == wanted,
            },
            Self::Status(start) => start.begins(status_word(pet)),
            Self::By(_, pets) => pets.contains(&pet.id),
        }
    }
}

fn status_word(pet: &Pet) -> &str {
    pet.status.as_ref().map_or(NO_STATUS, ObservedStatus::as_str)
}

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

    /// How well the word fits a pet but for its name, from 1 to 3; always less than a name that fits.
    pub fn in_the_rest(&self, pet: &Pet) -> Option<u32> {
        let number = match &self.letters {
            Utf32String::Ascii(letters) if letters.bytes().all(|letter| letter.is_ascii_digit()) => {
                // Without the cost of formatting them.
                let (mut id, mut category) = (Buffer::new(), Buffer::new());
                let (wanted, id, category) = (&**letters, id.format(pet.id), category.format(pet.category_id));
                if id == wanted || category == wanted {
                    Some(3)
                } else if id.starts_with(wanted) || category.starts_with(wanted) {
                    Some(2)
                } else {
                    id.contains(wanted).then_some(1)
                }
            }
            Utf32String::Ascii(_) | Utf32String::Unicode(_) => None,
        };
        number.or_else(|| self.begins(status_word(pet)).then_some(1))
    }
}
