//! The source of an import: a file, which can be read again, or a stream, which cannot. Its format is detected by the
//! ending of the name, then by the first bytes.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Result, TransferError};
use crate::model::export::Kind;
use crate::model::short;

/// How much of the beginning is buffered for detection, in bytes.
const HEAD: u64 = 1 << 20;

/// The largest file that is hashed as a whole.
const WHOLE: u64 = 64 << 20;

/// The fingerprint of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// In bytes; `None` for a stream.
    pub size: Option<u64>,
    /// When it was changed, in milliseconds since 1970; `None` for a stream.
    pub modified: Option<i64>,
    /// The SHA-256 of the first MiB.
    pub head: String,
    /// The SHA-256 of all, of files up to 64 MiB.
    pub whole: Option<String>,
}

impl Print {
    /// How `now` differs, if it does. The time counts only if the file was not hashed as a whole.
    pub fn difference(&self, now: &Self) -> Option<(&'static str, String, String)> {
        let text = |value: Option<i64>| value.map_or("unknown".to_owned(), |value| value.to_string());
        let size = |print: &Self| print.size.map_or("unknown".to_owned(), |size| format!("{size} bytes"));
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

/// What is imported.
#[derive(Clone, Debug, PartialEq, Eq, smart_default::SmartDefault, strum::EnumIs)]
pub enum ImportSource {
    /// A file, by its name as typed.
    #[default]
    File(String),
    Pasted(Arc<str>),
}

impl ImportSource {
    /// The name of the file, as typed.
    pub fn path(&self) -> Option<&str> {
        if let Self::File(path) = self { Some(path) } else { None }
    }
}

/// A format of an import file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "UPPERCASE")]
pub enum FileFormat {
    /// Cells separated by commas, semicolons or tabs (detected).
    #[default]
    Csv,
    /// One JSON object a line.
    #[value(alias = "jsonl")]
    Ndjson,
    /// One JSON array of objects.
    Json,
    /// A workbook; its first sheet is read.
    Xlsx,
}

impl FileFormat {
    /// The format of the file `name` that begins with `head`.
    pub fn recognise(name: Option<&Path>, head: &[u8]) -> Self {
        let of_head = || match head[mark(head)..].iter().find(|byte| !b" \t\r\n".contains(byte)) {
            Some(b'[') => Self::Json,
            Some(b'{') => Self::Ndjson,
            _ if head.starts_with(b"PK\x03\x04") => Self::Xlsx,
            _ => Self::Csv,
        };
        name.and_then(Self::of_name).unwrap_or_else(of_head)
    }

    /// The format for the ending of a name; `None` for no or another ending.
    pub fn of_name(name: &Path) -> Option<Self> {
        if name.extension()?.eq_ignore_ascii_case("xlsx") {
            return Some(Self::Xlsx);
        }
        Kind::of_name(name).map(|kind| match kind {
            Kind::Ndjson => Self::Ndjson,
            Kind::Json => Self::Json,
            _ => Self::Csv,
        })
    }
}

/// An opened input with its beginning buffered.
pub struct Input {
    /// Its name for people.
    pub name: String,
    /// The path of a file.
    pub path: Option<PathBuf>,
    /// Its first bytes.
    pub head: Vec<u8>,
    rest: Box<dyn Read + Send>,
}

impl Input {
    pub fn file(path: &Path) -> Result<Self> {
        let name = short(&path.display().to_string());
        let failed = |source| TransferError::Read { name: name.clone(), source };
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        Self::new(name, Some(path.to_owned()), Box::new(file))
    }

    /// A stream such as standard input. Waits for its first MiB.
    pub fn stream(name: &str, stream: impl Read + Send + 'static) -> Result<Self> {
        Self::new(name.to_owned(), None, Box::new(stream))
    }

    fn new(name: String, path: Option<PathBuf>, mut rest: Box<dyn Read + Send>) -> Result<Self> {
        let mut head = Vec::new();
        match rest.by_ref().take(HEAD).read_to_end(&mut head) {
            Ok(0) => Err(TransferError::Empty(name)),
            Ok(_) => Ok(Self { name, path, head, rest }),
            Err(source) => Err(TransferError::Read { name, source }),
        }
    }

    /// Its fingerprint. Reads a file again if that is cheap.
    pub fn print(&self) -> Result<Print> {
        let mut print = Print { size: None, modified: None, head: hex(&Sha256::digest(&self.head)), whole: None };
        let Some(path) = &self.path else { return Ok(print) };
        let failed = |source| TransferError::Read { name: self.name.clone(), source };
        let mut file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        // A named pipe can be read only once.
        if !metadata.is_file() {
            return Ok(print);
        }
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        print.modified = modified.and_then(|since| since.as_millis().try_into().ok());
        print.size = Some(metadata.len());
        if metadata.len() <= WHOLE {
            let mut sum = Sha256::new();
            let mut part = vec![0; 64 << 10];
            while let count @ 1.. = file.read(&mut part).map_err(failed)? {
                sum.update(&part[..count]);
            }
            print.whole = Some(hex(&sum.finalize()));
        }
        Ok(print)
    }

    /// Its bytes.
    pub(super) fn bytes(self) -> impl Read + Send {
        Cursor::new(self.head).chain(self.rest)
    }
}

/// The length of the byte order mark of UTF-8.
pub(super) fn mark(head: &[u8]) -> usize {
    if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

/// In lower case.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An input that comes in parts of this many bytes after its first line.
#[cfg(test)]
pub(super) fn in_parts(text: &[u8], part: usize) -> Input {
    struct Parts(Cursor<Vec<u8>>, usize);
    impl Read for Parts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }
    let (head, rest) = text.split_at(text.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1));
    Input { name: "a".into(), path: None, head: head.into(), rest: Box::new(Parts(Cursor::new(rest.into()), part)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_counts_before_the_first_bytes() {
        let of = |name: &str, head: &[u8]| FileFormat::recognise(Some(Path::new(name)), head);
        assert_eq!(of("a.CSV", b"[{}]"), FileFormat::Csv);
        assert_eq!((of("a.jsonl", b""), of("a.ndjson", b"")), (FileFormat::Ndjson, FileFormat::Ndjson));
        assert_eq!((of("a.json", b"{}"), of("a.xlsx", b"")), (FileFormat::Json, FileFormat::Xlsx));
        for (head, format) in [
            (&b"name,categoryId\n"[..], FileFormat::Csv),
            (b"", FileFormat::Csv),
            (b" \n[{", FileFormat::Json),
            (b"\xef\xbb\xbf{\"name\"", FileFormat::Ndjson),
            (b"PK\x03\x04", FileFormat::Xlsx),
        ] {
            assert_eq!((of("a", head), FileFormat::recognise(None, head)), (format, format), "{head:?}");
        }
    }
}
