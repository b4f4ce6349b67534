//! Browse the animals: status tabs, limit, pages, search, sort, detail.

pub mod boxes;
pub mod by_id;
pub mod changes;
pub mod copying;
pub mod rows;
pub mod search;
pub mod state;
pub mod update;
pub mod view;
pub mod whole;

pub use rows::{Sort, SortBy};
pub use state::{Count, Loaded, Source, State};

#[cfg(test)]
mod tests;
