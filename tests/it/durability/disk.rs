//! A disk that is watched, filled and broken: `disk.c`, put under the binary, and what it writes down.

use crate::prelude::*;

use std::fs::File;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/durability/disk.c");

pub struct Disk {
    library: PathBuf,
    directory: PathBuf,
    control: PathBuf,
    log: PathBuf,
}

/// What a program did to a file or directory; paths are below the disk's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    Create(String),
    MakeDirectory(String),
    Write {
        path: String,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        path: String,
        length: usize,
    },
    Unlink(String),
    /// Of a file with all its bytes, or of a directory with its names.
    Sync(String),
}

impl Disk {
    /// An empty disk in `home`.
    pub fn new(home: &Path) -> Self {
        // As the system will name the files that are open.
        let home = home.canonicalize().unwrap();
        let (library, directory, control) = (home.join("disk.so"), home.join("disk"), home.join("control"));
        let log = control.join("log");
        fs::create_dir(&directory).unwrap();
        fs::create_dir(&control).unwrap();
        File::create(&log).unwrap();
        // A C compiler is there: SQLite is built with it.
        let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(SOURCE).status().unwrap();
        assert!(built.success());
        Self { library, directory, control, log }
    }

    pub fn put_under(&self, command: &mut Command) {
        command.env("LD_PRELOAD", &self.library);
        command.env("DISK_DIRECTORY", &self.directory).env("DISK_CONTROL", &self.control);
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub fn log(&self) -> &Path {
        &self.log
    }

    /// From now on there is no room for anything more.
    pub fn fill(&self) {
        File::create(self.control.join("full")).unwrap();
    }

    /// There is room again.
    pub fn clear(&self) {
        fs::remove_file(self.control.join("full")).unwrap();
    }

    /// The next sync of this file fails.
    pub fn break_next_sync(&self, file: &str) {
        File::create(self.control.join(format!("eio-{file}"))).unwrap();
    }

    /// Whether that sync has failed.
    pub fn has_broken_sync(&self, file: &str) -> bool {
        !self.control.join(format!("eio-{file}")).exists()
    }

    /// What was done so far, each with the length of the log behind it. A record that is still on its way is left out.
    pub fn operations(&self) -> Vec<(u64, Operation)> {
        let log = fs::read(&self.log).unwrap();
        let mut rest = log.as_slice();
        let mut operations = Vec::new();
        while let Some(operation) = read_operation(&mut rest) {
            operations.push(((log.len() - rest.len()) as u64, operation));
        }
        operations
    }
}

/// Nothing at the end.
fn read_operation(rest: &mut &[u8]) -> Option<Operation> {
    let (kind, offset, path_length, length) = (number(rest)?, number(rest)?, number(rest)?, number(rest)?);
    let path = str::from_utf8(take(rest, path_length)?).unwrap().to_owned();
    let bytes = take(rest, length)?.to_vec();
    // As in the enum of disk.c.
    Some(match kind {
        0 => Operation::Create(path),
        1 => Operation::MakeDirectory(path),
        2 => Operation::Write { path, offset, bytes },
        3 => Operation::Truncate { path, length: offset },
        4 => Operation::Unlink(path),
        5 => Operation::Sync(path),
        _ => panic!("the log is no log: {kind}"),
    })
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    take(rest, size_of::<u64>()).map(|bytes| u64::from_ne_bytes(bytes.try_into().unwrap()) as usize)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, others) = rest.split_at_checked(length)?;
    *rest = others;
    Some(taken)
}
