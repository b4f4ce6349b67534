//! Import and export against the real service, against ones that misbehave, and by the real binary.

mod commands;
mod engine;
mod kill;
mod round;
mod weekly;
