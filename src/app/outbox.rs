//! Pets on their way to a service, each of which is to be added exactly once: lines of rapid entry that wait in a
//! [`queue`], and one of which it is not known whether it was added ([`unknown_outcome`]).

pub mod queue;
pub mod send;
pub mod unknown_outcome;
