//! Pets on stdout: as a table for people, and in exact formats for programs.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::model::export::{self, Column};
use crate::model::table::{line, widths};
use crate::model::text::short;
use crate::model::{ObservedStatus, Pet, PetStatus, display_safe};

use super::args::PetFormat;
use super::colour::Ink;
use super::output::Content;
use super::render::json;

/// How pets are written.
#[derive(Clone, Debug)]
pub struct PetLayout {
    pub format: PetFormat,
    /// Only these columns, in this order; empty for the whole pet as it came.
    pub columns: Vec<Column>,
    /// Whether there is a header.
    pub header: bool,
    /// Leave cells unchanged that a spreadsheet would run as formulas.
    pub raw: bool,
    /// The width of the terminal; `None` if output is not a terminal, and nothing is cut.
    pub width: Option<usize>,
    pub coloured: bool,
}

impl PetLayout {
    /// The columns that are written.
    fn shown(&self) -> &[Column] {
        if self.columns.is_empty() { &Column::ALL } else { &self.columns }
    }
}

impl PetFormat {
    /// Its kind for [`write_as`](super::output::write_as).
    pub const fn content(self) -> Content {
        match self {
            Self::Json | Self::Ndjson => Content::Json,
            Self::Csv | Self::Tsv => Content::Cells,
            Self::Table | Self::Ids => Content::Lines,
        }
    }

    /// Whether each pet has its own line, so that it can be written before the next one is known.
    pub(super) const fn has_lines(self) -> bool {
        !matches!(self, Self::Table | Self::Json)
    }

    /// What separates its cells.
    const fn delimiter(self) -> Option<u8> {
        match self {
            Self::Csv => Some(b','),
            Self::Tsv => Some(b'\t'),
            Self::Table | Self::Json | Self::Ndjson | Self::Ids => None,
        }
    }
}

/// Writes a list.
pub(super) fn write_list(out: &mut impl Write, pets: &[Pet], layout: &PetLayout) -> io::Result<()> {
    match layout.format {
        PetFormat::Table => table(out, pets, layout),
        PetFormat::Json => {
            let picked: Vec<_> = pets.iter().map(|pet| Picked { pet, columns: &layout.columns }).collect();
            json(out, &picked, layout.width.is_some())
        }
        PetFormat::Ndjson | PetFormat::Csv | PetFormat::Tsv | PetFormat::Ids => {
            write_header(out, layout)?;
            write_lines(out, pets, layout)
        }
    }
}

/// Writes one pet: in JSON the object itself, otherwise a list of one.
pub(super) fn write_one(out: &mut impl Write, pet: &Pet, layout: &PetLayout) -> io::Result<()> {
    if layout.format == PetFormat::Json {
        return json(out, &Picked { pet, columns: &layout.columns }, layout.width.is_some());
    }
    write_list(out, std::slice::from_ref(pet), layout)
}

/// Writes the header, in a format that has one.
pub(super) fn write_header(out: &mut impl Write, layout: &PetLayout) -> io::Result<()> {
    match layout.format.delimiter().filter(|_| layout.header) {
        Some(delimiter) => export::header(out, layout.shown(), delimiter),
        None => Ok(()),
    }
}

/// Writes the lines of some pets, in a format that has lines.
pub(super) fn write_lines(out: &mut impl Write, pets: &[Pet], layout: &PetLayout) -> io::Result<()> {
    match (layout.format, layout.format.delimiter()) {
        (_, Some(delimiter)) => export::rows(out, pets, layout.shown(), delimiter, layout.raw),
        (PetFormat::Ids, None) => pets.iter().try_for_each(|pet| writeln!(out, "{}", pet.id)),
        (_, None) => pets.iter().try_for_each(|pet| json(out, &Picked { pet, columns: &layout.columns }, false)),
    }
}

/// A pet as it came, or only some of its columns.
struct Picked<'a> {
    pet: &'a Pet,
    columns: &'a [Column],
}

impl Serialize for Picked<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { pet, columns } = self;
        if columns.is_empty() {
            return pet.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        for column in *columns {
            let name = column.as_str();
            match (column, &pet.status) {
                (Column::Id, _) => map.serialize_entry(name, &pet.id)?,
                (Column::Name, _) => map.serialize_entry(name, &pet.name)?,
                (Column::CategoryId, _) => map.serialize_entry(name, &pet.category_id)?,
                (Column::Status, Some(status)) => map.serialize_entry(name, status)?,
                (Column::Status, None) => {}
            }
        }
        map.end()
    }
}

/// Writes a table. Names are shortened if the terminal is too narrow.
fn table(out: &mut impl Write, pets: &[Pet], layout: &PetLayout) -> io::Result<()> {
    let columns = layout.shown();
    let headings = layout.header.then(|| columns.iter().map(|column| HEADINGS[*column as usize].to_owned()).collect());
    let cells = |pet| columns.iter().map(|column| words(pet, *column)).collect();
    let rows: Vec<Vec<String>> = headings.into_iter().chain(pets.iter().map(cells)).collect();
    let mut widths = widths(&rows);
    let place = |wanted| columns.iter().position(|column| *column == wanted);
    if let (Some(most), Some(name)) = (layout.width, place(Column::Name).filter(|_| !rows.is_empty())) {
        // Shortened, but still recognisable.
        let others = widths.iter().sum::<usize>() - widths[name] + 2 * (widths.len() - 1);
        widths[name] = widths[name].min(most.saturating_sub(others).max(12));
    }
    let numbers = Vec::from_iter(place(Column::CategoryId));
    let headings = rows.len() - pets.len();
    for (at, row) in rows.iter().enumerate() {
        let pet = at.checked_sub(headings).map(|at| &pets[at]);
        let ink = |at: usize| pet.map_or(Ink::Bold, |pet| ink(pet, columns[at]));
        let line = line(row, &widths, &numbers, |at, cell| ink(at).paint(&cell, layout.coloured));
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A cell for people.
fn words(pet: &Pet, column: Column) -> String {
    match (column, &pet.status) {
        (Column::Status, None) => "-".to_owned(),
        (Column::Status, Some(ObservedStatus::Unknown(word))) => format!("{} (unknown)", short(word)),
        (Column::Status, Some(ObservedStatus::Known(_))) | (Column::Id | Column::Name | Column::CategoryId, _) => {
            display_safe(&column.of(pet)).into_owned()
        }
    }
}

fn ink(pet: &Pet, column: Column) -> Ink {
    match (column, &pet.status) {
        (Column::Status, Some(ObservedStatus::Known(PetStatus::Available))) => Ink::Green,
        (Column::Status, Some(ObservedStatus::Known(PetStatus::Pending))) => Ink::Yellow,
        (Column::Status, Some(ObservedStatus::Known(PetStatus::Sold)) | None) => Ink::Dim,
        (Column::Status, Some(ObservedStatus::Unknown(_))) | (Column::Id | Column::Name | Column::CategoryId, _) => {
            Ink::Plain
        }
    }
}

/// The words above the columns, as [`Column::ALL`] has them.
const HEADINGS: [&str; 4] = ["ID", "NAME", "CATEGORY", "STATUS"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::width;

    fn pets() -> Vec<Pet> {
        let pet = |id, name: &str, category_id, status| Pet { id, name: name.into(), category_id, status };
        vec![
            pet(1, "Rex", 3, Some(PetStatus::Sold.into())),
            pet(i64::MAX, "ポチ \u{202e}\"x\", y", i64::MIN, None),
            pet(3, "=cmd\n\u{1b}[2J", 7, Some(ObservedStatus::Unknown("reserved".into()))),
        ]
    }

    fn layout(format: PetFormat, width: Option<usize>) -> PetLayout {
        PetLayout { format, columns: Vec::new(), header: true, raw: false, width, coloured: false }
    }

    fn written_as(layout: &PetLayout) -> String {
        let mut out = Vec::new();
        write_list(&mut out, &pets(), layout).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn written(format: PetFormat, width: Option<usize>) -> String {
        written_as(&layout(format, width))
    }

    #[test]
    fn the_table_is_aligned_clean_and_cut_only_on_a_terminal() {
        insta::assert_snapshot!("table_in_a_pipe", written(PetFormat::Table, None));
        insta::assert_snapshot!("table_at_70_columns", written(PetFormat::Table, Some(70)));
    }

    #[test]
    fn no_line_of_a_table_is_wider_than_the_terminal_while_names_can_be_shortened() {
        for columns in 75..120 {
            let table = written(PetFormat::Table, Some(columns));
            assert!(table.lines().all(|line| width(line) <= columns), "{columns}:\n{table}");
        }
    }

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let coloured = written_as(&PetLayout { coloured: true, ..layout(PetFormat::Table, Some(80)) });
        assert!(coloured.contains("\x1b[2msold\x1b[0m"), "{coloured:?}");
        let mut plain = coloured;
        for code in ["\x1b[0m", "\x1b[1m", "\x1b[2m"] {
            plain = plain.replace(code, "");
        }
        assert_eq!(plain, written(PetFormat::Table, Some(80)));
    }

    #[test]
    fn json_keeps_every_byte_on_one_line_or_several() {
        for width in [None, Some(80)] {
            let text = written(PetFormat::Json, width);
            assert_eq!(serde_json::from_str::<Vec<Pet>>(&text).unwrap(), pets());
            assert_eq!(width.is_some(), text.lines().count() > 1);
        }
        let lines = written(PetFormat::Ndjson, Some(80));
        let back: Vec<Pet> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(back, pets());
    }

    #[test]
    fn csv_is_quoted_and_inert() {
        insta::assert_snapshot!("csv", written(PetFormat::Csv, None));
        insta::assert_snapshot!("tsv", written(PetFormat::Tsv, None));
        assert_eq!(written(PetFormat::Ids, None), "1\n9223372036854775807\n3\n");
        let raw = written_as(&PetLayout { raw: true, ..layout(PetFormat::Csv, None) });
        assert_eq!(raw, written(PetFormat::Csv, None).replace("'=cmd", "=cmd"));
    }

    #[test]
    fn chosen_columns_keep_their_order_in_every_format() {
        let columns = vec![Column::Status, Column::Id];
        let picked = |format| written_as(&PetLayout { columns: columns.clone(), ..layout(format, None) });
        let max = i64::MAX;
        assert_eq!(
            picked(PetFormat::Table),
            format!(
                "STATUS              ID\nsold                1\n-                   {max}\nreserved (unknown)  3\n"
            )
        );
        assert_eq!(picked(PetFormat::Csv), format!("status,id\nsold,1\n,{max}\nreserved,3\n"));
        let objects = [
            r#"{"status":"sold","id":1}"#.to_owned(),
            format!(r#"{{"id":{max}}}"#),
            r#"{"status":"reserved","id":3}"#.into(),
        ];
        assert_eq!(picked(PetFormat::Ndjson), objects.join("\n") + "\n");
        assert_eq!(picked(PetFormat::Json), format!("[{}]\n", objects.join(",")));
        let bare = PetLayout { columns: vec![Column::Id], header: false, ..layout(PetFormat::Csv, None) };
        assert_eq!(written_as(&bare), format!("1\n{max}\n3\n"));
        assert_eq!(written_as(&PetLayout { format: PetFormat::Table, ..bare }), format!("1\n{max}\n3\n"));
    }
}
