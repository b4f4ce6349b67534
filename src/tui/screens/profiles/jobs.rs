//! What is asked for about services and their keys, and what came of it.

use std::time::Duration;

use crate::api::failure::Failure;
use crate::app::outbox::queue::Unfinished;
use crate::config::edit::NewProfile;
use crate::config::{KeepKey, KeyOrigin, Profiles, Settings};
use crate::model::{ApiKey, BaseUrl};
use crate::tui::session_cache::SessionCache;

/// What a job about profiles does.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileTask {
    /// Read which there are.
    Read,
    /// Use the service of this name from now on.
    Use(String),
    /// Ask a service for one animal.
    Test {
        /// Its name.
        name: String,
        /// It is the one in use: it is asked with the key in use, which may have been typed.
        in_use: bool,
    },
    /// Ask the service of a new profile for one animal.
    Try(NewService),
    /// Write a new profile, and its key where one was typed.
    Add {
        /// The profile.
        new: NewService,
        /// Use it at the next start.
        at_start: bool,
    },
    /// Find out where the key of this profile can be kept.
    FindPlaces(String),
    /// Keep a key, and write into the profile where it is.
    KeepKey {
        /// The profile.
        profile: String,
        /// Its address: a key never travels to another host.
        address: BaseUrl,
        /// The key.
        key: ApiKey,
        /// Where to keep it.
        keep: KeepKey,
    },
}

/// A profile that is to be.
#[derive(Clone, Debug, PartialEq)]
pub struct NewService {
    /// Its name.
    pub name: String,
    /// What it says; where its key comes from only if that was not typed.
    pub profile: NewProfile,
    /// The key that was typed, and where to keep it.
    pub typed: Option<(ApiKey, KeepKey)>,
}

/// What came of a job about profiles.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileReply {
    /// Which there are, or why they cannot be read.
    Read(Result<Profiles, String>),
    /// Another service is used from now on, or why not: then the one before still is.
    Used(Result<Box<Used>, String>),
    /// A service was asked for one animal.
    Tested(Tested),
    /// A new profile was written, or why not.
    Added(Result<AddedProfile, String>),
    /// Where a key can be kept.
    Places(KeyPlaces),
    /// Where the key is kept from now on, or why it is not.
    KeyStored(Result<KeyOrigin, String>),
}

/// The service that is used from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// Everything that is in force with it.
    pub settings: Settings,
    /// What was kept of it.
    pub kept: Option<SessionCache>,
    /// What waits for it in the queue of rapid entry, or why that is not known.
    pub left: Result<Unfinished, String>,
}

/// What asking a service for one animal gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tested {
    /// It answered, and so fast.
    Answered(Duration),
    /// It did not answer as it should.
    Failed(Failure),
    /// It was not asked: what is said of it cannot be used.
    Unusable(String),
}

/// A profile that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedProfile {
    /// Into which file.
    pub file: String,
    /// Why its key was not kept, where one was typed.
    pub key_lost: Option<String>,
}

/// Where a key can be kept beside this session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPlaces {
    /// The file for it; none where there is no profile that could name one.
    pub file: Option<String>,
    /// Whether the keyring of the system answered.
    pub keyring: bool,
}
