//! What an import asks the worker for, and what comes back.

use std::path::PathBuf;
use std::sync::Arc;

use crate::model::Field;
use crate::transfer::ColumnMapping;
use crate::transfer::earlier_import::EarlierImport;
use crate::transfer::import::{ImportEnded, ImportEvent, ImportOptions, ImportProgress, Start, Summary};
use crate::transfer::preview::Preview;

/// What a job about the import of a file does.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportTask {
    /// Check all of it, and send nothing.
    CheckFile(ImportSource, Box<ColumnMapping>),
    /// Send its rows.
    Run(Box<RunImport>),
}

/// An import to begin, or to go on with.
#[derive(Clone, Debug, PartialEq)]
pub struct RunImport {
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
    /// How many rows can be sent.
    pub good: u64,
    /// How it begins.
    pub start: Start,
    /// Its report, if it is not the one beside the file.
    pub report: Option<PathBuf>,
    /// How rows are sent.
    pub how: ImportOptions,
}

/// Animals that are to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportSource {
    /// A file, by its name as typed.
    File(String),
    Pasted(Arc<str>),
}

/// What came of a job about the import of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportReply {
    /// So many rows are checked; it goes on.
    Checking(u64),
    /// A file was looked at.
    Checked(Result<Box<CheckedFile>, UnusableFile>),
    /// It is imported from this file, with this report; it goes on.
    Started(String, String),
    /// The counts, and what has happened; it goes on.
    Progress(ImportProgress, Vec<ImportEvent>),
    /// It was not begun, for this reason: nothing was sent, and there is no report of it.
    NotStarted(ImportEnded),
    /// It has ended.
    Ended(Box<Summary>),
}

/// What is in a file that is to be imported.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedFile {
    /// Its whole path; none of what was pasted.
    pub path: Option<String>,
    /// What was found.
    pub preview: Preview,
    /// An earlier import of a file of its name.
    pub before: Option<EarlierImport>,
}

/// Why a file cannot be imported as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableFile {
    /// A sentence.
    pub why: String,
    /// The field for which there is no column, and the columns that there are, where a choice among them would help.
    pub missing: Option<(Field, Vec<String>)>,
}
