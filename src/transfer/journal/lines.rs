//! The lines of a journal: the head, and those of the rows.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::config::{Service, Settings};
use crate::local::atomic_file;
use crate::model::{IdempotencyKey, NewPet, PetId, cut, short};
use crate::transfer::input::{Print, hex};
use crate::transfer::preview::RowCounts;
use crate::transfer::{ColumnMapping, Result, TransferError};

/// The version of the format. Version 1 had no keys and no times of the service, and its rows had the file's order; in
/// version 2, an edited file got a new journal.
const VERSION: u32 = 3;

/// The longest first line, in bytes.
const MOST_HEAD: u64 = 64 << 10;

/// The first line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the format.
    pub petstore_import: u32,
    /// The base of the rows' Idempotency-Keys.
    pub id: Uuid,
    pub file: Print,
    /// The service, by its address.
    pub service: String,
    /// The fingerprint of the API key, to which the service's memory of keys belongs.
    pub key: String,
    /// How the file is read.
    pub reading: ColumnMapping,
    /// How many rows can be sent, if counted before.
    pub good: Option<u64>,
    /// How many cannot.
    #[serde(default)]
    pub bad: Option<u64>,
    /// When it began.
    pub at: Timestamp,
    /// How the file was edited since.
    #[serde(skip)]
    pub edits: Vec<Edited>,
}

impl Head {
    /// The head of a new import.
    pub fn new(file: Print, target: &Target, reading: ColumnMapping, counts: Option<RowCounts>, at: Timestamp) -> Self {
        let (good, bad) = counts.map(|counts| (counts.good, counts.bad)).unzip();
        let id = Uuid::new_v4();
        let (service, key) = (target.service.clone(), recognisable(id, &target.key));
        Self { petstore_import: VERSION, id, file, service, key, reading, good, bad, at, edits: Vec::new() }
    }

    /// Fails if it has another column mapping. A default `reading` matches any.
    pub fn check_reading(&self, path: &Path, reading: &ColumnMapping) -> Result<()> {
        if reading.is_default() || self.reading.agrees_with(reading) {
            return Ok(());
        }
        let text = |reading: &ColumnMapping| short(&serde_json::to_string(reading).unwrap_or_default());
        let what = "the column mapping (--format, --map, --set, --raw)";
        Err(another(path, what, text(&self.reading), text(reading)))
    }

    /// Fails if it is of another service.
    pub fn check_service(&self, path: &Path, target: &Target) -> Result<()> {
        if self.service == target.service {
            return Ok(());
        }
        Err(another(path, "the service", short(&self.service), short(&target.service)))
    }

    /// The file is this one now.
    pub fn take(&mut self, edited: Edited) {
        (self.file, self.good, self.bad) = (edited.file.clone(), Some(edited.good), Some(edited.bad));
        self.edits.push(edited);
    }

    /// The Idempotency-Key of a row, the same whenever it is sent.
    pub fn key_of(&self, row: u64) -> IdempotencyKey {
        let base = self.edits.iter().rev().find(|edited| row > edited.last).map_or(self.id, |edited| edited.id);
        IdempotencyKey::numbered(base, row)
    }

    /// The fingerprint of the API key of `target` in this journal.
    pub fn who(&self, target: &Target) -> String {
        recognisable(self.id, &target.key)
    }
}

fn another(path: &Path, what: &'static str, then: String, now: String) -> TransferError {
    TransferError::Another { path: path.to_owned(), what, then, now }
}

/// Eight bytes of a hash salted with the import's id: enough to compare keys, and useless otherwise.
fn recognisable(id: Uuid, key: &str) -> String {
    hex(&Sha256::digest(format!("{id}\0{key}"))[..8])
}

/// What became of a row. Its state is the same without the reason: unknown from when it is sent, and before that not sent.
#[derive(Clone, Debug, PartialEq, Eq, strum::EnumDiscriminants)]
#[strum_discriminants(name(RowState), vis(pub), derive(PartialOrd, Ord, Serialize, Deserialize))]
#[strum_discriminants(serde(rename_all = "snake_case"))]
pub enum RowOutcome {
    Added(PetId),
    /// It may have been added.
    Unknown(RowAnswer),
    /// The service refused it.
    Refused(RowAnswer),
    /// It cannot be sent.
    Invalid(String),
    /// It was definitely not added, and may be sent again.
    NotSent(RowAnswer),
}

impl RowOutcome {
    /// In words, safe to show.
    pub fn words(&self) -> String {
        match self {
            Self::Added(id) => format!("id {id}"),
            Self::Refused(answer) => answer.words(),
            Self::Unknown(answer) => format!("may have been added: {}", answer.words()),
            Self::NotSent(answer) => format!("not sent: {}", answer.words()),
            Self::Invalid(why) => why.clone(),
        }
    }
}

/// Why, safe to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowAnswer {
    /// The HTTP status, if any.
    pub status: Option<u16>,
    /// The code of the Error body, if any.
    pub code: Option<String>,
    /// A sentence.
    pub message: String,
}

impl RowAnswer {
    /// An answer with only a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    /// Everything in one line, shortened.
    pub fn words(&self) -> String {
        let status = self.status.map(|status| format!("{status} ")).unwrap_or_default();
        let code = self.code.as_ref().map(|code| format!("{code} ")).unwrap_or_default();
        cut(&format!("{status}{code}{}", self.message), 300)
    }
}

/// The file after it was edited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// The base of the Idempotency-Keys of further rows: their numbers may have been in use, and lost in a power cut.
    pub id: Uuid,
    /// The last number before.
    pub last: u64,
    pub file: Print,
    pub good: u64,
    pub bad: u64,
}

/// A line after the head. Each has some of these members.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Line {
    pub row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The hash of what is sent, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// When it is sent, in seconds since 1970, by the clock of the service if its answers have a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent: Option<i64>,
    /// The Idempotency-Key, if not derived from the row's number: in a journal of version 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<IdempotencyKey>,
    /// The fingerprint of the API key, if not that of the head; empty if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RowState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<PetId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the import was completed, on the last line, with row 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Timestamp>,
    /// How many rows were not added, on that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone: Option<u64>,
    /// The file that is imported from here on, with row 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited: Option<Edited>,
}

impl Line {
    /// What became of a row.
    pub fn of(row: u64, line: u64, outcome: &RowOutcome) -> Self {
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

/// The hash of what is sent, the same in every version of petstore.
pub fn hash(new: &NewPet) -> u64 {
    let status = new.status.map_or("", |status| status.as_str());
    let sum = Sha256::digest(format!("{}\0{}\0{status}", new.name, new.category_id));
    sum.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

pub fn hex_of(hash: u64) -> String {
    format!("{hash:016x}")
}

pub fn failed(path: &Path, source: io::Error) -> TransferError {
    TransferError::Write { name: path.display().to_string(), source }
}

pub fn read_head(path: &Path) -> Result<Head> {
    let wrong = |why: String| TransferError::NotAJournal { path: path.to_owned(), why };
    // Opening a pipe would block.
    if let Some(what) = atomic_file::no_file(path) {
        return Err(wrong(format!("it is {what}")));
    }
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(TransferError::NoJournal(path.to_owned())),
        Err(error) => return Err(wrong(error.to_string())),
        Ok(file) => file,
    };
    let mut text = Vec::new();
    file.take(MOST_HEAD).read_to_end(&mut text).map_err(|error| wrong(error.to_string()))?;
    let Some(end) = text.iter().position(|byte| *byte == b'\n') else {
        return Err(wrong("its first line is cut off".to_owned()));
    };
    let head: Head = serde_json::from_slice(&text[..end]).map_err(|error| wrong(short(&error.to_string())))?;
    if !(1..=VERSION).contains(&head.petstore_import) {
        return Err(wrong(format!("it has version {}; use a newer petstore", head.petstore_import)));
    }
    Ok(head)
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The service: its address, or the database of the embedded store.
    pub service: String,
    /// The API key, or a substitute. Never written.
    pub key: String,
}

impl Target {
    /// The service of these settings. The embedded store is identified by its database, which must exist; resolving it
    /// blocks briefly.
    pub fn of(settings: &Settings) -> Self {
        match &settings.service {
            // It has new pets in each session, and keeps nothing.
            Service::Demo => Self { service: "demo".to_owned(), key: Uuid::new_v4().to_string() },
            Service::Embedded { database } => {
                let database = fs::canonicalize(database).unwrap_or_else(|_| database.clone());
                // Each session has its own key with the same public part, to which the database ties Idempotency-Keys.
                Self { service: format!("in this program, {}", database.display()), key: "session".to_owned() }
            }
            Service::Remote(remote) => Self {
                service: remote.base_url.to_string(),
                key: remote.key.as_ref().map_or_else(String::new, |key| key.expose().to_owned()),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Choices, Env};

    #[test]
    fn one_database_is_one_target_by_whatever_path_and_each_demo_another() {
        let directory = tempfile::tempdir().unwrap();
        let of = |service: &Service| {
            let env: Env = [("HOME", directory.path())].into_iter().collect();
            let settings = Settings::resolve(&Choices::default(), &env).unwrap();
            Target::of(&Settings { service: service.clone(), ..settings })
        };
        let embedded = |path: &str| Service::Embedded { database: directory.path().join(path) };
        fs::write(directory.path().join("a.db"), "").unwrap();
        fs::create_dir(directory.path().join("below")).unwrap();
        assert_eq!(of(&embedded("a.db")), of(&embedded("below/../a.db")));
        assert_ne!(of(&embedded("a.db")), of(&embedded("b.db")));
        assert_ne!(of(&Service::Demo), of(&Service::Demo));
    }
}
