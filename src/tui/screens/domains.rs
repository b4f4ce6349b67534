//! The domains panel: a custom domain from its first record to live, and out again.
//!
//! Nothing here can add, verify or remove a domain: that is done in the dashboard, and at the DNS provider. The panel
//! says what to enter there, notes what the operator says was done, looks, and tells what is wrong and how long to wait.

pub mod detail;
pub mod jobs;
pub mod labels;
pub(in crate::tui) mod popups;
pub mod redirects;
pub mod removal;
pub mod scheduler;
pub mod state;
pub mod summary;
pub mod update;
pub mod view;
pub mod wizard;

pub use state::{PanelLocation, State};

#[cfg(test)]
pub(in crate::tui) mod tests;
