//! What jobs have in common: the client that they wait for, and what they end with.

use tokio::sync::watch;

use crate::api::Client;
use crate::api::failure::Failure;
use crate::app::outbox::queue::Queue;
use crate::tui::msg::Outcome;

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

impl From<Outcome> for Done {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, client: None, queue: None }
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
