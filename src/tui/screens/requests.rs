//! The requests screen: what was asked of the service in this session, and what it answered. Never with a key.

pub mod state;
#[cfg(test)]
mod tests;
pub mod texts;
pub mod update;
pub mod view;

pub use state::State;
