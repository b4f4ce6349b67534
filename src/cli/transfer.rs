//! `petstore pets import` and `export`: the command line of [`crate::transfer`].

pub mod args;
mod export;
mod import;
mod progress;

pub use export::run as export;
pub use import::{check, open, run as import};
