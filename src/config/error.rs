//! Why a configuration, or a key of it, cannot be used or changed.

use std::path::{Path, PathBuf};

use crate::model::short;

/// Settings of earlier versions, and what to do where one is still there.
const REMOVED: [(&str, &str); 4] = [
    (
        "keyring",
        "petstore does not read the keyring itself any more. Use key = { command = [\"secret-tool\", \"lookup\", \
         \"service\", \"petstore\", \"username\", \"PROFILE@HOST\"] }, or remove key and run petstore login.",
    ),
    (
        "platforms",
        "[platforms] was removed, and petstore does not start with it. Take it out; domains.platform_host and \
         domains.ca_identities say what is expected.",
    ),
    ("codes", "there is no barcode file any more. Remove codes; what a scanner types is the name of the pet."),
    ("added", "actions do not run for added pets any more. Use petstore pets watch --exec COMMAND."),
];

/// What is read from the configuration or written to it, or why that failed.
pub type Result<T, E = ConfigError> = std::result::Result<T, E>;

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
    #[error(
        "there is no profile \"{name}\". Known: {known}. A profile is a table [profiles.NAME] of the configuration."
    )]
    NoSuchProfile {
        /// The name asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// The key of the service cannot be read: why, and what to do.
    #[error("{0}")]
    Key(String),
    /// A profile, its address, or the file of its key cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// No home directory.
    #[error(transparent)]
    NoHome(#[from] NoHome),
    /// The file was not changed: it cannot be written, or the change is not possible.
    #[error("{0}")]
    NotChanged(String),
    #[error("there is no profile \"{}\" in {}.", short(name), path.display())]
    NotInFile {
        /// The name asked for.
        name: String,
        /// Which file.
        path: PathBuf,
    },
    /// A profile of this name has another address.
    #[error("profile \"{}\" already exists, with the address {address}.", short(profile))]
    Taken {
        profile: String,
        /// Its address.
        address: String,
    },
    /// The service needs no key.
    #[error("{0} needs no key.")]
    Inside(String),
    /// An address without a profile, for which no key is saved.
    #[error("a key is saved for a profile, but {0} was given as an address without one.")]
    Nameless(String),
    /// The key is not saved by the program.
    #[error("petstore does not manage the key of {}: it comes {origin}.", short(profile))]
    Elsewhere {
        profile: String,
        /// Where it comes from, in words.
        origin: String,
    },
}

/// The home directory is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no home directory is known. Set HOME, or XDG_CONFIG_HOME and XDG_DATA_HOME.")]
pub struct NoHome;

impl ConfigError {
    /// Something wrong at this byte of the `text` in `path`.
    pub(super) fn at(path: &Path, text: &str, at: usize, message: impl Into<String>) -> Self {
        let (line, column) = Self::place(text, at);
        Self::Syntax { path: path.to_owned(), line, column, message: message.into() }
    }

    /// The line and the column of a byte of `text`.
    pub fn place(text: &str, at: usize) -> (usize, usize) {
        let before = &text[..at.min(text.len())];
        (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1)
    }

    /// What the parser found wrong with the `text` in `path`.
    pub(super) fn of_toml(path: &Path, text: &str, error: &toml::de::Error) -> Self {
        let is_named = |(name, _): &&(&str, &str)| {
            ["field", "variant"].iter().any(|kind| error.message().starts_with(&format!("unknown {kind} `{name}`")))
        };
        let message = REMOVED.iter().find(is_named).map_or(error.message(), |(_, instead)| instead);
        Self::at(path, text, error.span().map_or(0, |span| span.start), message)
    }
}
