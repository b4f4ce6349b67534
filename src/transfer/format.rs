//! The file formats, detected by the ending of the name, then by the first bytes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::input::mark;
use crate::model::export::Kind;

/// A format of an import file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "UPPERCASE")]
pub enum FileFormat {
    /// RFC 4180, with commas, semicolons or tabs between cells.
    Csv,
    /// One JSON object a line.
    Ndjson,
    /// One JSON array of objects.
    Json,
    /// A workbook, of which the first sheet is read.
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
            Kind::Csv | Kind::Tsv => Self::Csv,
            Kind::Ndjson => Self::Ndjson,
            Kind::Json => Self::Json,
        })
    }
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
