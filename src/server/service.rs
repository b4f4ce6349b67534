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
pub struct Service {
    pub store: Store,
    pub config: Arc<Config>,
    pub metrics: Arc<Metrics>,
    pub failed_authentications: Option<Arc<FailedAuthentications>>,
    pub rate_limits: Option<Arc<RateLimits>>,
    pub slow_bodies: Arc<SlowBodies>,
    pub streams: Arc<Streams>,
    pub feed: Arc<Feed>,
}

impl Service {
    /// Counts that a limit was met, and says so.
    pub fn too_many(&self, limit: Limit) -> Failure {
        self.metrics.rate_limited(limit);
        Failure::TooMany(limit)
    }
}
