//! The lines below the form: pets that were taken, until they are saved.

pub mod dispatch;
pub mod input;
pub mod lines;
pub mod state;
pub mod view;

pub use state::{EditedLine, Fate, Line, RapidSetup, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
