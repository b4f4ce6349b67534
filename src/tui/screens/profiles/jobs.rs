//! The requests about profiles and API keys, and the replies.

use crate::api::failure::Failure;
pub use crate::app::connections::{AddedProfile, NewService, Tested};
use crate::app::outbox::queue::Unfinished;
use crate::config::{KeyOrigin, Profiles, Settings};
use crate::model::ApiKey;
use crate::tui::drafts::Drafts;
use crate::tui::session_cache::SessionCache;

/// A request about profiles.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileTask {
    /// Read the profiles.
    Read,
    /// Switch to the service of this name.
    Use(String),
    /// Test a service by requesting one pet.
    Test {
        name: String,
        /// It is the one in use: test it with the key in use, which may have been typed.
        in_use: bool,
    },
    /// Test the service of a new profile.
    Try(NewService),
    /// Save a new profile, and its key if one was typed.
    Add(NewService),
    /// Find out in which file the key of this profile can be stored.
    FindKeyFile(String),
    /// Store a key, and note its place in the profile.
    KeepKey { profile: String, key: ApiKey },
}

/// The reply to a request about profiles.
#[derive(Clone, Debug, PartialEq)]
pub enum ProfileReply {
    /// The profiles, or why they cannot be read.
    Read(Result<Profiles, String>),
    /// Another service is in use, or why the previous one still is.
    Used(Result<Box<Used>, String>),
    /// A service was tested.
    Tested(Tested),
    /// The service of a new profile was tested.
    Tried(Tested),
    /// A new profile was saved, or why not.
    Added(Result<AddedProfile, String>),
    /// The file in which a key can be stored; none without a saved profile.
    KeyFile(Option<String>),
    /// Where the key was stored, or why not.
    KeyStored(Result<KeyOrigin, String>),
    /// Neither a profile nor a key was saved.
    NotWritten(Failure),
}

/// The service now in use.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// The settings in use with it.
    pub settings: Settings,
    pub kept: Option<SessionCache>,
    /// Its lines in the queue of rapid entry, or why they cannot be read.
    pub left: Result<Unfinished, String>,
    /// What an earlier session left of its text, or why that cannot be read.
    pub drafts: Result<Option<Drafts>, String>,
}
