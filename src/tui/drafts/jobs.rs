//! The requests about drafts to the worker, and the replies.

use super::file::Drafts;

/// A request about drafts.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftTask {
    /// Claim the files of this service, and read what an earlier session left.
    Open(String),
    /// Write typed text.
    Write(WriteDrafts),
}

#[derive(Clone, Debug, PartialEq)]
pub struct WriteDrafts {
    /// Numbers the writes, so an older one never replaces a newer one.
    pub number: u64,
    /// The text.
    pub drafts: Box<Drafts>,
    /// Use other files than the claimed ones, which hold drafts that are not on the screen.
    pub apart: bool,
}

/// The reply to a request about drafts.
#[derive(Clone, Debug, PartialEq)]
pub enum DraftReply {
    /// What an earlier session left, or why drafts cannot be kept.
    Opened(Result<Option<Box<Drafts>>, String>),
    /// Text was written, or why not.
    Written(Result<(), String>),
}
