//! A session that a line of `authorized_keys` starts: whose it is, and when it ends.

use std::path::PathBuf;
use std::time::Duration;

/// A session of `petstore ssh-session`. It names no file of this machine, starts no program and knows one service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshSession {
    /// Whose session it is: the word in the header.
    pub name: String,
    /// Its API key may only read.
    pub read_only: bool,
    /// How long without a key until the session ends.
    pub idle: Option<Duration>,
    /// The file whose being there ends it: the person was revoked.
    pub mark: PathBuf,
    /// What the store says at the start of each session, `message` of `[ssh]`; empty for nothing.
    pub message: String,
}
