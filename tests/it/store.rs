//! The store by itself, on each database. `list` has the checks that hold on all of them.

mod copy;
pub mod fixture;
mod hosts;
pub mod list;
pub mod proxy;
mod standby;
mod trouble;
mod upgrade;
