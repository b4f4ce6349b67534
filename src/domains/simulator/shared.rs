//! What all simulated servers share.

use std::io;

use parking_lot::Mutex;

use super::authority::Authorities;
use super::log::{Log, LoggedQuestion, Request};
use super::plan::Plan;

/// What all simulated servers share.
pub(super) struct Shared {
    /// Locked only while an answer is made, never while it is sent.
    pub plan: Mutex<Plan>,
    pub authorities: Mutex<Authorities>,
    pub questions: Log<LoggedQuestion>,
    pub requests: Log<Request>,
}

impl Shared {
    pub fn new(plan: Plan) -> io::Result<Self> {
        let authorities = Mutex::new(Authorities::new()?);
        Ok(Self {
            plan: Mutex::new(plan),
            authorities,
            questions: Log(Mutex::default()),
            requests: Log(Mutex::default()),
        })
    }
}
