//! The boxes over the pets screen.

pub mod lookup;
pub mod views;
