//! What is asked of the worker about drafts, and what comes back.

use super::file::Drafts;

/// What a job about drafts does.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftTask {
    /// Claim the files for the service of this identity, and read what was left there.
    Open(String),
    /// Write what is typed.
    Write(WriteDrafts),
}

#[derive(Clone, Debug, PartialEq)]
pub struct WriteDrafts {
    /// Counts the writes: an older one never takes the place of a newer one.
    pub number: u64,
    /// What is typed.
    pub drafts: Box<Drafts>,
    /// Into other files than those that were claimed: what was left there is not on the screen.
    pub apart: bool,
}

/// What came of a job about drafts.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftReply {
    /// What a session before left, or why none can be kept.
    Opened(Result<Option<Box<Drafts>>, String>),
    /// What is typed was written, or why not.
    Written(Result<(), String>),
}
