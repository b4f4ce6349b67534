//! A file for its owner alone, which is there once it is whole.

use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

use super::TransferError;
use crate::config::atomic;
use crate::model::text::short;

/// Where it is to be.
pub(super) struct Destination<'a> {
    path: &'a Path,
    replace: bool,
    name: String,
}

impl<'a> Destination<'a> {
    /// Refuses a file that is there, unless it is to be replaced, and whatever else is there.
    pub(super) fn new((path, replace): (&'a Path, bool)) -> Result<Self, TransferError> {
        let name = short(&path.display().to_string());
        if let Some(what) = atomic::no_file(path) {
            return Err(TransferError::NoFile { name, what });
        }
        if !replace && path.symlink_metadata().is_ok() {
            return Err(TransferError::Exists(name));
        }
        Ok(Self { path, replace, name })
    }

    /// An empty one, which goes when it is dropped.
    pub(super) fn begin(&self) -> Result<NamedTempFile, TransferError> {
        atomic::begin_private(self.path).map_err(|error| self.failed(error))
    }

    /// It is whole.
    pub(super) fn finish(&self, file: NamedTempFile) -> Result<(), TransferError> {
        atomic::finish(file, self.path, self.replace).map_err(|error| self.failed(error))
    }

    pub(super) fn failed(&self, source: io::Error) -> TransferError {
        match source.kind() {
            io::ErrorKind::AlreadyExists => TransferError::Exists(self.name.clone()),
            _ => TransferError::Write { name: self.name.clone(), source },
        }
    }
}
