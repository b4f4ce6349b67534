//! The service in use, and where its key came from.

use std::fmt;
use std::path::PathBuf;

use crate::model::text::{short, without_keys};
use crate::model::{ApiKey, BaseUrl};

use super::file::KeySource;

/// The service in use.
#[derive(Clone, Debug, PartialEq)]
pub enum Service {
    /// The embedded store with samples, in a temporary directory.
    Demo,
    /// The embedded store, with this database.
    Embedded {
        /// The SQLite file; created when absent.
        database: PathBuf,
    },
    /// A remote service.
    Remote(Remote),
}

impl Service {
    /// Its name in a sentence.
    pub fn name(&self) -> String {
        match self {
            Self::Demo | Self::Embedded { .. } => "the embedded store".to_owned(),
            Self::Remote(remote) => remote.base_url.authority(),
        }
    }
}

/// A remote service.
#[derive(Clone, Debug, PartialEq)]
pub struct Remote {
    /// Its address.
    pub base_url: BaseUrl,
    /// The key, if one was found.
    pub key: Option<ApiKey>,
    /// Where the key came from, or would come from.
    pub key_origin: KeyOrigin,
    /// A PEM file of CA certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
}

/// Where a key came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    /// An environment variable.
    Environment(String),
    File(PathBuf),
    /// A program and its arguments, separated by spaces.
    Command(String),
    /// Created for the embedded store.
    Embedded,
    /// Typed in this session.
    Typed,
    /// None is set.
    Absent,
}

impl From<&KeySource> for KeyOrigin {
    fn from(source: &KeySource) -> Self {
        match source {
            KeySource::Env(name) => Self::Environment(name.clone()),
            KeySource::File(path) => Self::File(path.clone()),
            KeySource::Command(words) => Self::Command(words.join(" ")),
        }
    }
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(name) => write!(f, "from environment {}", without_keys(name)),
            Self::File(path) => write!(f, "from the file {}", without_keys(&path.to_string_lossy())),
            Self::Command(words) => write!(f, "from the command {}", short(&without_keys(words))),
            Self::Embedded => f.write_str("created for this session"),
            Self::Typed => f.write_str("typed in this session"),
            Self::Absent => f.write_str("none"),
        }
    }
}
