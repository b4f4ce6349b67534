//! Why a configuration, or a key that it names, cannot be used.

use std::path::PathBuf;

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read the configuration {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A wrong or unknown key.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// Counted in characters from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    #[error("there is no profile \"{name}\". Known: {known}. Profiles stand in the configuration as [profiles.NAME].")]
    NoSuchProfile {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// The key of the service cannot be had: why not, and what to do.
    #[error("{0}")]
    Key(String),
    /// A profile, its address, or the file of its key cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// No place for files.
    #[error(transparent)]
    NoHome(#[from] super::paths::NoHome),
}
