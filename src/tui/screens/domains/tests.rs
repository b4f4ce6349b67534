//! Tests of the domains panel: keys and replies, and snapshots.

pub(in crate::tui) mod fixture;
pub mod looks;
mod way;
