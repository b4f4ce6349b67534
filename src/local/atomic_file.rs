//! Files that are replaced whole or not at all.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

/// How often a lock is tried that another program holds, and how long is waited in between: 10 seconds in all.
const LOCK_TRIES: u32 = 500;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// The file behind `path`: a link stays one, the file behind it is replaced. Fails for a link to nothing.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => fs::canonicalize(path),
        _ => Ok(path.to_owned()),
    }
}

/// Holds what is in the directory of `path`, which is made where there is none, until this is dropped: one change at a
/// time, also of other programs. Waits for them, but not for ever, since one that was stopped holds it, too.
pub fn alone(path: &Path) -> io::Result<File> {
    let directory = directory(path);
    fs::create_dir_all(directory)?;
    // A lock on the file itself would be lost when a new one takes its place.
    let held = File::open(directory)?;
    match lock(&held) {
        Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(error),
        // Some file systems lock no directories.
        Ok(()) | Err(_) => Ok(held),
    }
}

/// Locks `file` until it is closed. Waits for other programs that hold the lock, but not for ever, since one that was
/// stopped holds it, too.
pub fn lock(file: &File) -> io::Result<()> {
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => thread::sleep(LOCK_PAUSE),
        }
    }
    Err(io::Error::new(io::ErrorKind::TimedOut, "another program is changing it, or was stopped while it did"))
}

/// The text of the file at `path`, if there is one.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    if_there(fs::read_to_string(path))
}

/// Removes the file at `path`, if there is one.
pub fn remove(path: &Path) -> io::Result<()> {
    if_there(fs::remove_file(path)).map(drop)
}

/// `None` instead of the error where there is no such file.
pub(super) fn if_there<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}

/// Puts `text` in the place of the file at `path`, with the same permissions.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let directory = directory(path);
    let Ok(metadata) = fs::metadata(path) else {
        fs::create_dir_all(directory)?;
        return persist(written(directory, text, NEW)?, path, true);
    };
    // Nobody else may read it meanwhile, who may not read that.
    let file = written(directory, text, PRIVATE)?;
    file.as_file().set_permissions(metadata.permissions())?;
    persist(file, path, true)
}

/// Puts `text` in the place of the file at `path`, for its owner alone. A directory that is not there yet is made for
/// the owner alone too.
pub fn replace_private(path: &Path, text: &str) -> io::Result<()> {
    let directory = directory(path);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    persist(written(directory, text, PRIVATE)?, path, true)
}

/// What is at `path`, or behind the link there, where that is no file that could be replaced: such as `a directory`.
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

fn refuse_what_is_no_file(path: &Path) -> io::Result<()> {
    no_file(path).map_or(Ok(()), |what| {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("it is {what}, which is not replaced by a file")))
    })
}

/// Writes `text` to a new file at `path`; with `replace`, also where there is one. What is there and no file stays.
pub fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    refuse_what_is_no_file(path)?;
    let directory = directory(path);
    if !directory.is_dir() {
        // A mistyped name must not make directories.
        let why = format!("there is no directory {}", directory.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    if replace {
        return self::replace(&target(path)?, text);
    }
    persist(written(directory, text, NEW)?, path, false)
}

/// An empty file that is to take its place at `path` by [`finish`], for its owner alone. Until then it goes when it is
/// dropped.
pub fn begin_private(path: &Path) -> io::Result<NamedTempFile> {
    refuse_what_is_no_file(path)?;
    written(directory(path), "", PRIVATE)
}

/// Puts `file` in its place at `path`, which is no link; with `replace`, also where there is one.
pub fn finish(file: NamedTempFile, path: &Path, replace: bool) -> io::Result<()> {
    refuse_what_is_no_file(path)?;
    file.as_file().sync_all()?;
    persist(file, path, replace)
}

/// Gives the file at `path` the name `other` as well, or a copy of it that name where the file system has one name for
/// each file. Fails if there is such a file already.
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

/// The permissions of any new file, of which the umask leaves some, and those for its owner alone.
const NEW: u32 = 0o666;
const PRIVATE: u32 = 0o600;

/// A file in `directory`, already on disk, that is to take its place elsewhere there.
fn written(directory: &Path, text: &str, mode: u32) -> io::Result<NamedTempFile> {
    let permissions = fs::Permissions::from_mode(mode);
    let mut file = tempfile::Builder::new().prefix(".petstore-").permissions(permissions).tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn persist(file: NamedTempFile, path: &Path, replace: bool) -> io::Result<()> {
    let persisted = if replace { file.persist(path) } else { file.persist_noclobber(path) };
    persisted.map_err(|error| error.error)?;
    // The new name is in the directory, which is written by itself.
    File::open(directory(path))?.sync_all()
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_there_is_replaced_only_on_demand() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("record.txt");
        write(&path, "one", false).unwrap();
        assert_eq!(write(&path, "two", false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        write(&path, "two", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        for replace in [false, true] {
            let why = write(directory.path(), "three", replace).unwrap_err().to_string();
            assert_eq!(why, "it is a directory, which is not replaced by a file");
        }
    }

    #[test]
    fn what_only_its_owner_may_read_stays_so_and_a_link_stays_one() {
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
    fn what_is_no_file_is_left_alone_also_behind_a_link() {
        let directory = tempfile::tempdir().unwrap();
        let (socket, link) = (directory.path().join("socket"), directory.path().join("link"));
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&socket, &link).unwrap();
        for path in [&socket, &link] {
            assert_eq!(no_file(path), Some("a socket"));
            assert!(write(path, "one", true).is_err() && begin_private(path).is_err());
            assert!(finish(written(directory.path(), "one", 0o600).unwrap(), path, true).is_err());
        }
        assert!(fs::symlink_metadata(&socket).unwrap().file_type().is_socket());
        assert_eq!(no_file(Path::new("/dev/null")), Some("a device"));
        assert_eq!(no_file(&directory.path().join("absent")), None);
    }
}
