//! A pet as it is typed, and the rules that turn it into a [`NewPet`]: the same for form, service and command line.
//!
//! The description has no rules for `name` and no range for `categoryId` below int64. The rules here: a name has 1 to 255
//! Unicode characters, kept byte for byte, not all blank, without control characters, line and paragraph separators,
//! bidirectional formatting characters and noncharacters; a category id is any int64.

use serde::{Deserialize, Serialize};

use super::{Categories, NewPet, PetStatus, text};

/// The longest name, in Unicode characters (scalar values).
pub const NAME_MAX_CHARS: usize = 255;

/// A member of NewPet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub enum Field {
    /// `name`
    Name,
    /// `categoryId`
    CategoryId,
    /// `status`
    Status,
}

impl Field {
    /// All fields, in the order in which they are shown and checked.
    pub const ALL: [Self; 3] = [Self::Name, Self::CategoryId, Self::Status];

    /// The member's name in JSON.
    pub fn member(self) -> &'static str {
        self.into()
    }
}

/// Why a field is invalid. The text names the field, the value and what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Nothing, or nothing but blanks.
    #[error("Name is required: 1 to {NAME_MAX_CHARS} characters, not all blank.")]
    NameBlank,
    /// Longer than [`NAME_MAX_CHARS`].
    #[error("Name has {chars} characters; the maximum is {NAME_MAX_CHARS}.")]
    NameTooLong {
        /// Its length.
        chars: usize,
    },
    /// A character that is not allowed in names.
    #[error("Name contains U+{:04X} at position {place}, which is not allowed. Delete it.", u32::from(*character))]
    NameCharacter {
        /// The character.
        character: char,
        /// Its position, counted in characters from 1.
        place: usize,
    },
    /// No category was given.
    #[error("Category is required: a whole number, for example 3.")]
    CategoryMissing,
    /// Not a 64-bit whole number.
    #[error("{}", not_int64(.0))]
    CategoryNotInt64(String),
    /// Neither a number nor the name of a category.
    #[error("\"{}\" is not a category. Type its number, or a name: {names}.", text::short(typed))]
    CategoryUnknown {
        /// What was typed.
        typed: String,
        /// The names.
        names: String,
    },
    /// Not one of the three words.
    #[error("Status must be available, pending or sold, or omitted, not \"{}\".", text::short(.0))]
    StatusUnknown(String),
}

impl FieldError {
    /// The field that the error is about.
    pub const fn field(&self) -> Field {
        match self {
            Self::NameBlank | Self::NameTooLong { .. } | Self::NameCharacter { .. } => Field::Name,
            Self::CategoryMissing | Self::CategoryNotInt64(_) | Self::CategoryUnknown { .. } => Field::CategoryId,
            Self::StatusUnknown(_) => Field::Status,
        }
    }
}

/// A pet as typed in a form, unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Draft {
    /// As typed.
    pub name: String,
    /// As typed.
    pub category_id: String,
    /// As chosen; `None` lets the service choose.
    pub status: Option<PetStatus>,
}

impl Draft {
    /// The pet to send, or the errors, at most one for each field, in the order of [`Field::ALL`].
    ///
    /// Spaces around the name and the category are removed. The category is a number, or one of these names.
    pub fn check(&self, categories: &Categories) -> Result<NewPet, Vec<FieldError>> {
        let name = self.name.trim();
        let category_id = categories.parse(self.category_id.trim());
        match (check_name(name), category_id) {
            (Ok(()), Ok(category_id)) => Ok(NewPet { name: name.to_owned(), category_id, status: self.status }),
            (name, category_id) => Err(name.err().into_iter().chain(category_id.err()).collect()),
        }
    }
}

/// Whether `name` is valid.
pub fn check_name(name: &str) -> Result<(), FieldError> {
    if name.chars().all(is_invisible) {
        return Err(FieldError::NameBlank);
    }
    if let Some((index, character)) = name.chars().enumerate().find(|(_, c)| !allowed_in_name(*c)) {
        return Err(FieldError::NameCharacter { character, place: index + 1 });
    }
    match name.chars().count() {
        0..=NAME_MAX_CHARS => Ok(()),
        chars => Err(FieldError::NameTooLong { chars }),
    }
}

/// Parses an int64: ASCII digits with an optional sign, nothing else.
pub fn parse_category_id(text: &str) -> Result<i64, FieldError> {
    if text.is_empty() {
        return Err(FieldError::CategoryMissing);
    }
    text.parse().map_err(|_| FieldError::CategoryNotInt64(text.to_owned()))
}

impl Categories {
    /// The category that is typed: its number, or its name.
    pub fn parse(&self, typed: &str) -> Result<i64, FieldError> {
        match parse_category_id(typed) {
            Err(FieldError::CategoryNotInt64(typed)) if !self.is_empty() && !is_digits(&typed) => {
                self.id(&typed).ok_or_else(|| FieldError::CategoryUnknown { typed, names: self.names() })
            }
            parsed => parsed,
        }
    }
}

/// Parses one of the three words.
pub fn parse_status(word: &str) -> Result<PetStatus, FieldError> {
    word.parse().map_err(|_| FieldError::StatusUnknown(word.to_owned()))
}

/// Why `text` is not an int64. The range is named only for a number outside of it.
fn not_int64(text: &str) -> String {
    let text = text::short(text);
    match is_digits(&text) {
        true => format!("{text} is out of range. It must be from {} to {}.", i64::MIN, i64::MAX),
        false => format!("\"{text}\" is not a number. Type digits, for example 3."),
    }
}

/// Whether `text` is digits with an optional sign.
fn is_digits(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// White space, and what is drawn as nothing.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}'
            | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Control characters can attack terminals, bidirectional formatting makes different names look the same, and
/// noncharacters are not for interchange. Joiners and variation selectors are allowed, since emoji need them.
const fn allowed_in_name(c: char) -> bool {
    !matches!(c,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        | '\u{2028}' | '\u{2029}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{fdd0}'..='\u{fdef}')
        && (c as u32) & 0xfffe != 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(name: &str, category_id: &str) -> Draft {
        Draft { name: name.into(), category_id: category_id.into(), status: None }
    }

    #[test]
    fn names_in_every_script_are_valid() {
        let longest = "ß".repeat(255);
        for name in
            ["Rex", "o'Neil; DROP TABLE pets", "<b>", "=cmd", "👨‍👩‍👧", "❤️", "ポチ", "قط", "e\u{301}", " Rex ", &longest]
        {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn names_that_could_harm_a_screen_or_a_database_are_invalid() {
        for name in ["", " ", "\u{3000}", "\u{200b}", "\u{fe0f}", "\u{3164}", "\u{2060} \u{ad}"] {
            assert_eq!(check_name(name), Err(FieldError::NameBlank), "{name:?}");
        }
        let harmful = "\0\t\n\x1b\x07\x7f\u{9b}\u{202e}\u{2066}\u{2069}\u{2028}\u{fffe}\u{1ffff}\u{fdd0}";
        for c in harmful.chars() {
            let name = format!("ab{c}d");
            assert_eq!(check_name(&name), Err(FieldError::NameCharacter { character: c, place: 3 }), "{name:?}");
        }
        assert_eq!(check_name(&"x".repeat(256)), Err(FieldError::NameTooLong { chars: 256 }));
    }

    #[test]
    fn a_category_is_a_64_bit_whole_number() {
        for (text, id) in [("3", 3), (" 3 ", 3), ("+3", 3), ("-1", -1), ("007", 7), ("9223372036854775807", i64::MAX)] {
            assert_eq!(draft("Rex", text).check(&Categories::default()).map(|new| new.category_id), Ok(id), "{text:?}");
        }
        for text in ["3rd", "3.0", "1e3", "٣", "9223372036854775808", "0x3", "1 2"] {
            let expected = Err(vec![FieldError::CategoryNotInt64(text.into())]);
            assert_eq!(draft("Rex", text).check(&Categories::default()), expected, "{text:?}");
        }
    }

    #[test]
    fn all_invalid_fields_are_reported_together() {
        let expected = Err(vec![FieldError::NameBlank, FieldError::CategoryMissing]);
        assert_eq!(draft("", "").check(&Categories::default()), expected);
    }

    #[test]
    fn the_message_names_field_value_and_remedy() {
        let expected = "\"3rd\" is not a number. Type digits, for example 3.";
        assert_eq!(draft("Rex", "3rd").check(&Categories::default()).unwrap_err()[0].to_string(), expected);
        let expected = "Name contains U+001B at position 2, which is not allowed. Delete it.";
        assert_eq!(check_name("a\u{1b}b").unwrap_err().to_string(), expected);
    }
}
