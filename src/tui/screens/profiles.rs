//! The profiles screen: the saved services, how they answer, and a form for a new one.

pub mod change;
pub mod fields;
pub mod form;
pub mod state;
pub mod update;
pub mod view;

pub use state::State;

#[cfg(test)]
pub(in crate::tui) mod tests;
