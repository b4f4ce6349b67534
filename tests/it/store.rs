//! The store by itself, on each database. `list` has the checks that hold on all of them.

mod copy;
mod fixture;
mod list;
mod proxy;
mod trouble;
