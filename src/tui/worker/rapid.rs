//! Jobs of rapid entry: its file, and its lines on their way to the service.

use super::add_pet::look_for;
use super::job::{Connection, api_of};
use crate::api::failure::Failure;
use crate::app::outbox::queue::{LineSent, Queue};
use crate::tui::screens::add_pet::rapid::jobs::{RapidReply, RapidTask};

pub(super) async fn perform(task: RapidTask, connection: Connection, queue: Queue) -> Result<RapidReply, Failure> {
    Ok(match task {
        RapidTask::Write(records) => RapidReply::Written(queue.write(records).await),
        RapidTask::Send(lane, line) => {
            let sent = match api_of(connection).await {
                Ok(api) => queue.send(&api.called("rapid entry"), *line).await,
                Err(failure) => LineSent::NotSent(failure),
            };
            RapidReply::Sent(lane, sent)
        }
        RapidTask::SearchFor(new) => RapidReply::SearchedFor(look_for(&api_of(connection).await?, &new).await),
    })
}
