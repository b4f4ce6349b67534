//! Animals as files for other programs: RFC 4180 with cells that no spreadsheet runs, and JSON byte for byte.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{ObservedStatus, Pet};

/// The columns of a file with a header, as [`Column::ALL`] has them.
pub const HEADER: [&str; 4] = ["id", "name", "categoryId", "status"];

/// A part of an animal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// `id`
    Id,
    /// `name`
    Name,
    /// `categoryId`
    CategoryId,
    /// `status`
    Status,
}

impl Column {
    /// All, in the order of the description.
    pub const ALL: [Self; 4] = [Self::Id, Self::Name, Self::CategoryId, Self::Status];

    /// The word of the description.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        HEADER[self as usize]
    }

    /// What an animal has there, as it came; empty for no status.
    #[must_use]
    pub fn of(self, pet: &Pet) -> Cow<'_, str> {
        match self {
            Self::Id => pet.id.to_string().into(),
            Self::Name => pet.name.as_str().into(),
            Self::CategoryId => pet.category_id.to_string().into(),
            Self::Status => pet.status.as_ref().map_or("", ObservedStatus::as_str).into(),
        }
    }

    /// The same as a cell that no spreadsheet runs. Numbers are none that it would.
    fn cell(self, pet: &Pet) -> Cow<'_, str> {
        match self {
            Self::Id | Self::CategoryId => self.of(pet),
            Self::Name => inert(&pet.name),
            Self::Status => inert(pet.status.as_ref().map_or("", ObservedStatus::as_str)),
        }
    }
}

/// The endings of files that [`for_file`] knows.
pub const FORMATS: [&str; 5] = ["csv", "tsv", "json", "ndjson", "jsonl"];

/// Writes `pets` with a header, the cells parted by `delimiter`.
pub fn separated(out: &mut impl Write, pets: &[Pet], delimiter: u8) -> io::Result<()> {
    header(out, &Column::ALL, delimiter)?;
    rows(out, pets, &Column::ALL, delimiter, false)
}

/// Writes the header alone.
pub fn header(out: &mut impl Write, columns: &[Column], delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(columns.iter().map(|column| column.as_str()))?;
    writer.flush()
}

/// Writes `pets` without a header; `raw` leaves cells that a spreadsheet would run as they are.
pub fn rows(out: &mut impl Write, pets: &[Pet], columns: &[Column], delimiter: u8, raw: bool) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    for pet in pets {
        for column in columns {
            writer.write_field(&*if raw { column.of(pet) } else { column.cell(pet) })?;
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// Writes one JSON object a line.
pub fn lines(out: &mut impl Write, pets: &[Pet]) -> io::Result<()> {
    for pet in pets {
        serde_json::to_writer(&mut *out, pet)?;
        writeln!(out)?;
    }
    Ok(())
}

/// `pets` in the format that the ending of a file's name asks for: `json`, `ndjson`, `jsonl`, `tsv`; CSV for any other.
#[must_use]
pub fn for_file(name: &str, pets: &[Pet]) -> String {
    let ending = name.trim().rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let mut out = Vec::new();
    let written = match ending.as_str() {
        "json" => serde_json::to_writer_pretty(&mut out, pets).map_err(io::Error::from).and_then(|()| writeln!(out)),
        "ndjson" | "jsonl" => lines(&mut out, pets),
        "tsv" => separated(&mut out, pets, b'\t'),
        _ => separated(&mut out, pets, b','),
    };
    // A Vec takes everything, and everything written to it is text.
    written.map_or_else(|_| String::new(), |()| String::from_utf8(out).unwrap_or_default())
}

/// A cell that no spreadsheet runs: one more `'` before what begins like a formula, also after others.
#[must_use]
pub fn inert(cell: &str) -> Cow<'_, str> {
    if is_formula(cell.trim_start_matches('\'')) { format!("'{cell}").into() } else { cell.into() }
}

/// The cell as it was before [`rows`] made it inert: without the first `'` of those before what begins like a formula.
#[must_use]
pub fn active(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest.trim_start_matches('\'')) => rest,
        _ => cell,
    }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_the_name_chooses_the_format() {
        let pets = [Pet { id: 7, name: "=Rex, \"x\"".into(), category_id: -1, status: None }];
        let csv = "id,name,categoryId,status\n7,\"'=Rex, \"\"x\"\"\",-1,\n";
        assert_eq!((for_file("a.csv", &pets), for_file("a", &pets)), (csv.to_owned(), csv.to_owned()));
        assert_eq!(for_file("a.tsv", &pets), "id\tname\tcategoryId\tstatus\n7\t\"'=Rex, \"\"x\"\"\"\t-1\t\n");
        let line = "{\"id\":7,\"name\":\"=Rex, \\\"x\\\"\",\"categoryId\":-1}\n";
        assert_eq!((for_file("a.NDJSON ", &pets), for_file("a.jsonl", &pets)), (line.to_owned(), line.to_owned()));
        assert_eq!(serde_json::from_str::<Vec<Pet>>(&for_file("a.json", &pets)).unwrap(), pets);
    }

    #[test]
    fn an_inert_cell_is_active_again_as_it_was() {
        for cell in ["=1", "'=1", "''=1", "'", "''", "'Rex", "Rex", "", "-1", "@x", "\tx", "a=1", " =1"] {
            assert_eq!(active(&inert(cell)), cell);
        }
        assert_eq!(inert("'=1"), "''=1");
        assert_eq!(active("'Rex"), "'Rex");
    }
}
