//! Jobs about domains, and what jobs tell while they go on.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::api::Failure;
use crate::app::domain_service::{DomainService, NotSaved};
use crate::domains::redirect_config::ConfigSource;
use crate::tui::effect::DomainTask;
use crate::tui::msg::{Outcome, Reply};
use crate::tui::pending::{ReqId, Slot};

/// Does a job; `so_far` takes what a check finds while it goes on.
pub async fn perform(service: Arc<DomainService>, task: DomainTask, so_far: SoFar) -> Outcome {
    let crashed = |why| Outcome::Failed(Failure::Crashed { why });
    match task {
        DomainTask::Keep(changes) => {
            let kept = tokio::task::spawn_blocking(move || service.apply(&changes)).await;
            Outcome::RegistryWritten(kept.unwrap_or_else(|error| Err(error.to_string())))
        }
        DomainTask::Check(request) => {
            let tell = |findings: &[_]| so_far.offer(Outcome::CheckProgress(findings.to_vec()));
            let checked = service.check(*request, tell).await;
            checked.map_or_else(crashed, |seen| Outcome::Checked(Box::new(seen)))
        }
        DomainTask::FollowRedirects { redirects, sandbox } => {
            service.follow(redirects, sandbox).await.map_or_else(crashed, Outcome::RedirectsFollowed)
        }
        DomainTask::Save { was, configuration } => {
            let to = ConfigSource::from(configuration.clone());
            let written = tokio::task::spawn_blocking(move || service.save(&was, &to)).await;
            let result = written.unwrap_or_else(|error| Err(NotSaved::Failed(error.to_string())));
            Outcome::Saved(configuration, result)
        }
    }
}

/// Takes what a look finds while it goes on. What finds no room is left out: the end of the look says it all.
pub struct SoFar {
    /// The slot of the job.
    pub slot: Slot,
    /// The job.
    pub id: ReqId,
    /// Where replies go.
    pub replies: mpsc::Sender<Reply>,
}

impl SoFar {
    /// Waits until there is room for it: nothing of what is given so is left out.
    pub async fn give(&self, outcome: Outcome) {
        // Nobody waits for it any more where the receiver is gone.
        let _ = self.replies.send(Reply { slot: self.slot, id: self.id, outcome }).await;
    }

    /// Leaves it out where there is no room: something newer comes.
    pub fn offer(&self, outcome: Outcome) {
        let _ = self.replies.try_send(Reply { slot: self.slot, id: self.id, outcome });
    }
}
