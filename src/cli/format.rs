//! Animals on stdout: for people as a table, for programs exactly.

use std::io::{self, Write};

use crate::model::text::{cut, width};
use crate::model::{ObservedStatus, Pet, display_safe, export};

use super::args::Format;

/// How wide the table may be and whether JSON is spread over lines.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The terminal's width; `None` where nobody looks, and nothing is cut.
    pub columns: Option<usize>,
}

/// Writes a list.
pub fn write_list(out: &mut impl Write, pets: &[Pet], format: Format, target: Target) -> io::Result<()> {
    match format {
        Format::Table => table(out, pets, target),
        Format::Json => json(out, &pets, target),
        Format::Ndjson => export::lines(out, pets),
        Format::Csv => export::separated(out, pets, b','),
        Format::Tsv => export::separated(out, pets, b'\t'),
        Format::Ids => pets.iter().try_for_each(|pet| writeln!(out, "{}", pet.id)),
    }
}

/// Writes one animal: in JSON the object itself, otherwise a list of one.
pub fn write_one(out: &mut impl Write, pet: &Pet, format: Format, target: Target) -> io::Result<()> {
    match format {
        Format::Json => json(out, pet, target),
        Format::Table | Format::Ndjson | Format::Csv | Format::Tsv | Format::Ids => {
            write_list(out, std::slice::from_ref(pet), format, target)
        }
    }
}

/// Spread over lines on a terminal, on one line otherwise.
fn json(out: &mut impl Write, value: &impl serde::Serialize, target: Target) -> io::Result<()> {
    if target.columns.is_some() {
        // On a terminal control characters would act, so the text is cleaned; JSON itself escapes only some of them.
        let text = serde_json::to_string_pretty(value)?;
        for line in text.lines() {
            writeln!(out, "{}", display_safe(line))?;
        }
        return Ok(());
    }
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

fn table(out: &mut impl Write, pets: &[Pet], target: Target) -> io::Result<()> {
    let rows: Vec<[String; 4]> = pets
        .iter()
        .map(|pet| {
            let status = match &pet.status {
                None => "-".to_owned(),
                Some(ObservedStatus::Known(status)) => status.to_string(),
                Some(ObservedStatus::Unknown(word)) => format!("{} (unknown)", display_safe(word)),
            };
            [pet.id.to_string(), display_safe(&pet.name).into_owned(), pet.category_id.to_string(), status]
        })
        .collect();
    let headings = ["ID", "NAME", "CATEGORY", "STATUS"];
    let widest = |column: usize| {
        rows.iter().map(|row| width(&row[column])).chain([headings[column].len()]).max().unwrap_or_default()
    };
    let [id, mut name, category, status] = [widest(0), widest(1), widest(2), widest(3)];
    if let Some(columns) = target.columns {
        // The name gives way, but not beyond what can still be recognised.
        name = name.min(columns.saturating_sub(id + category + status + 6).max(12));
    }
    let line = |out: &mut dyn Write, row: [&str; 4]| {
        let [row_id, row_name, row_category, row_status] = row;
        let row_name = cut(row_name, name);
        let pad = " ".repeat(name - width(&row_name));
        writeln!(out, "{row_id:<id$}  {row_name}{pad}  {row_category:>category$}  {row_status}")
    };
    line(out, headings)?;
    rows.iter().try_for_each(|row| line(out, row.each_ref().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PetStatus;

    fn pets() -> Vec<Pet> {
        let pet = |id, name: &str, category_id, status| Pet { id, name: name.into(), category_id, status };
        vec![
            pet(1, "Rex", 3, Some(PetStatus::Sold.into())),
            pet(i64::MAX, "ポチ \u{202e}\"x\", y", i64::MIN, None),
            pet(3, "=cmd\n\u{1b}[2J", 7, Some(ObservedStatus::Unknown("reserved".into()))),
        ]
    }

    fn written(format: Format, columns: Option<usize>) -> String {
        let mut out = Vec::new();
        write_list(&mut out, &pets(), format, Target { columns }).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_table_is_aligned_clean_and_cut_only_on_a_terminal() {
        insta::assert_snapshot!("table_in_a_pipe", written(Format::Table, None));
        insta::assert_snapshot!("table_at_70_columns", written(Format::Table, Some(70)));
    }

    #[test]
    fn json_gives_every_byte_back() {
        assert_eq!(serde_json::from_str::<Vec<Pet>>(&written(Format::Json, None)).unwrap(), pets());
        let lines = written(Format::Ndjson, Some(80));
        let back: Vec<Pet> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(back, pets());
    }

    #[test]
    fn csv_is_quoted_and_inert() {
        insta::assert_snapshot!("csv", written(Format::Csv, None));
        insta::assert_snapshot!("tsv", written(Format::Tsv, None));
        assert_eq!(written(Format::Ids, None), "1\n9223372036854775807\n3\n");
    }
}
