//! Which service is talked to, and where its key came from.

use std::fmt;
use std::path::PathBuf;

use crate::model::text::{short, without_keys};
use crate::model::{ApiKey, BaseUrl};

use super::file::KeySource;

/// Which service is talked to.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// Inside the program, on samples in a temporary directory.
    Demo,
    /// Inside the program, on this database.
    Embedded {
        /// The SQLite file; created when absent.
        database: PathBuf,
    },
    /// Somewhere else.
    Remote(Remote),
}

impl Service {
    /// What it is called in a sentence.
    pub fn name(&self) -> String {
        match self {
            Self::Demo | Self::Embedded { .. } => "the service inside the program".to_owned(),
            Self::Remote(remote) => remote.base_url.authority(),
        }
    }
}

/// A service somewhere else.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// Its address.
    pub base_url: BaseUrl,
    /// The key, if one was found.
    pub key: Option<ApiKey>,
    /// Where the key came from, or would have.
    pub key_origin: KeyOrigin,
    /// The authorities that may vouch for it, as PEM; where there is no file, those of the system.
    pub ca_file: Option<PathBuf>,
}

/// Where a key came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// An environment variable.
    Environment(String),
    File(PathBuf),
    /// A program and its arguments, with blanks between them.
    Command(String),
    /// The keyring of the system.
    Keyring,
    /// Made by the program for the service inside it.
    Embedded,
    /// Typed in this session.
    Typed,
    /// None was given.
    Absent,
}

impl From<&KeySource> for KeyOrigin {
    fn from(source: &KeySource) -> Self {
        match source {
            KeySource::Env(name) => Self::Environment(name.clone()),
            KeySource::File(path) => Self::File(path.clone()),
            KeySource::Command(words) => Self::Command(words.join(" ")),
            KeySource::Keyring(_) => Self::Keyring,
        }
    }
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "from environment {}", without_keys(name)),
            Self::File(path) => write!(f, "from the file {}", without_keys(&path.to_string_lossy())),
            Self::Command(words) => write!(f, "from the command {}", short(&without_keys(words))),
            Self::Keyring => f.write_str("from the keyring"),
            Self::Embedded => f.write_str("made for this session"),
            Self::Typed => f.write_str("typed in this session"),
            Self::Absent => f.write_str("none is set"),
        }
    }
}
