//! The first start: without a configuration the user chooses how to start. Before that nothing is sent to any
//! service, and no file is written.

pub mod state;
#[cfg(test)]
mod tests;
pub mod update;
pub mod view;

pub use state::State;
