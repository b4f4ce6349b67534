//! A change of the configuration file that leaves everything else in it as it is.

use std::io;
use std::path::{Path, PathBuf};

use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::super::file::File;
use crate::local::atomic_file;

/// Why the file was not written. It is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file cannot be read or written, or the change is not possible.
    #[error("{0}")]
    Refused(String),
    /// Its notation is one that the program cannot change.
    #[error("{} was not changed, because its notation is not supported here: {why}. Edit it by hand.", path.display())]
    ByHand {
        /// Which file.
        path: PathBuf,
        /// What is not supported.
        why: String,
    },
    /// No such profile.
    #[error("there is no profile \"{}\" in {}.", crate::model::text::short(name), path.display())]
    NoSuchProfile {
        /// Which file.
        path: PathBuf,
        /// The name asked for.
        name: String,
    },
}

/// Changes the file at `path`, which is created if needed. `change` changes the meaning and the document in the same way;
/// the file is replaced only if both agree in the end.
pub(super) fn edit(
    path: &Path,
    change: impl FnOnce(&mut File, &mut DocumentMut) -> Result<(), EditError>,
) -> Result<(), EditError> {
    let io = |why: io::Error| EditError::Refused(format!("cannot write {}: {why}.", path.display()));
    let target = atomic_file::target(path).map_err(io)?;
    // Other writers wait, so that they read what this writes.
    let _alone = atomic_file::alone(&target).map_err(io)?;
    let there = atomic_file::read(&target).map_err(io)?;
    let mut edited = edited(there.as_deref().unwrap_or_default(), path, change)?;
    // Where the first table was, toml_edit writes a first setting before the comments above that table.
    if there.as_deref().is_none_or(|text| text.starts_with(SCHEMA_LINE)) {
        edited = format!("{SCHEMA_LINE}{}", edited.replacen(SCHEMA_LINE, "", 1));
    }
    if there.is_none() {
        write_schema(&target).map_err(io)?;
    }
    // Others must not be able to write it under any umask: it names programs to run.
    let written = match there {
        None => atomic_file::replace_private(&target, &edited),
        Some(_) => atomic_file::replace(&target, &edited),
    };
    written.map_err(io)
}

/// The text of a configuration file after `change`. Everything else is left as it was written.
fn edited(
    text: &str,
    path: &Path,
    change: impl FnOnce(&mut File, &mut DocumentMut) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let syntax =
        |why: &str| EditError::Refused(format!("{} is no longer a valid configuration: {why}.", path.display()));
    let mut wanted = File::parse(text, path).map_err(|error| syntax(&error.to_string()))?;
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| syntax(error.message()))?;
    change(&mut wanted, &mut document)?;
    let mut edited = document.to_string();
    if text.contains("\r\n") {
        edited = edited.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    match File::parse(&edited, path) {
        Ok(file) if file == wanted => Ok(edited),
        Ok(_) => Err(by_hand(path, "it uses an unusual notation")),
        Err(error) => Err(by_hand(path, &error.to_string())),
    }
}

pub(super) fn by_hand(path: &Path, why: &str) -> EditError {
    EditError::ByHand { path: path.to_owned(), why: why.to_owned() }
}

/// The table `name`, which is added if needed.
pub(super) fn table<'a>(
    document: &'a mut DocumentMut,
    name: &str,
    path: &Path,
) -> Result<&'a mut dyn TableLike, EditError> {
    let table = document.entry(name).or_insert(Item::Table(toml_edit::Table::new()));
    table.as_table_like_mut().ok_or_else(|| by_hand(path, &format!("{name} is not a table")))
}

/// Sets a value, and keeps the comment after the old one.
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

/// The schema.
pub const SCHEMA: &str = include_str!("../../../assets/config.schema.json");

/// The first line of every configuration file that petstore writes: where editors find the schema.
pub const SCHEMA_LINE: &str = "#:schema config.schema.json\n";

/// Writes the schema beside the configuration file at `path`.
pub fn write_schema(path: &Path) -> io::Result<()> {
    atomic_file::replace_private(&path.with_file_name("config.schema.json"), SCHEMA)
}
