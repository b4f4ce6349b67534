//! The healthy world, made such that a row of the catalogue shows.

mod apex;
mod caa;
mod certificates;

mod pages;
mod records;
mod redirects;
mod servers;

use jiff::Timestamp;

use super::plan::Plan;
use crate::domains::Code;

/// How to make a row of the catalogue show.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    /// The row.
    pub code: Code,
    /// The domain to look at.
    pub domain: &'static str,
    /// What to change in the healthy world.
    pub make: fn(&mut Plan),
}

impl Trouble {
    /// All of them, in the order of the catalogue's tables.
    pub fn all() -> impl Iterator<Item = Self> {
        let lists =
            [records::LIST, apex::LIST, servers::LIST, caa::LIST, certificates::LIST, pages::LIST, redirects::LIST];
        lists.into_iter().flatten().copied()
    }

    /// The one for this row; none if it needs no world, or can not be made in one.
    #[must_use]
    pub fn of(code: Code) -> Option<Self> {
        Self::all().find(|trouble| trouble.code == code)
    }

    const fn new(code: Code, make: fn(&mut Plan)) -> Self {
        Self { code, domain: Plan::DOMAIN, make }
    }

    const fn at(self, domain: &'static str) -> Self {
        Self { domain, ..self }
    }
}

impl Plan {
    /// The healthy world with the trouble of this row, if there is one.
    #[must_use]
    pub fn showing(now: Timestamp, code: Code) -> Option<Self> {
        Trouble::of(code).map(|trouble| Self::healthy(now).with(trouble.make))
    }
}
