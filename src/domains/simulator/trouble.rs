//! The healthy world, made such that a row of the catalogue shows.

mod apex;
mod caa;
mod certificates;
mod entry;
mod pages;
mod records;
mod redirects;
mod servers;

use jiff::Timestamp;

use super::plan::Plan;
use crate::domains::Code;

pub use entry::Trouble;

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
}

impl Plan {
    /// The healthy world with the trouble of this row, if there is one.
    #[must_use]
    pub fn showing(now: Timestamp, code: Code) -> Option<Self> {
        Trouble::of(code).map(|trouble| Self::healthy(now).with(trouble.make))
    }
}
