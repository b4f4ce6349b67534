//! Every pet of a service: searching it, and what changed in it.

pub mod changes;
pub mod search;
pub mod store;
