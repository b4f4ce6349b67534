//! Why a file is not read, written or gone on with.

use std::io;
use std::path::{Path, PathBuf};

use crate::api::ApiError;
use crate::model::Field;
use crate::model::text::cut;

/// Why nothing, or no more, is transferred. Each sentence names the thing and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The input cannot be read.
    #[error("cannot read {name}: {source}")]
    Read {
        /// Its name for people.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// The input has nothing in it.
    #[error("{0} is empty")]
    Empty(String),
    /// The input is not what its kind of file should be, or too large.
    #[error("{0}")]
    Malformed(String),
    /// No column for a field that every animal has.
    #[error(
        "no column for {} among {}. The first row must name the columns, such as name,categoryId,status. \
         Name one with --map {0}=COLUMN, or give all animals one value with --set {0}=VALUE",
        .missing.member(), list(.there)
    )]
    NoColumn {
        /// The member that is missing.
        missing: Field,
        /// The columns that are there, safe to show.
        there: Vec<String>,
    },
    /// A column that is not there, or is there twice.
    #[error("{0}")]
    Columns(String),
    /// A fixed value that no animal may have.
    #[error("--set {}: {why}", .field.member())]
    FixedValue {
        /// For which member.
        field: Field,
        /// What is wrong with it.
        why: String,
    },
    /// There is a journal, and it was not chosen to go on or to begin anew.
    #[error(
        "{0} is the report of an earlier import. --resume goes on with it and sends nothing twice; --again begins \
         anew and adds what it added once more"
    )]
    JournalExists(PathBuf),
    /// Nothing to go on with.
    #[error("there is no report {0} of an import to go on with. Begin without --resume")]
    NoJournal(PathBuf),
    /// The file is there and is no journal.
    #[error("{path} is no report of an import: {why}")]
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The journal cannot be read to its end, so that it is not known what was added.
    #[error("{path} is damaged in line {line}: {why}")]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// Its line, from 1.
        line: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The file is not as it was when the journal was written, and its rows cannot be told apart.
    #[error("the file has changed since {path} was written: {what}")]
    Changed {
        /// The journal.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// None of the rows that were added by this journal is in the file.
    #[error("{0} is the report of another file: none of the rows that it added is in this one")]
    Unrelated(PathBuf),
    /// Another process writes this journal.
    #[error("another import is at work with {0}. Wait for its end")]
    JournalInUse(PathBuf),
    /// The journal belongs to another service or reading.
    #[error("{path} is the report of another import: {what} was {then} and is {now}")]
    Another {
        /// The journal.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// What the journal says.
        then: String,
        /// What is asked for now.
        now: String,
    },
    /// The file to write, or the journal, cannot be written. Without its journal nothing is sent any more.
    #[error("cannot write {name}: {source}")]
    Write {
        /// Its name for people.
        name: String,
        /// Why.
        source: io::Error,
    },
    /// The file to write is there.
    #[error("{0} is there already. Choose another name, or replace it: --force")]
    Exists(String),
    /// The file to write would take the place of another one that must stay.
    #[error("{name} is {what}, and stays as it is. Choose another name")]
    Needed {
        /// Its name for people.
        name: String,
        /// What it is.
        what: &'static str,
    },
    /// What is there is nothing that a file could replace.
    #[error("{name} is {what}, and is not replaced by a file. Choose another name")]
    NoFile {
        /// Its name for people.
        name: String,
        /// What it is.
        what: &'static str,
    },
    /// The service does not let anybody in, or is not there.
    #[error("the service does not answer as it should")]
    Api(#[from] ApiError),
    /// The system has no random numbers or no thread.
    #[error("cannot start: {0}")]
    Start(io::Error),
}

impl TransferError {
    /// The file is not as it was when the journal at `path` was written.
    pub(super) fn changed(path: &Path, (what, then, now): (&str, String, String)) -> Self {
        Self::Changed { path: path.to_owned(), what: format!("{what} was {then} and is {now}") }
    }

    /// Whether the columns of the file are not those that are wanted.
    pub(super) const fn is_of_the_columns(&self) -> bool {
        matches!(self, Self::NoColumn { .. } | Self::Columns(_))
    }
}

/// The columns in one sentence.
pub(super) fn list(names: &[String]) -> String {
    cut(&names.join(", "), 400)
}
