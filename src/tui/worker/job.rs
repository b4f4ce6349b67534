//! What jobs have in common: the client that they wait for, how they tell how far they are, and what they end with.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::task::spawn_blocking;

use crate::api::Client;
use crate::api::failure::Failure;
use crate::app::outbox::queue::Queue;
use crate::tui::msg::{Outcome, Reply};
use crate::tui::pending::ReqId;

/// The pause between two progress reports.
pub(super) const BETWEEN_NEWS: Duration = Duration::from_millis(100);

/// The client, once there is one. The service inside the program may still be starting.
pub(super) type Connection = watch::Receiver<Option<Result<Client, Failure>>>;

/// What a job ends with.
pub(super) struct Done {
    pub(super) outcome: Outcome,
    /// The client for all jobs from now on, where it is another one.
    pub(super) client: Option<Client>,
    /// The queue of its service, where that is another one.
    pub(super) queue: Option<Queue>,
}

impl<T: Into<Outcome>> From<T> for Done {
    fn from(outcome: T) -> Self {
        Self { outcome: outcome.into(), client: None, queue: None }
    }
}

/// The client, as soon as there is one.
pub(super) async fn api_of(mut connection: Connection) -> Result<Client, Failure> {
    let connected = match connection.wait_for(Option::is_some).await {
        Ok(connected) => connected.clone(),
        Err(_) => None,
    };
    connected.unwrap_or_else(|| Err(Failure::Crashed { why: "the connection was never made".to_owned() }))
}

/// Does what waits for disks and programs where it holds up nothing else.
pub(super) async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<String> + Send + 'static,
{
    spawn_blocking(work).await.unwrap_or_else(|error| Err(E::from(error.to_string())))
}

/// Takes what comes of a job while it goes on.
pub struct Progress {
    /// The job.
    pub id: ReqId,
    /// Where replies go.
    pub replies: mpsc::Sender<Reply>,
}

impl Progress {
    /// Waits until there is room for it: nothing of what is given so is left out.
    pub async fn give(&self, outcome: impl Into<Outcome>) {
        // Without a receiver nobody waits for it.
        let _ = self.replies.send(Reply { id: self.id, outcome: outcome.into() }).await;
    }

    /// Leaves it out where there is no room: something newer comes.
    pub fn offer(&self, outcome: impl Into<Outcome>) {
        let _ = self.replies.try_send(Reply { id: self.id, outcome: outcome.into() });
    }
}
