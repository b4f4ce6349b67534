//! What is kept from one session to the next for each service: the pets as they were last read.
//!
//! Shown in the first frame, before anything was asked; never sent anywhere.

pub mod keep;

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::inventory::Coverage;
use crate::api::list::List;
use crate::config::Settings;
use crate::local::{atomic_file, file_stem};
use crate::model::{Limit, Pet, PetId, PetStatus};

/// The longest file that is read, in bytes.
const MOST_OCTETS: u64 = 16 << 20;

/// What is kept of one service.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionCache {
    /// Of which service: its address and the name it goes by, or its database.
    pub identity: String,
    /// When the pets were read.
    at: Timestamp,
    pets: Vec<Pet>,
    coverage: Option<Coverage>,
    /// The last pet that the service reported.
    position: Option<PetId>,
    /// The last list that came, and what was asked for it.
    listed: Option<(Option<PetStatus>, Limit, List)>,
    /// The status of the last pet that was added.
    status: Option<PetStatus>,
}

impl SessionCache {
    /// Reads the cache of the service `identity`; `None` for a file of another service or version.
    pub fn read(text: &str, identity: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|kept| kept.identity == identity)
    }

    /// Writes it, for the owner's eyes only.
    pub fn write(&self, directory: &Path) -> io::Result<()> {
        let text = self.text();
        // A longer one would not be read.
        if text.len() as u64 > MOST_OCTETS {
            return Ok(());
        }
        atomic_file::replace_private(&file(directory, &self.identity), text)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// What an earlier session kept of the service of these settings.
pub fn read_kept(directory: &Path, settings: &Settings) -> Option<SessionCache> {
    let identity = settings.identity()?;
    let mut text = String::new();
    let file = std::fs::File::open(file(directory, &identity)).ok()?;
    file.take(MOST_OCTETS).read_to_string(&mut text).ok()?;
    SessionCache::read(&text, &identity)
}

/// The file for the service `identity`.
fn file(directory: &Path, identity: &str) -> PathBuf {
    directory.join(format!("{}.json", file_stem(identity)))
}
