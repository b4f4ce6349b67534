//! Browse the pets: status tabs, limit, pages, search, sort, detail.

pub mod clipboard;
pub mod follow;
pub mod inventory;
pub mod lists;
pub(in crate::tui) mod popups {
    pub mod limit;
    pub mod lookup;
    pub mod views;
}
pub mod provenance;
pub mod rows;
pub mod state;
pub mod update;
pub mod view;

pub use rows::Sort;
pub(in crate::tui) use state::{BUILT_IN, tab_of};
pub use state::{Count, ListSource, Loaded, State};

#[cfg(test)]
mod tests;
