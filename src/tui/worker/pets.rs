//! Jobs of the screen of pets: lists, the whole inventory, one pet, new pets as they are added, samples.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::job::{Connection, Progress, api_of};
use crate::api::failure::Failure;
use crate::api::find::{Lists, find};
use crate::api::follow::{Follower, News};
use crate::api::inventory::{Coverage, inventory};
use crate::api::provenance::{ProvenanceError, ProvenanceReader};
use crate::api::{ApiError, Client, list};
use crate::app::outbox::send::add_samples;
use crate::clock;
use crate::model::{Limit, Pet, PetId, PetQuery, display_safe};
use crate::tui::screens::pets::jobs::{Followed, PetsReply, PetsTask};

/// How many pets of the whole inventory are sent at once, if they come quickly.
const PART: usize = 1_000;

/// The longest that some of them are held back.
const BETWEEN_PARTS: Duration = Duration::from_millis(250);

/// New pets that come within this time come to the screen together.
const TOGETHER: Duration = Duration::from_millis(20);

pub(super) async fn perform(task: PetsTask, connection: Connection, progress: Progress) -> Result<PetsReply, Failure> {
    let api = api_of(connection).await?;
    let failed = |error: ApiError| Failure::from(&error);
    Ok(match task {
        PetsTask::List { query, pages, known } => {
            PetsReply::Listed(list::list(&api.called("list"), &query, pages, known.as_ref()).await.map_err(failed))
        }
        PetsTask::More(next) => PetsReply::More(list::more(&api.called("next page"), &next).await.map_err(failed)),
        PetsTask::Count { status, known } => {
            let query = PetQuery { status: Some(status), limit: Limit::MAX, after: None };
            let answer = list::list(&api.called("count"), &query, 1, known.as_ref()).await;
            PetsReply::Counted(status, answer.map_err(failed))
        }
        PetsTask::ReadInventory => {
            PetsReply::InventoryRead(read_inventory(&api.called("whole inventory"), progress).await.map_err(failed))
        }
        PetsTask::Find(id, ask) => {
            let found = find(&api.called("pet by id"), &Lists::default(), id, ask).await;
            PetsReply::Found(found.map_err(failed))
        }
        PetsTask::Follow { after } => PetsReply::NotFollowed(follow(&api, after, progress).await),
        PetsTask::Provenance(ids) => PetsReply::Provenance(match ProvenanceReader::new(&api).read(ids).await {
            Ok(provenances) => Ok(Some(provenances)),
            Err(ProvenanceError::NotOffered | ProvenanceError::NotAllowed) => Ok(None),
            Err(ProvenanceError::Api(error)) => Err(failed(error)),
        }),
        PetsTask::AddSamples(count, key) => {
            let (added, failure) = add_samples(&api.called("sample"), count, &key).await;
            PetsReply::SamplesAdded(added, failure)
        }
    })
}

/// Gives out the whole inventory as it comes, in parts of some size.
async fn read_inventory(api: &Client, progress: Progress) -> Result<Coverage, ApiError> {
    let (pages, mut coming) = mpsc::channel(4);
    let tell = async {
        let mut part: Vec<Pet> = Vec::new();
        let mut sent = clock::now().mono;
        while let Some(pets) = coming.recv().await {
            part.extend(pets);
            let now = clock::now().mono;
            if part.len() >= PART || now.saturating_duration_since(sent) >= BETWEEN_PARTS {
                sent = now;
                progress.give(PetsReply::InventoryPart(std::mem::take(&mut part))).await;
            }
        }
        progress.give(PetsReply::InventoryPart(part)).await;
    };
    let (given, ()) = tokio::join!(inventory(api, None, pages), tell);
    given
}

/// Follows the service until that cannot help; returns why.
async fn follow(api: &Client, after: Option<PetId>, progress: Progress) -> Failure {
    let mut follower = match Follower::new(api, after, None) {
        Ok(Some(follower)) => follower,
        Ok(None) => return Failure::NotStarted { why: "the service does not offer events".to_owned() },
        Err(error) => return Failure::NotStarted { why: display_safe(&error.to_string()).into_owned() },
    };
    let mut waiting = None;
    loop {
        let news = match waiting.take() {
            Some(news) => news,
            None => follower.next().await,
        };
        let followed = match news {
            Ok(News::Connected) => Followed::Connected(follower.position().unwrap_or(PetId::MIN)),
            Ok(News::Lost { .. }) => Followed::Lost,
            Ok(News::PetsLost(last)) => Followed::PetsLost(last),
            Ok(News::Added(first)) => {
                let mut added = vec![first];
                let end = Instant::from_std(clock::now().mono + TOGETHER);
                while added.len() < PART && waiting.is_none() {
                    match timeout_at(end, follower.next()).await {
                        Ok(Ok(News::Added(next))) => added.push(next),
                        Ok(other) => waiting = Some(other),
                        Err(_) => break,
                    }
                }
                Followed::Added(added)
            }
            Err(error) => return Failure::from(&error),
        };
        progress.give(PetsReply::Followed(followed)).await;
    }
}
