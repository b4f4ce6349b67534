//! What requests share.

use std::sync::Arc;

use super::config::Config;
use super::failure::Failure;
use super::feed::{Feed, Streams};
use super::limits::{FailedAuthentications, RateLimits, SlowBodies};
use super::metrics::{Limit, Metrics};
use crate::store::Store;

/// What every request may need.
#[derive(Clone, Debug)]
pub(super) struct Service {
    pub(super) store: Store,
    pub(super) config: Arc<Config>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) failed_authentications: Option<Arc<FailedAuthentications>>,
    pub(super) rate_limits: Option<Arc<RateLimits>>,
    pub(super) slow_bodies: Arc<SlowBodies>,
    pub(super) streams: Arc<Streams>,
    pub(super) feed: Arc<Feed>,
}

impl Service {
    /// Counts that a limit was met, and says so.
    pub(super) fn too_many(&self, limit: Limit) -> Failure {
        self.metrics.rate_limited(limit);
        Failure::TooMany(limit)
    }
}
