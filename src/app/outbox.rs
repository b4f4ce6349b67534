//! Adds each pet exactly once: a [`line`] waits in a [`queue`], which sends it and records the outcome; [`search`] finds
//! one that was sent without an answer.

pub mod line;
pub mod queue;
pub mod search;
pub mod send;
