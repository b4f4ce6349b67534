//! Animals on stdout: for people as a table, for programs exactly.

mod layout;
mod table;

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::model::Pet;
use crate::model::export::{self, Column};

use super::args::PetFormat;
use super::output::Content;
use super::render::json;
pub use layout::PetLayout;
use layout::shown;
use table::table;

/// The formats that have a line for each animal, so that one can be written before the next one is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PetLines {
    /// JSON objects.
    Ndjson,
    /// Cells parted by this.
    Separated(u8),
    /// Ids.
    Ids,
}

impl PetFormat {
    /// What it is for [`write_as`](super::output::write_as).
    pub const fn content(self) -> Content {
        match self {
            Self::Json | Self::Ndjson => Content::Json,
            Self::Csv | Self::Tsv => Content::Cells,
            Self::Table | Self::Ids => Content::Lines,
        }
    }

    /// The same where it has a line for each animal.
    pub const fn lines(self) -> Option<PetLines> {
        match self {
            Self::Ndjson => Some(PetLines::Ndjson),
            Self::Csv => Some(PetLines::Separated(b',')),
            Self::Tsv => Some(PetLines::Separated(b'\t')),
            Self::Ids => Some(PetLines::Ids),
            Self::Table | Self::Json => None,
        }
    }
}

/// Writes a list.
pub fn write_list(out: &mut impl Write, pets: &[Pet], layout: &PetLayout) -> io::Result<()> {
    match layout.format.lines() {
        Some(lines) => {
            write_header(out, lines, layout)?;
            write_lines(out, pets, lines, layout)
        }
        None if layout.format == PetFormat::Table => table(out, pets, layout),
        None => {
            let picked: Vec<_> = pets.iter().map(|pet| Picked { pet, columns: &layout.columns }).collect();
            json(out, &picked, layout.width.is_some())
        }
    }
}

/// Writes one animal: in JSON the object itself, otherwise a list of one.
pub fn write_one(out: &mut impl Write, pet: &Pet, layout: &PetLayout) -> io::Result<()> {
    match layout.format {
        PetFormat::Json => json(out, &Picked { pet, columns: &layout.columns }, layout.width.is_some()),
        PetFormat::Table | PetFormat::Ndjson | PetFormat::Csv | PetFormat::Tsv | PetFormat::Ids => {
            write_list(out, std::slice::from_ref(pet), layout)
        }
    }
}

/// What stands above the lines.
pub fn write_header(out: &mut impl Write, lines: PetLines, layout: &PetLayout) -> io::Result<()> {
    match lines {
        PetLines::Separated(delimiter) if layout.header => export::header(out, shown(layout), delimiter),
        PetLines::Separated(_) | PetLines::Ndjson | PetLines::Ids => Ok(()),
    }
}

/// The lines of some animals.
pub fn write_lines(out: &mut impl Write, pets: &[Pet], lines: PetLines, layout: &PetLayout) -> io::Result<()> {
    match lines {
        PetLines::Ndjson => pets.iter().try_for_each(|pet| {
            serde_json::to_writer(&mut *out, &Picked { pet, columns: &layout.columns })?;
            writeln!(out)
        }),
        PetLines::Ids => pets.iter().try_for_each(|pet| writeln!(out, "{}", pet.id)),
        PetLines::Separated(delimiter) => export::rows(out, pets, shown(layout), delimiter, layout.raw),
    }
}

/// An animal as it came, or only some parts of it.
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
            match (column, &pet.status) {
                (Column::Id, _) => map.serialize_entry(column.as_str(), &pet.id)?,
                (Column::Name, _) => map.serialize_entry(column.as_str(), &pet.name)?,
                (Column::CategoryId, _) => map.serialize_entry(column.as_str(), &pet.category_id)?,
                (Column::Status, Some(status)) => map.serialize_entry(column.as_str(), status)?,
                (Column::Status, None) => {}
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::width;
    use crate::model::{ObservedStatus, PetStatus};

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
    fn no_line_of_a_table_is_wider_than_the_terminal_while_names_can_give_way() {
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
    fn json_gives_every_byte_back_also_where_it_is_spread_over_lines() {
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
    fn chosen_columns_stand_in_their_order_in_every_format() {
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
