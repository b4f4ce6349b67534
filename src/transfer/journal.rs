//! The journal records what an import has done, row by row, in a file beside the input. An import resumes from it.
//!
//! NDJSON: the first line names the file and the service; then there is a line before each row is sent, and one with
//! its outcome. The line before is written, but not synced, before the request leaves, so it survives a crash of
//! petstore. After a crash of the machine, the service may still know the keys, since a row always has the same key.
//!
//! Rows are identified by number while the file is unchanged, and by hash once it has changed: then the journal is
//! rewritten for the current rows. The old one is kept beside it under the date it began.

mod added_rows;
mod lines;
mod reasons;
mod replay;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use tokio::sync::Notify;
use tokio::time::sleep;
use uuid::Uuid;

use super::rows::{self, Row};
use super::{ColumnMapping, Input, TransferError};
use crate::local::atomic_file;
use crate::local::log::{self, Log};
use crate::model::{NewPet, PetId};
pub(super) use added_rows::Pool;
pub(super) use lines::read_head;
pub use lines::{Head, RowAnswer, RowOutcome, Target};
use lines::{Line, Word, failed};
pub(super) use reasons::Reasons;
pub use replay::{Past, RowState, UnknownRow};

/// How long an outcome is buffered to be written with the next ones.
const MOMENT: Duration = Duration::from_millis(2);

/// How much is buffered, in bytes.
const MOST_KEPT: usize = 256 << 10;

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
    kept_outcome: Notify,
}

impl Journal {
    /// The path of a file's journal: beside it, with its full name.
    pub fn beside(input: &Path) -> PathBuf {
        let mut name = input.file_name().unwrap_or_default().to_owned();
        name.push(".petstore-import.ndjson");
        input.with_file_name(name)
    }

    /// Fails if there is already a journal.
    pub fn guard(path: &Path) -> Result<(), TransferError> {
        match read_head(path) {
            Err(TransferError::NoJournal(_)) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => Err(TransferError::JournalExists(path.to_owned())),
        }
    }

    /// Creates a new one, readable only by its owner. There must be none.
    pub fn create(path: &Path, head: &Head) -> Result<Self, TransferError> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = |source| failed(path, source);
        // It is created with its first line, so a crash leaves no partial journal.
        let mut file = tempfile::Builder::new().prefix(".petstore-").tempfile_in(directory).map_err(failed)?;
        log::line(head).and_then(|head| file.write_all(head.as_bytes())).map_err(failed)?;
        let file = file.persist_noclobber(path).map_err(|error| failed(error.error))?;
        lock(path, &file)?;
        Ok(Self::new(path, file))
    }

    /// Replaces the existing one, which is kept under its date and must be that of the import `seen`, if given.
    pub fn replace(path: &Path, head: &Head, seen: Option<Uuid>) -> Result<Self, TransferError> {
        let failed = |source| failed(path, source);
        let (place, old) = open(path)?;
        if seen.is_some_and(|seen| read_head(path).is_ok_and(|head| head.id != seen)) {
            return Err(TransferError::JournalExists(path.to_owned()));
        }
        let mut new = atomic_file::begin_private(&place).map_err(failed)?;
        log::line(head).and_then(|head| new.write_all(head.as_bytes())).map_err(failed)?;
        take_the_place(path, &old, new)
    }

    /// Resumes the existing one, if it is of the same service and column mapping. If the file has changed, the journal
    /// is rewritten for its current rows.
    pub fn resume(
        path: &Path,
        input: &Input,
        target: &Target,
        reading: &ColumnMapping,
    ) -> Result<(Self, Past), TransferError> {
        let (_, old) = open(path)?;
        let mut head = read_head(path)?;
        head.reading = head.reading.with_names_of(reading);
        head.check_reading(path, reading)?;
        head.check_service(path, target)?;
        let (print, who) = (input.print()?, head.who(target));
        let mut ids: Vec<Option<PetId>> = Vec::new();
        let is_same = head.file.difference(&print).is_none();
        let past = Past::read(path, head, &who, |line, _| {
            // Bounded by the size of the journal.
            let row = line.row as usize;
            if !is_same && line.id.is_some() {
                ids.resize(ids.len().max(row + 1), None);
                ids[row] = line.id;
            }
        })?;
        if is_same {
            // A line cut off by a crash would corrupt the next one.
            old.set_len(past.whole).map_err(|source| failed(path, source))?;
            let by = Some(who).filter(|who| *who != past.head.key);
            return Ok((Self { by, ..Self::new(path, old) }, past));
        }
        // A stream cannot be read again, and a journal written by hand may lack hashes.
        let file = input.path.as_deref().filter(|_| print.size.is_some());
        let (Some(file), Some(pool)) = (file, Pool::new(&past)) else {
            let differs = past.head.file.difference(&print).unwrap_or_default();
            return Err(TransferError::changed(path, differs));
        };
        let head = Head::new(print, target, past.head.reading.clone(), None, past.head.at);
        let journal = written_anew(path, (&old, &past, pool), Input::file(file)?, head, &ids)?;
        let mut head = read_head(path)?;
        head.reading = head.reading.with_names_of(reading);
        let past = Past::read(path, head.clone(), &head.who(target), |_, _| {})?;
        Ok((journal, past))
    }

    fn new(path: &Path, file: File) -> Self {
        let log = Mutex::new(Log::new(file));
        Self { path: path.to_owned(), kept: None, by: None, log, kept_outcome: Notify::new() }
    }

    /// Removes an unused journal, and restores the replaced one.
    pub(super) fn discard(self) {
        // If this fails, the user has to remove it.
        let _ = match &self.kept {
            Some(kept) => std::fs::rename(kept, atomic_file::target(&self.path).as_deref().unwrap_or(&self.path)),
            None => std::fs::remove_file(&self.path),
        };
    }

    /// Records that rows are about to be sent. Survives a crash of petstore.
    pub fn sending<'a>(&self, rows: impl Iterator<Item = &'a Row>, at: Timestamp) -> Result<(), TransferError> {
        let mut log = self.log.lock();
        let mut lines = rows.map(|Row { row, line, new, .. }| {
            let hash = Some(hex_of(hash(new)));
            let (sent, by) = (Some(at.as_second()), self.by.clone());
            Line { row: *row, line: Some(*line), hash, sent, by, ..Line::default() }
        });
        let kept = lines.try_for_each(|line| log.keep(&line).map(drop));
        kept.and_then(|()| log.write()).map_err(|source| failed(&self.path, source))
    }

    /// Records the outcome of a row. It is written with the next lines, or by `keep_up`.
    pub fn outcome(&self, row: u64, line: u64, outcome: &RowOutcome) -> Result<(), TransferError> {
        self.keep(&Line::of(row, line, outcome))
    }

    /// Records that every row is done.
    pub fn end(&self, at: Timestamp) -> Result<(), TransferError> {
        self.keep(&Line { end: Some(at), ..Line::default() })
    }

    /// Syncs and unlocks the file.
    pub fn close(&self) -> Result<(), TransferError> {
        let mut log = self.log.lock();
        log.write().and_then(|()| log.sync()).and_then(|()| log.unlock()).map_err(|source| failed(&self.path, source))
    }

    /// Writes buffered outcomes after a moment, while polled. Returns only if that fails.
    pub(super) async fn keep_up(&self) -> TransferError {
        loop {
            self.kept_outcome.notified().await;
            sleep(MOMENT).await;
            if let Err(source) = self.log.lock().write() {
                return failed(&self.path, source);
            }
        }
    }

    fn keep(&self, line: &Line) -> Result<(), TransferError> {
        let mut log = self.log.lock();
        let kept = log.keep(line).and_then(|kept| if kept < MOST_KEPT { Ok(()) } else { log.write() });
        self.kept_outcome.notify_one();
        kept.map_err(|source| failed(&self.path, source))
    }
}

fn lock(path: &Path, file: &File) -> Result<(), TransferError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(TransferError::JournalInUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(failed(path, source)),
    }
}

/// Opens and locks the journal at `path`. Returns its real path, too.
fn open(path: &Path) -> Result<(PathBuf, File), TransferError> {
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

/// Replaces the locked journal `old` with `new`, and keeps it under the date it began.
fn take_the_place(path: &Path, _old: &File, new: NamedTempFile) -> Result<Journal, TransferError> {
    let failed = |source| failed(path, source);
    let place = atomic_file::target(path).map_err(failed)?;
    let began = read_head(&place)?.at;
    // The lock belongs to the file, whatever its name.
    let file = new.as_file().try_clone().map_err(failed)?;
    lock(path, &file)?;
    let kept =
        (0..).map(|number| kept_as(&place, began, number)).find_map(|kept| match atomic_file::keep_as(&place, &kept) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => None,
            done => Some(done.map(|()| kept)),
        });
    let kept = kept.transpose().map_err(failed)?;
    atomic_file::finish(new, &place, true).map_err(failed)?;
    Ok(Journal { kept, ..Journal::new(path, file) })
}

/// The name of a kept journal that began then; `number` distinguishes those of one second.
fn kept_as(path: &Path, began: Timestamp, number: u32) -> PathBuf {
    let mut ending = began.strftime("%Y%m%d-%H%M%S").to_string();
    if number > 0 {
        ending.push_str(&format!("-{number}"));
    }
    if let Some(extension) = path.extension() {
        ending.push_str(&format!(".{}", extension.display()));
    }
    path.with_extension(ending)
}

/// The kept journals that `path` has replaced.
pub(super) fn kept(path: &Path) -> Vec<PathBuf> {
    let Ok(place) = atomic_file::target(path) else { return Vec::new() };
    let directory = place.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let begins = format!("{}.", place.file_stem().unwrap_or_default().display());
    let is_kept = |other: &PathBuf| {
        let name = other.file_name().unwrap_or_default().to_string_lossy();
        other.extension() == place.extension() && name.starts_with(&begins) && other.file_name() != place.file_name()
    };
    entries.flatten().map(|entry| directory.join(entry.file_name())).filter(is_kept).collect()
}

/// Rewrites the journal at `path` for the current rows of `file`, with the state of each by its hash. Rows that were or
/// may have been added but are gone from the file come after them.
fn written_anew(
    path: &Path,
    (old, past, mut pool): (&File, &Past, Pool),
    file: Input,
    head: Head,
    ids: &[Option<PetId>],
) -> Result<Journal, TransferError> {
    let failed = |source| failed(path, source);
    // The line of each row and, of those that can be sent, the hash.
    let mut found = Vec::new();
    rows::read(file, &past.head.reading, |row| {
        found.push(row.map_or_else(|bad| (bad.line, None), |row| (row.line, Some(hash(&row.new)))));
        ControlFlow::Continue(())
    })?;
    let rows: Vec<_> =
        found.into_iter().map(|(line, hash)| (line, hash, hash.and_then(|hash| pool.take(hash)))).collect();
    if pool.len() > 0 && rows.iter().all(|(.., before)| before.is_none()) {
        return Err(TransferError::Unrelated(path.to_owned()));
    }
    let good = rows.iter().filter(|(_, hash, _)| hash.is_some()).count();
    let head = Head { good: Some(good as u64), bad: Some((rows.len() - good) as u64), ..head };
    let new = atomic_file::begin_private(&atomic_file::target(path).map_err(failed)?).map_err(failed)?;
    let mut out = BufWriter::with_capacity(256 << 10, new);
    let mut write = |line: &str| out.write_all(line.as_bytes()).map_err(failed);
    write(&log::line(&head).map_err(failed)?)?;
    let known = |row: u64, line: Option<u64>, before: u64| {
        let (hash, line) =
            (past.hash(before).map(hex_of), line.or(past.unknown_rows.get(&before).map(|unknown| unknown.line)));
        let known = Line { row, line, hash, ..Line::default() };
        let Some(unknown) = past.unknown_rows.get(&before) else {
            let id = ids.get(before as usize).copied().flatten();
            return Line { outcome: Some(Word::Added), id, ..known };
        };
        let (sent, key) = (Some(unknown.sent), Some(unknown.key(&past.head, before)));
        Line { sent, key, by: (!unknown.ours).then(String::new), ..known }
    };
    let last = rows.len() as u64;
    for (row, (line, _, before)) in (1..).zip(rows) {
        let nothing = Line { row, line: Some(line), ..Line::default() };
        let line = before.map_or(nothing, |before| known(row, Some(line), before));
        write(&log::line(&line).map_err(failed)?)?;
    }
    for (row, before) in (last + 1..).zip(pool.rest()) {
        write(&log::line(&known(row, None, before)).map_err(failed)?)?;
    }
    let new = out.into_inner().map_err(|error| failed(error.into_error()))?;
    take_the_place(path, old, new)
}

/// The hash of what is sent, the same in every version of petstore.
pub(super) fn hash(new: &NewPet) -> u64 {
    let status = new.status.map_or("", |status| status.as_str());
    let sum = Sha256::digest(format!("{}\0{}\0{status}", new.name, new.category_id));
    sum.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn hex_of(hash: u64) -> String {
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests;
