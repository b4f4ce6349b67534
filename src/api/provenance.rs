//! When and by which key pets were added (an addition), read from the events of the service: of many pets at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::timeout;

use super::follow::{AddedPet, Follower, News};
use super::{ApiError, Client, Defect};
use crate::model::{PetId, Provenance, Provenances};

/// Once connected, without an event for so long the service is asked for its last pet: it may not have the wanted ones.
const QUIET: Duration = Duration::from_secs(5);

/// Fewer pets than this between two wanted ones are read, too; for more of them a new connection is made.
const FAR: PetId = 10_000;

/// How often in a row the connection may be lost, or silent although there are further pets.
const MOST_FAILED: u32 = 3;

/// Why it cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProvenanceError {
    /// The service has no events.
    #[error("the service does not report who added pets")]
    NotOffered,
    /// The events do not have it.
    #[error("this API key may not see who added pets")]
    NotAllowed,
    /// The request has failed.
    #[error(transparent)]
    Api(#[from] ApiError),
}

/// Reads it; best in the order of ids.
pub struct ProvenanceReader {
    client: Client,
    follower: Option<Follower>,
}

impl ProvenanceReader {
    /// A reader for the service of `client`, which has asked for a list before.
    pub fn new(client: &Client) -> Self {
        Self { client: client.called("provenance"), follower: None }
    }

    /// Reads that of the pets with these ids. Of pets that the service does not have, nothing was recorded.
    pub async fn read(&mut self, ids: impl IntoIterator<Item = PetId>) -> Result<Provenances, ProvenanceError> {
        let mut found: Provenances = ids.into_iter().map(|id| (id, Provenance::default())).collect();
        let mut wanted: BTreeSet<PetId> = found.keys().copied().collect();
        let mut failed = 0;
        while let Some(first) = wanted.first().copied() {
            let follower = match self.follower.take().filter(|follower| comes_to(follower, first)) {
                Some(known) => self.follower.insert(known),
                None => self.follower.insert(follower(&self.client, Some(first.saturating_sub(1)))?),
            };
            let news = match follower.is_connected() {
                true => timeout(QUIET, follower.next()).await.ok(),
                // Connecting has its own time.
                false => Some(follower.next().await),
            };
            match news {
                None if last_id(&self.client).await? < first => break,
                None => {
                    failed += 1;
                    if failed > MOST_FAILED {
                        return Err(ApiError::Timeout(QUIET * failed).into());
                    }
                }
                Some(Ok(News::PetsLost(last))) if last < first => break,
                Some(Ok(News::PetsLost(_) | News::Connected)) => {}
                Some(Ok(News::Added(AddedPet { provenance: None, .. }))) => return Err(ProvenanceError::NotAllowed),
                Some(Ok(News::Added(AddedPet { pet, provenance: Some(provenance) }))) => {
                    failed = 0;
                    if wanted.contains(&pet.id) {
                        found.insert(pet.id, provenance);
                    }
                    // Those before it are not there.
                    while wanted.first().is_some_and(|first| *first <= pet.id) {
                        wanted.pop_first();
                    }
                }
                Some(Ok(News::Lost { error })) => {
                    failed += 1;
                    if failed > MOST_FAILED {
                        return Err(error.unwrap_or_else(ended).into());
                    }
                }
                Some(Err(error)) => return Err(error.into()),
            }
        }
        Ok(found)
    }
}

/// The id of the last pet of the service: a stream from now on begins there.
async fn last_id(client: &Client) -> Result<PetId, ProvenanceError> {
    let mut follower = follower(client, None)?;
    if let News::Lost { error } = follower.next().await? {
        return Err(error.unwrap_or_else(ended).into());
    }
    Ok(follower.position().unwrap_or(PetId::MIN))
}

fn follower(client: &Client, after: Option<PetId>) -> Result<Follower, ProvenanceError> {
    let follower = Follower::new(client, after, None).map_err(ApiError::NotSent)?;
    follower.ok_or(ProvenanceError::NotOffered)
}

const fn ended() -> ApiError {
    ApiError::Malformed(Defect::Events("the stream of events ends again and again"))
}

/// Whether the pet `id` comes soon, if it is there.
fn comes_to(follower: &Follower, id: PetId) -> bool {
    let position = follower.position().unwrap_or(PetId::MIN);
    position < id && id.saturating_sub(position) < FAR
}
