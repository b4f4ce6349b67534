//! `petstore pets import` and `export`: what [`crate::transfer`] does, for scripts and for people at a terminal.

pub mod args;
mod export;
mod import;
mod progress;

pub use export::run as export;
pub use import::{check, run as import};
