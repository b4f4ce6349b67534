//! Checks a whole file without sending anything, in bounded memory.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;

use super::rows::{self, Bad, FileLayout, Row};
use super::{ColumnMapping, Input, TransferError};
use crate::model::{NewPet, counted, short};

/// The most bad rows, and the most duplicates, that are kept.
pub const MOST: usize = 1_000;

/// The good rows that are kept.
const FIRST: usize = 3;

/// The most different rows that are compared.
const MOST_COMPARED: usize = 3_000_000;

/// A file as it was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Its layout.
    pub layout: FileLayout,
    /// Rows that can be sent.
    pub good: u64,
    /// Good rows whose status was corrected.
    pub corrected: u64,
    /// Rows that cannot be sent.
    pub bad: u64,
    /// Good rows with the same name, category and status as an earlier one.
    pub duplicates: u64,
    /// Whether all duplicates were counted; that stops after three million different rows.
    pub all_duplicates: bool,
    /// The faulty cells of each field, in the order of [`Field::ALL`](crate::model::Field::ALL).
    pub cells: [Cells; 3],
    /// The first good rows.
    pub first: Vec<NewPet>,
    /// The first bad rows.
    pub bad_rows: Vec<Bad>,
    /// The first duplicates: their lines and names, safe to show.
    pub duplicate_rows: Vec<(u64, String)>,
}

/// The faulty cells of a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Empty cells of a required field.
    pub empty: u64,
    /// Cells with other errors.
    pub wrong: u64,
}

/// How many rows of a file can be sent, and how many cannot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    pub good: u64,
    pub bad: u64,
}

/// Checks all of `input`, or until `each` row, which comes with their number so far and what is wrong with it, returns
/// false. Blocks.
pub fn preview(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(u64, Option<&Bad>) -> bool,
) -> Result<Preview, TransferError> {
    let mut preview = Preview { all_duplicates: true, ..Preview::default() };
    // Rows are remembered by a hash of 64 bits.
    let (mut known, hasher) = (HashSet::new(), RandomState::new());
    let layout = rows::read(input, reading, |row| {
        let goes_on = each(preview.good + preview.bad + 1, row.as_ref().err());
        match row {
            Ok(Row { line, new, corrected, .. }) => {
                preview.good += 1;
                preview.corrected += u64::from(corrected);
                let hash = hasher.hash_one((&new.name, new.category_id, new.status));
                let is_full = known.len() == MOST_COMPARED;
                let is_known = if is_full { known.contains(&hash) } else { !known.insert(hash) };
                preview.duplicates += u64::from(is_known);
                preview.all_duplicates &= is_known || !is_full;
                if is_known && preview.duplicate_rows.len() < MOST {
                    preview.duplicate_rows.push((line, short(&new.name)));
                }
                if preview.first.len() < FIRST {
                    preview.first.push(new);
                }
            }
            Err(row) => {
                preview.bad += 1;
                for (field, fault) in row.faults.iter().filter_map(|fault| Some((fault.field?, fault))) {
                    let Cells { empty, wrong } = &mut preview.cells[field as usize];
                    *if fault.value.is_empty() { empty } else { wrong } += 1;
                }
                if preview.bad_rows.len() < MOST {
                    preview.bad_rows.push(row);
                }
            }
        }
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(Preview { layout, ..preview })
}

impl Preview {
    /// How many rows can be sent, and how many cannot.
    pub const fn counts(&self) -> RowCounts {
        RowCounts { good: self.good, bad: self.bad }
    }

    /// The counts in one sentence, without those that are 0.
    pub fn sentence(&self) -> String {
        let Self { good, corrected, bad, duplicates, all_duplicates, .. } = self;
        let mut sentence = counted(good + bad, "row");
        sentence.push_str(&match (good, bad) {
            (_, 0) => ", all fine".to_owned(),
            (0, _) => ", none can be sent".to_owned(),
            (_, 1) => format!(": {good} fine, 1 needs fixing"),
            (_, _) => format!(": {good} fine, {bad} need fixing"),
        });
        if *corrected > 0 {
            sentence.push_str(&format!("; {} corrected", counted(*corrected, "status value")));
        }
        if *duplicates > 0 {
            let most = if *all_duplicates { "" } else { "at least " };
            sentence.push_str(&format!("; {most}{}", counted(*duplicates, "duplicate")));
        }
        sentence
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn preview_of(text: &'static str, reading: &ColumnMapping) -> Preview {
        preview(Input::stream("a", Cursor::new(text)).unwrap(), reading, |_, _| true).unwrap()
    }

    #[test]
    fn each_field_has_its_own_counts_and_the_rows_their_reasons() {
        let text = "cat,pet_name,notes\n3,Rex,\nthree,Luna,\n,  ,x\n3,Rex,\n5,Max,\n";
        let preview = preview_of(text, &ColumnMapping::default());
        let [name, category, status] = preview.cells;
        assert_eq!((name.empty, name.wrong, category.empty, category.wrong), (1, 0, 1, 1));
        assert_eq!((status, preview.good, preview.bad), (Cells::default(), 3, 2));
        assert_eq!(preview.bad_rows.iter().map(|bad| bad.line).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(preview.duplicate_rows, [(5, "Rex".to_owned())]);
        assert_eq!(preview.first.iter().map(|new| new.name.as_str()).collect::<Vec<_>>(), ["Rex", "Rex", "Max"]);
    }

    #[test]
    fn members_of_json_are_counted_by_their_field() {
        let preview = preview_of(
            "[{\"name\":\"\",\"category\":3},{\"name\":\"Rex\",\"category\":\"x\"}]",
            &ColumnMapping::default(),
        );
        let [name, category, _] = preview.cells;
        assert_eq!((name.empty, category.wrong), (1, 1));
    }

    #[test]
    fn it_ends_when_it_is_no_longer_needed() {
        let text = "name,category\nRex,3\nMax,3\nLuna,3\n";
        let input = Input::stream("a", Cursor::new(text)).unwrap();
        assert_eq!(preview(input, &ColumnMapping::default(), |rows, _| rows < 2).unwrap().good, 2);
    }

    #[test]
    fn the_same_row_is_found_again_and_others_are_not() {
        let rows = "a,1,\na,2,\nb,1,\na,1,sold\n";
        let others: String = (0..100_000).map(|number| format!("c,{number},\n")).collect();
        let text = format!("name,category,status\n{rows}{rows}{others}");
        let input = Input::stream("a", Cursor::new(text)).unwrap();
        let preview = preview(input, &ColumnMapping::default(), |_, _| true).unwrap();
        let lines: Vec<u64> = preview.duplicate_rows.iter().map(|(line, _)| *line).collect();
        assert_eq!((lines, preview.duplicates, preview.all_duplicates), (vec![6, 7, 8, 9], 4, true));
    }
}
