//! What a database is opened for, and the mark of a copy that is not finished.

/// The schema version of a database that is being copied to. Every version of this program refuses it, older ones as newer
/// than themselves.
pub(super) const UNFINISHED: u32 = 1_000_000;

/// What a database is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Anything but a copy.
    Use,
    /// A copy to it, which may go on where an earlier one ended.
    CopyTo,
}

impl Purpose {
    /// How many migrations were run on a schema of version `found`. The mark does not tell; but each may be run again.
    pub(super) fn migrations_run(self, found: u32) -> u32 {
        if self == Self::CopyTo && found == UNFINISHED { 0 } else { found }
    }
}
