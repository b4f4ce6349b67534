//! The file of the animals that wait to be sent: a line of JSON when one was typed, one just before it is sent, and one
//! when it is known what became of it.
//!
//! Lines are only ever added at its end. A line counts once it is whole: the end of a line that a crash has torn is
//! dropped. What is settled is left away when the file is opened again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::local::atomic_file;
use crate::model::{Draft, IdempotencyKey, PetId};

/// The longest file that is read, in octets.
const MOST_OCTETS: u64 = 64 << 20;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum QueueRecord {
    /// An animal was typed.
    Typed(QueuedPet),
    /// It is sent now.
    Sent {
        /// Which.
        line: u64,
        /// Whose API key goes with it: the service keeps the keys of creations for each of them.
        by: String,
    },
    /// It was added.
    Saved {
        /// Which.
        line: u64,
        /// As what.
        id: PetId,
    },
    /// It cannot be sent as it is: the user mends or drops it.
    Refused {
        /// Which.
        line: u64,
        /// Why, in a few words.
        #[serde(default)]
        why: String,
    },
    /// It was mended, and has another number since, or is not wanted any more.
    Dropped {
        /// Which.
        line: u64,
    },
}

/// An animal as it was typed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueuedPet {
    /// Its number among all in the file.
    pub line: u64,
    /// When.
    pub at: Timestamp,
    /// With which key it is sent, however often.
    pub key: IdempotencyKey,
    /// The animal, to be checked again by whoever reads it.
    pub pet: Draft,
    /// The code that was scanned, where it stands for the animal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// One of which it is not known what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// As it was typed.
    pub typed: QueuedPet,
    /// With whose API key it was sent, if it was.
    pub sent: Option<String>,
    /// Why it cannot be sent as it is, if that is so.
    pub refused: Option<String>,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// In the order of typing.
    pub open: Vec<Open>,
    /// How many were added.
    pub saved: usize,
    /// How many lines make no sense.
    pub unreadable: usize,
}

impl Unfinished {
    /// Reads the file at `path`. None is as good as an empty one.
    pub fn read(path: &Path) -> io::Result<Self> {
        let Some(file) = atomic_file::if_there(File::open(path))? else { return Ok(Self::default()) };
        let mut text = Vec::new();
        file.take(MOST_OCTETS).read_to_end(&mut text)?;
        Ok(Self::of(&text))
    }

    fn of(text: &[u8]) -> Self {
        let mut left = Self::default();
        // What follows the last line end was torn by a crash.
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        for line in text[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(record) => left.take(record),
                Err(_) => left.unreadable += 1,
            }
        }
        left
    }

    fn take(&mut self, record: QueueRecord) {
        match record {
            // Written twice is the same as once, unless it was refused in between.
            QueueRecord::Typed(typed) => match self.open.iter_mut().rfind(|open| open.typed.line == typed.line) {
                Some(open) => (open.typed, open.refused) = (typed, None),
                None => self.open.push(Open { typed, sent: None, refused: None }),
            },
            QueueRecord::Sent { line, by } => {
                if let Some(open) = self.open.iter_mut().find(|open| open.typed.line == line) {
                    open.sent = Some(by);
                }
            }
            QueueRecord::Refused { line, why } => {
                if let Some(open) = self.open.iter_mut().find(|open| open.typed.line == line) {
                    (open.sent, open.refused) = (None, Some(why));
                }
            }
            QueueRecord::Saved { line, id: _ } => {
                let before = self.open.len();
                self.open.retain(|open| open.typed.line != line);
                self.saved += before - self.open.len();
            }
            QueueRecord::Dropped { line } => self.open.retain(|open| open.typed.line != line),
        }
    }

    fn text(&self) -> String {
        let records = self.open.iter().flat_map(|open| {
            let line = open.typed.line;
            let sent = open.sent.clone().map(|by| QueueRecord::Sent { line, by });
            let refused = open.refused.clone().map(|why| QueueRecord::Refused { line, why });
            [Some(QueueRecord::Typed(open.typed.clone())), sent, refused].into_iter().flatten()
        });
        text(records)
    }
}

fn text(records: impl IntoIterator<Item = QueueRecord>) -> String {
    let mut text = String::new();
    for record in records {
        text.push_str(&serde_json::to_string(&record).unwrap_or_default());
        text.push('\n');
    }
    text
}

/// The file, for writing. Not there before something is written.
#[derive(Debug)]
pub struct QueueFile {
    path: PathBuf,
    file: Option<File>,
}

impl QueueFile {
    /// The file at `path`; nobody else may write it.
    #[must_use]
    pub const fn new(path: PathBuf) -> Self {
        Self { path, file: None }
    }

    /// What it holds now.
    pub fn read(&self) -> io::Result<Unfinished> {
        Unfinished::read(&self.path)
    }

    /// Adds lines at the end. They survive the end of the program when this returns, and that of the machine after
    /// [`sync`](Self::sync).
    pub fn append(&mut self, records: &[QueueRecord]) -> io::Result<()> {
        let text = text(records.iter().cloned());
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.open()?,
        };
        // What was written in part is cut off when it is opened again.
        file.write_all(text.as_bytes())?;
        self.file = Some(file);
        Ok(())
    }

    /// Waits until the disk has everything.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }

    /// Removes it if nothing in it waits, is in doubt or is to be mended.
    pub fn remove_if_settled(&mut self) -> io::Result<()> {
        if !self.read()?.open.is_empty() || !self.path.exists() {
            return self.sync();
        }
        self.file = None;
        fs::remove_file(&self.path)
    }

    /// Leaves away what is settled or torn.
    fn open(&self) -> io::Result<File> {
        atomic_file::replace_private(&self.path, &self.read()?.text())?;
        OpenOptions::new().append(true).open(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use uuid::Uuid;

    use super::*;
    use crate::model::IdempotencyKeys;

    fn typed(line: u64) -> QueuedPet {
        let mut keys = IdempotencyKeys::new(Uuid::from_u128(line.into()));
        let pet = Draft { name: format!("Rex {line}"), category_id: "3".into(), status: None };
        QueuedPet { line, at: "2026-11-20T14:03:07Z".parse().unwrap(), key: keys.make(), pet, code: None }
    }

    fn by(line: u64) -> QueueRecord {
        QueueRecord::Sent { line, by: "77d0".into() }
    }

    fn refused(line: u64) -> QueueRecord {
        QueueRecord::Refused { line, why: "refused (400)".into() }
    }

    #[test]
    fn what_was_refused_and_is_taken_all_the_same_waits_again() {
        let (_directory, mut file) = queue();
        file.append(&[QueueRecord::Typed(typed(1)), by(1), refused(1), QueueRecord::Typed(typed(1))]).unwrap();
        assert_eq!(file.read().unwrap().open, [Open { typed: typed(1), sent: None, refused: None }]);
    }

    fn queue() -> (tempfile::TempDir, QueueFile) {
        let directory = tempfile::tempdir().unwrap();
        let file = QueueFile::new(directory.path().join("queue.ndjson"));
        (directory, file)
    }

    #[test]
    fn what_was_typed_waits_what_was_sent_is_in_doubt_and_the_rest_is_settled() {
        let (_directory, mut file) = queue();
        assert_eq!(file.read().unwrap(), Unfinished::default());
        let records: Vec<QueueRecord> = (1..=5).map(|line| QueueRecord::Typed(typed(line))).collect();
        file.append(&records).unwrap();
        file.append(&[by(1), QueueRecord::Saved { line: 1, id: 7 }, by(2), by(3), refused(3)]).unwrap();
        file.append(&[QueueRecord::Dropped { line: 4 }, QueueRecord::Typed(typed(5))]).unwrap();
        file.sync().unwrap();
        let open = |line: u64, sent: Option<&str>, refused: Option<&str>| Open {
            typed: typed(line),
            sent: sent.map(str::to_owned),
            refused: refused.map(str::to_owned),
        };
        let open = vec![open(2, Some("77d0"), None), open(3, None, Some("refused (400)")), open(5, None, None)];
        let left = Unfinished { open, saved: 1, unreadable: 0 };
        assert_eq!(file.read().unwrap(), left);
        assert_eq!(fs::metadata(&file.path).unwrap().permissions().mode() & 0o777, 0o600);
        // Opened anew, it holds the same without what is settled.
        let mut again = QueueFile::new(file.path.clone());
        again.append(&[]).unwrap();
        assert_eq!(again.read().unwrap(), Unfinished { saved: 0, ..left });
        again.remove_if_settled().unwrap();
        assert!(again.path.exists());
        again.append(&[QueueRecord::Saved { line: 2, id: 8 }, QueueRecord::Saved { line: 5, id: 9 }]).unwrap();
        again.remove_if_settled().unwrap();
        assert!(again.path.exists(), "a refused line is to be mended");
        again.append(&[QueueRecord::Dropped { line: 3 }]).unwrap();
        again.remove_if_settled().unwrap();
        assert!(!again.path.exists());
        again.remove_if_settled().unwrap();
    }

    #[test]
    fn a_torn_end_is_dropped_wherever_it_was_torn_and_never_glued_to_the_next_line() {
        let whole = text([QueueRecord::Typed(typed(1)), QueueRecord::Typed(typed(2))]);
        let first = whole.find('\n').unwrap() + 1;
        for end in first..whole.len() {
            let (_directory, mut file) = queue();
            fs::write(&file.path, &whole.as_bytes()[..end]).unwrap();
            assert_eq!(file.read().unwrap().open.len(), 1, "{end}");
            file.append(&[QueueRecord::Typed(typed(3))]).unwrap();
            let lines: Vec<u64> = file.read().unwrap().open.iter().map(|open| open.typed.line).collect();
            assert_eq!((lines, file.read().unwrap().unreadable), (vec![1, 3], 0), "{end}");
        }
    }

    #[test]
    fn lines_that_make_no_sense_are_counted_and_the_others_count() {
        let (_directory, file) = queue();
        let whole = text([QueueRecord::Typed(typed(1))]);
        fs::write(&file.path, format!("{{}}\n\u{0}\n{whole}{{\"sent\":{{\"line\":99,\"by\":\"\"}}}}\n")).unwrap();
        let left = file.read().unwrap();
        assert_eq!((left.open.len(), left.unreadable), (1, 2));
    }
}
