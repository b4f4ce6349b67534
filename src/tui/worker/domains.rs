//! Jobs about domains.

use std::sync::Arc;

use super::job::{Progress, blocking};
use crate::api::failure::Failure;
use crate::app::domain_service::DomainService;
use crate::tui::screens::domains::jobs::{DomainReply, DomainTask};

/// Does a job; `progress` takes how far a check is.
pub async fn perform(service: Arc<DomainService>, task: DomainTask, progress: Progress) -> DomainReply {
    let crashed = |why| Failure::Crashed { why };
    match task {
        DomainTask::Keep(changes) => DomainReply::RegistryWritten(blocking(move || service.apply(&changes)).await),
        DomainTask::Check(lane, request) => {
            // What finds no room is left out: the end of the check says it all.
            let tell = |complete, since| progress.offer(DomainReply::CheckProgress(lane, (complete, since)));
            DomainReply::Checked(lane, service.check(*request, tell).await.map(Box::new).map_err(crashed))
        }
        DomainTask::FollowRedirects { redirects, sandbox } => {
            DomainReply::RedirectsFollowed(service.follow(redirects, sandbox).await.map_err(crashed))
        }
        DomainTask::ChooseResolvers { public } => {
            let chosen = blocking(move || Ok(service.choose_resolvers(public))).await;
            DomainReply::ResolversChosen(chosen.map_err(crashed))
        }
    }
}
