//! The lines of a journal: the first one, and those of the rows.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::Target;
use crate::local::atomic_file;
use crate::model::text::{cut, short};
use crate::model::{IdempotencyKey, PetId};
use crate::transfer::input::{Print, hex};
use crate::transfer::{ColumnMapping, TransferError};

/// The version of the file's form. The first had no keys and times of the service, and its rows had the file's order.
const VERSION: u32 = 2;

/// The longest first line, in octets.
const MOST_HEAD: u64 = 64 << 10;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the form.
    pub petstore_import: u32,
    /// What the rows' Idempotency-Keys are made of.
    pub id: Uuid,
    pub file: Print,
    /// The service, by its address.
    pub service: String,
    /// Of the API key, by which only the same one is recognised: what a service remembers belongs to it.
    pub key: String,
    /// How the file is read.
    pub reading: ColumnMapping,
    /// How many rows can be sent, where that was counted before.
    pub good: Option<u64>,
    /// When it began.
    pub at: Timestamp,
}

impl Head {
    /// Of a new import.
    pub fn new(file: Print, target: &Target, reading: ColumnMapping, good: Option<u64>, at: Timestamp) -> Self {
        let id = Uuid::new_v4();
        let (service, key) = (target.service.clone(), recognisable(id, &target.key));
        Self { petstore_import: VERSION, id, file, service, key, reading, good, at }
    }

    /// Whether it is of this reading. A `reading` by which nothing is decided is any.
    pub(in crate::transfer) fn check_reading(&self, path: &Path, reading: &ColumnMapping) -> Result<(), TransferError> {
        if *reading == ColumnMapping::default() || self.reading == *reading {
            return Ok(());
        }
        let text = |reading: &ColumnMapping| {
            serde_json::to_string(reading).map_or_else(|_| String::new(), |text| short(&text))
        };
        let what = "the reading (--format, --map, --set, --raw)";
        Err(another(path, what, text(&self.reading), text(reading)))
    }

    /// Whether it is of this service.
    pub(in crate::transfer) fn check_service(&self, path: &Path, target: &Target) -> Result<(), TransferError> {
        if self.service == target.service {
            return Ok(());
        }
        Err(another(path, "the service", short(&self.service), short(&target.service)))
    }

    /// What stands for the API key of `target` in this journal.
    pub(in crate::transfer) fn who(&self, target: &Target) -> String {
        recognisable(self.id, &target.key)
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
#[derive(Clone, Debug, PartialEq, Eq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Word), vis(pub(super)), derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum RowOutcome {
    Added(PetId),
    /// The service does not take it.
    Refused(RowAnswer),
    /// It may have been added.
    Unknown(RowAnswer),
    /// It was certainly not added, and may be sent again.
    NotSent(RowAnswer),
    /// It cannot be sent.
    Invalid(String),
}

/// Why, safe to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowAnswer {
    /// The HTTP status, if one came.
    pub status: Option<u16>,
    /// The code of the Error body, if one came.
    pub code: Option<String>,
    /// A sentence.
    pub message: String,
}

impl RowAnswer {
    /// Nothing but a sentence.
    pub(in crate::transfer) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// All of it in one line, cut.
    pub fn words(&self) -> String {
        let status = self.status.map(|status| format!("{status} ")).unwrap_or_default();
        let code = self.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
        cut(&format!("{status}{code}{}", self.message), 300)
    }
}

/// A line after the first one, as it is written and read. Each has some of these.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u64>,
    /// Of what is sent, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hash: Option<String>,
    /// When it is sent, in seconds since 1970: by the clock of the service, if its answers have a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<i64>,
    /// The Idempotency-Key, if it is not the one of the row's number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<IdempotencyKey>,
    /// Of the API key, if it is not the one of the first line; empty if it is not known any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<Word>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<PetId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// On the last line of an import that came to its end, with the row 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<Timestamp>,
}

impl Line {
    /// What became of a row.
    pub(super) fn of(row: u64, line: u64, outcome: &RowOutcome) -> Self {
        let known = Self { row, outcome: Some(outcome.into()), ..Self::default() };
        let answer = match outcome {
            RowOutcome::Added(id) => return Self { id: Some(*id), ..known },
            RowOutcome::Refused(answer) | RowOutcome::Unknown(answer) | RowOutcome::NotSent(answer) => answer.clone(),
            RowOutcome::Invalid(why) => RowAnswer::new(why),
        };
        let RowAnswer { status, code, message } = answer;
        Self { line: Some(line), status, code, message: Some(message), ..known }
    }
}

pub(super) fn failed(path: &Path, source: io::Error) -> TransferError {
    TransferError::Write { name: path.display().to_string(), source }
}

pub(in crate::transfer) fn read_head(path: &Path) -> Result<Head, TransferError> {
    let wrong = |why: String| TransferError::NotAJournal { path: path.to_owned(), why };
    // A pipe would keep whoever opens it waiting.
    if let Some(what) = atomic_file::no_file(path) {
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
    if !(1..=VERSION).contains(&head.petstore_import) {
        return Err(wrong(format!("it has the version {}; a newer petstore can read it", head.petstore_import)));
    }
    Ok(head)
}
