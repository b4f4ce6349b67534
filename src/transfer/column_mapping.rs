//! Maps the columns of a file to the fields of a pet.

use std::sync::Arc;

use csv::ByteRecord;
use serde::{Deserialize, Serialize};

use super::FileFormat;
use super::error::{Result, TransferError, list};
use crate::model::draft::check_name;
use crate::model::export::Column;
use crate::model::{Categories, Field, PetStatus, short};

/// Choices about how to read a file. The default makes none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColumnMapping {
    /// The format; detected if `None`.
    pub format: Option<FileFormat>,
    /// Keep a `'` before a value that begins like a formula.
    pub raw: bool,
    /// The column of each field, in the order of [`Field::ALL`]; found by its name when `None`.
    pub map: [Option<String>; 3],
    /// One value for all rows instead of a column, in the same order.
    pub set: [Option<String>; 3],
    /// The header was put before the rows of a paste, and is not counted as a line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_added_header: bool,
    /// Rows change the pets whose ids they have: only the id is required, and an empty cell changes nothing.
    #[serde(skip)]
    pub changes: bool,
    /// The names of categories: those of the configuration, not a choice about this file.
    #[serde(skip)]
    pub categories: Arc<Categories>,
}

impl ColumnMapping {
    /// The field of a column called `name`, such as `category` or `categoryId`.
    pub fn field(name: &str) -> Option<Field> {
        Some(field_of(name)?.0)
    }

    /// The same choices with the names of categories of `other`.
    #[must_use]
    pub fn with_names_of(self, other: &Self) -> Self {
        Self { categories: Arc::clone(&other.categories), ..self }
    }

    /// Whether the choices are the same. The names of categories do not count.
    pub fn agrees_with(&self, other: &Self) -> bool {
        self.clone().with_names_of(other) == *other
    }

    /// Whether no choice is made.
    pub fn is_default(&self) -> bool {
        self.agrees_with(&Self::default())
    }

    /// Fails if a fixed value is invalid.
    pub fn check(&self) -> Result<()> {
        for (field, value) in Field::ALL.into_iter().zip(&self.set) {
            let Some(value) = value else { continue };
            let checked = match field {
                Field::Name => check_name(value).map_err(|error| error.to_string()),
                Field::CategoryId => self.categories.parse(value).map(drop).map_err(|error| error.to_string()),
                Field::Status => value.parse::<PetStatus>().map(drop).map_err(|error| error.to_string()),
            };
            checked.map_err(|why| TransferError::FixedValue { field, why })?;
        }
        Ok(())
    }
}

/// The most cells of a row.
pub(super) const MOST_CELLS: usize = 16 << 10;

/// The reasons column of rejects whose names keep their spaces.
pub(super) const WHY_EXACT: &str = "why not added (blanks count)";

/// The names of a field's column, by priority. Case, spaces, `_` and `-` are ignored.
const NAMES: [&[&str]; 3] = [&["name", "petname"], &["categoryid", "category", "cat"], &["status", "state"]];

/// The field of a column of this name, and the priority of the name.
fn field_of(column: &str) -> Option<(Field, usize)> {
    let plain: String = column.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect();
    let rank = |names: &[&str]| names.iter().position(|name| *name == plain);
    Field::ALL.into_iter().zip(NAMES).find_map(|(field, names)| Some((field, rank(names)?)))
}

/// The column that is named after `field`, by the best of its names.
pub fn named(columns: &[String], field: Field) -> Option<usize> {
    let named = columns.iter().enumerate().filter_map(|(place, name)| Some((field_of(name)?, place)));
    named.filter(|((of, _), _)| *of == field).min_by_key(|((_, rank), _)| *rank).map(|(_, place)| place)
}

/// Whether a column of this name has ids.
pub fn is_id(column: &str) -> bool {
    column.trim().eq_ignore_ascii_case("id")
}

/// Whether the cells are a header: at least one names a field.
pub fn is_header(cells: &[&str]) -> bool {
    cells.iter().any(|cell| field_of(cell.trim().trim_matches('"')).is_some())
}

/// The column of each field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// All columns of the file, safe to show; for JSON, those of the first object.
    pub names: Vec<String>,
    /// The index of each field's column, in the order of [`Field::ALL`].
    pub of: [Option<usize>; 3],
    /// The index of the column of ids.
    pub id: Option<usize>,
    /// Whether the header is that of our own export or rejects, after which names keep their spaces.
    pub ours: bool,
    /// Whether a `'` before a value that begins like a formula is not part of the value.
    pub is_marked: bool,
}

impl Columns {
    /// Finds the columns in a header; fails if two have the same claim to be that of a field.
    pub(super) fn look(header: &ByteRecord, reading: &ColumnMapping) -> Result<Self> {
        let cells = header.iter().take(MOST_CELLS);
        let header: Vec<_> = cells.map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        let names: Vec<String> = header.iter().map(|name| short(name.trim())).collect();
        let ours =
            header == Column::OF_PETS.map(Column::as_str) || header.first().is_some_and(|name| name == WHY_EXACT);
        let mut of = [None; 3];
        for (field, of) in Field::ALL.into_iter().zip(&mut of) {
            *of = match (&reading.set[field as usize], &reading.map[field as usize]) {
                (Some(_), _) => None,
                (None, Some(chosen)) => {
                    let exact = header.iter().position(|name| name.trim() == chosen.trim());
                    let lower = chosen.trim().to_lowercase();
                    exact.or_else(|| header.iter().position(|name| name.trim().to_lowercase() == lower))
                }
                (None, None) => named(&header, field),
            };
            let Some(place) = *of else { continue };
            let is_twice = || header.iter().filter(|name| field_of(name) == field_of(&header[place])).count() > 1;
            if reading.map[field as usize].is_none() && is_twice() {
                let (name, there) = (short(&names[place]), list(&names));
                let why = format!("the header {there} has the column \"{name}\" twice. Rename one of them");
                return Err(TransferError::Columns(why));
            }
        }
        let id = names.iter().position(|name| is_id(name));
        Ok(Self { names, of, id, ours, is_marked: !reading.raw })
    }

    /// Fails if a column is missing that was chosen or, in a table, is required.
    pub(super) fn check(&self, reading: &ColumnMapping, is_table: bool) -> Result<()> {
        let has_any = self.of.iter().any(Option::is_some) || reading.set.iter().any(Option::is_some);
        if reading.changes && self.names.iter().filter(|name| is_id(name)).count() > 1 {
            return Err(TransferError::Columns("there are two columns of ids. Rename one of them".to_owned()));
        }
        if reading.changes && (self.id.is_none() || !has_any) {
            let needed = "a column id and at least one of name, categoryId and status are needed";
            return Err(TransferError::Columns(format!("{needed}. The columns are {}", list(&self.names))));
        }
        for (field, place) in Field::ALL.into_iter().zip(self.of) {
            if place.is_some() || reading.set[field as usize].is_some() {
                continue;
            }
            if let Some(chosen) = &reading.map[field as usize] {
                let (chosen, field, there) = (short(chosen), field.member(), list(&self.names));
                let why = format!("no column \"{chosen}\" for {field}. The columns are {there}");
                return Err(TransferError::Columns(why));
            }
            if is_table && field != Field::Status && !reading.changes {
                return Err(TransferError::NoColumn { missing: field, there: self.names.clone() });
            }
        }
        Ok(())
    }

    /// The fields that are read from a column although the names of the columns say otherwise, each with its column.
    pub fn doubtful(&self) -> Vec<(Field, &str)> {
        let read = Field::ALL.into_iter().zip(self.of).filter_map(|(field, place)| Some((field, place?)));
        let read = read.filter(|(field, place)| match (named(&self.names, *field), field_of(&self.names[*place])) {
            (Some(named), _) => named != *place,
            (None, Some(_)) => true,
            (None, None) => self.of.iter().filter(|of| **of == Some(*place)).count() > 1,
        });
        read.map(|(field, place)| (field, self.names[place].as_str())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &[&str], reading: &ColumnMapping) -> Result<[Option<usize>; 3], String> {
        let columns = Columns::look(&ByteRecord::from(header), reading)
            .and_then(|columns| columns.check(reading, true).map(|()| columns));
        columns.map(|columns| columns.of).map_err(|error| error.to_string())
    }

    #[test]
    fn columns_are_found_by_their_names_whatever_the_case() {
        let none = ColumnMapping::default();
        assert_eq!(find(&["id", "name", "categoryId", "status"], &none), Ok([Some(1), Some(2), Some(3)]));
        assert_eq!(find(&["State", "PET_NAME", " Cat "], &none), Ok([Some(1), Some(2), Some(0)]));
        assert_eq!(find(&["cat", "category id", "pet name"], &none), Ok([Some(2), Some(1), None]));
    }

    #[test]
    fn chosen_columns_and_values_take_precedence() {
        let [map, set] = [["colour", ""], ["", "7"]].map(|[category, fixed]| ColumnMapping {
            map: [None, Some(category.to_owned()).filter(|text| !text.is_empty()), None],
            set: [None, Some(fixed.to_owned()).filter(|text| !text.is_empty()), None],
            ..ColumnMapping::default()
        });
        assert_eq!(find(&["name", "cat", "Colour"], &map), Ok([Some(0), Some(2), None]));
        assert_eq!(find(&["name", "cat"], &set), Ok([Some(0), None, None]));
        let error = find(&["name", "cat\u{1b}"], &map).unwrap_err();
        assert_eq!(error, "no column \"colour\" for categoryId. The columns are name, cat⟨U+001B⟩");
    }

    #[test]
    fn a_column_that_its_name_gives_to_another_field_is_doubtful() {
        let doubts = |header: &[&str], map: [&str; 3]| {
            let header = ByteRecord::from(header);
            let map = map.map(|column| Some(column.to_owned()).filter(|column| !column.is_empty()));
            let columns = Columns::look(&header, &ColumnMapping { map, ..ColumnMapping::default() }).unwrap();
            columns.doubtful().into_iter().map(|(field, column)| format!("{field:?} {column}")).collect::<Vec<_>>()
        };
        let none: [&str; 0] = [];
        assert_eq!(doubts(&["name", "cat", "state"], ["", "", ""]), none);
        assert_eq!(doubts(&["whom", "cat"], ["whom", "", ""]), none);
        assert_eq!(doubts(&["name", "cat"], ["cat", "", ""]), ["Name cat"]);
        assert_eq!(doubts(&["name", "cat", "notes"], ["notes", "", ""]), ["Name notes"]);
        assert_eq!(doubts(&["a", "b"], ["a", "a", ""]), ["Name a", "CategoryId a"]);
    }

    #[test]
    fn the_error_for_a_missing_header_says_how_to_add_one() {
        let error = find(&["Rex", "3"], &ColumnMapping::default()).unwrap_err();
        assert!(error.starts_with("no column for name among Rex, 3. The first row must name the columns"), "{error}");
        let error = find(&["name", "Name", "cat"], &ColumnMapping::default()).unwrap_err();
        assert!(error.contains("has the column \"name\" twice"), "{error}");
    }

    #[test]
    fn a_fixed_value_is_checked_as_a_cell_would_be() {
        let set = |place: usize, value: &str| {
            let mut reading = ColumnMapping::default();
            reading.set[place] = Some(value.to_owned());
            reading.check().map_err(|error| error.to_string())
        };
        assert_eq!((set(0, "Rex"), set(1, "-3"), set(2, "sold")), (Ok(()), Ok(()), Ok(())));
        assert_eq!(set(2, "gone"), Err("--set status: status must be available, pending or sold".to_owned()));
        assert!(set(0, " ").is_err() && set(1, "x").is_err());
    }
}
