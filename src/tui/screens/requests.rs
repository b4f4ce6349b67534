//! The requests screen: what was asked of the service in this session, and what it answered. Never with a key.

pub mod state;
#[cfg(test)]
pub(in crate::tui) mod tests;
pub mod texts;
pub mod update;
pub mod view;

pub use state::State;
