//! Import: which file, what is in it, how it goes. Nothing is sent before all of it was checked and seen.
//!
//! The work is that of [`crate::transfer`]: here are its three steps on the screen. What is under way goes on while other
//! screens are shown, and is gone on with by its report after any end of the program.

pub mod looked;
pub mod news;
pub mod open;
pub mod running;
pub mod state;
pub mod update;
pub mod view;

pub use looked::{Choice, Looked, Part};
pub use running::{Running, Shown};
pub use state::{Phase, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
