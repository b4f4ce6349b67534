//! The [log](crate::local::log) of the pets and changes that wait to be sent, with a record when one was made, just before
//! it is sent, and when its outcome is known. Settled ones are removed when the file is opened again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read as _};
use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::local::atomic_file;
use crate::local::log::{self, Lines, Log};
use crate::model::{Draft, IdempotencyKey, NewPet, Pet, PetId, PetMembers};

/// The greatest number of a line.
const MOST_LINES: u64 = u32::MAX as u64;

/// The longest file that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum QueueRecord {
    /// A pet was typed.
    Typed(QueuedPet),
    /// A pet was changed. Earlier versions, which would add it, drop this.
    Change(QueuedPet),
    /// It is being sent.
    Sent {
        line: u64,
        /// The API key it is sent with: the service keeps idempotency keys for each API key.
        by: String,
        /// When, by the clock of the service, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        there: Option<Timestamp>,
    },
    /// It was added, or changed.
    Saved { line: u64, id: PetId },
    /// It was refused, for this reason: the user edits or drops it.
    Refused {
        line: u64,
        #[serde(default)]
        why: String,
    },
    /// It was edited, and has a new number, or was dropped.
    Dropped { line: u64 },
}

impl QueueRecord {
    /// Which line it is of.
    pub const fn line(&self) -> u64 {
        let (Self::Typed(QueuedPet { line, .. })
        | Self::Change(QueuedPet { line, .. })
        | Self::Sent { line, .. }
        | Self::Saved { line, .. }
        | Self::Refused { line, .. }
        | Self::Dropped { line }) = self;
        *line
    }
}

/// An attempt to send a pet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The API key it is sent with.
    pub by: String,
    /// When, by the clock of the service, if known.
    pub there: Option<Timestamp>,
}

impl Attempt {
    /// An attempt with the API key that ends like this, or with the service inside the program, which needs none.
    pub fn new(key: Option<&str>, there: Option<Timestamp>) -> Self {
        Self { by: key.unwrap_or("inside").to_owned(), there }
    }

    /// Its record.
    pub fn record(self, line: u64) -> QueueRecord {
        QueueRecord::Sent { line, by: self.by, there: self.there }
    }
}

/// A pet as it was typed, or as it will be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedPet {
    /// Its number in the file.
    pub line: u64,
    /// When.
    pub at: Timestamp,
    /// Its key, the same whenever it is sent.
    pub key: IdempotencyKey,
    /// The pet, unchecked.
    pub pet: Draft,
    /// The largest id that was known by then; 0 if none was.
    #[serde(default)]
    pub known: PetId,
    /// What is changed, if it is not added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Box<QueuedChange>>,
}

/// A change of a pet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuedChange {
    /// The pet as it was shown: nobody may have changed it since.
    pub seen: Pet,
    /// As it will be.
    pub wanted: Pet,
    /// The number of the first line that the same command made.
    pub command: u64,
    /// It undoes a change.
    pub is_undo: bool,
}

impl QueuedChange {
    /// What undoes it where this pet was the answer: the pet as it is, and as it becomes again. Only the members that were
    /// changed: the rest may be of others.
    pub fn undo(&self, answered: &Pet) -> (Pet, Pet) {
        let (from, to) = PetMembers::of_change(&self.seen, &self.wanted);
        (to.over(answered), from.over(answered))
    }
}

impl QueuedPet {
    /// Whether it adds this pet.
    pub fn adds(&self, pet: &Draft) -> bool {
        self.change.is_none() && self.pet == *pet
    }

    /// Its record.
    pub fn record(self) -> QueueRecord {
        if self.change.is_some() { QueueRecord::Change(self) } else { QueueRecord::Typed(self) }
    }
}

/// When a pet was first sent. Its age is the difference of two times of one clock: this machine's may be set meanwhile,
/// and the service's may differ from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SavedTime")]
pub struct SentAt {
    /// By the clock of this machine.
    pub here: Timestamp,
    /// By the clock of the service, if it was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub there: Option<Timestamp>,
}

/// As it is saved: drafts of the first version have only the time of this machine.
#[derive(Deserialize)]
#[serde(untagged)]
enum SavedTime {
    Here(Timestamp),
    Both { here: Timestamp, there: Option<Timestamp> },
}

impl From<SavedTime> for SentAt {
    fn from(saved: SavedTime) -> Self {
        match saved {
            SavedTime::Here(here) => Self { here, there: None },
            SavedTime::Both { here, there } => Self { here, there },
        }
    }
}

/// A pet that an earlier version sent without an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentPet {
    pub new: NewPet,
    /// Its key, the same when it is sent again.
    pub key: IdempotencyKey,
    /// When it was first sent.
    pub at: SentAt,
    /// The last characters of the API key that it was sent with.
    pub api_key: String,
    /// The pets known before.
    #[serde(default)]
    pub known: Vec<PetId>,
}

impl SentPet {
    /// The same as a line of the queue with this number.
    pub fn queued(&self, line: u64) -> Line {
        let Self { new, key, at, api_key, known } = self.clone();
        let pet = Draft { name: new.name, category_id: new.category_id.to_string(), status: new.status };
        let pet = QueuedPet { line, at: at.here, key, pet, known: known.into_iter().max().unwrap_or(0), change: None };
        Line { sent: Some(Attempt { by: api_key, there: at.there }), ..pet.into() }
    }
}

/// A pet that was taken, and is not settled unless its fate says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// As it was typed. An edited line gets a new number.
    pub typed: QueuedPet,
    /// It was sent, and its outcome is unknown.
    pub sent: Option<Attempt>,
    /// What happened to it.
    pub fate: Fate,
}

/// What happened to a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is not in the file yet, or not as it is.
    Unwritten,
    /// It waits to be sent.
    Waiting,
    /// It has been sent in this lane since then.
    Sending(usize, Instant),
    /// It was added with this id.
    Saved(PetId),
    /// It was refused, for this reason: a word or two for the list, a colon, and a sentence.
    Refused(String),
    /// It may have been added. A matching pet, if one was found.
    Unknown(Option<PetId>),
}

impl Fate {
    /// Whether it is still to be saved.
    pub const fn is_waiting(&self) -> bool {
        matches!(self, Self::Unwritten | Self::Waiting | Self::Sending(..))
    }

    pub const fn is_saved(&self) -> bool {
        matches!(self, Self::Saved(_))
    }

    /// Why it was refused, as a sentence.
    pub fn explanation(&self) -> Option<&str> {
        let Self::Refused(why) = self else { return None };
        Some(why.split_once(": ").map_or(why.as_str(), |(_, sentence)| sentence))
    }

    /// Whether it is neither under way nor added.
    pub const fn can_be_dropped(&self) -> bool {
        matches!(self, Self::Waiting | Self::Refused(_) | Self::Unknown(_))
    }

    /// Whether it needs the user.
    pub const fn wants_the_user(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Unknown(_))
    }
}

impl From<QueuedPet> for Line {
    fn from(typed: QueuedPet) -> Self {
        Self { typed, sent: None, fate: Fate::Waiting }
    }
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// In the order of typing.
    pub open: Vec<Line>,
    /// Those that were added.
    pub saved: Vec<QueuedPet>,
}

impl Unfinished {
    fn take(&mut self, mut record: QueueRecord) {
        // Nobody has made so many: the file was damaged or forged.
        if record.line() > MOST_LINES {
            return;
        }
        if let QueueRecord::Change(QueuedPet { line, change: Some(change), .. }) = &mut record {
            change.command = change.command.min(*line);
        }
        match record {
            // A record may be there twice; it also undoes a refusal, and an attempt that has certainly failed.
            QueueRecord::Typed(typed) | QueueRecord::Change(typed) => match self.line(typed.line) {
                Some(open) => *open = typed.into(),
                None => self.open.push(typed.into()),
            },
            QueueRecord::Sent { line, by, there } => {
                if let Some(open) = self.line(line) {
                    // The service keeps the key since the first one.
                    let first = open.sent.take().filter(|first| first.by == by);
                    open.sent = Some(first.unwrap_or(Attempt { by, there }));
                }
            }
            QueueRecord::Refused { line, why } => {
                if let Some(open) = self.line(line) {
                    (open.sent, open.fate) = (None, Fate::Refused(why));
                }
            }
            QueueRecord::Saved { line, id: _ } => {
                let saved = self.open.extract_if(.., |open| open.typed.line == line);
                self.saved.extend(saved.map(|open| open.typed).filter(|typed| typed.change.is_none()));
            }
            QueueRecord::Dropped { line } => self.open.retain(|open| open.typed.line != line),
        }
    }

    fn line(&mut self, number: u64) -> Option<&mut Line> {
        self.open.iter_mut().find(|open| open.typed.line == number)
    }
}

impl Line {
    /// The change, if it is one.
    pub fn change(&self) -> Option<&QueuedChange> {
        self.typed.change.as_deref()
    }

    /// Whether it is a change of this pet that is still to be made.
    pub fn changes(&self, id: PetId) -> bool {
        self.fate.is_waiting() && self.change().is_some_and(|change| change.seen.id == id)
    }

    /// The records that lead to it.
    pub fn records(&self) -> impl Iterator<Item = QueueRecord> + use<> {
        let Self { typed, sent, fate } = self.clone();
        let line = typed.line;
        let sent = sent.map(|sent| sent.record(line));
        let refused = if let Fate::Refused(why) = fate { Some(QueueRecord::Refused { line, why }) } else { None };
        [Some(typed.record()), sent, refused].into_iter().flatten()
    }
}

/// The file, for writing. It is created by the first record.
#[derive(Debug)]
pub struct QueueFile {
    path: PathBuf,
    log: Option<Log>,
}

impl QueueFile {
    /// The file at `path`, which must be claimed.
    pub const fn new(path: PathBuf) -> Self {
        Self { path, log: None }
    }

    /// What it holds. A missing file is empty.
    pub fn read(&self) -> io::Result<Unfinished> {
        let mut left = Unfinished::default();
        let Some(file) = atomic_file::if_there(File::open(&self.path))? else { return Ok(left) };
        let mut lines = Lines::new(BufReader::new(file.take(MOST_BYTES)), u64::MAX);
        while let Some((_, line)) = lines.next_line()? {
            // What cannot be read is passed over.
            if let Ok(record) = serde_json::from_slice(line) {
                left.take(record);
            }
        }
        Ok(left)
    }

    /// Appends records. They survive a crash of petstore when this returns, and of the machine after
    /// [`sync`](Self::sync).
    pub fn append(&mut self, records: &[QueueRecord]) -> io::Result<()> {
        let mut log = match self.log.take() {
            Some(log) => log,
            None => self.open()?,
        };
        // A partial record is cut off when the file is opened again.
        log.append(records)?;
        self.log = Some(log);
        Ok(())
    }

    /// Syncs the file.
    pub fn sync(&self) -> io::Result<()> {
        self.log.as_ref().map_or(Ok(()), Log::sync)
    }

    /// Removes it if everything is settled.
    pub fn remove_if_settled(&mut self) -> io::Result<()> {
        if !self.read()?.open.is_empty() || !self.path.exists() {
            return self.sync();
        }
        self.log = None;
        fs::remove_file(&self.path)
    }

    /// Rewrites it without settled and torn records.
    fn open(&self) -> io::Result<Log> {
        let records = self.read()?.open.into_iter().flat_map(|line| line.records());
        let lines = records.map(|record| log::line(&record)).collect::<io::Result<String>>()?;
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
        QueuedPet { line, at: "2026-11-20T14:03:07Z".parse().unwrap(), key: keys.make(), pet, known: 0, change: None }
    }

    fn attempt() -> Attempt {
        Attempt { by: "77d0".into(), there: None }
    }

    fn by(line: u64) -> QueueRecord {
        QueueRecord::Sent { line, by: "77d0".into(), there: None }
    }

    fn refused(line: u64) -> QueueRecord {
        QueueRecord::Refused { line, why: "refused (400)".into() }
    }

    #[test]
    fn the_code_that_an_earlier_version_wrote_is_left_out() {
        let line = log::line(&QueueRecord::Typed(typed(1))).unwrap();
        let (_directory, file) = queue();
        fs::write(&file.path, line.replace("\"pet\":", "\"code\":\"96385074\",\"pet\":")).unwrap();
        assert_eq!(file.read().unwrap().open, [Line::from(typed(1))]);
    }

    #[test]
    fn a_change_is_read_back_with_its_key_and_what_was_seen_and_is_not_taken_for_a_pet_to_add() {
        let seen = Pet { id: 7, name: "Rex 1".into(), category_id: 3, status: None };
        let change = QueuedChange { wanted: Pet { id: 7, ..seen.clone() }, seen, command: 1, is_undo: false };
        let change = QueuedPet { change: Some(Box::new(change)), ..typed(1) };
        let (_directory, mut file) = queue();
        file.append(&[change.clone().record(), by(1)]).unwrap();
        // No number of a damaged file is counted on from.
        file.append(&[typed(u64::MAX).record()]).unwrap();
        assert_eq!(file.read().unwrap().open, [Line { sent: Some(attempt()), ..change.clone().into() }]);
        assert!(fs::read_to_string(&file.path).unwrap().starts_with("{\"change\":"), "earlier versions pass over it");
        file.append(&[QueueRecord::Saved { line: 1, id: 7 }]).unwrap();
        assert_eq!(file.read().unwrap(), Unfinished::default());
    }

    #[test]
    fn a_refused_pet_that_is_taken_anyway_waits_again() {
        let (_directory, mut file) = queue();
        file.append(&[QueueRecord::Typed(typed(1)), by(1), refused(1), QueueRecord::Typed(typed(1))]).unwrap();
        assert_eq!(file.read().unwrap().open, [Line::from(typed(1))]);
    }

    #[test]
    fn a_pet_whose_attempt_has_certainly_failed_waits_as_if_it_was_never_sent() {
        let (_directory, mut file) = queue();
        file.append(&[QueueRecord::Typed(typed(1)), QueueRecord::Typed(typed(2)), by(1)]).unwrap();
        file.append(&[QueueRecord::Typed(typed(1))]).unwrap();
        assert_eq!(file.read().unwrap().open, [1, 2].map(|line| Line::from(typed(line))));
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
    fn typed_pets_wait_sent_ones_are_unknown_and_the_rest_is_settled() {
        let (_directory, mut file) = queue();
        assert_eq!(file.read().unwrap(), Unfinished::default());
        let records: Vec<QueueRecord> = (1..=5).map(|line| QueueRecord::Typed(typed(line))).collect();
        file.append(&records).unwrap();
        file.append(&[by(1), QueueRecord::Saved { line: 1, id: 7 }, by(2), by(3), refused(3)]).unwrap();
        file.append(&[QueueRecord::Dropped { line: 4 }, QueueRecord::Typed(typed(5))]).unwrap();
        file.sync().unwrap();
        let open = |line: u64, sent: Option<Attempt>, refused: Option<&str>| Line {
            typed: typed(line),
            sent,
            fate: refused.map_or(Fate::Waiting, |why| Fate::Refused(why.to_owned())),
        };
        let open = vec![open(2, Some(attempt()), None), open(3, None, Some("refused (400)")), open(5, None, None)];
        let left = Unfinished { open, saved: vec![typed(1)] };
        assert_eq!(file.read().unwrap(), left);
        assert_eq!(fs::metadata(&file.path).unwrap().permissions().mode() & 0o777, 0o600);
        // Opened again, it holds the same without settled pets.
        let mut again = QueueFile::new(file.path.clone());
        again.append(&[]).unwrap();
        assert_eq!(again.read().unwrap(), Unfinished { saved: Vec::new(), ..left });
        again.remove_if_settled().unwrap();
        assert!(again.path.exists());
        again.append(&[QueueRecord::Saved { line: 2, id: 8 }, QueueRecord::Saved { line: 5, id: 9 }]).unwrap();
        again.remove_if_settled().unwrap();
        assert!(again.path.exists(), "a refused line needs fixing");
        again.append(&[QueueRecord::Dropped { line: 3 }]).unwrap();
        again.remove_if_settled().unwrap();
        assert!(!again.path.exists());
        again.remove_if_settled().unwrap();
    }

    #[test]
    fn a_line_that_was_sent_twice_is_as_old_as_the_first_attempt_with_its_api_key() {
        let sent = |by: &str, hour: i64| {
            let there = Timestamp::from_second(hour * 3600).ok();
            QueueRecord::Sent { line: 1, by: by.into(), there }
        };
        let (_directory, mut file) = queue();
        file.append(&[QueueRecord::Typed(typed(1)), sent("77d0", 1), sent("77d0", 9)]).unwrap();
        let first = |file: &QueueFile| file.read().unwrap().open.remove(0).sent.unwrap();
        assert_eq!(first(&file), Attempt { by: "77d0".into(), there: Timestamp::from_second(3600).ok() });
        file.append(&[sent("ffff", 9)]).unwrap();
        assert_eq!(first(&file), Attempt { by: "ffff".into(), there: Timestamp::from_second(9 * 3600).ok() });
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
            let count = fs::read_to_string(&file.path).unwrap().lines().count();
            assert_eq!((lines, count), (vec![1, 3], 2), "{end}");
        }
    }

    #[test]
    fn unreadable_lines_are_passed_over_and_the_others_are_read() {
        let (_directory, file) = queue();
        let whole = text(&[QueueRecord::Typed(typed(1))]);
        fs::write(&file.path, format!("{{}}\n\u{0}\n{whole}{{\"sent\":{{\"line\":99,\"by\":\"\"}}}}\n")).unwrap();
        assert_eq!(file.read().unwrap().open.len(), 1);
    }

    #[test]
    fn a_time_that_an_earlier_version_saved_is_read() {
        let here: Timestamp = "2026-11-19T08:00:00Z".parse().unwrap();
        let read = |text: &str| serde_json::from_str::<SentAt>(text).unwrap();
        assert_eq!(read("\"2026-11-19T08:00:00Z\""), SentAt { here, there: None });
        let both = SentAt { here, there: Some(here) };
        assert_eq!(read(&serde_json::to_string(&both).unwrap()), both);
    }
}
