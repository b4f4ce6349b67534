//! The errors of imports and exports.

use std::io;
use std::path::{Path, PathBuf};

use crate::api::Failure;
use crate::api::follow::ProvenanceError;
use crate::model::{Field, cut, display_safe};

/// What an import or export gives, unless it fails.
pub type Result<T, E = TransferError> = std::result::Result<T, E>;

/// Why a transfer failed. Each message names the problem and the remedy. Files have their names for people, and `there`
/// are the columns of the file, safe to show.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The input cannot be read.
    #[error("cannot read {name}: {source}")]
    Read { name: String, source: io::Error },
    /// It cannot be known who added pets.
    #[error(transparent)]
    Provenance(ProvenanceError),
    /// The input is empty.
    #[error("{0} is empty")]
    Empty(String),
    /// The input is malformed or too large.
    #[error("{0}")]
    Malformed(String),
    /// No column for a required field.
    #[error(
        "no column for {} among {}. The first row must name the columns, for example name,categoryId,status. \
         Choose a column with --map {0}=COLUMN, or set one value for all pets with --set {0}=VALUE",
        .missing.member(), list(.there)
    )]
    NoColumn { missing: Field, there: Vec<String> },
    /// A column that does not exist, or exists twice.
    #[error("{0}")]
    Columns(String),
    /// An invalid fixed value.
    #[error("--set {}: {why}", .field.member())]
    FixedValue { field: Field, why: String },
    /// There is a journal, and neither --resume nor --again was chosen.
    #[error(
        "{0} is the report of an earlier import. --resume continues it and sends nothing twice; --again starts over \
         and adds every row again"
    )]
    JournalExists(PathBuf),
    /// Without a journal, nothing can be resumed.
    #[error("no import report {0} to resume from. Run without --resume")]
    NoJournal(PathBuf),
    /// The file is not a journal.
    #[error("{path} is not an import report: {why}")]
    NotAJournal { path: PathBuf, why: String },
    /// The journal cannot be read to its end, so it is unknown what was added.
    #[error("{path} is damaged in line {line}: {why}")]
    Damaged { path: PathBuf, line: u64, why: String },
    /// The file has changed since the journal was written, and its rows cannot be matched.
    #[error("the file has changed since {path} was written: {what}")]
    Changed { path: PathBuf, what: String },
    /// None of the rows that the journal has as added is in the file.
    #[error("{0} is the report of another file: none of the rows it added are in this one")]
    Unrelated(PathBuf),
    /// Another process uses this journal.
    #[error("another import is using {0}. Wait until it has finished")]
    JournalInUse(PathBuf),
    /// The journal belongs to another service or reading.
    #[error("{path} is the report of another import: {what} was {then} and is now {now}")]
    Another { path: PathBuf, what: &'static str, then: String, now: String },
    /// The output or the journal cannot be written. Without its journal, nothing more is sent.
    #[error("cannot write {name}: {source}")]
    Write { name: String, source: io::Error },
    /// The output file exists.
    #[error("{0} already exists. Choose another name, or overwrite it with --force")]
    Exists(String),
    /// The output would overwrite a file that is needed.
    #[error("{name} is {what} and is not overwritten. Choose another name")]
    Needed { name: String, what: &'static str },
    /// The output path is not a regular file.
    #[error("{name} is {what} and cannot be overwritten. Choose another name")]
    NoFile { name: String, what: &'static str },
    /// The service cannot be reached or refuses the key.
    #[error("the service did not answer correctly")]
    Api(#[from] Failure),
    /// A thread or a runtime cannot be started, or ended without its work.
    #[error("the work was not done: {0}")]
    Start(io::Error),
}

impl From<ProvenanceError> for TransferError {
    fn from(error: ProvenanceError) -> Self {
        match error {
            ProvenanceError::Api(error) => Self::Api(error),
            error => Self::Provenance(error),
        }
    }
}

impl TransferError {
    /// The file has changed since the journal at `path` was written.
    pub(super) fn changed(path: &Path, (what, then, now): (&str, String, String)) -> Self {
        Self::Changed { path: path.to_owned(), what: format!("{what} was {then} and is now {now}") }
    }

    /// The same as a sentence, safe to show.
    pub fn sentence(&self) -> String {
        format!("{}.", display_safe(&self.to_string()))
    }
}

/// The columns as a list.
pub(super) fn list(names: &[String]) -> String {
    cut(&names.join(", "), 400)
}
