//! The add form: checks while typing, keeps the text if the service refuses it, and handles a missing answer.

pub mod fields;
pub mod import;
pub mod rapid;
pub mod state;
pub mod update;
pub mod view;

pub use state::{Refusal, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
