//! When a pet was sent, whether it may be sent again, and samples.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::creation::create_pet_once;
use crate::api::{ApiError, Client, Failure};
use crate::clock;
use crate::model::samples::sample;
use crate::model::{IdempotencyKey, PetId};

/// When a pet was first sent. Its age is the difference of two times of one clock: this machine's may be set meanwhile,
/// and the service's may differ from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SavedTime")]
pub struct SentAt {
    /// By the clock of this machine.
    pub here: Timestamp,
    /// By the clock of the service, if it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub there: Option<Timestamp>,
}

/// As it is saved: drafts of the first version have only the time of this machine.
#[derive(Deserialize)]
#[serde(untagged)]
enum SavedTime {
    Here(Timestamp),
    Both { here: Timestamp, there: Option<Timestamp> },
}

impl From<SavedTime> for SentAt {
    fn from(saved: SavedTime) -> Self {
        match saved {
            SavedTime::Here(here) => Self { here, there: None },
            SavedTime::Both { here, there } => Self { here, there },
        }
    }
}

/// Adds one sample after another, until one fails. Those that were added.
pub async fn add_samples(client: &Client, count: usize, key: &IdempotencyKey) -> (Vec<PetId>, Option<Failure>) {
    let mut added = Vec::new();
    for number in 0..count {
        match create_pet_once(client, &sample(number), &key.part(number)).await {
            Ok(pet) => added.push(pet.id),
            Err(error) => return (added, Some(error.into())),
        }
    }
    (added, None)
}

/// Whether the service certainly still knows the key of a pet first sent at `at`.
pub(super) async fn is_known_still(client: &Client, at: SentAt) -> Result<bool, ApiError> {
    // Every answer has the retention of keys and the time of the service.
    let there = client.date().await?;
    let knows = |now: Timestamp, sent: Timestamp| client.surely_knows(now.duration_since(sent));
    Ok(match (at.there, there) {
        (Some(sent), Some(now)) => knows(now, sent),
        // Only this machine's clock says when it was sent: both have to agree.
        (_, now) => knows(clock::now().wall, at.here) && now.is_none_or(|now| knows(now, at.here)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_an_earlier_version_saved_is_read() {
        let here: Timestamp = "2026-11-19T08:00:00Z".parse().unwrap();
        let read = |text: &str| serde_json::from_str::<SentAt>(text).unwrap();
        assert_eq!(read("\"2026-11-19T08:00:00Z\""), SentAt { here, there: None });
        let both = SentAt { here, there: Some(here) };
        assert_eq!(read(&serde_json::to_string(&both).unwrap()), both);
    }
}
