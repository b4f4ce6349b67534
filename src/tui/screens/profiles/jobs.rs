//! What is asked for about services and their keys, and what came of it.

use crate::api::failure::Failure;
pub use crate::app::connections::{AddedProfile, KeyPlaces, NewService, Tested};
use crate::app::outbox::queue::Unfinished;
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
        profile: String,
        /// Its address: a key never travels to another host.
        address: BaseUrl,
        key: ApiKey,
        /// Where to keep it.
        keep: KeepKey,
    },
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
    /// The service of a new profile was asked for one animal.
    Tried(Tested),
    /// A new profile was written, or why not.
    Added(Result<AddedProfile, String>),
    /// Where a key can be kept.
    Places(KeyPlaces),
    /// Where the key is kept from now on, or why it is not.
    KeyStored(Result<KeyOrigin, String>),
    /// Neither a profile nor a key was written.
    NotWritten(Failure),
}

/// The service that is used from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// Everything that is in force with it.
    pub settings: Settings,
    pub kept: Option<SessionCache>,
    /// What waits for it in the queue of rapid entry, or why that is not known.
    pub left: Result<Unfinished, String>,
}
