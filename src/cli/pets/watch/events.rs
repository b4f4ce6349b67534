//! A watch by the events of the service: nothing is asked again, and nothing is missed.

use super::deliver::Delivery;
use crate::api::Failure;
use crate::api::follow::{AddedPet, Follower, News};
use crate::api::retry::repeated;
use crate::app::inventory::changes::{Change, ChangeKind};
use crate::cli::error::{Exit, Failed};
use crate::cli::output::note;
use crate::cli::pets::context::PetsContext;
use crate::clock;
use crate::model::{Limit, PetId, PetQuery, PetStatus};

/// Asks the service whether it offers events; an unreachable one is an error here, and waited for later.
pub(super) async fn follow(
    context: &PetsContext<'_>,
    after: Option<PetId>,
    status: Option<PetStatus>,
) -> Result<Option<Follower>, Failed> {
    let query = PetQuery { status, limit: Limit::MIN, after: None };
    repeated(|| context.client.list_pets(&query)).await.map_err(|error| context.failed(&error))?;
    Follower::new(context.client, after, status).map_err(Failed::because("cannot prepare requests"))
}

pub(super) async fn run(
    context: &PetsContext<'_>,
    delivery: Delivery<'_>,
    mut follower: Follower,
) -> Result<Exit, Failed> {
    let after = follower.position().map_or_else(String::new, |id| format!(" after {id}"));
    context.verbosity.note(&format!("watching {} for new pets{after}", context.service));
    let mut is_away = false;
    loop {
        match follower.next().await.map_err(|error| context.failed(&error))? {
            News::Connected => {
                if std::mem::take(&mut is_away) {
                    context.verbosity.note(&format!("{} is answering again", context.service));
                }
            }
            News::Lost { error: Some(error) } if !is_away => {
                is_away = true;
                note(&format!("{} Retrying at growing intervals.", Failure::from(&error).sentence(context.service)));
            }
            News::Lost { .. } => {}
            News::PetsLost(last) => note(&format!(
                "{} has lost pets, for example because a backup was restored. Watching for new pets after {last}.",
                context.service
            )),
            News::Added(AddedPet { pet, .. }) => {
                let change = Change { at: clock::now().wall, kind: ChangeKind::New, pet, before: None };
                if !delivery.deliver(&[change]).await? {
                    return Ok(Exit::Done);
                }
            }
        }
    }
}
