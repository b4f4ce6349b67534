//! Animals in columns for people: aligned, cut to the terminal where there is one, and clean of what would act on it.

use std::io::{self, Write};

use super::layout::{PetLayout, shown};
use crate::cli::colour::Ink;
use crate::model::export::Column;
use crate::model::text::{cut, short, width};
use crate::model::{ObservedStatus, Pet, PetStatus, display_safe};

/// Writes a table. Names give way where the terminal is too narrow.
pub fn table(out: &mut impl Write, pets: &[Pet], layout: &PetLayout) -> io::Result<()> {
    let columns = shown(layout);
    let rows: Vec<Vec<String>> =
        pets.iter().map(|pet| columns.iter().map(|column| words(pet, *column)).collect()).collect();
    let widest = |(at, column): (usize, &Column)| {
        let heading = if layout.header { heading(*column).len() } else { 0 };
        rows.iter().map(|row| width(&row[at])).chain([heading]).max().unwrap_or_default()
    };
    let mut widths: Vec<usize> = columns.iter().enumerate().map(widest).collect();
    if let (Some(most), Some(name)) = (layout.width, columns.iter().position(|column| *column == Column::Name)) {
        // The name gives way, but not beyond what can still be recognised.
        let others = widths.iter().sum::<usize>() - widths[name] + 2 * (widths.len() - 1);
        widths[name] = widths[name].min(most.saturating_sub(others).max(12));
    }
    if layout.header {
        let headings: Vec<_> = columns.iter().map(|column| heading(*column).to_owned()).collect();
        line(out, &headings, columns, &widths, |_| Ink::Bold, layout.coloured)?;
    }
    for (pet, row) in pets.iter().zip(&rows) {
        line(out, row, columns, &widths, |column| ink(pet, column), layout.coloured)?;
    }
    Ok(())
}

/// Numbers of categories stand on the right; nothing follows the last word.
fn line(
    out: &mut impl Write,
    row: &[String],
    columns: &[Column],
    widths: &[usize],
    ink: impl Fn(Column) -> Ink,
    coloured: bool,
) -> io::Result<()> {
    for (at, ((text, column), room)) in row.iter().zip(columns).zip(widths).enumerate() {
        let text = cut(text, *room);
        let pad = " ".repeat(room - width(&text));
        let text = ink(*column).paint(&text, coloured);
        let gap = if at == 0 { "" } else { "  " };
        match column {
            Column::CategoryId => write!(out, "{gap}{pad}{text}")?,
            Column::Id | Column::Name | Column::Status if at + 1 == row.len() => write!(out, "{gap}{text}")?,
            Column::Id | Column::Name | Column::Status => write!(out, "{gap}{text}{pad}")?,
        }
    }
    writeln!(out)
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

/// The word above a column.
const fn heading(column: Column) -> &'static str {
    match column {
        Column::Id => "ID",
        Column::Name => "NAME",
        Column::CategoryId => "CATEGORY",
        Column::Status => "STATUS",
    }
}
