//! What follows from keys and replies.
