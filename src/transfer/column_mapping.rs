//! Maps the columns of a file to the fields of a pet.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::FileFormat;
use super::error::{TransferError, list};
use crate::model::draft::check_name;
use crate::model::text::short;
use crate::model::{Categories, Field, PetStatus, export};

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
    /// The names of categories: those of the configuration, not a choice about this file.
    #[serde(skip)]
    pub categories: Arc<Categories>,
}

impl ColumnMapping {
    /// The field of a column called `name`, such as `category` or `categoryId`.
    pub fn field(name: &str) -> Option<Field> {
        field_of(name).map(|(field, _)| Field::ALL[field])
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
    pub fn check(&self) -> Result<(), TransferError> {
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

/// The reasons column of rejects whose names keep their spaces.
pub(super) const WHY_EXACT: &str = "why not added (blanks count)";

/// The names of a field's column, by priority. Case, spaces, `_` and `-` are ignored.
const NAMES: [&[&str]; 3] = [&["name", "petname"], &["categoryid", "category", "cat"], &["status", "state"]];

/// The field of a column of this name, and the priority of the name.
pub(super) fn field_of(column: &str) -> Option<(usize, usize)> {
    let plain: String = column.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).flat_map(char::to_lowercase).collect();
    NAMES.iter().enumerate().find_map(|(field, names)| Some((field, names.iter().position(|name| *name == plain)?)))
}

/// The column that is named after `field`, by the best of its names.
pub fn named(columns: &[String], field: Field) -> Option<usize> {
    let ranks = columns.iter().enumerate().filter_map(|(place, name)| match field_of(name) {
        Some((of, rank)) if of == field as usize => Some((rank, place)),
        _ => None,
    });
    ranks.min().map(|(_, place)| place)
}

/// Whether the cells are a header: at least one names a field.
pub fn is_header(cells: &[&str]) -> bool {
    cells.iter().any(|cell| field_of(cell.trim().trim_matches('"')).is_some())
}

/// The column of each field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// All columns of the file, safe to show; for JSON, those of the first object.
    pub names: Vec<String>,
    /// The index of each field's column, in the order of [`Field::ALL`].
    pub of: [Option<usize>; 3],
    /// Whether the header is that of our own export or rejects, after which names keep their spaces.
    pub ours: bool,
}

impl Columns {
    /// Finds the columns in a header; fails if a required one is missing.
    pub(super) fn find(header: &[String], reading: &ColumnMapping) -> Result<Self, TransferError> {
        let columns = Self::look(header, reading)?;
        for (field, place) in Field::ALL.into_iter().zip(columns.of) {
            let needed = field != Field::Status;
            if needed && place.is_none() && reading.set[field as usize].is_none() {
                return Err(TransferError::NoColumn { missing: field, there: columns.names });
            }
        }
        Ok(columns)
    }

    /// Finds the columns in a header.
    pub(super) fn look(header: &[String], reading: &ColumnMapping) -> Result<Self, TransferError> {
        let names: Vec<String> = header.iter().map(|name| short(name.trim())).collect();
        let ours = header == export::HEADER || header.first().is_some_and(|name| name == WHY_EXACT);
        let mut columns = Self { names, of: [None; 3], ours };
        for (index, field) in Field::ALL.into_iter().enumerate() {
            if reading.set[index].is_some() {
                continue;
            }
            columns.of[index] = match &reading.map[index] {
                Some(wanted) => Some(columns.wanted(header, field, wanted)?),
                None => columns.by_name(header, index)?,
            };
        }
        Ok(columns)
    }

    /// The fields that are read from a column although the names of the columns say otherwise, each with its column.
    pub fn doubtful(&self) -> Vec<(Field, &str)> {
        let is_doubtful = |field: usize, place: usize| {
            let named = named(&self.names, Field::ALL[field]);
            named.is_some_and(|named| named != place)
                || field_of(&self.names[place]).is_some_and(|(of, _)| of != field)
                || named.is_none() && self.of.iter().filter(|of| **of == Some(place)).count() > 1
        };
        let read = Field::ALL.into_iter().zip(self.of).filter_map(|(field, place)| Some((field, place?)));
        read.filter(|(field, place)| is_doubtful(*field as usize, *place))
            .map(|(field, place)| (field, self.names[place].as_str()))
            .collect()
    }

    fn wanted(&self, header: &[String], field: Field, wanted: &str) -> Result<usize, TransferError> {
        let exact = header.iter().position(|name| name.trim() == wanted.trim());
        let by_case = || header.iter().position(|name| name.trim().to_lowercase() == wanted.trim().to_lowercase());
        exact.or_else(by_case).ok_or_else(|| {
            let (field, there) = (field.member(), list(&self.names));
            TransferError::Columns(format!("no column \"{}\" for {field}. The columns are {there}", short(wanted)))
        })
    }

    fn by_name(&self, header: &[String], index: usize) -> Result<Option<usize>, TransferError> {
        let named = header.iter().enumerate().filter_map(|(place, name)| match field_of(name) {
            Some((field, rank)) if field == index => Some((rank, place)),
            _ => None,
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable();
        match named.as_slice() {
            [(first, place), (second, _), ..] if first == second => {
                let (name, there) = (short(&self.names[*place]), list(&self.names));
                Err(TransferError::Columns(format!(
                    "the header {there} has the column \"{name}\" twice. Rename one of them"
                )))
            }
            named => Ok(named.first().map(|(_, place)| *place)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(header: &[&str], reading: &ColumnMapping) -> Result<[Option<usize>; 3], String> {
        let header: Vec<_> = header.iter().map(|name| (*name).to_owned()).collect();
        Columns::find(&header, reading).map(|columns| columns.of).map_err(|error| error.to_string())
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
            let header: Vec<_> = header.iter().map(|name| (*name).to_owned()).collect();
            let map = map.map(|column| Some(column.to_owned()).filter(|column| !column.is_empty()));
            let columns = Columns::find(&header, &ColumnMapping { map, ..ColumnMapping::default() }).unwrap();
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
