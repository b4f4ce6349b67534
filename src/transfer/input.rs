//! Where animals are read from: a file, which can be read again, or a stream, which cannot.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use encoding_rs::{Encoding, UTF_8};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::TransferError;
use super::utf16;
use crate::model::text::short;

/// How much of the beginning is looked at before anything is read, in octets.
const HEAD: u64 = 1 << 20;

/// The largest file whose every octet is looked at to tell it from another one.
const WHOLE: u64 = 64 << 20;

/// What tells one file from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// In octets; `None` for a stream.
    pub size: Option<u64>,
    /// When it was changed, in milliseconds since 1970; `None` for a stream.
    pub modified: Option<i64>,
    /// The SHA-256 of the first MiB.
    pub head: String,
    /// The SHA-256 of all, of files up to 64 MiB.
    pub whole: Option<String>,
}

impl Print {
    /// In which way `now` is another file, if it is one. The time counts only where not every octet was looked at.
    pub fn difference(&self, now: &Self) -> Option<(&'static str, String, String)> {
        let text = |value: Option<i64>| value.map_or("not known".to_owned(), |value| value.to_string());
        let size = |print: &Self| print.size.map_or("not known".to_owned(), |size| format!("{size} octets"));
        if self.size != now.size {
            Some(("the size of the file", size(self), size(now)))
        } else if self.head != now.head || self.whole != now.whole {
            Some(("the content of the file (SHA-256)", short(&self.head), short(&now.head)))
        } else if self.whole.is_none() && self.modified != now.modified {
            Some(("the time of the file's last change", text(self.modified), text(now.modified)))
        } else {
            None
        }
    }
}

/// An input that has been opened. Its beginning is known, and nothing has been taken from it.
pub struct Input {
    /// Its name for people.
    pub name: String,
    /// Of a file.
    pub path: Option<PathBuf>,
    /// Its first octets.
    pub head: Vec<u8>,
    rest: Box<dyn Read + Send>,
}

impl Input {
    pub fn file(path: &Path) -> Result<Self, TransferError> {
        let name = short(&path.display().to_string());
        let failed = |source| TransferError::Read { name: name.clone(), source };
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        Self::new(name, Some(path.to_owned()), Box::new(file))
    }

    /// A stream such as standard input, of which the first MiB is waited for.
    pub fn stream(name: &str, stream: impl Read + Send + 'static) -> Result<Self, TransferError> {
        Self::new(name.to_owned(), None, Box::new(stream))
    }

    fn new(name: String, path: Option<PathBuf>, mut rest: Box<dyn Read + Send>) -> Result<Self, TransferError> {
        let mut head = Vec::new();
        match rest.by_ref().take(HEAD).read_to_end(&mut head) {
            Ok(0) => Err(TransferError::Empty(name)),
            Ok(_) => Ok(Self { name, path, head, rest }),
            Err(source) => Err(TransferError::Read { name, source }),
        }
    }

    /// What tells it from another one. Reads a file once more where that is cheap.
    pub fn print(&self) -> Result<Print, TransferError> {
        let mut print = Print { size: None, modified: None, head: hex(&Sha256::digest(&self.head)), whole: None };
        let Some(path) = &self.path else { return Ok(print) };
        let failed = |source| TransferError::Read { name: self.name.clone(), source };
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        // A pipe with a name can be read only once.
        if !metadata.is_file() {
            return Ok(print);
        }
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        print.modified = modified.and_then(|since| since.as_millis().try_into().ok());
        print.size = Some(metadata.len());
        if metadata.len() <= WHOLE {
            let mut sum = Sha256::new();
            let mut part = vec![0; 64 << 10];
            loop {
                match file.read(&mut part).map_err(failed)? {
                    0 => break,
                    count => sum.update(&part[..count]),
                }
            }
            print.whole = Some(hex(&sum.finalize()));
        }
        Ok(print)
    }

    /// Its octets as they are.
    pub(super) fn bytes(self) -> impl Read + Send {
        Cursor::new(self.head).chain(self.rest)
    }

    /// Its text in UTF-8, without a byte order mark.
    pub(super) fn text(self) -> Text {
        let (encoding, mark) = encoding(&self.head);
        let mut bytes = self.bytes();
        let mut skipped = [0; 3];
        // The mark is in the head, which is in memory.
        let _ = bytes.read_exact(&mut skipped[..mark]);
        if encoding == UTF_8 {
            Text { input: Box::new(BufReader::with_capacity(64 << 10, bytes)), offset: Some(mark as u64) }
        } else {
            Text { input: Box::new(utf16::decoded(bytes, encoding)), offset: None }
        }
    }
}

/// An input as text.
pub(super) struct Text {
    pub(super) input: Box<dyn BufRead + Send>,
    /// How many bytes come before it, where those of the text are those of the file.
    pub(super) offset: Option<u64>,
}

/// The encoding, and the length of the mark that says it.
pub(super) fn encoding(head: &[u8]) -> (&'static Encoding, usize) {
    Encoding::for_bom(head).unwrap_or((UTF_8, 0))
}

/// In small letters.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
