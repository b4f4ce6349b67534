//! Jobs of the form: an animal is added once, or looked for where nobody knows whether it was.

use std::sync::Arc;

use jiff::Timestamp;

use super::drafts::DraftFiles;
use super::job::{Connection, api_of};
use super::queue::is_known_still;
use crate::api::creation::create_pet_once;
use crate::api::failure::Failure;
use crate::api::{ApiError, Client};
use crate::model::{IdempotencyKey, Limit, NewPet, Pet, PetQuery};
use crate::tui::screens::add_pet::jobs::{AddReply, AddTask, NotCreated, SearchedPets};

/// The most pages that looking for one animal follows.
const MAX_PAGES_LOOKED_UP: usize = 200;

/// Does a job; a new animal is sent after write number `drafts.1` of what is typed has ended.
pub(super) async fn perform(
    task: AddTask,
    connection: Connection,
    drafts: Option<(Arc<DraftFiles>, u64)>,
) -> Result<AddReply, Failure> {
    if let (AddTask::Create(..), Some((files, number))) = (&task, drafts) {
        files.ended(number).await;
    }
    let api = api_of(connection).await?;
    let not_created =
        |error: ApiError| NotCreated { failure: Failure::from(&error), repeatable: api.keeps_idempotency_keys() };
    Ok(match task {
        AddTask::Create(new, key) => {
            AddReply::Created(create_pet_once(&api.called("add"), &new, &key).await.map_err(not_created))
        }
        AddTask::Settle(new, key, at) => match settle(&api.called("add"), &new, &key, at).await {
            Ok(None) => AddReply::NotSettled,
            Ok(Some(pet)) => AddReply::Created(Ok(pet)),
            Err(error) => AddReply::Created(Err(not_created(error))),
        },
        AddTask::SearchFor(new) => AddReply::SearchedFor(look_for(&api, &new).await),
    })
}

/// Sends an animal again that was sent at `at`; `None` where the service may have forgotten its key, or never keeps any.
pub async fn settle(api: &Client, new: &NewPet, key: &IdempotencyKey, at: Timestamp) -> Result<Option<Pet>, ApiError> {
    if is_known_still(api, at).await? { create_pet_once(api, new, key).await.map(Some) } else { Ok(None) }
}

/// [`search_for`], as the app asks for it.
pub(super) async fn look_for(api: &Client, new: &NewPet) -> Result<SearchedPets, Failure> {
    search_for(&api.called("look for it"), new).await.map_err(|error| Failure::from(&error))
}

/// Every animal of that name, category and status that the list shows.
pub async fn search_for(api: &Client, new: &NewPet) -> Result<SearchedPets, ApiError> {
    let query = PetQuery { status: new.status, limit: Limit::MAX, after: None };
    let mut page = api.list_pets(&query).await?;
    let mut matches = Vec::new();
    for _ in 0..MAX_PAGES_LOOKED_UP {
        let full = page.pets.len() >= usize::from(Limit::MAX.get());
        matches.extend(page.pets.into_iter().filter(|pet| pet.name == new.name && pet.category_id == new.category_id));
        match &page.next {
            Some(next) => page = api.list_next(next).await?,
            None => return Ok(SearchedPets { matches, complete: !full }),
        }
    }
    Ok(SearchedPets { matches, complete: false })
}
