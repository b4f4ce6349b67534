//! The file itself: made for its owner only, kept through a power cut, on a disk of this machine; and news that its
//! write-ahead log was written, by this process or another one, without reading it again and again.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use rustix::fs::{major, minor, statfs};

use crate::model::display_safe;
use crate::store::{Result, StoreError};

/// Where a file is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Local,
    /// Perhaps on another machine; by its name.
    Unknown(&'static str),
    /// On another machine, or on a disk that several share.
    Network(&'static str),
}

/// File systems of other machines, by the numbers of statfs(2). SQLite's shared memory does not reach across machines.
const NETWORK: [(u64, &str); 10] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xfe53_4d42, "SMB2"),
    (0xff53_4d42, "CIFS"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x7375_7245, "Coda"),
    (0x7461_636f, "OCFS2"),
    (0x0116_1970, "GFS2"),
];

/// File systems that a program provides, which may do so from anywhere. Some sandboxes have nothing else.
const PROVIDED: [(u64, &str); 2] = [(FUSE, "FUSE"), (0x0102_1997, "9p")];
const FUSE: u64 = 0x6573_5546;

/// Those with the number of FUSE that are of other machines, by their names in /proc/self/mountinfo.
const NETWORK_FUSE: [(&str, &str); 3] =
    [("fuse.glusterfs", "GlusterFS"), ("fuse.ceph", "Ceph"), ("fuse.sshfs", "SSHFS")];

/// The bits of a file's mode that let others change it.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Creates the file before SQLite does, with the mode that SQLite then gives to its -wal and -shm files too. What is
/// created stays after a power cut: the entries of its directories are synced.
pub fn create_private(path: &Path) -> io::Result<()> {
    create_directory(path)?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        created => created.and_then(|_| sync_directory(path)),
    }
}

/// Creates the directory of `path` with its parents, for its owner only, to stay after a power cut.
pub fn create_directory(path: &Path) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let missing: Vec<&Path> = directory.ancestors().take_while(|directory| !directory.exists()).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    missing.into_iter().try_for_each(sync_directory)
}

/// What SQLite adds to the name of a file for the others beside it.
pub const OTHERS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The file beside `path` with this added to its name.
pub fn beside(path: &Path, added: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(added);
    name.into()
}

/// Removes the file at `path`, if there is one.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Has the name of `path` written to the disk.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path.parent().unwrap_or(Path::new("/")))?.sync_all()
}

/// The files of an open database: which they were, by the numbers that the system has for them.
#[derive(Debug)]
pub struct Files {
    path: PathBuf,
    ids: Vec<(u64, u64)>,
}

impl Files {
    /// As they are now, while a connection has them all open.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), ids: ids(path)? })
    }

    /// News of each write to the log; nothing where the system has none.
    pub fn log_watch(&self) -> Option<LogWatch> {
        watch(&beside(&self.path, "-wal")).ok()
    }

    /// Whether the same files have the names still. Without the write-ahead log the database lacks what was committed
    /// last, and without the shared memory other processes do not see our locks.
    pub fn are_there(&self) -> bool {
        ids(&self.path).is_ok_and(|ids| ids == self.ids)
    }
}

fn ids(path: &Path) -> io::Result<Vec<(u64, u64)>> {
    let id = |suffix| fs::metadata(beside(path, suffix)).map(|file| (file.dev(), file.ino()));
    ["", "-wal", "-shm"].into_iter().map(id).collect()
}

/// An error where the file at `path` is none, so that opening it could wait for ever, or has other names: SQLite keeps what
/// was committed last beside one of them, where who uses another name does not see it. Who only `reads` a finished copy,
/// which has no log, may: tools for backups link their files.
pub fn judge_file(path: &Path, reads: bool) -> Result<()> {
    let file = fs::metadata(path).map_err(StoreError::cannot_create(path))?;
    let why = match file.nlink() {
        _ if !file.is_file() => "is not a regular file".to_owned(),
        0 | 1 => return Ok(()),
        _ if reads && has_no_log(path) => return Ok(()),
        names => format!(
            "has {names} names (hard links), and SQLite keeps the newest pets beside one of them: remove the other names, \
             or copy the file"
        ),
    };
    Err(StoreError::new(format!("the database {} {why}", path.display())))
}

/// Whether its header says that it is written without a write-ahead log (SQLite file format, 1.3.3).
fn has_no_log(path: &Path) -> bool {
    let mut header = [0; 20];
    File::open(path).and_then(|mut file| file.read_exact(&mut header)).is_ok() && header[18..] == [1, 1]
}

/// An error where the file is on another machine's disk; a warning where that is not known, or where others may write it.
pub fn judge_place(path: &Path) -> Result<()> {
    let number = statfs(path).map_err(StoreError::cannot_create(path))?;
    let file = fs::metadata(path).map_err(StoreError::cannot_create(path))?;
    let database = display_safe(&path.display().to_string()).into_owned();
    // Without /proc it is not known.
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    match place(number.f_type as u64, file.dev(), mounts) {
        Place::Network(kind) => {
            return Err(StoreError::new(format!(
                "the database {} is on a network file system ({kind}), where SQLite could lose pets: use a local disk",
                path.display()
            )));
        }
        Place::Unknown(kind) => {
            tracing::warn!(database, "the database is on a {kind} file system, which may be remote: use a local disk");
        }
        Place::Local => {}
    }
    let mode = file.permissions().mode() & 0o7777;
    if mode & WRITABLE_BY_OTHERS != 0 {
        tracing::warn!(database, "others can write to the database (mode {mode:04o}): chmod go-w");
    }
    Ok(())
}

/// By the number of a file system, and the device of the file in `mounts`.
fn place(number: u64, device: u64, mounts: impl FnOnce() -> String) -> Place {
    // The number has 32 bits; where the type is signed it may come with more.
    let number = number & 0xffff_ffff;
    let name_in = |all: &[(u64, &'static str)]| all.iter().find(|(known, _)| *known == number).map(|(_, name)| *name);
    let network = name_in(&NETWORK).or_else(|| {
        let mounts = if number == FUSE { mounts() } else { return None };
        let kind = kind_of_mount(&mounts, device)?;
        NETWORK_FUSE.iter().find(|(fuse, _)| *fuse == kind).map(|(_, name)| *name)
    });
    match (network, name_in(&PROVIDED)) {
        (Some(name), _) => Place::Network(name),
        (None, Some(name)) => Place::Unknown(name),
        (None, None) => Place::Local,
    }
}

/// The type of the file system on `device`: in proc_pid_mountinfo(5) the third field of a line is the device, and the type
/// follows a lone hyphen.
fn kind_of_mount(mounts: &str, device: u64) -> Option<&str> {
    let device = format!("{}:{}", major(device), minor(device));
    let line = mounts.lines().find(|line| line.split(' ').nth(2) == Some(&device))?;
    line.split_once(" - ")?.1.split(' ').next()
}

/// An item for each write to a file since the last one. It may be dropped while it is waited for.
pub type LogWatch = BoxStream<'static, io::Result<()>>;

#[cfg(target_os = "linux")]
fn watch(log: &Path) -> io::Result<LogWatch> {
    let inotify = inotify::Inotify::init()?;
    inotify.watches().add(log, inotify::WatchMask::MODIFY)?;
    Ok(inotify.into_event_stream([0; 1024])?.map_ok(drop).boxed())
}

/// There are none where the system has nothing of the kind.
#[cfg(not(target_os = "linux"))]
fn watch(_log: &Path) -> io::Result<LogWatch> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_of_other_machines_are_known_by_their_number() {
        let place = |number| place(number, 0, || unreachable!("only of FUSE"));
        assert_eq!(place(0x6969), Place::Network("NFS"));
        assert_eq!(place(0xffff_ffff_ff53_4d42), Place::Network("CIFS"));
        assert_eq!(place(0x7461_636f), Place::Network("OCFS2"));
        assert_eq!(place(0x0116_1970), Place::Network("GFS2"));
        assert_eq!(place(0x0102_1997), Place::Unknown("9p"));
        // ext4
        assert_eq!(place(0xef53), Place::Local);
    }

    #[test]
    fn a_fuse_file_system_is_judged_by_its_name_where_that_is_known() {
        let mounts = "\
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n\
            40 22 0:51 / /mnt/two\\040words rw,nosuid - fuse.glusterfs shop:/volume rw\n\
            41 22 0:52 / /mnt/phone rw,nosuid shared:7 master:1 - fuse.jmtpfs jmtpfs rw\n";
        let place = |minor| place(FUSE, rustix::fs::makedev(0, minor), || mounts.to_owned());
        assert_eq!(place(51), Place::Network("GlusterFS"));
        assert_eq!(place(52), Place::Unknown("FUSE"));
        assert_eq!(place(53), Place::Unknown("FUSE"));
    }

    #[test]
    fn a_file_of_this_machine_is_made_once_and_taken() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/b/store.db");
        create_private(&path).unwrap();
        fs::write(&path, "kept").unwrap();
        create_private(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"kept");
        assert!(judge_place(&path).is_ok());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn each_commit_of_another_connection_is_heard_of_and_no_reading() {
        use futures_util::FutureExt as _;

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store.db");
        let [writer, reader] = [(); 2].map(|()| rusqlite::Connection::open(&path).unwrap());
        writer.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE pets (id INTEGER)").unwrap();
        let mut log = watch(&directory.path().join("store.db-wal")).unwrap();
        for _ in 0..3 {
            let count: i64 = reader.query_row("SELECT COUNT(*) FROM pets", [], |row| row.get(0)).unwrap();
            assert!(log.next().now_or_never().is_none(), "{count}");
            writer.execute_batch("INSERT INTO pets VALUES (1)").unwrap();
            log.next().await.unwrap().unwrap();
            while log.next().now_or_never().is_some() {}
        }
    }
}
