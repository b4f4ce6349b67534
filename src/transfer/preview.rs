//! The preview of a file for a screen, in bounded memory.

use std::ops::ControlFlow;

use super::rows::{Bad, Row};
use super::validate::{Check, check};
use super::{ColumnMapping, Input, TransferError};
use crate::model::NewPet;
use crate::model::text::short;

/// The most bad rows, and the most duplicates, that are kept.
pub const MOST: usize = 1_000;

/// The good rows that are kept.
const FIRST: usize = 3;

/// A file as it was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The counts, and the layout of the file.
    pub check: Check,
    /// The faulty cells of each field, in the order of [`Field::ALL`](crate::model::Field::ALL).
    pub cells: [Cells; 3],
    /// The first good rows.
    pub first: Vec<NewPet>,
    /// The first bad rows.
    pub bad: Vec<Bad>,
    /// The first duplicates: their lines and names, safe to show.
    pub duplicates: Vec<(u64, String)>,
}

/// The faulty cells of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Empty cells of a required field.
    pub empty: u64,
    /// Cells with other errors.
    pub wrong: u64,
}

/// Checks all of `input`, or until `each` row, which comes with their number so far and what is wrong with it, returns
/// false. Blocks.
pub fn preview(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(u64, Option<&Bad>) -> bool,
) -> Result<Preview, TransferError> {
    let (mut rows, mut first, mut bad, mut duplicates) = (0, Vec::new(), Vec::new(), Vec::new());
    let mut cells = [Cells::default(); 3];
    let check = check(input, reading, |found| {
        rows += 1;
        let goes_on = each(rows, found.as_ref().err());
        match found {
            Ok((Row { line, new, .. }, is_duplicate)) => {
                if is_duplicate && duplicates.len() < MOST {
                    duplicates.push((line, short(&new.name)));
                }
                if first.len() < FIRST {
                    first.push(new);
                }
            }
            Err(row) => {
                for (field, fault) in row.faults.iter().filter_map(|fault| Some((fault.field?, fault))) {
                    let Cells { empty, wrong } = &mut cells[field as usize];
                    *if fault.value.is_empty() { empty } else { wrong } += 1;
                }
                if bad.len() < MOST {
                    bad.push(row);
                }
            }
        }
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(Preview { check, cells, first, bad, duplicates })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn looked(text: &'static str, reading: &ColumnMapping) -> Preview {
        preview(Input::stream("a", Cursor::new(text)).unwrap(), reading, |_, _| true).unwrap()
    }

    #[test]
    fn each_field_has_its_own_counts_and_the_rows_their_reasons() {
        let text = "cat,pet_name,notes\n3,Rex,\nthree,Luna,\n,  ,x\n3,Rex,\n5,Max,\n";
        let preview = looked(text, &ColumnMapping::default());
        let [name, category, status] = preview.cells;
        assert_eq!((name.empty, name.wrong, category.empty, category.wrong), (1, 0, 1, 1));
        assert_eq!((status, preview.check.good, preview.check.bad), (Cells::default(), 3, 2));
        assert_eq!(preview.bad.iter().map(|bad| bad.line).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(preview.duplicates, [(5, "Rex".to_owned())]);
        assert_eq!(preview.first.iter().map(|new| new.name.as_str()).collect::<Vec<_>>(), ["Rex", "Rex", "Max"]);
    }

    #[test]
    fn members_of_json_are_counted_by_their_field() {
        let preview =
            looked("[{\"name\":\"\",\"category\":3},{\"name\":\"Rex\",\"category\":\"x\"}]", &ColumnMapping::default());
        let [name, category, _] = preview.cells;
        assert_eq!((name.empty, category.wrong), (1, 1));
    }

    #[test]
    fn it_ends_when_it_is_no_longer_needed() {
        let text = "name,category\nRex,3\nMax,3\nLuna,3\n";
        let input = Input::stream("a", Cursor::new(text)).unwrap();
        assert_eq!(preview(input, &ColumnMapping::default(), |rows, _| rows < 2).unwrap().check.good, 2);
    }
}
