//! Adds each pet exactly once: pets wait in a [`queue`], [`send`] sends a pet and classifies the result, and [`search`] finds
//! one that was sent without an answer.

pub mod queue;
pub mod search;
pub mod send;
