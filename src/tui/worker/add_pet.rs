//! Jobs of the form: an animal is added once, or looked for where nobody knows whether it was.

use std::sync::Arc;

use super::drafts::DraftFiles;
use super::job::{Connection, api_of};
use crate::api::Client;
use crate::api::failure::Failure;
use crate::app::outbox::send::{add, settle};
use crate::app::outbox::unknown_outcome::{SearchedPets, search_for};
use crate::model::NewPet;
use crate::tui::screens::add_pet::jobs::{AddReply, AddTask};

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
    Ok(match task {
        AddTask::Create(new, key) => AddReply::Created(add(&api.called("add"), &new, &key).await),
        AddTask::Settle(new, key, at) => {
            let settled = settle(&api.called("add"), &new, &key, at).await.transpose();
            settled.map_or(AddReply::NotSettled, AddReply::Created)
        }
        AddTask::SearchFor(new) => AddReply::SearchedFor(look_for(&api, &new).await),
    })
}

/// [`search_for`], as the app asks for it.
pub(super) async fn look_for(api: &Client, new: &NewPet) -> Result<SearchedPets, Failure> {
    search_for(&api.called("look for it"), new).await.map_err(|error| Failure::from(&error))
}
