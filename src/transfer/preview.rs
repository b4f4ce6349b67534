//! Checks a whole file without sending anything, in bounded memory.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;

use super::rows::{self, Bad, FileLayout, Row, RowFault};
use super::{ColumnMapping, Input, Result};
use crate::model::{NewPet, PetId, PetMembers, counted, short};

/// The most bad rows, and the most duplicates, that are kept.
pub const MOST: usize = 1_000;

/// The good rows that are kept.
const FIRST: usize = 3;

/// The most pets that a file changes.
const MOST_CHANGED: usize = 100_000;

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
    /// What the rows change of which pet, if they were read so; at most 100,000.
    pub changes: BTreeMap<PetId, PetMembers>,
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
pub fn preview(input: Input, map: &ColumnMapping, mut each: impl FnMut(u64, Option<&Bad>) -> bool) -> Result<Preview> {
    let mut preview = Preview { all_duplicates: true, ..Preview::default() };
    // Rows are remembered by a hash of 64 bits.
    let (mut known, hasher) = (HashSet::new(), RandomState::new());
    let layout = rows::read(input, map, |row| {
        let goes_on = each(preview.good + preview.bad + 1, row.as_ref().err());
        match row.and_then(|row| preview.changed(row)) {
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
    /// Takes up what a row changes, if it does; one pet is changed by one row.
    fn changed(&mut self, mut row: Row) -> Result<Row, Bad> {
        let Some((id, to)) = row.change.take() else { return Ok(row) };
        let why = match self.changes.insert(id, to) {
            Some(_) => format!("Pet {id} is in an earlier row, too."),
            None if self.changes.len() > MOST_CHANGED => format!("A file can change {MOST_CHANGED} pets at most."),
            None => return Ok(row),
        };
        Err(Bad { row: row.row, line: row.line, faults: vec![RowFault::whole(why)] })
    }

    /// How many rows can be sent, and how many cannot.
    pub const fn counts(&self) -> RowCounts {
        RowCounts { good: self.good, bad: self.bad }
    }

    /// The counts in one sentence, without those that are 0.
    pub fn sentence(&self) -> String {
        let Self { good, corrected, bad, duplicates, .. } = *self;
        let state = match (good, bad) {
            (_, 0) => ", all fine".to_owned(),
            (0, _) => ", none can be sent".to_owned(),
            (_, 1) => format!(": {good} fine, 1 needs fixing"),
            (_, _) => format!(": {good} fine, {bad} need fixing"),
        };
        let mut parts = vec![counted(good + bad, "row") + &state];
        parts.extend((corrected > 0).then(|| format!("{} corrected", counted(corrected, "status value"))));
        let most = if self.all_duplicates { "" } else { "at least " };
        parts.extend((duplicates > 0).then(|| format!("{most}{}", counted(duplicates, "duplicate"))));
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::model::PetStatus;

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
    fn rows_are_changes_of_the_pets_with_their_ids() {
        let reading = ColumnMapping { changes: true, ..ColumnMapping::default() };
        let sold = PetMembers { status: Some(PetStatus::Sold.into()), ..PetMembers::default() };
        let all = PetMembers { name: Some(" Rex".to_owned()), category_id: Some(3), ..sold.clone() };
        for (text, to) in [
            ("notes,ID,state\nx,7,Sold\n", &sold),
            ("id\tname\tcategoryId\tstatus\n7\t\t\tsold\n", &sold),
            ("id,name,categoryId,status\n7, Rex,3,sold\n", &all),
            ("{\"status\":\"sold\",\"id\":7}", &sold),
            ("[{\"id\":\"7\",\"name\":\" Rex\",\"categoryId\":3,\"status\":\"sold\"}]", &all),
        ] {
            let preview = preview_of(text, &reading);
            assert_eq!((preview.bad, preview.changes), (0, BTreeMap::from([(7, to.clone())])), "{text}");
        }
        let bad = preview_of("id,status\n7,sold\nx,sold\n,sold\n8,gone\n7,pending\n9,\n", &reading);
        let why: Vec<_> = bad.bad_rows.iter().map(Bad::sentence).collect();
        assert_eq!((bad.good, why.len()), (2, 4), "{why:?}");
        assert_eq!(why[0], "line 3: column id: \"x\" is not the id of a pet: a whole number.");
        assert_eq!(why[3], "line 6: Pet 7 is in an earlier row, too.");
        assert_eq!(bad.changes[&9], PetMembers::default(), "an empty cell changes nothing");
        for text in ["status\nsold\n", "id,notes\n7,x\n", "{\"name\":\"Rex\"}"] {
            let error = preview(Input::stream("a", Cursor::new(text)).unwrap(), &reading, |_, _| true).unwrap_err();
            assert!(error.to_string().starts_with("a column id and at least one of"), "{error}");
        }
        let twice =
            preview(Input::stream("a", Cursor::new("id,ID,status\n2,5,sold\n")).unwrap(), &reading, |_, _| true);
        assert!(twice.unwrap_err().to_string().starts_with("there are two columns of ids"));
        let added = preview_of("id,name,categoryId,status\n7,Rex,3,sold\n", &ColumnMapping::default());
        assert_eq!((added.good, added.changes.len()), (1, 0), "an import ignores ids");
    }

    #[test]
    fn no_file_changes_more_pets_than_are_held_in_memory() {
        let rows: String = (0..=MOST_CHANGED).map(|id| format!("{id},sold\n")).collect();
        let reading = ColumnMapping { changes: true, ..ColumnMapping::default() };
        let input = Input::stream("a", Cursor::new(format!("id,status\n{rows}"))).unwrap();
        let preview = preview(input, &reading, |_, _| true).unwrap();
        assert_eq!(preview.bad_rows[0].sentence(), "line 100002: A file can change 100000 pets at most.");
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
