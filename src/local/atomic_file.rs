//! Files that are replaced completely or not at all.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::{NamedTempFile, TempDir};

/// How often to try a lock that another program holds, and the pause between tries: 10 seconds in all.
const LOCK_TRIES: u32 = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The file behind `path`: a link stays a link, and its target is replaced. Fails for a broken link.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => fs::canonicalize(path),
        _ => Ok(path.to_owned()),
    }
}

/// Locks the directory of `path`, which is created if needed, until the result is dropped: one change at a time, across
/// programs. Waits for a limited time only, since a stopped program holds the lock too.
pub fn alone(path: &Path) -> io::Result<Locked> {
    let directory = directory(path);
    create_private(directory)?;
    // A lock on the file itself would be lost when the file is replaced.
    let held = File::open(directory)?;
    match lock(&held) {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(error),
        // Some file systems cannot lock directories.
        Ok(()) | Err(_) => Ok(Locked(held)),
    }
}

/// A file that is locked until this is dropped.
#[derive(Debug)]
pub struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // Closing it is not enough: a program that is just being started has it open, too.
        let _ = self.0.unlock();
    }
}

/// The lock file at `path`, created if needed and locked; `None` if another program has locked it. It is never removed:
/// otherwise two programs could lock two files of this name.
pub fn claim(path: &Path) -> io::Result<Option<Locked>> {
    create_private(directory(path))?;
    let file = fs::OpenOptions::new().create(true).truncate(false).write(true).mode(PRIVATE).open(path)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(Locked(file))),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Locks `file` until it is closed. Waits for a limited time only, since a stopped program holds the lock too.
pub fn lock(file: &File) -> io::Result<()> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => thread::sleep(LOCK_PAUSE),
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "another program is changing it, or was stopped while changing it"))
}

/// The text of the file at `path`, if there is one.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    if_there(fs::read_to_string(path))
}

/// Removes the file at `path`, if there is one.
pub fn remove(path: &Path) -> io::Result<()> {
    if_there(fs::remove_file(path)).map(drop)
}

/// `None` instead of the error for a missing file.
pub fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Replaces the file at `path` by `text`, with the same permissions.
pub fn replace(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let directory = directory(path);
    let Ok(metadata) = fs::metadata(path) else {
        create_private(directory)?;
        return persist(written(directory, text.as_ref(), NEW)?, path, true);
    };
    // Private until it has the permissions of the old file.
    let file = written(directory, text.as_ref(), PRIVATE)?;
    file.as_file().set_permissions(metadata.permissions())?;
    persist(file, path, true)
}

/// Replaces the file at `path` by a private one with `text`. A missing directory is created, private too.
pub fn replace_private(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let directory = directory(path);
    create_private(directory)?;
    persist(written(directory, text.as_ref(), PRIVATE)?, path, true)
}

/// Creates a directory with its parents, each for its owner only, if it is missing: for data, keys, domains and settings.
pub fn create_private(directory: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// A new temporary directory for its owner only, whatever the umask. It is removed when this is dropped.
pub fn temporary_directory(prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(fs::Permissions::from_mode(0o700)).tempdir()
}

/// Writes `text` to a new private file at `path`, in place of what is there. For what counts only afterwards: an
/// interruption may leave a part of it, but no temporary file.
pub fn rewrite_private(path: &Path, text: &str) -> io::Result<()> {
    remove(path)?;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    File::open(directory(path))?.sync_all()
}

/// What is at `path`, or behind a link there, if it is not a regular file: for example `a directory`.
pub fn no_file(path: &Path) -> Option<&'static str> {
    let kind = fs::metadata(path).ok()?.file_type();
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a directory"),
        () if kind.is_char_device() || kind.is_block_device() => Some("a device"),
        () if kind.is_fifo() => Some("a pipe"),
        () if kind.is_socket() => Some("a socket"),
        () => Some("something else"),
    }
}

fn require_regular_file(path: &Path) -> io::Result<()> {
    no_file(path)
        .map_or(Ok(()), |what| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, not a file"))))
}

/// Writes `text` to a new file at `path`; with `replace`, also over an existing one. Only regular files are replaced.
pub fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    require_regular_file(path)?;
    let directory = directory(path);
    if !directory.is_dir() {
        // A mistyped name must not create directories.
        let why = format!("there is no directory {}", directory.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    if replace {
        return self::replace(&target(path)?, text);
    }
    persist(written(directory, text.as_bytes(), NEW)?, path, false)
}

/// A private temporary file that [`finish`] moves to `path`. It is removed if it is dropped before that.
pub fn begin_private(path: &Path) -> io::Result<NamedTempFile> {
    require_regular_file(path)?;
    written(directory(path), b"", PRIVATE)
}

/// Moves `file` to `path`, which is not a link; with `replace`, also over an existing file.
pub fn finish(file: NamedTempFile, path: &Path, replace: bool) -> io::Result<()> {
    require_regular_file(path)?;
    file.as_file().sync_all()?;
    persist(file, path, replace)
}

/// Links the file at `path` as `other`, or copies it on file systems without hard links. Fails if `other` exists.
pub fn keep_as(path: &Path, other: &Path) -> io::Result<()> {
    match fs::hard_link(path, other) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            let mut copy = begin_private(other)?;
            io::copy(&mut File::open(path)?, &mut copy)?;
            finish(copy, other, false)
        }
        done => done,
    }
}

/// The permissions of a new file, before the umask, and of a private one.
const NEW: u32 = 0o666;
const PRIVATE: u32 = 0o600;

/// A temporary file in `directory`, synced to disk, to be renamed there.
fn written(directory: &Path, text: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let permissions = fs::Permissions::from_mode(mode);
    let mut file = tempfile::Builder::new().prefix(".petstore-").permissions(permissions).tempfile_in(directory)?;
    file.write_all(text)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn persist(file: NamedTempFile, path: &Path, replace: bool) -> io::Result<()> {
    let persisted = if replace { file.persist(path) } else { file.persist_noclobber(path) };
    persisted.map_err(|error| error.error)?;
    // The new name is in the directory, which is synced separately.
    File::open(directory(path))?.sync_all()
}

/// The directory of `path`.
pub fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_is_replaced_only_on_request() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record.txt");
        write(&path, "one", false).unwrap();
        assert_eq!(write(&path, "two", false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        write(&path, "two", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        for replace in [false, true] {
            let why = write(directory.path(), "three", replace).unwrap_err().to_string();
            assert_eq!(why, "it is a directory, not a file");
        }
    }

    #[test]
    fn a_private_file_stays_private_and_a_link_stays_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (path, link, lost) = ["file", "link", "lost"].map(|name| directory.path().join(name)).into();
        replace_private(&path, "one").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        std::os::unix::fs::symlink(directory.path().join("absent"), &lost).unwrap();
        write(&link, "two", true).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(write(&lost, "three", true).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn only_regular_files_are_replaced_also_behind_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (socket, link) = (directory.path().join("socket"), directory.path().join("link"));
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        for path in [&socket, &link] {
            assert_eq!(no_file(path), Some("a socket"));
            assert!(write(path, "one", true).is_err() && begin_private(path).is_err());
            assert!(finish(written(directory.path(), b"one", 0o600).unwrap(), path, true).is_err());
        }
        assert!(fs::symlink_metadata(&socket).unwrap().file_type().is_socket());
        assert_eq!(no_file(Path::new("/dev/null")), Some("a device"));
        assert_eq!(no_file(&directory.path().join("absent")), None);
    }

    #[test]
    fn a_temporary_directory_is_for_its_owner_only() {
        let directory = temporary_directory("petstore-").unwrap();
        assert_eq!(fs::metadata(directory.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_claim_ends_although_a_program_that_is_just_being_started_has_its_file_open() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.lock");
        let held = claim(&path).unwrap().unwrap();
        let _inherited = held.0.try_clone().unwrap();
        assert!(claim(&path).unwrap().is_none());
        drop(held);
        assert!(claim(&path).unwrap().is_some());
    }
}
