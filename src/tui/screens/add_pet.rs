//! Add an animal: checked as typed, refused without loss, and honest when no answer comes.

pub mod fields;
pub mod import;
pub mod jobs;
pub mod rapid;
pub mod state;
pub mod update;
pub mod view;

pub use fields::{After, Focus};
pub use state::{Refusal, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
