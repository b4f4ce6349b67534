//! The parts of the command line that serve.

pub mod keys;
pub mod serve;
