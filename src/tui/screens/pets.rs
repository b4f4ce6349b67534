//! Browse the pets: status tabs, limit, pages, search, sort, detail.

pub mod clipboard;
pub mod inventory;
pub mod jobs;
pub mod lookup;
pub(in crate::tui) mod popups;
pub mod rows;
pub mod state;
pub mod update;
pub mod view;

pub use rows::{Sort, SortBy};
pub use state::{Count, ListSource, Loaded, State};

#[cfg(test)]
mod tests;
