//! What an import has done, row by row, in a file beside the input: by it an import goes on after any end.
//!
//! NDJSON: the first line says what is imported where; then a line before each row is sent and one with its outcome. The
//! first of them is written, not forced to the disk, before the request leaves: the end of the program does not lose it.
//! The end of the machine may; then the service's own memory of the keys helps, since a row has the same key each time.

mod past;
mod reasons;
mod target;
mod writer;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::input::{Print, hex};
use super::rows::Row;
use super::{Reading, TransferError};
use crate::config::atomic;
use crate::model::text::{cut, short};
use crate::model::{NewPet, PetId};

pub use past::{Doubt, Past, State};
pub(super) use reasons::Reasons;
pub use target::Target;
use writer::Writer;

/// The version of the file's form.
const VERSION: u32 = 1;

/// The longest first line, in octets.
const MOST_HEAD: u64 = 64 << 10;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the form, 1.
    pub petstore_import: u32,
    /// What the rows' Idempotency-Keys are made of.
    pub id: Uuid,
    /// The file.
    pub file: Print,
    /// The service, by its address.
    pub service: String,
    /// Of the API key, by which only the same one is recognised: what a service remembers belongs to it.
    pub key: String,
    /// How the file is read.
    pub reading: Reading,
    /// How many rows can be sent, where that was counted before.
    pub good: Option<u64>,
    /// When it began.
    pub at: Timestamp,
}

impl Head {
    /// Of a new import.
    #[must_use]
    pub fn new(file: Print, target: &Target, reading: Reading, good: Option<u64>, at: Timestamp) -> Self {
        let id = Uuid::new_v4();
        let (service, key) = (target.service.clone(), recognisable(id, &target.key));
        Self { petstore_import: VERSION, id, file, service, key, reading, good, at }
    }

    /// Whether it is of this file and reading. A `reading` by which nothing is decided is any.
    fn check(&self, path: &Path, file: &Print, reading: &Reading) -> Result<(), TransferError> {
        if let Some((what, then, now)) = self.file.difference(file) {
            return Err(another(path, what, then, now));
        }
        if *reading != Reading::default() && self.reading != *reading {
            let text =
                |reading: &Reading| serde_json::to_string(reading).map_or_else(|_| String::new(), |text| short(&text));
            let what = "the reading (--format, --map, --set, --raw)";
            return Err(another(path, what, text(&self.reading), text(reading)));
        }
        Ok(())
    }
}

fn another(path: &Path, what: &'static str, then: String, now: String) -> TransferError {
    TransferError::Another { path: path.to_owned(), what, then, now }
}

/// Eight octets of a hash with the import's own id: enough to tell two keys apart, and of no use for anything else.
fn recognisable(id: Uuid, key: &str) -> String {
    hex(&Sha256::digest(format!("{id}\0{key}"))[..8])
}

/// What became of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was added.
    Added(PetId),
    /// The service does not take it.
    Refused(Answer),
    /// It may have been added.
    Unknown(Answer),
    /// It was certainly not added, and may be sent again.
    NotSent(Answer),
    /// It cannot be sent.
    Invalid(String),
}

/// Why, safe to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status, if one came.
    pub status: Option<u16>,
    /// The code of the Error body, if one came.
    pub code: Option<String>,
    /// A sentence.
    pub message: String,
}

impl Answer {
    /// All of it in one line, cut.
    #[must_use]
    pub fn words(&self) -> String {
        let status = self.status.map(|status| format!("{status} ")).unwrap_or_default();
        let code = self.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
        cut(&format!("{status}{code}{}", self.message), 300)
    }
}

/// A line after the first one, as it is written and read. Each has some of these.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Line {
    row: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// Of what is sent, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    /// When it is sent, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Word>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<PetId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// On the last line of an import that came to its end, with the row 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Added,
    Refused,
    Unknown,
    NotSent,
    Invalid,
}

/// The file, open and locked against other imports.
#[derive(Debug)]
pub struct Journal {
    /// Its path.
    pub path: PathBuf,
    writer: Writer,
}

impl Journal {
    /// Where the journal of a file is: beside it, with all of its name.
    #[must_use]
    pub fn beside(input: &Path) -> PathBuf {
        let mut name = input.file_name().unwrap_or_default().to_owned();
        name.push(".petstore-import.ndjson");
        input.with_file_name(name)
    }

    /// Refuses where there is a journal already.
    pub fn guard(path: &Path) -> Result<(), TransferError> {
        match read_head(path) {
            Err(TransferError::NoJournal(_)) => Ok(()),
            Err(error) => Err(error),
            Ok(_) => {
                let ended = past::ended(path).map_err(|source| failed(path, source))?;
                Err(TransferError::JournalExists { path: path.to_owned(), ended })
            }
        }
    }

    /// How the import of a journal reads its file, where there is one.
    #[must_use]
    pub fn reading(path: &Path) -> Option<Reading> {
        read_head(path).ok().map(|head| head.reading)
    }

    /// Begins a new one, for its owner alone. There must be none.
    pub fn create(path: &Path, head: &Head) -> Result<Self, TransferError> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = |source| failed(path, source);
        // Its first line is there as soon as it is, so that no end of the program leaves half a journal.
        let mut file = tempfile::Builder::new().prefix(".petstore-").tempfile_in(directory).map_err(failed)?;
        text(head).and_then(|head| file.write_all(&head)).map_err(failed)?;
        let file = file.persist_noclobber(path).map_err(|error| failed(error.error))?;
        lock(path, &file)?;
        Ok(Self::new(path, file))
    }

    /// Goes on with the one that is there, if it is of the same file, service and reading.
    pub fn resume(
        path: &Path,
        file: &Print,
        target: &Target,
        reading: &Reading,
    ) -> Result<(Self, Past), TransferError> {
        let head = read_head(path)?;
        head.check(path, file, reading)?;
        if head.service != target.service {
            return Err(another(path, "the service", short(&head.service), short(&target.service)));
        }
        let open = OpenOptions::new().read(true).append(true).open(path).map_err(|source| failed(path, source))?;
        lock(path, &open)?;
        let same_key = head.key == recognisable(head.id, &target.key);
        let past = Past::read(path, head, same_key, |_, _| {})?;
        // What the end of the program cut off would spoil the next line.
        open.set_len(past.whole).map_err(|source| failed(path, source))?;
        Ok((Self::new(path, open), past))
    }

    fn new(path: &Path, file: File) -> Self {
        Self { path: path.to_owned(), writer: Writer::new(file) }
    }

    /// Rows are about to be sent. Once this returns, the end of the program does not lose that.
    pub fn sending<'a>(&self, rows: impl Iterator<Item = &'a Row>, at: Timestamp) -> Result<(), TransferError> {
        let mut lines = Vec::new();
        for Row { row, line, new, .. } in rows {
            let hash = Some(format!("{:016x}", hash(new)));
            let line = Line { row: *row, line: Some(*line), hash, sent: Some(at.as_second()), ..Line::default() };
            lines.extend(text(&line).map_err(|source| self.failed(source))?);
        }
        self.writer.write(&lines).map_err(|source| self.failed(source))
    }

    /// What became of a row. It is written with what comes next, or by [`keep_up`](Self::keep_up).
    pub fn outcome(&self, row: u64, line: u64, outcome: &Outcome) -> Result<(), TransferError> {
        let answered = |word, answer: &Answer| Line {
            outcome: Some(word),
            status: answer.status,
            code: answer.code.clone(),
            message: Some(answer.message.clone()),
            line: Some(line),
            ..Line::default()
        };
        let text = match outcome {
            Outcome::Added(id) => Line { outcome: Some(Word::Added), id: Some(*id), ..Line::default() },
            Outcome::Refused(answer) => answered(Word::Refused, answer),
            Outcome::Unknown(answer) => answered(Word::Unknown, answer),
            Outcome::NotSent(answer) => answered(Word::NotSent, answer),
            Outcome::Invalid(why) => answered(Word::Invalid, &Answer { message: why.clone(), ..Answer::default() }),
        };
        self.write(&Line { row, ..text })
    }

    /// Every row has been dealt with.
    pub fn end(&self, at: Timestamp) -> Result<(), TransferError> {
        self.write(&Line { end: Some(at), ..Line::default() })
    }

    /// Brings everything to the disk, and lets others go on with it.
    pub fn close(&self) -> Result<(), TransferError> {
        self.writer.close().map_err(|source| self.failed(source))
    }

    /// Writes outcomes that have waited for a moment, for as long as it is polled. Returns only where that fails.
    pub async fn keep_up(&self) -> TransferError {
        loop {
            if let Err(source) = self.writer.soon().await {
                return self.failed(source);
            }
        }
    }

    fn write(&self, line: &Line) -> Result<(), TransferError> {
        text(line).and_then(|line| self.writer.keep(&line)).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> TransferError {
        failed(&self.path, source)
    }
}

fn text(line: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    Ok(text)
}

fn lock(path: &Path, file: &File) -> Result<(), TransferError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(TransferError::JournalInUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(failed(path, source)),
    }
}

fn failed(path: &Path, source: io::Error) -> TransferError {
    TransferError::Journal { path: path.to_owned(), source }
}

/// What is sent, in 64 bits: the same in every version of the program.
pub(super) fn hash(new: &NewPet) -> u64 {
    let status = new.status.map_or("", |status| status.as_str());
    let sum = Sha256::digest(format!("{}\0{}\0{status}", new.name, new.category_id));
    sum.iter().take(8).fold(0, |sum, octet| sum << 8 | u64::from(*octet))
}

fn read_head(path: &Path) -> Result<Head, TransferError> {
    let wrong = |why: String| TransferError::NotAJournal { path: path.to_owned(), why };
    // A pipe would keep whoever opens it waiting.
    if let Some(what) = atomic::no_file(path) {
        return Err(wrong(format!("it is {what}")));
    }
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(TransferError::NoJournal(path.to_owned())),
        Err(error) => return Err(wrong(error.to_string())),
        Ok(file) => file,
    };
    let mut text = Vec::new();
    let begin = file.seek(SeekFrom::Start(0)).and_then(|_| file.take(MOST_HEAD).read_to_end(&mut text));
    begin.map_err(|error| wrong(error.to_string()))?;
    let Some(end) = memchr::memchr(b'\n', &text) else { return Err(wrong("its first line is cut off".to_owned())) };
    let head: Head = serde_json::from_slice(&text[..end]).map_err(|error| wrong(short(&error.to_string())))?;
    if head.petstore_import != VERSION {
        return Err(wrong(format!("it has the version {}, not {VERSION}", head.petstore_import)));
    }
    Ok(head)
}

#[cfg(test)]
mod tests;
