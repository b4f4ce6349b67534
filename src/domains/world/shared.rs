//! What all servers of a world share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::log::{Log, Question};
use super::plan::Plan;

/// What all servers of a world share.
pub(super) struct Shared {
    plan: Mutex<Plan>,
    pub questions: Log<Question>,
}

impl Shared {
    pub fn new(plan: Plan) -> Self {
        Self { plan: Mutex::new(plan), questions: Log::new() }
    }

    /// Held only while an answer is made, never while it is sent.
    pub fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
