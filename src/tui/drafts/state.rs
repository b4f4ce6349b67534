//! What is known of the drafts on disk.

use std::collections::HashMap;
use std::time::Instant;

use jiff::Timestamp;

use super::file::{Drafts, Ending};
use super::jobs::WriteDrafts;
use super::typed::TypedText;
use crate::tui::screens::add_pet;

/// What is known of the drafts on disk.
#[derive(Clone, Debug, Default)]
pub struct DraftState {
    pub(super) on_disk: TypedText,
    /// What is being written.
    pub(super) writing: Option<TypedText>,
    /// Since when something is typed that is neither.
    pub(super) since: Option<Instant>,
    /// It must not wait.
    pub(in crate::tui) at_once: bool,
    /// When the last write began.
    pub(super) tried: Option<Instant>,
    /// Counts the writes, so that an older one never ends last.
    pub(super) number: u64,
    /// What is typed for the services that were used before in this session.
    pub(super) aside: HashMap<Option<String>, Aside>,
    /// In the files of this service there is something that is not on the screen.
    pub(super) apart: bool,
    /// That, where it was read.
    pub(super) parked: Option<Box<Drafts>>,
    /// Why they cannot be written, as long as they cannot.
    pub trouble: Option<String>,
    /// What came back, until the first key.
    pub back: Option<Back>,
    /// When what is typed was last written.
    pub written_at: Option<Timestamp>,
}

/// What was typed for a service that is not in use now.
#[derive(Clone, Debug)]
pub(super) struct Aside {
    /// The profile's name.
    pub(super) profile: String,
    /// The form, rapid entry and the import, as they were left.
    pub(super) add: add_pet::State,
    /// The same for the disk, where anything is kept of this service.
    pub(super) write: Option<WriteDrafts>,
}

/// What came back from a session before.
#[derive(Clone, Debug, PartialEq)]
pub struct Back {
    /// When it was written.
    pub at: Timestamp,
    pub profile: String,
    /// How that session ended.
    pub ended: Option<Ending>,
    /// What is to be said of what was sent.
    pub what: Restored,
}

/// What came back, as far as something was sent of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    /// Nothing was sent.
    NotSent,
    /// This animal was sent; it is sent again, which adds it once.
    Settling(String),
    /// This animal was sent; what to do is asked.
    Asking(String),
    /// The import of this file was under way.
    Importing(String),
    /// It is kept, but not shown.
    Parked,
}
