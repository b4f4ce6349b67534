//! The boxes over the pets screen.

pub mod limit;
pub mod lookup;
pub mod views;
