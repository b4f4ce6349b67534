//! Pets on their way to a service, each of which is to be added exactly once: lines of rapid entry that wait in a
//! [`queue`], what is known of a pet after it was sent ([`send`]), and what to do where that is not enough
//! ([`unknown_outcome`]).

pub mod queue;
pub mod send;
pub mod unknown_outcome;
