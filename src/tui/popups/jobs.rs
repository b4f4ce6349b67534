//! What the boxes ask the worker for, and what comes back.

use std::path::PathBuf;

use crate::api::failure::Failure;
use crate::api::inventory::Coverage;
use crate::app::clipboard::Copied;
use crate::config::file::View;
use crate::model::ApiKey;
use crate::transfer::ColumnMapping;
use crate::tui::screens::add_pet::import::jobs::ImportSource;

/// What a job of a box does.
#[derive(Clone, Debug, PartialEq)]
pub enum PopupTask {
    /// Copy a text with a program of this machine, if there is one.
    Copy(String),
    Write(WriteFile),
    /// Write the name of the theme into the configuration file.
    SetTheme(String),
    /// Add a view to the configuration file.
    AddView(Box<View>),
    /// Ask for one pet with this key; go on with the key if it is accepted.
    TestKey(ApiKey),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteFile {
    /// Its name, as typed.
    pub path: String,
    /// Overwrite an existing file.
    pub replace: bool,
    /// What will be in it.
    pub what: FileContents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContents {
    /// This.
    Text(String),
    /// The rows of an import that were not added.
    Rejects(Box<RejectsSource>),
    /// The whole inventory, read from the service.
    Inventory,
}

/// Rows that were not added, or cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectsSource {
    pub source: ImportSource,
    /// How it is read.
    pub reading: ColumnMapping,
    /// The report of its import, if that was started.
    pub report: Option<PathBuf>,
}

/// What came of a job of a box.
#[derive(Clone, Debug, PartialEq)]
pub enum PopupReply {
    /// A text was copied, or the terminal must do it.
    Copied(Copied),
    /// A file was written, or why not.
    Written(Result<String, NotWritten>),
    /// How many pets of the inventory are in the file so far; it goes on.
    Exporting(u64),
    /// The whole inventory was written to a file, or why not.
    Exported(Result<Exported, NotWritten>),
    /// The theme was written into this file, or why not.
    ThemeWritten(Result<String, String>),
    /// This view was added to the configuration file, or why not.
    ViewAdded(Result<Box<View>, String>),
    /// A typed key was accepted or not; the worker goes on with it when it was.
    KeyTested(Result<(), Failure>),
}

/// The whole inventory in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub path: String,
    /// How many pets are in it.
    pub count: u64,
    /// Whether these are known to be all.
    pub coverage: Coverage,
}

/// Why a file was not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// There is a file of this name.
    Exists(String),
    /// The service did not return its contents.
    NotRead(Failure),
    /// It could not be written.
    Failed(String),
}

from_parts! { NotWritten: Failed(String) }
