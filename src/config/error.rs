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
    /// A profile that says neither or both of `embedded` and `base_url`.
    #[error("the profile \"{0}\" must have either base_url = \"https://...\" or embedded = true.")]
    ProfileUnclear(String),
    /// An address that cannot be used.
    #[error("{origin}: {source}")]
    Endpoint {
        /// Where it was set.
        origin: String,
        /// Why not.
        source: crate::model::EndpointError,
    },
    /// A key file that cannot be used.
    #[error("cannot read the API key from {}: {why}", path.display())]
    KeyFile {
        /// Which file.
        path: PathBuf,
        /// Why not, and what to do.
        why: String,
    },
    /// A key file that cannot be written.
    #[error("the API key was not kept: {} cannot be written: {source}.", path.display())]
    KeyFileWrite {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A key file that cannot be removed.
    #[error("the API key is still in {}, which cannot be removed: {source}.", path.display())]
    KeyFileRemove {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A command that gave no key.
    #[error("the command {command} gave no API key: {why}. Try it in a shell.")]
    KeyCommand {
        /// The program and its arguments, safe to show.
        command: String,
        /// What happened, safe to show.
        why: String,
    },
    /// A command that somebody else could have chosen.
    #[error("the command for the API key was not run: others may change {} ({why}) and so choose the command. Run: {remedy} {}", path.display(), path.display())]
    KeyCommandOfOthers {
        /// The configuration file, or its directory.
        path: PathBuf,
        /// What lets them.
        why: String,
        /// The command that ends it, without the path.
        remedy: String,
    },
    /// The keyring of the system cannot be used.
    #[error(
        "the system keyring cannot be used: {0}. Keep the key elsewhere: key = {{ file = \"...\" }} or key = {{ env = \"...\" }}."
    )]
    Keyring(String),
    /// No place for files.
    #[error(transparent)]
    NoHome(#[from] super::paths::NoHome),
}
