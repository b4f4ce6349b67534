//! The drafts of one service, as stored on disk.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::typed::TypedText;
use crate::tui::worker::drafts::DraftFiles;

/// The drafts of one service, as stored on disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drafts {
    /// Which service: its address, or its database.
    pub identity: String,
    /// The profile's name.
    pub profile: String,
    /// When this was written.
    pub at: Timestamp,
    /// How the session ended; `None` while it runs.
    pub ended: Option<Ending>,
    pub typed: TypedText,
}

/// A write of drafts.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteDrafts {
    /// Numbers the writes, so an older one never replaces a newer one.
    pub number: u64,
    pub drafts: Box<Drafts>,
}

impl WriteDrafts {
    /// Writes them, unless newer ones are on disk; without typed text, removes their file.
    pub fn write(&self, files: &DraftFiles) -> Result<(), String> {
        let Drafts { identity, typed, .. } = &*self.drafts;
        files.write(identity, self.number, (!typed.is_empty()).then(|| self.drafts.text()).as_deref())
    }
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The user quit.
    Quit,
    /// By a signal.
    Signal,
    /// The terminal was gone.
    Hangup,
    /// petstore crashed.
    Fault,
}

impl Drafts {
    /// What was left for the service `identity`. What cannot be read is put aside.
    pub fn open(files: &DraftFiles, identity: &str) -> Result<Option<Self>, String> {
        files.open(identity, |text| Self::read(text, identity))
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the drafts of the service `identity`; `None` for any other content.
    pub fn read(text: &str, identity: &str) -> Option<Self> {
        serde_json::from_str::<Self>(text).ok().filter(|drafts| drafts.identity == identity)
    }
}
