//! One entry of the lists of troubles.

use crate::simulator::Plan;
use petstore::domains::Code;

/// How to make a row of the catalogue show.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    /// The row.
    pub code: Code,
    /// The domain to check.
    pub domain: &'static str,
    /// What to change in the healthy world.
    pub make: fn(&mut Plan),
}

impl Trouble {
    pub(super) const fn new(code: Code, make: fn(&mut Plan)) -> Self {
        Self { code, domain: Plan::DOMAIN, make }
    }

    pub(super) const fn at(self, domain: &'static str) -> Self {
        Self { domain, ..self }
    }
}
