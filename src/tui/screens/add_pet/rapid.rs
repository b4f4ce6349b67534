//! Rapid entry, for barcode scanners and fast typists: a name, Enter, the next. Typing never waits for the service.
//!
//! Enter takes the line: it is listed at once, written to a file, and then sent. Lines survive an outage of the
//! service, and no line is sent again if that could add a second pet.

pub mod dispatch;
pub mod input;
pub mod lines;
pub mod state;
pub mod update;
pub mod view;

pub use state::{Fate, Focus, Line, RapidSetup, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
