//! Pets on stdout: as a table for people, and in exact formats for programs.

use std::io::{self, Write};
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::output::{Content, Ink};
use super::render::json;
use crate::clock::time_zone;
use crate::model::columns::ShownColumn;
use crate::model::export::{Column, Kind, PetWriter, Picked, Recorded};
use crate::model::table::{line, widths};
use crate::model::words::age;
use crate::model::{Categories, ObservedStatus, Pet, PetStatus, Provenances, safe_text, short};

/// How pets are written.
#[derive(Clone, Debug)]
pub struct Layout {
    pub format: Kind,
    /// Only these columns, in this order; empty for the whole pet as it came.
    pub columns: Vec<ShownColumn>,
    /// Whether there is a header.
    pub header: bool,
    /// Leave cells unchanged that a spreadsheet would run as formulas.
    pub raw: bool,
    /// The width of the terminal; `None` if output is not a terminal, and nothing is cut.
    pub width: Option<usize>,
    pub coloured: bool,
    /// Their names are in tables.
    pub categories: Arc<Categories>,
    /// The moment from which ages are counted.
    pub now: Timestamp,
}

impl Layout {
    /// The columns that were asked for.
    fn picked(&self) -> Vec<Column> {
        self.columns.iter().map(|shown| shown.column).collect()
    }

    /// The columns of a format that has some.
    fn shown(&self) -> Vec<Column> {
        if self.columns.is_empty() { Column::OF_PETS.to_vec() } else { self.picked() }
    }

    /// Writes the header, in a format of lines that has one; what is returned writes the pets.
    pub fn begin(&self, out: &mut impl Write) -> io::Result<PetWriter> {
        let writer = PetWriter::new(self.format, self.raw, self.picked());
        if self.header { writer.begin(out) } else { Ok(()) }.map(|()| writer)
    }

    /// Whether a column shows who added the pets, or when.
    pub fn is_about_addition(&self) -> bool {
        self.columns.iter().any(|shown| shown.column.is_about_addition())
    }
}

impl Kind {
    /// Its kind for [`write_as`](super::output::write_as).
    pub(in crate::cli) const fn content(self) -> Content {
        match self {
            Self::Json | Self::Ndjson => Content::Json,
            Self::Csv | Self::Tsv => Content::Cells,
            Self::Table | Self::Ids => Content::Lines,
        }
    }
}

/// Writes a list.
pub fn write_list(out: &mut impl Write, pets: &[Pet], provenances: &Provenances, layout: &Layout) -> io::Result<()> {
    let recorded = Recorded { provenances, now: layout.now };
    match layout.format {
        Kind::Table => table(out, pets, recorded, layout),
        Kind::Json => {
            let columns = layout.picked();
            let picked: Vec<_> = pets.iter().map(|pet| Picked { pet, recorded, columns: &columns }).collect();
            json(out, &picked, layout.width.is_some())
        }
        Kind::Ndjson | Kind::Csv | Kind::Tsv | Kind::Ids => layout.begin(out)?.write(pets, recorded, out),
    }
}

/// Writes one pet: in JSON the object itself, otherwise a list of one.
pub fn write_one(out: &mut impl Write, pet: &Pet, provenances: &Provenances, layout: &Layout) -> io::Result<()> {
    if layout.format == Kind::Json {
        let recorded = Recorded { provenances, now: layout.now };
        return json(out, &Picked { pet, recorded, columns: &layout.picked() }, layout.width.is_some());
    }
    write_list(out, std::slice::from_ref(pet), provenances, layout)
}

/// Writes a table. Names are shortened if the terminal is too narrow.
fn table(out: &mut impl Write, pets: &[Pet], recorded: Recorded<'_>, layout: &Layout) -> io::Result<()> {
    let columns = layout.shown();
    let headings = layout.header.then(|| columns.iter().map(|column| heading(*column).to_owned()).collect());
    let zone = time_zone();
    let cells =
        |pet: &Pet| columns.iter().map(|column| words(pet, recorded, *column, &layout.categories, &zone)).collect();
    let rows: Vec<Vec<String>> = headings.into_iter().chain(pets.iter().map(cells)).collect();
    let mut widths = widths(&rows);
    let place = |wanted| columns.iter().position(|column| *column == wanted);
    if let (Some(most), Some(name)) = (layout.width, place(Column::Name).filter(|_| !rows.is_empty())) {
        // Shortened, but still recognisable.
        let others = widths.iter().sum::<usize>() - widths[name] + 2 * (widths.len() - 1);
        widths[name] = widths[name].min(most.saturating_sub(others).max(12));
    }
    for (width, wanted) in widths.iter_mut().zip(layout.columns.iter().map(|shown| shown.width)) {
        *width = wanted.map_or(*width, usize::from);
    }
    // With names they begin below each other.
    let category = place(Column::CategoryId);
    let numbers = Vec::from_iter(category.filter(|_| layout.categories.is_empty()));
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
fn words(pet: &Pet, recorded: Recorded<'_>, column: Column, categories: &Categories, zone: &TimeZone) -> String {
    use Column::*;
    let not_recorded = || "not recorded".to_owned();
    match (column, &pet.status) {
        (By, _) => recorded.by(pet).map_or_else(not_recorded, |by| safe_text(&by)),
        (At, _) => recorded
            .at(pet)
            .map_or_else(not_recorded, |at| at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()),
        (Age, _) => recorded.age(pet).map_or_else(not_recorded, age),
        (Status, None) => "-".to_owned(),
        (Status, Some(ObservedStatus::Unknown(word))) => format!("{} (unknown)", short(word)),
        (CategoryId, _) => categories.label(pet.category_id),
        (Id | Name | Status, _) => safe_text(&column.of(pet)),
    }
}

fn ink(pet: &Pet, column: Column) -> Ink {
    use ObservedStatus::Known;
    use PetStatus::*;
    match (column, &pet.status) {
        (Column::Status, Some(Known(Available))) => Ink::Green,
        (Column::Status, Some(Known(Pending))) => Ink::Yellow,
        (Column::Status, Some(Known(Sold)) | None) => Ink::Dim,
        _ => Ink::Plain,
    }
}

/// The word above a column.
const fn heading(column: Column) -> &'static str {
    use Column::*;
    match column {
        Id => "ID",
        Name => "NAME",
        CategoryId => "CATEGORY",
        Status => "STATUS",
        By => "ADDED BY",
        At => "ADDED AT",
        Age => "AGE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Provenance;
    use crate::model::text::width;

    fn pets() -> Vec<Pet> {
        let pet = |id, name: &str, category_id, status| Pet { id, name: name.into(), category_id, status };
        vec![
            pet(1, "Rex", 3, Some(PetStatus::Sold.into())),
            pet(i64::MAX, "ポチ \u{202e}\"x\", y", i64::MIN, None),
            pet(3, "=cmd\n\u{1b}[2J", 7, Some(ObservedStatus::Unknown("reserved".into()))),
        ]
    }

    fn layout(format: Kind, width: Option<usize>) -> Layout {
        Layout {
            format,
            columns: Vec::new(),
            header: true,
            raw: false,
            width,
            coloured: false,
            categories: Arc::default(),
            now: Timestamp::UNIX_EPOCH,
        }
    }

    fn written_as(layout: &Layout) -> String {
        let mut out = Vec::new();
        write_list(&mut out, &pets(), &Provenances::new(), layout).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn written(format: Kind, width: Option<usize>) -> String {
        written_as(&layout(format, width))
    }

    #[test]
    fn the_table_is_aligned_clean_and_cut_only_on_a_terminal() {
        insta::assert_snapshot!("table_in_a_pipe", written(Kind::Table, None));
        insta::assert_snapshot!("table_at_70_columns", written(Kind::Table, Some(70)));
    }

    #[test]
    fn no_line_of_a_table_is_wider_than_the_terminal_while_names_can_be_shortened() {
        for columns in 75..120 {
            let table = written(Kind::Table, Some(columns));
            assert!(table.lines().all(|line| width(line) <= columns), "{columns}:\n{table}");
        }
    }

    #[test]
    fn colours_change_nothing_but_the_colours() {
        let coloured = written_as(&Layout { coloured: true, ..layout(Kind::Table, Some(80)) });
        assert!(coloured.contains("\x1b[2msold\x1b[0m"), "{coloured:?}");
        let mut plain = coloured;
        for code in ["\x1b[0m", "\x1b[1m", "\x1b[2m"] {
            plain = plain.replace(code, "");
        }
        assert_eq!(plain, written(Kind::Table, Some(80)));
    }

    #[test]
    fn json_keeps_every_byte_on_one_line_or_several() {
        for width in [None, Some(80)] {
            let text = written(Kind::Json, width);
            assert_eq!(serde_json::from_str::<Vec<Pet>>(&text).unwrap(), pets());
            assert_eq!(width.is_some(), text.lines().count() > 1);
        }
        let lines = written(Kind::Ndjson, Some(80));
        let back: Vec<Pet> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(back, pets());
    }

    #[test]
    fn csv_is_quoted_and_inert() {
        insta::assert_snapshot!("csv", written(Kind::Csv, None));
        insta::assert_snapshot!("tsv", written(Kind::Tsv, None));
        assert_eq!(written(Kind::Ids, None), "1\n9223372036854775807\n3\n");
        let raw = written_as(&Layout { raw: true, ..layout(Kind::Csv, None) });
        assert_eq!(raw, written(Kind::Csv, None).replace("'=cmd", "=cmd"));
    }

    #[test]
    fn chosen_columns_keep_their_order_in_every_format() {
        let columns = ["status", "id"].map(|column| column.parse().unwrap()).to_vec();
        let picked = |format| written_as(&Layout { columns: columns.clone(), ..layout(format, None) });
        let max = i64::MAX;
        assert_eq!(
            picked(Kind::Table),
            format!(
                "STATUS              ID\nsold                1\n-                   {max}\nreserved (unknown)  3\n"
            )
        );
        assert_eq!(picked(Kind::Csv), format!("status,id\nsold,1\n,{max}\nreserved,3\n"));
        let objects = [
            r#"{"status":"sold","id":1}"#.to_owned(),
            format!(r#"{{"id":{max}}}"#),
            r#"{"status":"reserved","id":3}"#.into(),
        ];
        assert_eq!(picked(Kind::Ndjson), objects.join("\n") + "\n");
        assert_eq!(picked(Kind::Json), format!("[{}]\n", objects.join(",")));
        let bare = Layout { columns: vec!["id".parse().unwrap()], header: false, ..layout(Kind::Csv, None) };
        assert_eq!(written_as(&bare), format!("1\n{max}\n3\n"));
        assert_eq!(written_as(&Layout { format: Kind::Table, ..bare }), format!("1\n{max}\n3\n"));
    }

    #[test]
    fn a_column_is_as_wide_as_it_was_asked_to_be_and_an_age_is_a_number_for_programs() {
        let columns: Vec<_> = ["name:5", "age", "id:20"].map(|column| column.parse().unwrap()).to_vec();
        let now = Timestamp::UNIX_EPOCH;
        let added_at = now.checked_sub(jiff::SignedDuration::from_hours(3)).ok();
        let provenances = Provenances::from([(1, Provenance { added_at, ..Provenance::default() })]);
        let written = |format| {
            let mut out = Vec::new();
            let layout = Layout { columns: columns.clone(), ..layout(format, Some(80)) };
            write_list(&mut out, &pets()[..1], &provenances, &layout).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(Kind::Table), "NAME   AGE  ID\nRex    3 h  1\n");
        assert_eq!(written(Kind::Csv), "name,age,id\nRex,10800,1\n");
        assert_eq!(written(Kind::Ndjson), "{\"name\":\"Rex\",\"age\":10800,\"id\":1}\n");
    }
}
