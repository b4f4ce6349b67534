//! Jobs about domains.

use std::sync::Arc;

use super::job::{Progress, blocking};
use crate::api::failure::Failure;
use crate::app::domain_service::DomainService;
use crate::domains::redirect_config::ConfigSource;
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
            service.choose_resolvers(public);
            DomainReply::ResolversChosen(Ok(()))
        }
        DomainTask::Save { was, configuration } => {
            let to = ConfigSource::from(configuration.clone());
            let written = blocking(move || service.save(&was, &to)).await;
            DomainReply::Saved(written.map(|path| (configuration, path)))
        }
    }
}
