//! The boxes over the pets screen.

pub mod changes;
pub mod views;
