//! The [log](crate::local::log) of the pets that wait to be sent: a record when one was typed, one just before it is
//! sent, and one when it is known what became of it. What is settled is left out when the file is opened again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read as _};
use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::local::atomic_file;
use crate::local::log::{self, Lines, Log};
use crate::model::{Draft, IdempotencyKey, PetId};

/// The longest file that is read, in bytes.
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
    fn take(&mut self, record: QueueRecord) {
        match record {
            // Written twice is the same as once, unless it was refused in between.
            QueueRecord::Typed(typed) => match self.line(typed.line) {
                Some(open) => (open.typed, open.refused) = (typed, None),
                None => self.open.push(Open { typed, sent: None, refused: None }),
            },
            QueueRecord::Sent { line, by } => {
                if let Some(open) = self.line(line) {
                    open.sent = Some(by);
                }
            }
            QueueRecord::Refused { line, why } => {
                if let Some(open) = self.line(line) {
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

    fn line(&mut self, number: u64) -> Option<&mut Open> {
        self.open.iter_mut().find(|open| open.typed.line == number)
    }

    fn records(self) -> impl Iterator<Item = QueueRecord> {
        self.open.into_iter().flat_map(|Open { typed, sent, refused }| {
            let line = typed.line;
            let sent = sent.map(|by| QueueRecord::Sent { line, by });
            let refused = refused.map(|why| QueueRecord::Refused { line, why });
            [Some(QueueRecord::Typed(typed)), sent, refused].into_iter().flatten()
        })
    }
}

/// The file, for writing. Not there before something is written.
#[derive(Debug)]
pub(super) struct QueueFile {
    path: PathBuf,
    log: Option<Log>,
}

impl QueueFile {
    /// The file at `path`; nobody else may write it.
    pub(super) const fn new(path: PathBuf) -> Self {
        Self { path, log: None }
    }

    /// What it holds now. None is as good as an empty one.
    pub(super) fn read(&self) -> io::Result<Unfinished> {
        let mut left = Unfinished::default();
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(left),
            Err(error) => return Err(error),
        };
        let mut lines = Lines::new(BufReader::new(file.take(MOST_OCTETS)), u64::MAX);
        while let Some((_, line)) = lines.next_line()? {
            match serde_json::from_slice(line) {
                Ok(record) => left.take(record),
                Err(_) => left.unreadable += usize::from(line != b"\n"),
            }
        }
        Ok(left)
    }

    /// Adds records at the end. They survive the end of the program when this returns, and that of the machine after
    /// [`sync`](Self::sync).
    pub(super) fn append(&mut self, records: &[QueueRecord]) -> io::Result<()> {
        let mut log = match self.log.take() {
            Some(log) => log,
            None => self.open()?,
        };
        records.iter().try_for_each(|record| log.keep(record).map(drop))?;
        // What was written in part is cut off when it is opened again.
        log.write()?;
        self.log = Some(log);
        Ok(())
    }

    /// Waits until the disk has everything.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.log.as_ref().map_or(Ok(()), Log::sync)
    }

    /// Removes it if nothing in it waits, has an unknown outcome or is to be corrected.
    pub(super) fn remove_if_settled(&mut self) -> io::Result<()> {
        if !self.read()?.open.is_empty() || !self.path.exists() {
            return self.sync();
        }
        self.log = None;
        fs::remove_file(&self.path)
    }

    /// Leaves out what is settled or torn.
    fn open(&self) -> io::Result<Log> {
        let lines = self.read()?.records().map(|record| log::line(&record)).collect::<io::Result<String>>()?;
        atomic_file::replace_private(&self.path, &lines)?;
        Ok(Log::new(OpenOptions::new().append(true).open(&self.path)?))
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

    fn text(records: &[QueueRecord]) -> String {
        records.iter().map(|record| log::line(record).unwrap()).collect()
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
        let whole = text(&[QueueRecord::Typed(typed(1)), QueueRecord::Typed(typed(2))]);
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
        let whole = text(&[QueueRecord::Typed(typed(1))]);
        fs::write(&file.path, format!("{{}}\n\u{0}\n{whole}{{\"sent\":{{\"line\":99,\"by\":\"\"}}}}\n")).unwrap();
        let left = file.read().unwrap();
        assert_eq!((left.open.len(), left.unreadable), (1, 2));
    }
}
