//! An animal as it is typed, and the rules that turn it into a [`NewPet`]: one set for form, service and command line.
//!
//! The description gives no rules for `name` and no range for `categoryId` below int64. What is decided here: a name is
//! 1 to 255 Unicode characters, kept byte for byte, not blank, without control, line and paragraph separator,
//! bidirectional formatting characters and noncharacters; a category id is any int64.

use serde::{Deserialize, Serialize};

use super::{NewPet, PetStatus, text};

/// The most Unicode characters (scalar values) a name may have.
pub const NAME_MAX_CHARS: usize = 255;

/// A member of NewPet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `name`
    Name,
    /// `categoryId`
    CategoryId,
    /// `status`
    Status,
}

impl Field {
    /// All, in the order in which they are shown and checked.
    pub const ALL: [Self; 3] = [Self::Name, Self::CategoryId, Self::Status];

    /// The member's name in JSON.
    pub const fn member(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::CategoryId => "categoryId",
            Self::Status => "status",
        }
    }
}

/// Why a field cannot be sent. The text names the field, the value and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Nothing, or nothing but blanks.
    #[error("Name is needed: 1 to {NAME_MAX_CHARS} characters that are not all blank.")]
    NameBlank,
    /// Longer than [`NAME_MAX_CHARS`].
    #[error("Name has {chars} characters; {NAME_MAX_CHARS} is the most.")]
    NameTooLong {
        /// How many it has.
        chars: usize,
    },
    /// A character that no name may have.
    #[error("Name has the character U+{:04X} at place {place}, which names may not have. Delete it.", u32::from(*character))]
    NameCharacter {
        /// The character.
        character: char,
        /// Its place, counted in characters from 1.
        place: usize,
    },
    /// No category was given.
    #[error("Category is needed: a whole number, for example 3.")]
    CategoryMissing,
    /// Not a whole number within 64 bits.
    #[error("Category must be a whole number from {} to {}. \"{}\" is not one.", i64::MIN, i64::MAX, text::short(.0))]
    CategoryNotInt64(String),
    /// Not one of the three words.
    #[error("Status must be available, pending or sold, or not set. \"{}\" is none of them.", text::short(.0))]
    StatusUnknown(String),
}

impl FieldError {
    /// The field that the error is about.
    pub const fn field(&self) -> Field {
        match self {
            Self::NameBlank | Self::NameTooLong { .. } | Self::NameCharacter { .. } => Field::Name,
            Self::CategoryMissing | Self::CategoryNotInt64(_) => Field::CategoryId,
            Self::StatusUnknown(_) => Field::Status,
        }
    }
}

/// An animal as text, the way a form holds it. Nothing typed is ever changed or dropped here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Draft {
    /// As typed.
    pub name: String,
    /// As typed.
    pub category_id: String,
    /// As chosen; `None` leaves it to the service.
    pub status: Option<PetStatus>,
}

impl Draft {
    /// The animal to send, or every reason why not, at most one a field and in the order of [`Field::ALL`].
    ///
    /// Blanks around the name and the number are typing, not content, and are left away here.
    pub fn check(&self) -> Result<NewPet, Vec<FieldError>> {
        let name = self.name.trim();
        let category_id = parse_category_id(self.category_id.trim());
        match (check_name(name), category_id) {
            (Ok(()), Ok(category_id)) => Ok(NewPet { name: name.to_owned(), category_id, status: self.status }),
            (name, category_id) => Err(name.err().into_iter().chain(category_id.err()).collect()),
        }
    }

    /// Whether nothing has been typed.
    pub fn is_empty(&self) -> bool {
        self.name.is_empty() && self.category_id.is_empty() && self.status.is_none()
    }
}

/// Whether `name` may be stored as it stands.
pub fn check_name(name: &str) -> Result<(), FieldError> {
    if name.trim().is_empty() {
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

/// The int64 that `text` spells: ASCII digits with an optional sign, nothing else.
pub fn parse_category_id(text: &str) -> Result<i64, FieldError> {
    if text.is_empty() {
        return Err(FieldError::CategoryMissing);
    }
    text.parse().map_err(|_| FieldError::CategoryNotInt64(text.to_owned()))
}

/// Control characters serve attacks on terminals, bidirectional formatting makes two names look alike, and
/// noncharacters are not for interchange. Joiners and variation selectors stay, since emoji need them.
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
    fn names_of_every_script_pass() {
        let longest = "ß".repeat(255);
        for name in
            ["Rex", "o'Neil; DROP TABLE pets", "<b>", "=cmd", "👨‍👩‍👧", "❤️", "ポチ", "قط", "e\u{301}", " Rex ", &longest]
        {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn names_that_could_harm_a_screen_or_a_database_do_not() {
        for name in ["", " ", "\u{3000}"] {
            assert_eq!(check_name(name), Err(FieldError::NameBlank), "{name:?}");
        }
        for c in [
            '\0',
            '\t',
            '\n',
            '\x1b',
            '\x07',
            '\x7f',
            '\u{9b}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{2028}',
            '\u{fffe}',
            '\u{1ffff}',
            '\u{fdd0}',
        ] {
            let name = format!("ab{c}d");
            assert_eq!(check_name(&name), Err(FieldError::NameCharacter { character: c, place: 3 }), "{name:?}");
        }
        assert_eq!(check_name(&"x".repeat(256)), Err(FieldError::NameTooLong { chars: 256 }));
    }

    #[test]
    fn a_category_is_a_whole_number_of_64_bits() {
        for (text, id) in [("3", 3), (" 3 ", 3), ("+3", 3), ("-1", -1), ("007", 7), ("9223372036854775807", i64::MAX)] {
            assert_eq!(draft("Rex", text).check().map(|new| new.category_id), Ok(id), "{text:?}");
        }
        for text in ["3rd", "3.0", "1e3", "٣", "9223372036854775808", "0x3", "1 2"] {
            assert_eq!(draft("Rex", text).check(), Err(vec![FieldError::CategoryNotInt64(text.into())]), "{text:?}");
        }
    }

    #[test]
    fn every_wrong_field_is_named_at_once() {
        assert_eq!(draft("", "").check(), Err(vec![FieldError::NameBlank, FieldError::CategoryMissing]));
    }

    #[test]
    fn the_sentence_names_field_value_and_remedy() {
        assert_eq!(
            draft("Rex", "3rd").check().unwrap_err()[0].to_string(),
            "Category must be a whole number from -9223372036854775808 to 9223372036854775807. \"3rd\" is not one."
        );
        assert_eq!(
            check_name("a\u{1b}b").unwrap_err().to_string(),
            "Name has the character U+001B at place 2, which names may not have. Delete it."
        );
    }
}
