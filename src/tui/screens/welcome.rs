//! The first start: where nothing is set up, the user chooses with what to begin. Before that nothing is asked of any
//! service, and no file is written.

pub mod state;
#[cfg(test)]
mod tests;
pub mod update;
pub mod view;

pub use state::State;
