//! The places where the program saves the key of a profile.

use std::path::PathBuf;

use crate::local::atomic_file;
use crate::model::{ApiKey, BaseUrl};

use super::super::file::KeySource;
use super::super::paths::below_home;
use super::super::{ConfigError, Env, Paths};
use super::{Keyring, write_key_file};

/// A place for the key of one profile.
#[derive(Clone, Debug)]
pub enum KeyPlace {
    /// A private file.
    File(PathBuf),
    /// The system keyring.
    Keyring(Keyring),
}

impl KeyPlace {
    /// The key file of this profile; none if its name is not plain, or without a home directory.
    pub fn file(profile: &str, env: &Env) -> Option<Self> {
        Paths::new(env).ok()?.key_file(profile).map(Self::File)
    }

    /// The system keyring, if it answers.
    pub fn keyring() -> Result<Self, ConfigError> {
        Keyring::probe().map(Self::Keyring)
    }

    /// The place as the configuration file names it.
    pub fn source(&self, env: &Env) -> KeySource {
        match self {
            Self::File(path) => KeySource::File(below_home(path, env)),
            Self::Keyring(_) => KeySource::Keyring(true),
        }
    }

    pub fn keep(&self, profile: &str, address: &BaseUrl, key: &ApiKey) -> Result<(), ConfigError> {
        match self {
            Self::File(path) => write_key_file(path, key),
            Self::Keyring(keyring) => keyring.write(profile, address, key),
        }
    }

    /// Removes the saved key, if there is one.
    pub fn clear(&self, profile: &str, address: &BaseUrl) -> Result<(), ConfigError> {
        match self {
            Self::File(path) => atomic_file::remove(path).map_err(|why| {
                let file = path.display();
                ConfigError::Unusable(format!("cannot remove the API key in {file}: {why}."))
            }),
            Self::Keyring(keyring) => keyring.remove(profile, address),
        }
    }
}
