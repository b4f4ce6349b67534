//! Browse the pets: status tabs, limit, search, sort, detail.

pub mod clipboard;
pub mod follow;
pub(in crate::tui) mod popups {
    pub mod limit;
    pub mod lookup;
    pub mod views;
}
pub mod provenance;
pub mod reading;
pub mod reported;
pub mod rows;
pub mod state;
pub mod update;
pub mod view;

pub(in crate::tui) use state::BUILT_IN;
pub use state::{ReadNext, State};

#[cfg(test)]
mod tests;
