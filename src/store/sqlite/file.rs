//! The file itself: made for its owner only, kept through a power cut, on a disk of this machine.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::statfs;

use crate::store::StoreError;

/// File systems of other machines, by the numbers of statfs(2). SQLite's shared memory does not reach across machines.
const NETWORK: [(u64, &str); 8] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xfe53_4d42, "SMB2"),
    (0xff53_4d42, "CIFS"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x7375_7245, "Coda"),
];

/// Creates the file before SQLite does, with the mode that SQLite then gives to its -wal and -shm files too. What is
/// created stays after a power cut: the entries of its directories are synced.
pub(super) fn create_private(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let missing: Vec<&Path> = directory.ancestors().take_while(|directory| !directory.exists()).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => sync_directory(path)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    missing.into_iter().try_for_each(sync_directory)
}

/// Has the name of `path` written to the disk.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
}

/// The files of an open database: which they were, by the numbers that the system has for them.
#[derive(Debug)]
pub(super) struct Files {
    path: PathBuf,
    ids: Vec<(u64, u64)>,
}

impl Files {
    /// As they are now, while a connection has them all open.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), ids: ids(path)? })
    }

    /// Whether the same files have the names still. Without the write-ahead log the database lacks what was committed
    /// last, and without the shared memory other processes do not see our locks.
    pub(super) fn are_there(&self) -> bool {
        ids(&self.path).is_ok_and(|ids| ids == self.ids)
    }
}

fn ids(path: &Path) -> io::Result<Vec<(u64, u64)>> {
    let id = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        fs::metadata(name).map(|file| (file.dev(), file.ino()))
    };
    ["", "-wal", "-shm"].into_iter().map(id).collect()
}

/// An error where the file is on another machine's disk.
pub(super) fn refuse_network(path: &Path) -> Result<(), StoreError> {
    let number = statfs(path).map_err(|source| StoreError::Create { path: path.to_owned(), source: source.into() })?;
    match network_file_system(number.f_type as u64) {
        Some(kind) => Err(StoreError::NetworkFileSystem { path: path.to_owned(), kind }),
        None => Ok(()),
    }
}

fn network_file_system(number: u64) -> Option<&'static str> {
    // The number has 32 bits; where the type is signed it may come with more.
    let number = number & 0xffff_ffff;
    NETWORK.iter().find(|(network, _)| *network == number).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_of_other_machines_are_known_by_their_number() {
        assert_eq!(network_file_system(0x6969), Some("NFS"));
        assert_eq!(network_file_system(0xffff_ffff_ff53_4d42), Some("CIFS"));
        // ext4
        assert_eq!(network_file_system(0xef53), None);
    }

    #[test]
    fn a_file_of_this_machine_is_made_once_and_taken() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/store.db");
        create_private(&path).unwrap();
        fs::write(&path, "kept").unwrap();
        create_private(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"kept");
        assert!(refuse_network(&path).is_ok());
    }
}
