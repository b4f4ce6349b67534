//! Import and export against the real service, against ones that misbehave, and by the real binary.

mod between_stores;
mod commands;
mod engine;
mod kill;
mod weekly;
