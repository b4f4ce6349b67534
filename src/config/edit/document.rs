//! One change of the configuration file, which leaves everything else in it as it is.

use std::io;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::super::file::{File, Redirect};
use crate::local::atomic_file;

/// The project's domains, as the file has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectDomains {
    /// `domains.primary`; empty where there is none.
    pub primary: String,
    /// `domains.redirects`.
    pub redirects: Vec<Redirect>,
}

/// Why the file was not written. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file cannot be read or written, or what was asked for cannot stand in it.
    #[error("{0}")]
    Refused(String),
    /// Somebody else has changed the domains in it.
    #[error("the domains in {} were changed meanwhile.", path.display())]
    Changed {
        /// Which file.
        path: PathBuf,
        /// What is there now.
        there: Box<ProjectDomains>,
    },
    /// It is written in a way that the program cannot change.
    #[error("{} was not written, because the result would say something else: {why}. Change it by hand.", path.display())]
    ByHand {
        /// Which file.
        path: PathBuf,
        /// What is in the way.
        why: String,
    },
    /// There is no such profile.
    #[error("there is no profile \"{}\" in {}. It may have been removed meanwhile.", crate::model::text::short(name), path.display())]
    NoSuchProfile {
        /// Which file.
        path: PathBuf,
        /// The name asked for.
        name: String,
    },
}

/// Changes the file at `path`, which is created where there is none. `change` does to the document what it does to what
/// the document means; the file is replaced if in the end both say the same.
pub(super) fn edit(
    path: &Path,
    change: impl FnOnce(&mut File, &mut DocumentMut) -> Result<(), EditError>,
) -> Result<(), EditError> {
    let io = |why: io::Error| EditError::Refused(format!("{} could not be written: {why}.", path.display()));
    let target = atomic_file::target(path).map_err(io)?;
    // Whoever else changes it waits: what it reads must be what this writes.
    let _alone = atomic_file::alone(&target).map_err(io)?;
    let text = atomic_file::read(&target).map_err(io)?.unwrap_or_default();
    let edited = edited(&text, path, change)?;
    atomic_file::replace(&target, &edited).map_err(io)
}

/// The text of a configuration file after `change`. What stays the same is left as it was written.
fn edited(
    text: &str,
    path: &Path,
    change: impl FnOnce(&mut File, &mut DocumentMut) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let syntax = |why: &str| EditError::Refused(format!("{} is not a configuration any more: {why}.", path.display()));
    let mut wanted = File::parse(text, path).map_err(|error| syntax(&error.to_string()))?;
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| syntax(error.message()))?;
    change(&mut wanted, &mut document)?;
    let mut edited = document.to_string();
    if text.contains("\r\n") {
        edited = edited.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    match File::parse(&edited, path) {
        Ok(file) if file == wanted => Ok(edited),
        Ok(_) => Err(by_hand(path, "its keys are written in an unusual way")),
        Err(error) => Err(by_hand(path, &error.to_string())),
    }
}

pub(super) fn by_hand(path: &Path, why: &str) -> EditError {
    EditError::ByHand { path: path.to_owned(), why: why.to_owned() }
}

/// The table `name`, which is begun where there is none.
pub(super) fn table<'a>(
    document: &'a mut DocumentMut,
    name: &str,
    path: &Path,
) -> Result<&'a mut dyn TableLike, EditError> {
    let table = document.entry(name).or_insert(Item::Table(toml_edit::Table::new()));
    table.as_table_like_mut().ok_or_else(|| by_hand(path, &format!("{name} is not a table")))
}

/// Sets a value, and keeps the comment behind the one that was there.
pub(super) fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(item) => *item = Item::Value(value),
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}
