//! The language of a search: what was typed, taken apart, and which pets it fits.

pub mod needle;
mod query;

pub use query::{Query, Word};
