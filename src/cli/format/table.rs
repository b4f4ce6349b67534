//! Animals in columns for people: aligned, cut to the terminal where there is one, and clean of what would act on it.

use std::io::{self, Write};

use super::PetLayout;
use crate::cli::colour::Ink;
use crate::model::export::Column;
use crate::model::table::{line, widths};
use crate::model::text::short;
use crate::model::{ObservedStatus, Pet, PetStatus, display_safe};

/// Writes a table. Names give way where the terminal is too narrow.
pub fn table(out: &mut impl Write, pets: &[Pet], layout: &PetLayout) -> io::Result<()> {
    let columns = layout.shown();
    let headings = layout.header.then(|| columns.iter().map(|column| heading(*column).to_owned()).collect());
    let cells = |pet| columns.iter().map(|column| words(pet, *column)).collect();
    let rows: Vec<Vec<String>> = headings.into_iter().chain(pets.iter().map(cells)).collect();
    let mut widths = widths(&rows);
    let place = |wanted| columns.iter().position(|column| *column == wanted);
    if let (Some(most), Some(name)) = (layout.width, place(Column::Name).filter(|_| !rows.is_empty())) {
        // The name gives way, but not beyond what can still be recognised.
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

/// The word above a column.
const fn heading(column: Column) -> &'static str {
    match column {
        Column::Id => "ID",
        Column::Name => "NAME",
        Column::CategoryId => "CATEGORY",
        Column::Status => "STATUS",
    }
}
