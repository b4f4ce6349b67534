//! The domains panel: what follows from keys and replies, and how each place looks.

pub(in crate::tui) mod fixture;
pub mod looks;
mod way;
