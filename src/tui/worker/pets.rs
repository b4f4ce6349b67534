//! Jobs of the screen of pets: lists, the whole inventory, one pet, samples.

use std::time::Duration;

use tokio::sync::mpsc;

use super::job::{Connection, Progress, api_of};
use crate::api::failure::Failure;
use crate::api::find::{Lists, find};
use crate::api::inventory::{Coverage, inventory};
use crate::api::{ApiError, Client, list};
use crate::app::outbox::send::add_samples;
use crate::clock;
use crate::model::{Limit, Pet, PetQuery};
use crate::tui::screens::pets::jobs::{PetsReply, PetsTask};

/// How many pets of the whole inventory are sent at once, if they come quickly.
const PART: usize = 1_000;

/// The longest that some of them are held back.
const BETWEEN_PARTS: Duration = Duration::from_millis(250);

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
