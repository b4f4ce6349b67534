//! What a check or a copy comes to.

use crate::store::StoreError;

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrityReport {
    /// How many pets there are.
    pub pets: u64,
    /// What is wrong, a line each; 100 at most. Foreign text: clean it before showing it.
    pub problems: Vec<String>,
    /// That another program has changed the schema, which is not damage; safe to show.
    pub changed: Option<String>,
}

/// What a quick look has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuickChecked {
    /// The version of its tables.
    pub schema: u32,
    /// What is wrong, a line each; few. Foreign text: clean it before showing it.
    pub problems: Vec<String>,
    /// As in [`IntegrityReport`].
    pub changed: Option<String>,
}

/// Why there is no copy. No file is left under the name of the copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The database cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It cannot be made: why not, and what to do.
    #[error("{0}")]
    Failed(String),
    /// What was copied is damaged, a line for each problem. Foreign text: clean it before showing it.
    #[error("the copy is damaged")]
    Damaged(Vec<String>),
    /// It was called off.
    #[error("the copy was cancelled")]
    Cancelled,
}
