//! The state of the drafts on disk.

use std::collections::HashMap;
use std::time::Instant;

use jiff::Timestamp;

use super::file::{Ending, WriteDrafts};
use super::typed::TypedText;
use crate::tui::screens::add_pet;

/// The state of the drafts on disk.
#[derive(Debug, Default)]
pub struct DraftState {
    pub(super) on_disk: TypedText,
    /// What is being written.
    pub(super) writing: Option<TypedText>,
    /// When the first unsaved text was typed.
    pub(super) since: Option<Instant>,
    /// The next write must not wait.
    pub(in crate::tui) at_once: bool,
    /// When the last write began.
    pub(super) tried: Option<Instant>,
    /// Numbers the writes, so an older one never replaces a newer one.
    pub(in crate::tui) number: u64,
    /// Text put aside for other services in this session.
    pub(super) aside: HashMap<Option<String>, Aside>,
    /// Why drafts cannot be written now.
    pub trouble: Option<String>,
    /// What was restored, until the first key.
    pub back: Option<Back>,
    /// The pets that wait to be sent to other profiles, and the way there, until the first key.
    pub elsewhere: Option<String>,
    /// When text was last written.
    pub written_at: Option<Timestamp>,
}

impl DraftState {
    /// Whether there is something to say about drafts.
    pub(in crate::tui) const fn has_news(&self) -> bool {
        self.back.is_some() || self.elsewhere.is_some()
    }
}

/// Text put aside for another service.
#[derive(Debug)]
pub(super) struct Aside {
    /// The profile's name.
    pub(super) profile: String,
    /// The form, the lines and the import.
    pub(super) add: add_pet::State,
    /// The same for the disk, if this service has drafts.
    pub(super) write: Option<WriteDrafts>,
}

/// What was restored from an earlier session.
#[derive(Clone, Debug, PartialEq)]
pub struct Back {
    /// When it was written.
    pub at: Timestamp,
    pub profile: String,
    /// How that session ended.
    pub ended: Option<Ending>,
    /// What was restored, as far as something was sent.
    pub what: Restored,
}

/// What was restored, by what had been sent of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// Nothing was sent.
    NotSent,
    /// This pet was sent without an answer.
    Unanswered(String),
    /// The import of this file was running.
    Importing(String),
}
