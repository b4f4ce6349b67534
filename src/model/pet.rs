//! `Pet`, `NewPet` and `PetStatus` (section 2 of the description), the keys that make a repeated creation the same as the
//! first one (`Idempotency-Key`, an addition), the query of a list, and its `limit` (sections 4.1 and 8); sample pets for
//! the demo and for benchmarks, the same ones each time.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;
use strum::{Display, IntoStaticStr};
use uuid::Uuid;

/// The identifier of a pet: unique, assigned by the service, any int64. It has no other meaning.
pub type PetId = i64;

/// A pet as the service returns it (section 2, Pet).
///
/// `status` is optional in the body of a creation and has no default there, so a service may omit it here too. Unknown
/// members are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pet {
    /// Unique identifier assigned on creation.
    pub id: PetId,
    /// The pet's name, byte for byte as it was given. Clean it before showing it.
    pub name: String,
    /// Id of the category of the pet.
    pub category_id: i64,
    /// Absent if the service has no status for this pet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ObservedStatus>,
}

impl Pet {
    /// The word of its status; empty without one.
    pub fn status_word(&self) -> &str {
        self.status.as_ref().map_or("", ObservedStatus::as_str)
    }

    /// Whether it has this status.
    pub fn is(&self, status: PetStatus) -> bool {
        self.status == Some(ObservedStatus::Known(status))
    }
}

/// The body of a creation (section 2, NewPet). [`Draft::check`](super::Draft::check) creates one from typed text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewPet {
    /// 1 to 255 Unicode characters; see [`draft::check_name`](super::draft::check_name).
    pub name: String,
    /// Any int64.
    pub category_id: i64,
    /// `None` lets the service choose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<PetStatus>,
}

/// Identifies one creation, even if it is sent several times: at most 255 visible ASCII characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, derive_more::Display, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct IdempotencyKey(String);

/// The text is not a valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an Idempotency-Key is 1 to 255 visible ASCII characters")]
pub struct NoIdempotencyKey;

impl TryFrom<String> for IdempotencyKey {
    type Error = NoIdempotencyKey;

    fn try_from(text: String) -> Result<Self, NoIdempotencyKey> {
        let fits = (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then_some(Self(text)).ok_or(NoIdempotencyKey)
    }
}

impl IdempotencyKey {
    /// As it is sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of creation `number` of `run`: the same one each time.
    pub fn numbered(run: Uuid, number: u64) -> Self {
        Self(format!("{run}-{number}"))
    }

    /// The key of part `number` of this creation.
    pub fn part(&self, number: usize) -> Self {
        Self(format!("{self}.{number}"))
    }
}

/// Creates the keys of one run of the program, without randomness or clock.
#[derive(Clone, Debug, Default)]
pub struct IdempotencyKeys {
    run: Uuid,
    made: u64,
}

impl IdempotencyKeys {
    /// `run` is unique for each run of the program.
    pub const fn new(run: Uuid) -> Self {
        Self { run, made: 0 }
    }

    /// A new key.
    pub fn make(&mut self) -> IdempotencyKey {
        self.made += 1;
        IdempotencyKey::numbered(self.run, self.made)
    }
}

/// The query of `GET /pets` (section 4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PetQuery {
    /// Only pets with this status; all if absent.
    pub status: Option<PetStatus>,
    /// The maximum number of pets.
    pub limit: Limit,
    /// Descending ids instead of ascending ones. An addition to the description.
    pub newest_first: bool,
    /// Only pets that come after this id in that order, for the next page. An addition to the description.
    pub after: Option<PetId>,
}

/// As the query of an address has it.
impl fmt::Display for PetQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "limit={}", self.limit)?;
        self.status.map_or(Ok(()), |status| write!(f, "&status={status}"))?;
        let (order, cursor) = if self.newest_first { ("&order=desc", "before") } else { ("", "after") };
        f.write_str(order)?;
        self.after.map_or(Ok(()), |id| write!(f, "&{cursor}={id}"))
    }
}

/// What was recorded of each pet.
pub type Provenances = HashMap<PetId, Provenance>;

/// What was recorded when a pet was added. Both members are always there: without them, a key may not see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// When, to a second; nothing if that was not recorded.
    #[serde(deserialize_with = "Option::deserialize")]
    pub added_at: Option<Timestamp>,
    /// By which key; nothing if that was not recorded.
    #[serde(deserialize_with = "Option::deserialize")]
    pub added_by: Option<AddedBy>,
}

impl Provenance {
    /// The name of the key, or its id if it has none any more. Clean it before showing it.
    pub fn by(&self) -> Option<&str> {
        self.added_by.as_ref().map(AddedBy::word)
    }
}

/// The API key that added a pet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedBy {
    /// Its public id.
    pub key: String,
    /// Its name now; nothing if the service has no such key any more. Clean it before showing it.
    pub name: Option<String>,
}

impl AddedBy {
    /// Its name, or its id without one. Clean it before showing it.
    pub fn word(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.key)
    }
}

/// The status of a pet (section 2, PetStatus): set at creation and usable as a list filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Display, IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum PetStatus {
    /// In the store and for sale.
    Available,
    /// Reserved, not yet handed over.
    Pending,
    /// Handed over.
    Sold,
}

impl PetStatus {
    /// All statuses, in the order of the description.
    pub const ALL: [Self; 3] = [Self::Available, Self::Pending, Self::Sold];

    /// The word used in JSON and in the query, for example `available`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The word is not one of the three. Case matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("status must be available, pending or sold")]
pub struct NotAStatus;

impl FromStr for PetStatus {
    type Err = NotAStatus;

    fn from_str(word: &str) -> Result<Self, NotAStatus> {
        Self::ALL.into_iter().find(|status| status.as_str() == word).ok_or(NotAStatus)
    }
}

/// A status as a service sent it. An unknown word is kept, so that the row stays usable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::From, Serialize, Deserialize)]
#[serde(from = "String", untagged)]
pub enum ObservedStatus {
    /// One of the three of the description.
    #[from]
    Known(PetStatus),
    /// Any other word, byte for byte as it came. Clean it before showing it.
    Unknown(String),
}

impl ObservedStatus {
    /// The word as it came.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(status) => status.as_str(),
            Self::Unknown(word) => word,
        }
    }
}

impl From<String> for ObservedStatus {
    fn from(word: String) -> Self {
        word.parse().map_or_else(|NotAStatus| Self::Unknown(word), Self::Known)
    }
}

/// How many pets one list request may return: 1 to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, derive_more::Display, SmartDefault)]
#[serde(try_from = "i64")]
pub struct Limit(#[default(20)] u8);

impl TryFrom<i64> for Limit {
    type Error = NotALimit;

    fn try_from(number: i64) -> Result<Self, NotALimit> {
        let within = u8::try_from(number).ok().filter(|number| (1..=100).contains(number));
        within.map(Self).ok_or(NotALimit)
    }
}

impl Limit {
    /// The smallest limit.
    pub const MIN: Self = Self(1);
    /// The largest limit.
    pub const MAX: Self = Self(100);

    /// The number, 1 to 100.
    pub const fn get(self) -> u8 {
        self.0
    }
}

/// Not a whole number from 1 to 100 written in plain digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("limit must be a whole number from 1 to 100")]
pub struct NotALimit;

impl FromStr for Limit {
    type Err = NotALimit;

    /// Plain ASCII digits without sign; Rust's own parser would also take `+5`.
    fn from_str(text: &str) -> Result<Self, NotALimit> {
        let number = text.parse::<i64>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        number.ok_or(NotALimit)?.try_into()
    }
}

/// One pet per line: category id, tab, name.
const TEXT: &str = include_str!("../../assets/samples.tsv");

static TEMPLATES: LazyLock<Vec<(i64, &'static str)>> = LazyLock::new(|| {
    let parse = |line: &'static str| line.split_once('\t').and_then(|(id, name)| Some((id.parse().ok()?, name)));
    TEXT.lines().filter_map(parse).collect()
});

/// The sample of this index, from 0: names in file order, numbered from their second use on; of ten consecutive pets,
/// seven are available, two pending and one sold.
pub fn sample(index: usize) -> NewPet {
    let (category_id, name) = TEMPLATES[index % TEMPLATES.len()];
    let name = match index / TEMPLATES.len() {
        0 => name.to_owned(),
        round => format!("{name} {}", round + 1),
    };
    let status = match index * 7 % 10 {
        0..7 => PetStatus::Available,
        7 | 8 => PetStatus::Pending,
        _ => PetStatus::Sold,
    };
    NewPet { name, category_id, status: Some(status) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::model::draft::check_name;

    #[test]
    fn a_pet_is_read_exactly_or_refused() {
        let read = |text: &str| serde_json::from_str::<Pet>(text);
        let max = read(r#"{"id":9223372036854775807,"name":"Rex","categoryId":-9223372036854775808,"extra":[1]}"#);
        assert_eq!(max.unwrap(), Pet { id: i64::MAX, name: "Rex".into(), category_id: i64::MIN, status: None });
        for bad in [
            r#"{"name":"Rex","categoryId":1}"#,
            r#"{"id":null,"name":"Rex","categoryId":1}"#,
            r#"{"id":1.5,"name":"Rex","categoryId":1}"#,
            r#"{"id":9223372036854775808,"name":"Rex","categoryId":1}"#,
            r#"{"id":1,"name":null,"categoryId":1}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_status_that_is_not_set_is_not_sent() {
        let new = NewPet { name: "Rex".into(), category_id: 3, status: None };
        assert_eq!(serde_json::to_string(&new).unwrap(), r#"{"name":"Rex","categoryId":3}"#);
    }

    #[test]
    fn only_the_three_words_in_lower_case_are_a_status() {
        assert_eq!("sold".parse(), Ok(PetStatus::Sold));
        for word in ["", "SOLD", "Sold", " sold", "reserved"] {
            assert_eq!(word.parse::<PetStatus>(), Err(NotAStatus), "{word:?}");
        }
    }

    #[test]
    fn an_unknown_word_survives_a_round_trip_through_json() {
        let seen: ObservedStatus = serde_json::from_str("\"reserved\"").unwrap();
        assert_eq!(seen, ObservedStatus::Unknown("reserved".into()));
        assert_eq!(serde_json::to_string(&seen).unwrap(), "\"reserved\"");
    }

    #[test]
    fn one_to_a_hundred_in_plain_digits() {
        for (text, number) in [("1", 1), ("20", 20), ("100", 100), ("007", 7)] {
            assert_eq!(text.parse::<Limit>().map(Limit::get), Ok(number));
        }
        for text in ["0", "101", "-1", "abc", "", "1e2", "5.0", "+5", " 5", "18446744073709551617", "٣"] {
            assert_eq!(text.parse::<Limit>(), Err(NotALimit), "{text:?}");
        }
    }

    #[test]
    fn every_line_is_a_valid_pet_and_names_are_unique() {
        assert_eq!(TEMPLATES.len(), TEXT.lines().count());
        assert!(TEMPLATES.len() >= 250, "the demo shows 250");
        for (_, name) in TEMPLATES.iter() {
            assert_eq!(check_name(name), Ok(()), "{name:?}");
        }
        assert_eq!(TEMPLATES.iter().map(|(_, name)| name).collect::<HashSet<_>>().len(), TEMPLATES.len());
        assert!(TEMPLATES.iter().map(|(category, _)| category).collect::<HashSet<_>>().len() >= 5);
    }

    #[test]
    fn the_demo_has_every_status_and_repeated_names_are_numbered() {
        let statuses: Vec<_> = (0..250).map(|index| sample(index).status).collect();
        let count = |status| statuses.iter().filter(|found| **found == Some(status)).count();
        assert_eq!(PetStatus::ALL.map(count), [175, 50, 25]);
        assert_eq!(sample(TEMPLATES.len()).name, format!("{} 2", TEMPLATES[0].1));
    }

    #[test]
    fn every_creation_has_its_own_key() {
        let mut keys = IdempotencyKeys::new(Uuid::nil());
        let (first, second) = (keys.make(), keys.make());
        assert_eq!(first.as_str(), "00000000-0000-0000-0000-000000000000-1");
        assert_ne!(first, second);
        assert_eq!(second.part(7).to_string(), "00000000-0000-0000-0000-000000000000-2.7");
    }

    #[test]
    fn a_saved_key_is_read_again_and_invalid_keys_are_refused() {
        let key = IdempotencyKeys::new(Uuid::nil()).make();
        let text = serde_json::to_string(&key).unwrap();
        assert_eq!(serde_json::from_str::<IdempotencyKey>(&text).unwrap(), key);
        for text in ["", "a b", "a\nb", "ä", &"x".repeat(256)] {
            assert_eq!(IdempotencyKey::try_from(text.to_owned()), Err(NoIdempotencyKey), "{text:?}");
        }
    }
}
