//! Files and programs of this machine: atomic files, logs, drafts, and what is run.
//!
//! No network and no terminal.

pub mod atomic_file;
pub mod complete;
pub mod draft_files;
pub mod log;
pub mod program;

use sha2::{Digest as _, Sha256};

/// The stem of the file names for the service `identity`: a hash, so that no service name becomes a path.
pub fn file_stem(identity: &str) -> String {
    Sha256::digest(identity.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}
