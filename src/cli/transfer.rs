//! `petstore pets import` and `export`: what [`crate::transfer`] does, for scripts and for people at a terminal.

pub mod args;
mod bar;
pub mod ends;
mod export;
mod import;

pub use export::run as export;
pub use import::{answer_words, check, run as import};
