//! Adding pets: a form above, and below it a line for each pet that was taken from it.
//!
//! Typing never waits for the service. A line is written to a file, then sent; it survives an outage and the end of the
//! program, and is never sent again if that could add a second pet.

pub mod fields;
pub mod import;
pub mod rapid;
pub mod state;
pub mod update;
pub mod view;

pub use state::State;

#[cfg(test)]
pub(in crate::tui) mod tests;
