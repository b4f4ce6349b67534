//! The real binary in a real pseudo-terminal: what only a terminal can show.

#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "tests measure, and read what they set themselves")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod adding;
mod browsing;
mod completions;
mod dialogue;
mod domains;
mod drafts;
mod emulators;
mod ends;
mod foreign;
mod harness;
mod import;
mod live;
mod prelude;
mod screens;
mod served;
#[path = "../it/skipped.rs"]
mod skipped;
mod spoken;
mod ssh;
mod sshd;
mod terminals;
mod tour;
