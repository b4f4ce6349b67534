//! When and by which API key a pet was added (an addition to the description).

use std::collections::HashMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::PetId;

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
