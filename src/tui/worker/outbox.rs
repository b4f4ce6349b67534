//! Jobs of the form and of rapid entry: pets are added once, or searched for after an unknown outcome.

use std::sync::Arc;

use super::drafts::DraftFiles;
use super::job::{Connection, api_of};
use crate::api::Client;
use crate::api::failure::Failure;
use crate::app::outbox::queue::{LineSent, Queue};
use crate::app::outbox::send::{add, settle};
use crate::app::outbox::unknown_outcome::{SearchedPets, search_for};
use crate::model::NewPet;
use crate::tui::screens::add_pet::jobs::{AddReply, AddTask};
use crate::tui::screens::add_pet::rapid::jobs::{RapidReply, RapidTask};

/// Does a job; a new pet is sent after write number `drafts.1` of what is typed has ended.
pub(super) async fn add_pet(
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
        AddTask::SearchFor(new) => AddReply::SearchedFor(search(&api, &new).await),
    })
}

/// [`search_for`], as the app asks for it.
async fn search(api: &Client, new: &NewPet) -> Result<SearchedPets, Failure> {
    search_for(&api.called("search"), new).await.map_err(|error| Failure::from(&error))
}

/// Does a job of rapid entry: its file, and its lines on their way to the service.
pub(super) async fn rapid_entry(task: RapidTask, connection: Connection, queue: Queue) -> Result<RapidReply, Failure> {
    Ok(match task {
        RapidTask::Write(records) => RapidReply::Written(queue.write(records).await),
        RapidTask::Send(lane, line) => {
            let sent = match api_of(connection).await {
                Ok(api) => queue.send(&api.called("rapid entry"), *line).await,
                Err(failure) => LineSent::NotSent(failure),
            };
            RapidReply::Sent(lane, sent)
        }
        RapidTask::SearchFor(new) => RapidReply::SearchedFor(search(&api_of(connection).await?, &new).await),
    })
}
