//! Import: which file, what is in it, how it goes. Nothing is sent before all of it was checked and seen.
//!
//! The work is that of [`crate::transfer`]: here are its three steps on the screen. What is under way goes on while other
//! screens are shown, and is gone on with by its report after any end of the program.

pub mod jobs;
pub mod preview;
pub mod progress;
pub mod replies;
pub mod start;
pub mod state;
pub mod update;
pub mod view;

pub use preview::{Choice, PreviewField, PreviewState};
pub use progress::Running;
pub use state::{Phase, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
