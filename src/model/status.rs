//! `PetStatus`, the closed enumeration of the description, and other words that a service may send.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The status of a pet (section 2, PetStatus): set at creation and usable as a list filter.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
)]
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", untagged)]
pub enum ObservedStatus {
    /// One of the three of the description.
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

impl From<PetStatus> for ObservedStatus {
    fn from(status: PetStatus) -> Self {
        Self::Known(status)
    }
}

impl From<String> for ObservedStatus {
    fn from(word: String) -> Self {
        word.parse().map_or_else(|NotAStatus| Self::Unknown(word), Self::Known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
