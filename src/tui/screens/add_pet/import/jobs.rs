//! The requests of an import to the worker, and the replies.

use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{Field, PetId};
use crate::transfer::ColumnMapping;
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::import::{ImportEnded, ImportEvent, ImportOptions, ImportProgress, Start, Summary};
use crate::transfer::preview::Preview;

/// A request about the import of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportTask {
    /// Check the whole file, and send nothing.
    CheckFile(ImportSource, Box<ColumnMapping>),
    /// Send its rows.
    Run(Box<RunImport>),
}

/// An import to start or resume.
#[derive(Clone, Debug, PartialEq)]
pub struct RunImport {
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
    /// How many rows can be sent.
    pub good: u64,
    /// How many cannot.
    pub bad: u64,
    /// How it starts.
    pub start: Start,
    /// Its report, if it is not beside the file.
    pub report: Option<PathBuf>,
    /// How rows are sent.
    pub how: ImportOptions,
}

/// What is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportSource {
    /// A file, by its name as typed.
    File(String),
    Pasted(Arc<str>),
}

/// The reply to a request about the import of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportReply {
    /// So many rows were checked so far.
    Checking(u64),
    /// A file was checked.
    Checked(Result<Box<CheckedFile>, UnusableFile>),
    /// The import started, from this file and with this report.
    Started(String, String),
    /// The counts so far, the events to show, and every pet added since the last report.
    Progress { progress: ImportProgress, events: Vec<ImportEvent>, added: Vec<PetId> },
    /// The import did not start, for this reason: nothing was sent, and no report was written.
    NotStarted(ImportEnded),
    /// The import has ended.
    Ended(Box<Summary>),
}

/// The content of a file to import.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedFile {
    /// Its full path; `None` for pasted text.
    pub path: Option<String>,
    /// What was found.
    pub preview: Preview,
    /// An earlier import of a file with this name.
    pub before: Option<EarlierImport>,
}

/// Why a file cannot be imported as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableFile {
    /// A sentence.
    pub why: String,
    /// The field without a column, and the columns of the file, if choosing one would help.
    pub missing: Option<(Field, Vec<String>)>,
}
