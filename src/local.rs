//! What is kept on this machine: files written whole or not at all, logs, drafts, and the codes that
//! scanners read.
//!
//! Touches files only; no network and no terminal.

pub mod atomic_file;
pub mod barcodes;
pub mod draft_files;
pub mod log;

use sha2::{Digest as _, Sha256};

/// What the files that are kept for the service `identity` are called: a hash, so that no name of a service is a path.
pub fn file_stem(identity: &str) -> String {
    Sha256::digest(identity.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
