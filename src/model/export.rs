//! Pets as files for other programs: CSV (RFC 4180) without formulas, and JSON byte for byte.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::{Pet, Provenances};

/// A column of a list: of the pets, or of what was recorded when they were added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub enum Column {
    /// `id`
    #[default]
    Id,
    /// `name`
    Name,
    /// `categoryId`
    CategoryId,
    /// `status`
    Status,
    /// `by`: the name of the key that added it.
    By,
    /// `at`: when that was.
    At,
    /// `age`: how long ago that was, in seconds.
    Age,
}

impl Column {
    /// Those of the pets, in the order of the description.
    pub const OF_PETS: [Self; 4] = [Self::Id, Self::Name, Self::CategoryId, Self::Status];

    /// All columns.
    pub const ALL: [Self; 7] = [Self::Id, Self::Name, Self::CategoryId, Self::Status, Self::By, Self::At, Self::Age];

    /// Those of the pets, and what was recorded; an age would be wrong soon.
    pub const TRACED: &[Self] = Self::ALL.split_at(6).0;

    /// The name, that in the description for those of the pets.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The value of the pet itself in this column, unchanged; empty without a status.
    pub fn of(self, pet: &Pet) -> Cow<'_, str> {
        match self {
            Self::Id => pet.id.to_string().into(),
            Self::Name => pet.name.as_str().into(),
            Self::CategoryId => pet.category_id.to_string().into(),
            Self::Status => pet.status_word().into(),
            Self::By | Self::At | Self::Age => "".into(),
        }
    }

    /// The same in words, with a word for a status that is not set.
    pub fn word(self, pet: &Pet) -> Cow<'_, str> {
        let value = self.of(pet);
        if value.is_empty() { "not set".into() } else { value }
    }

    /// Whether it needs to be known how the pet was added.
    pub const fn is_about_addition(self) -> bool {
        matches!(self, Self::By | Self::At | Self::Age)
    }

    /// The value in this column, unchanged; empty for what was not recorded.
    fn value<'a>(self, pet: &'a Pet, recorded: Recorded<'a>) -> Cow<'a, str> {
        let of = |value: Option<String>| value.unwrap_or_default().into();
        match self {
            Self::Id | Self::Name | Self::CategoryId | Self::Status => self.of(pet),
            Self::By => recorded.by(pet).unwrap_or_default().into(),
            Self::At => of(recorded.at(pet).map(|at| at.to_string())),
            Self::Age => of(recorded.age(pet).map(|seconds| seconds.to_string())),
        }
    }

    /// The same as a cell that no spreadsheet runs as a formula. What is owned is a number or a time, and never one.
    fn cell<'a>(self, pet: &'a Pet, recorded: Recorded<'a>) -> Cow<'a, str> {
        match self.value(pet, recorded) {
            Cow::Borrowed(text) => inert(text),
            owned => owned,
        }
    }
}

/// What was recorded when pets were added, and the moment from which ages are counted.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// As far as it is known.
    pub provenances: &'a Provenances,
    /// That moment.
    pub now: Timestamp,
}

impl<'a> Recorded<'a> {
    /// The name of the key that added a pet.
    pub fn by(self, pet: &Pet) -> Option<&'a str> {
        self.provenances.get(&pet.id)?.by()
    }

    /// When a pet was added.
    pub fn at(self, pet: &Pet) -> Option<Timestamp> {
        self.provenances.get(&pet.id)?.added_at
    }

    /// How many seconds ago that was.
    pub fn age(self, pet: &Pet) -> Option<u64> {
        let age = self.now.duration_since(self.at(pet)?).as_secs();
        // The clock of the service may be ahead.
        Some(u64::try_from(age).unwrap_or(0))
    }
}

/// A pet as it came, or only some of its columns.
pub struct Picked<'a> {
    /// The pet.
    pub pet: &'a Pet,
    /// What was recorded when it was added.
    pub recorded: Recorded<'a>,
    /// These columns, in this order; empty for the whole pet as it came.
    pub columns: &'a [Column],
}

impl Serialize for Picked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use Column::*;
        let Self { pet, recorded, columns } = self;
        if columns.is_empty() {
            return pet.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        for column in *columns {
            let name = column.as_str();
            match (column, &pet.status) {
                (Id, _) => map.serialize_entry(name, &pet.id)?,
                (Name, _) => map.serialize_entry(name, &pet.name)?,
                (CategoryId, _) => map.serialize_entry(name, &pet.category_id)?,
                (Status, Some(status)) => map.serialize_entry(name, status)?,
                (Status, None) => {}
                (By, _) => map.serialize_entry(name, &recorded.by(pet))?,
                (At, _) => map.serialize_entry(name, &recorded.at(pet))?,
                (Age, _) => map.serialize_entry(name, &recorded.age(pet))?,
            }
        }
        map.end()
    }
}

/// A format of pets. Those of files may be parsed from a file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, strum::EnumString)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum Kind {
    /// Columns for people.
    #[strum(disabled)]
    Table,
    /// JSON, as the service sends it.
    Json,
    /// One JSON object per line.
    #[value(alias = "jsonl")]
    #[strum(serialize = "ndjson", serialize = "jsonl")]
    Ndjson,
    /// CSV (RFC 4180), with a header.
    Csv,
    /// Tab-separated, with a header.
    Tsv,
    /// One id per line.
    #[strum(disabled)]
    Ids,
}

impl Kind {
    /// The file extensions that [`Self::of_name`] knows.
    pub const ENDINGS: [&str; 5] = ["csv", "tsv", "json", "ndjson", "jsonl"];

    /// The format of a file extension, CSV without one; `None` for an unknown extension.
    pub fn of_name(name: &Path) -> Option<Self> {
        name.extension().map_or(Some(Self::Csv), |ending| ending.to_str()?.parse().ok())
    }
}

/// Writes pets in one format but a table, some at a time.
#[derive(Debug)]
pub struct PetWriter {
    kind: Kind,
    raw: bool,
    /// Only these columns, in this order; empty for the whole pet as it came.
    columns: Vec<Column>,
    /// What comes before the next object of an array.
    separator: &'static str,
}

impl PetWriter {
    /// For pets of which only these columns are written, or the whole pets as they came if there are none. `raw` leaves
    /// formulas in cells unchanged.
    pub const fn new(kind: Kind, raw: bool, columns: Vec<Column>) -> Self {
        Self { kind, raw, columns, separator: "\n" }
    }

    /// Writes what comes before the pets.
    pub fn begin(&self, out: &mut impl Write) -> io::Result<()> {
        if self.kind == Kind::Json {
            return out.write_all(b"[");
        }
        let Some(mut cells) = self.cells(out) else { return Ok(()) };
        cells.write_record(self.shown().iter().map(|column| column.as_str()))?;
        cells.flush()
    }

    /// Writes some pets.
    pub fn write(&mut self, pets: &[Pet], recorded: Recorded<'_>, out: &mut impl Write) -> io::Result<()> {
        if let Some(mut cells) = self.cells(&mut *out) {
            for pet in pets {
                for column in self.shown() {
                    let cell = if self.raw { column.value(pet, recorded) } else { column.cell(pet, recorded) };
                    cells.write_field(&*cell)?;
                }
                cells.write_record(None::<&[u8]>)?;
            }
            return cells.flush();
        }
        for pet in pets {
            if self.kind == Kind::Ids {
                writeln!(out, "{}", pet.id)?;
                continue;
            }
            let is_line = self.kind == Kind::Ndjson;
            let before = if is_line { "" } else { std::mem::replace(&mut self.separator, ",\n") };
            out.write_all(before.as_bytes())?;
            serde_json::to_writer(&mut *out, &Picked { pet, recorded, columns: &self.columns })?;
            out.write_all(if is_line { b"\n" } else { b"" })?;
        }
        Ok(())
    }

    fn cells<W: Write>(&self, out: W) -> Option<csv::Writer<W>> {
        let delimiter = match self.kind {
            Kind::Csv => b',',
            Kind::Tsv => b'\t',
            Kind::Table | Kind::Json | Kind::Ndjson | Kind::Ids => return None,
        };
        Some(csv::WriterBuilder::new().delimiter(delimiter).from_writer(out))
    }

    /// The columns of cells.
    fn shown(&self) -> &[Column] {
        if self.columns.is_empty() { &Column::OF_PETS } else { &self.columns }
    }

    /// Writes what comes after the pets.
    pub fn end(self, out: &mut impl Write) -> io::Result<()> {
        if self.kind == Kind::Json { out.write_all(b"\n]\n") } else { Ok(()) }
    }
}

/// `pets` in the format of a file extension; CSV for an unknown one.
pub fn for_file(name: &str, pets: &[Pet]) -> String {
    let kind = Kind::of_name(Path::new(name.trim())).unwrap_or(Kind::Csv);
    let mut out = Vec::new();
    let recorded = Recorded { provenances: &Provenances::new(), now: Timestamp::UNIX_EPOCH };
    let mut writer = PetWriter::new(kind, false, Vec::new());
    let written = writer.begin(&mut out).and_then(|()| writer.write(pets, recorded, &mut out));
    let written = written.and_then(|()| writer.end(&mut out));
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
