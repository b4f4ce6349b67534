//! Pets as files for other programs: CSV (RFC 4180) without formulas, and JSON byte for byte.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use super::{ObservedStatus, Pet};

/// The names of the columns, as in [`Column::ALL`].
pub const HEADER: [&str; 4] = ["id", "name", "categoryId", "status"];

/// A column of a pet.
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
    /// All columns, in the order of the description.
    pub const ALL: [Self; 4] = [Self::Id, Self::Name, Self::CategoryId, Self::Status];

    /// The name in the description.
    pub const fn as_str(self) -> &'static str {
        HEADER[self as usize]
    }

    /// The value of a pet in this column, unchanged; empty without a status.
    pub fn of(self, pet: &Pet) -> Cow<'_, str> {
        match self {
            Self::Id => pet.id.to_string().into(),
            Self::Name => pet.name.as_str().into(),
            Self::CategoryId => pet.category_id.to_string().into(),
            Self::Status => pet.status.as_ref().map_or("", ObservedStatus::as_str).into(),
        }
    }

    /// The same as a cell that no spreadsheet runs as a formula. Numbers never are formulas.
    fn cell(self, pet: &Pet) -> Cow<'_, str> {
        match self.of(pet) {
            Cow::Borrowed(text) => inert(text),
            number => number,
        }
    }
}

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// CSV (RFC 4180), with a header.
    Csv,
    /// Tab-separated, with a header.
    Tsv,
    /// A JSON array with one object per line.
    Json,
    /// One JSON object per line.
    Ndjson,
}

impl Kind {
    /// The file extensions that [`Self::of_name`] knows.
    pub const ENDINGS: [&str; 5] = ["csv", "tsv", "json", "ndjson", "jsonl"];

    /// The format of a file extension, CSV without one; `None` for an unknown extension.
    pub fn of_name(name: &Path) -> Option<Self> {
        let Some(ending) = name.extension() else { return Some(Self::Csv) };
        match ending.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "tsv" => Some(Self::Tsv),
            "json" => Some(Self::Json),
            "ndjson" | "jsonl" => Some(Self::Ndjson),
            _ => None,
        }
    }
}

/// Writes pets in one format, some at a time.
#[derive(Debug)]
pub struct PetWriter {
    kind: Kind,
    raw: bool,
    /// What comes before the next object of an array.
    separator: &'static str,
}

impl PetWriter {
    /// Writes what comes before the pets. `raw` leaves formulas in cells unchanged.
    pub fn begin(kind: Kind, raw: bool, out: &mut impl Write) -> io::Result<Self> {
        match kind {
            Kind::Csv => header(out, &Column::ALL, b',')?,
            Kind::Tsv => header(out, &Column::ALL, b'\t')?,
            Kind::Json => out.write_all(b"[")?,
            Kind::Ndjson => {}
        }
        Ok(Self { kind, raw, separator: "\n" })
    }

    /// Writes some pets.
    pub fn write(&mut self, pets: &[Pet], out: &mut impl Write) -> io::Result<()> {
        match self.kind {
            Kind::Csv => rows(out, pets, &Column::ALL, b',', self.raw),
            Kind::Tsv => rows(out, pets, &Column::ALL, b'\t', self.raw),
            Kind::Json => pets.iter().try_for_each(|pet| {
                out.write_all(std::mem::replace(&mut self.separator, ",\n").as_bytes())?;
                Ok(serde_json::to_writer(&mut *out, pet)?)
            }),
            Kind::Ndjson => pets.iter().try_for_each(|pet| {
                serde_json::to_writer(&mut *out, pet)?;
                out.write_all(b"\n")
            }),
        }
    }

    /// Writes what comes after the pets.
    pub fn end(self, out: &mut impl Write) -> io::Result<()> {
        if self.kind == Kind::Json { out.write_all(b"\n]\n") } else { Ok(()) }
    }
}

/// Writes the header only.
pub fn header(out: &mut impl Write, columns: &[Column], delimiter: u8) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(columns.iter().map(|column| column.as_str()))?;
    writer.flush()
}

/// Writes `pets` without a header; `raw` leaves formulas in cells unchanged.
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

/// `pets` in the format of a file extension; CSV for an unknown one.
pub fn for_file(name: &str, pets: &[Pet]) -> String {
    let kind = Kind::of_name(Path::new(name.trim())).unwrap_or(Kind::Csv);
    let mut out = Vec::new();
    let written = PetWriter::begin(kind, false, &mut out).and_then(|mut pen| {
        pen.write(pets, &mut out)?;
        pen.end(&mut out)
    });
    // A Vec takes everything, and everything written to it is text.
    written.map_or_else(|_| String::new(), |()| String::from_utf8(out).unwrap_or_default())
}

/// A cell that no spreadsheet runs: with one more `'` before what starts like a formula, also after other `'`.
pub fn inert(cell: &str) -> Cow<'_, str> {
    if is_formula(cell.trim_start_matches('\'')) { format!("'{cell}").into() } else { cell.into() }
}

/// The cell before [`inert`]: without the first `'` before what starts like a formula.
pub fn active(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if is_formula(rest.trim_start_matches('\'')) => rest,
        _ => cell,
    }
}

fn is_formula(text: &str) -> bool {
    // Spreadsheets also accept the full-width signs of East Asian input methods.
    text.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_extension_chooses_the_format() {
        let pets = [Pet { id: 7, name: "=Rex, \"x\"".into(), category_id: -1, status: None }];
        let csv = "id,name,categoryId,status\n7,\"'=Rex, \"\"x\"\"\",-1,\n";
        assert_eq!((for_file("a.csv", &pets), for_file("a", &pets)), (csv.to_owned(), csv.to_owned()));
        assert_eq!(for_file("a.tsv", &pets), "id\tname\tcategoryId\tstatus\n7\t\"'=Rex, \"\"x\"\"\"\t-1\t\n");
        let line = "{\"id\":7,\"name\":\"=Rex, \\\"x\\\"\",\"categoryId\":-1}\n";
        assert_eq!((for_file("a.NDJSON ", &pets), for_file("a.jsonl", &pets)), (line.to_owned(), line.to_owned()));
        assert_eq!(for_file("a.json", &pets), format!("[\n{}\n]\n", line.trim_end()));
        assert!(Kind::ENDINGS.iter().all(|ending| Kind::of_name(Path::new(&format!("a.{ending}"))).is_some()));
        assert_eq!(Kind::of_name(Path::new("a.xlsx")), None);
    }

    #[test]
    fn an_inert_cell_can_be_turned_back() {
        for cell in ["=1", "'=1", "''=1", "'", "''", "'Rex", "Rex", "", "-1", "@x", "\tx", "a=1", " =1", "'＝1"] {
            assert_eq!(active(&inert(cell)), cell);
        }
        for formula in ["=1", "+1", "-1", "@x", "＝1", "＋1", "－1", "＠x", "\tx", "\rx", "\nx"] {
            let cell = inert(formula);
            assert_eq!((cell.strip_prefix('\''), active(&cell)), (Some(formula), formula));
        }
        assert_eq!(inert("'=1"), "''=1");
        assert_eq!(active("'Rex"), "'Rex");
    }
}
