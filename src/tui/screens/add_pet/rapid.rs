//! Rapid entry, for barcode scanners and fast typists: a name, Enter, the next. Typing never waits for the service.
//!
//! Enter takes the line: it stands in the list at once, is written into a file, and then sent. Nothing is lost where the
//! service is away, and nothing is sent twice where it might then be there twice.

pub mod dispatch;
pub mod input;
pub mod jobs;
pub mod lines;
pub mod state;
pub mod update;
pub mod view;

pub use state::{Fate, Focus, Line, RapidSetup, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
