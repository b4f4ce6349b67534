//! Browse the animals: status tabs, limit, pages, search, sort, detail.

pub mod state;
pub mod update;
pub mod view;

pub use state::{Count, Loaded, Sort, SortBy, State};

#[cfg(test)]
mod tests;
