//! An output file, readable only by its owner, that appears once it is complete.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf, absolute};

use tempfile::NamedTempFile;

use super::{Result, TransferError};
use crate::local::atomic_file;
use crate::model::short;

/// Its destination.
pub struct Destination {
    path: PathBuf,
    replace: bool,
    name: String,
}

impl Destination {
    /// Fails if the file exists and may not be replaced, or is not a regular file. A link stays a link.
    pub fn new((path, replace): (&Path, bool)) -> Result<Self> {
        let name = short(&path.display().to_string());
        if let Some(what) = atomic_file::no_file(path) {
            return Err(TransferError::NoFile { name, what });
        }
        if !replace && path.symlink_metadata().is_ok() {
            return Err(TransferError::Exists(name));
        }
        match atomic_file::target(path) {
            Ok(path) => Ok(Self { path, replace, name }),
            Err(source) => Err(TransferError::Write { name, source }),
        }
    }

    /// A temporary file, removed when dropped.
    pub fn begin(&self) -> Result<NamedTempFile> {
        atomic_file::begin_private(&self.path).map_err(|error| self.failed(error))
    }

    /// Moves the complete file to its destination.
    pub fn finish(&self, file: NamedTempFile) -> Result<()> {
        atomic_file::finish(file, &self.path, self.replace).map_err(|error| self.failed(error))
    }

    pub fn failed(&self, source: io::Error) -> TransferError {
        match source.kind() {
            io::ErrorKind::AlreadyExists => TransferError::Exists(self.name.clone()),
            _ => TransferError::Write { name: self.name.clone(), source },
        }
    }
}

/// Fails if `to` is the file `other`, which is `what` and must not be overwritten.
pub fn must_not_be(to: &Path, other: &Path, what: &'static str) -> Result<()> {
    let is_same = match (fs::metadata(to), fs::metadata(other)) {
        (Ok(to), Ok(other)) => (to.dev(), to.ino()) == (other.dev(), other.ino()),
        (_, _) => absolute(to).is_ok_and(|to| absolute(other).is_ok_and(|other| to == other)),
    };
    if is_same { Err(TransferError::Needed { name: short(&to.display().to_string()), what }) } else { Ok(()) }
}
