//! The domains panel: a custom domain from its first record to live, and out again.
//!
//! Nothing here can add, verify or remove a domain: that is done in the dashboard, and at the DNS provider. The panel
//! says what to enter there, notes what the operator says was done, looks, and tells what is wrong and how long to wait.

pub mod boxes;
pub mod one;
pub mod redirects;
pub mod removal;
pub mod row;
pub mod state;
pub mod texts;
pub mod update;
pub mod view;
pub mod watch;
pub mod wizard;

pub use state::{Place, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
