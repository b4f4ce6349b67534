//! Import of a file: choose it, preview it, send it. Nothing is sent before the whole file was checked and previewed.
//!
//! [`crate::transfer`] does the work; these are its three steps on the screen. A running import continues while other
//! screens are shown, and resumes from its report after a restart.

pub mod jobs;
pub mod preview;
pub mod progress;
pub mod replies;
pub mod start;
pub mod state;
pub mod update;
pub mod view;

pub use state::{Phase, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
