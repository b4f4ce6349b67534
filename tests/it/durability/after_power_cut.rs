//! What a disk still has after the power was cut: what was synced, and of everything else whatever fate picks.
//!
//! A file's bytes are safe once the file is synced, its name once its directory is; neither helps the other. What is not
//! synced may be there in any part, down to single sectors. Nothing else is assumed of a file system. It is assumed of
//! the disk that a write to some bytes of a sector leaves the other bytes of it as they were, as SQLite assumes it too
//! (<https://sqlite.org/psow.html>).

use crate::prelude::*;

use super::disk::Operation;

/// What a disk writes whole or not at all, in bytes.
const SECTOR: usize = 512;

/// What becomes of the operations that no sync has made safe.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// All are lost.
    Lost,
    /// All are kept.
    Kept,
    /// Each is kept or lost.
    Mixed,
    /// The same, and of a write each sector.
    Torn,
}

impl Fate {
    pub const ALL: [Self; 4] = [Self::Lost, Self::Kept, Self::Mixed, Self::Torn];
}

/// Random enough, and the same each time (SplitMix64).
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) as usize % end
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }
}

/// A directory with everything below it, as the program sees it and as the disk has it.
#[derive(Debug)]
pub struct AfterCut {
    nodes: Vec<Node>,
    /// Where the program finds them.
    paths: BTreeMap<String, usize>,
}

#[derive(Debug)]
enum Node {
    File { safe: Vec<u8>, changes: Vec<Change> },
    Directory { safe: BTreeMap<String, usize>, changes: Vec<(String, Option<usize>)> },
}

#[derive(Debug)]
enum Change {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate(usize),
}

impl AfterCut {
    /// Of an empty directory.
    pub fn new() -> Self {
        let root = Node::Directory { safe: BTreeMap::new(), changes: Vec::new() };
        Self { nodes: vec![root], paths: BTreeMap::from([(String::new(), 0)]) }
    }

    pub fn apply(&mut self, operation: &Operation) {
        match operation {
            Operation::Create(path) => self.enter(path, Node::File { safe: Vec::new(), changes: Vec::new() }),
            Operation::MakeDirectory(path) => {
                self.enter(path, Node::Directory { safe: BTreeMap::new(), changes: Vec::new() });
            }
            Operation::Write { path, offset, bytes } => {
                self.change(path, Change::Write { offset: *offset, bytes: bytes.clone() });
            }
            Operation::Truncate { path, length } => self.change(path, Change::Truncate(*length)),
            Operation::Unlink(path) => {
                self.paths.remove(path);
                self.name(path, None);
            }
            Operation::Sync(path) => self.nodes[self.paths[path]].sync(),
        }
    }

    /// As if the system had had the time to write everything back.
    pub fn settle(&mut self) {
        self.nodes.iter_mut().for_each(Node::sync);
    }

    /// Puts what is left into a directory.
    pub fn restore(&self, directory: &Path, fate: Fate, dice: &mut Dice) {
        self.restore_node(0, directory, fate, dice);
    }

    fn restore_node(&self, node: usize, path: &Path, fate: Fate, dice: &mut Dice) {
        match &self.nodes[node] {
            Node::File { safe, changes } => fs::write(path, contents(safe, changes, fate, dice)).unwrap(),
            Node::Directory { safe, changes } => {
                fs::create_dir_all(path).unwrap();
                for (name, node) in names(safe, changes, fate, dice) {
                    self.restore_node(node, &path.join(name), fate, dice);
                }
            }
        }
    }

    fn enter(&mut self, path: &str, node: Node) {
        self.paths.insert(path.to_owned(), self.nodes.len());
        self.name(path, Some(self.nodes.len()));
        self.nodes.push(node);
    }

    fn name(&mut self, path: &str, node: Option<usize>) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        match &mut self.nodes[self.paths[directory]] {
            Node::Directory { changes, .. } => changes.push((name.to_owned(), node)),
            Node::File { .. } => panic!("{directory} is a file"),
        }
    }

    fn change(&mut self, path: &str, change: Change) {
        match &mut self.nodes[self.paths[path]] {
            Node::File { changes, .. } => changes.push(change),
            Node::Directory { .. } => panic!("{path} is a directory"),
        }
    }
}

impl Node {
    fn sync(&mut self) {
        // Nothing is left to chance where everything is kept.
        let dice = &mut Dice(0);
        match self {
            Self::File { safe, changes } => *safe = contents(safe, &std::mem::take(changes), Fate::Kept, dice),
            Self::Directory { safe, changes } => *safe = names(safe, &std::mem::take(changes), Fate::Kept, dice),
        }
    }
}

fn contents(safe: &[u8], changes: &[Change], fate: Fate, dice: &mut Dice) -> Vec<u8> {
    let mut contents = safe.to_vec();
    for change in changes {
        match change {
            Change::Write { offset, bytes } if matches!(fate, Fate::Torn) => {
                for (offset, sector) in sectors(*offset, bytes).filter(|_| dice.coin()) {
                    write(&mut contents, offset, sector);
                }
            }
            _ if !is_kept(fate, dice) => {}
            Change::Write { offset, bytes } => write(&mut contents, *offset, bytes),
            Change::Truncate(length) => contents.resize(*length, 0),
        }
    }
    contents
}

fn names(
    safe: &BTreeMap<String, usize>,
    changes: &[(String, Option<usize>)],
    fate: Fate,
    dice: &mut Dice,
) -> BTreeMap<String, usize> {
    let mut names = safe.clone();
    for (name, node) in changes.iter().filter(|_| is_kept(fate, dice)) {
        match node {
            Some(node) => names.insert(name.clone(), *node),
            None => names.remove(name),
        };
    }
    names
}

fn is_kept(fate: Fate, dice: &mut Dice) -> bool {
    match fate {
        Fate::Lost => false,
        Fate::Kept => true,
        Fate::Mixed | Fate::Torn => dice.coin(),
    }
}

/// A write in the parts that lie in one sector each.
fn sectors(offset: usize, bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let (first, others) = bytes.split_at(bytes.len().min(SECTOR - offset % SECTOR));
    let rest = offset + first.len();
    let others = others.chunks(SECTOR).enumerate().map(move |(index, part)| (rest + index * SECTOR, part));
    std::iter::once((offset, first)).chain(others)
}

fn write(contents: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    let end = offset + bytes.len();
    contents.resize(contents.len().max(end), 0);
    contents[offset..end].copy_from_slice(bytes);
}

/// The only file of a disk that `operations` were done to.
fn remaining(operations: &[Operation], fate: Fate, dice: &mut Dice) -> Option<Vec<u8>> {
    let mut after_cut = AfterCut::new();
    operations.iter().for_each(|operation| after_cut.apply(operation));
    let directory = tempfile::tempdir().unwrap();
    after_cut.restore(directory.path(), fate, dice);
    fs::read(directory.path().join("file")).ok()
}

fn file() -> String {
    "file".to_owned()
}

fn written(offset: usize, bytes: &[u8]) -> Operation {
    Operation::Write { path: file(), offset, bytes: bytes.to_vec() }
}

#[test]
fn bytes_are_safe_after_a_sync_of_the_file_and_its_name_after_one_of_the_directory() {
    let (file_synced, directory_synced) = (Operation::Sync(file()), Operation::Sync(String::new()));
    let new = [Operation::Create(file()), written(0, b"old")];
    for (synced, lost) in [
        (vec![], None),
        (vec![file_synced.clone()], None),
        (vec![directory_synced.clone()], Some(&b""[..])),
        (vec![file_synced, directory_synced], Some(b"old")),
    ] {
        let operations = [&new[..], &synced, &[written(2, b"new")]].concat();
        assert_eq!(remaining(&operations, Fate::Lost, &mut Dice(0)).as_deref(), lost, "{synced:?}");
        assert_eq!(remaining(&operations, Fate::Kept, &mut Dice(0)).unwrap(), b"olnew", "{synced:?}");
    }
}

#[test]
fn a_name_that_was_removed_comes_back_unless_the_directory_was_synced_since() {
    let synced = [Operation::Sync(file()), Operation::Sync(String::new())];
    let removed =
        [&[Operation::Create(file()), written(0, b"old")], &synced[..], &[Operation::Unlink(file())]].concat();
    let and_synced = [&removed[..], &synced[1..]].concat();
    assert_eq!(remaining(&removed, Fate::Lost, &mut Dice(0)).unwrap(), b"old");
    assert_eq!(remaining(&removed, Fate::Kept, &mut Dice(0)), None);
    assert_eq!(remaining(&and_synced, Fate::Lost, &mut Dice(0)), None);
}

#[test]
fn a_torn_write_is_there_by_whole_sectors_each_of_them_now_and_then() {
    let start = 100;
    let old = vec![b'-'; 3 * SECTOR];
    let synced = [Operation::Create(file()), written(0, &old), Operation::Sync(file()), Operation::Sync(String::new())];
    let operations = [&synced[..], &[written(start, &[b'+'; 2 * SECTOR])]].concat();
    let mut dice = Dice(0);
    let mut seen = BTreeSet::new();
    for _ in 0..100 {
        let torn = remaining(&operations, Fate::Torn, &mut dice).unwrap();
        let parts = [&torn[start..SECTOR], &torn[SECTOR..2 * SECTOR], &torn[2 * SECTOR..2 * SECTOR + start]];
        assert!(parts.iter().all(|part| part.iter().all(|byte| byte == &part[0])), "{parts:?}");
        assert_eq!((&torn[..start], &torn[2 * SECTOR + start..]), (&old[..start], &old[2 * SECTOR + start..]));
        seen.insert(parts.map(|part| part[0]));
    }
    assert_eq!(seen.len(), 8);
}
