//! `Pet` and `NewPet` (section 2 of the description), and the query of a list.

use std::collections::HashMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Limit, ObservedStatus, PetStatus};

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
        self.added_by.as_ref().map(|by| by.name.as_deref().unwrap_or(&by.key))
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
