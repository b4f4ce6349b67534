//! Adds each pet exactly once: pets wait in a [`queue`], [`send`] sends a pet and classifies the
//! result, and [`unknown_outcome`] handles a missing answer.

pub mod queue;
pub mod send;
pub mod unknown_outcome;
