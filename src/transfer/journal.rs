//! The journal records what an import has done, row by row, in a file beside the input. An import resumes from it.
//!
//! NDJSON: the first line names the file and the service; then there is a line before each row is sent, and one with
//! its outcome. The line before is written, but not synced, before the request leaves, so it survives a crash of
//! petstore. After a crash of the machine, the service may still know the keys, since a row always has the same key.
//!
//! Once the file was edited, a row is known by the hash of its content, so that the journal only grows: rows it has keep
//! their number, which their Idempotency-Key is derived from, and others get the next ones.

mod lines;
mod replay;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::slice;

use jiff::Timestamp;
use parking_lot::Mutex;
use tempfile::NamedTempFile;
use uuid::Uuid;

use super::rows::Row;
use super::{ColumnMapping, Input, Result, TransferError};
use crate::local::atomic_file;
use crate::local::log::{self, Log};
use lines::{Edited, Line, failed, hex_of};
pub use lines::{Head, RowAnswer, RowOutcome, RowState, Target};
pub(super) use lines::{hash, read_head};
pub(super) use replay::{Comparison, Reasons, RowNumbers};
pub use replay::{Past, UnknownRow};

/// The file, open and locked. Lines are written by the thread that has them: import threads may wait for the disk, and
/// a write is faster than waking another thread.
#[derive(Debug)]
pub struct Journal {
    pub path: PathBuf,
    /// The path of the journal that was replaced.
    pub kept: Option<PathBuf>,
    /// The fingerprint of the API key, if not that of the first line.
    by: Option<String>,
    log: Mutex<Log>,
}

impl Journal {
    /// The path of a file's journal: beside it, with its full name.
    pub fn beside(input: &Path) -> PathBuf {
        let mut name = input.file_name().unwrap_or_default().to_owned();
        name.push(".petstore-import.ndjson");
        input.with_file_name(name)
    }

    /// Fails if there is already a journal.
    pub fn guard(path: &Path) -> Result<()> {
        match read_head(path) {
            Err(TransferError::NoJournal(_)) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(TransferError::JournalExists(path.to_owned())),
        }
    }

    /// Creates a new one, readable only by its owner. There must be none.
    pub fn create(path: &Path, head: &Head) -> Result<Self> {
        let (new, file) = begin(path, path, head)?;
        atomic_file::finish(new, path, false).map_err(|source| failed(path, source))?;
        Ok(Self::new(path, file))
    }

    /// Replaces the existing one, which is kept under the date it began and must be that of the import `seen`, if given.
    pub fn replace(path: &Path, head: &Head, seen: Option<Uuid>) -> Result<Self> {
        let failed = |source| failed(path, source);
        // It is locked until it has another name.
        let (place, _old) = open(path)?;
        let before = read_head(&place)?;
        if seen.is_some_and(|seen| before.id != seen) {
            return Err(TransferError::JournalExists(path.to_owned()));
        }
        let (new, file) = begin(path, &place, head)?;
        let mut names = (0..).map(|number| kept_as(&place, before.at, number));
        let kept = names.find_map(|kept| match atomic_file::keep_as(&place, &kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            done => Some(done.map(|()| kept)),
        });
        let kept = kept.transpose().map_err(failed)?;
        atomic_file::finish(new, &place, true).map_err(failed)?;
        Ok(Self { kept, ..Self::new(path, file) })
    }

    /// Resumes the existing one, if it is of the same service and column mapping, and notes if the file has changed.
    pub fn resume(path: &Path, input: &Input, target: &Target, reading: &ColumnMapping) -> Result<(Self, Past)> {
        let (_, file) = open(path)?;
        let mut head = read_head(path)?;
        head.reading = head.reading.with_names_of(reading);
        head.check_reading(path, reading)?;
        head.check_service(path, target)?;
        let (print, who) = (input.print()?, head.who(target));
        let mut past = Past::read(path, head, &who, |_, _| {})?;
        // A line cut off by a crash would corrupt the next one.
        file.set_len(past.whole).map_err(|source| failed(path, source))?;
        let journal = Self { by: Some(who).filter(|who| *who != past.head.key), ..Self::new(path, file) };
        if let Some(differs) = past.head.file.difference(&print) {
            let mut numbers = RowNumbers::of(&past, true);
            // A stream cannot be read again, and a journal written by hand may lack hashes.
            let Some(file) = input.path.as_deref().filter(|_| print.size.is_some() && !numbers.by_place) else {
                return Err(TransferError::changed(path, differs));
            };
            let rows = numbers.compare(&past, Input::file(file)?, &past.head.reading)?;
            if rows.here == 0 && past.added() > 0 {
                return Err(TransferError::Unrelated(path.to_owned()));
            }
            let (id, last, good) = (Uuid::new_v4(), past.last, rows.here + rows.new);
            let edited = Edited { id, last, file: print, good, bad: rows.bad };
            journal.keep(&Line { edited: Some(edited.clone()), ..Line::default() })?;
            journal.write(|log| log.sync())?;
            past.head.take(edited);
        }
        Ok((journal, past))
    }

    fn new(path: &Path, file: File) -> Self {
        let log = Mutex::new(Log::new(file));
        Self { path: path.to_owned(), kept: None, by: None, log }
    }

    /// Removes an unused journal, and restores the replaced one.
    pub(super) fn discard(self) {
        // If this fails, the user has to remove it.
        let _ = match &self.kept {
            Some(kept) => std::fs::rename(kept, atomic_file::target(&self.path).as_deref().unwrap_or(&self.path)),
            None => std::fs::remove_file(&self.path),
        };
    }

    /// Records that a row is about to be sent. Survives a crash of petstore.
    pub fn sending(&self, Row { row, line, new, .. }: &Row, at: Timestamp) -> Result<()> {
        let hash = Some(hex_of(hash(new)));
        let (sent, by) = (Some(at.as_second()), self.by.clone());
        self.keep(&Line { row: *row, line: Some(*line), hash, sent, by, ..Line::default() })
    }

    /// Records the outcome of a row.
    pub fn outcome(&self, row: u64, line: u64, outcome: &RowOutcome) -> Result<()> {
        self.keep(&Line::of(row, line, outcome))
    }

    /// Records that every row is done, and how many of them were not added.
    pub fn end(&self, at: Timestamp, undone: u64) -> Result<()> {
        self.keep(&Line { end: Some(at), undone: Some(undone), ..Line::default() })
    }

    /// Syncs and unlocks the file.
    pub fn close(&self) -> Result<()> {
        self.write(|log| {
            log.sync()?;
            log.unlock()
        })
    }

    fn keep(&self, line: &Line) -> Result<()> {
        self.write(|log| log.append(slice::from_ref(line)))
    }

    fn write(&self, act: impl FnOnce(&mut Log) -> io::Result<()>) -> Result<()> {
        act(&mut self.log.lock()).map_err(|source| failed(&self.path, source))
    }
}

fn lock(path: &Path, file: &File) -> Result<()> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(TransferError::JournalInUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(failed(path, source)),
    }
}

/// Opens and locks the journal at `path`. Returns its real path, too.
fn open(path: &Path) -> Result<(PathBuf, File)> {
    // Opening a pipe would block.
    read_head(path)?;
    let failed = |source| failed(path, source);
    let place = atomic_file::target(path).map_err(failed)?;
    let file = OpenOptions::new().read(true).append(true).open(&place).map_err(failed)?;
    lock(path, &file)?;
    // Another import may have replaced it just before.
    let (here, there) = (file.metadata().map_err(failed)?, std::fs::metadata(&place).map_err(failed)?);
    if (here.dev(), here.ino()) == (there.dev(), there.ino()) {
        Ok((place, file))
    } else {
        Err(TransferError::JournalInUse(path.to_owned()))
    }
}

/// A new journal for `place`, locked: it appears there with its first line, so a crash leaves no partial one.
fn begin(path: &Path, place: &Path, head: &Head) -> Result<(NamedTempFile, File)> {
    let failed = |source| failed(path, source);
    let mut new = atomic_file::begin_private(place).map_err(failed)?;
    log::line(head).and_then(|head| new.write_all(head.as_bytes())).map_err(failed)?;
    // The lock belongs to the file, whatever its name.
    let file = new.as_file().try_clone().map_err(failed)?;
    lock(path, &file)?;
    Ok((new, file))
}

/// The name of a kept journal that began then; `number` distinguishes those of one second.
fn kept_as(path: &Path, began: Timestamp, number: u32) -> PathBuf {
    let date = began.strftime("%Y%m%d-%H%M%S");
    let number = if number > 0 { format!("-{number}") } else { String::new() };
    let extension = path.extension().map_or(String::new(), |extension| format!(".{}", extension.display()));
    path.with_extension(format!("{date}{number}{extension}"))
}

/// The kept journals that `path` has replaced.
pub(super) fn kept(path: &Path) -> Vec<PathBuf> {
    let Ok(place) = atomic_file::target(path) else { return Vec::new() };
    let directory = atomic_file::directory(&place);
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let begins = format!("{}.", place.file_stem().unwrap_or_default().display());
    let is_kept = |other: &PathBuf| {
        let name = other.file_name().unwrap_or_default().to_string_lossy();
        other.extension() == place.extension() && name.starts_with(&begins) && other.file_name() != place.file_name()
    };
    entries.flatten().map(|entry| directory.join(entry.file_name())).filter(is_kept).collect()
}

#[cfg(test)]
mod tests;
