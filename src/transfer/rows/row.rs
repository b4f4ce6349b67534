//! A row of a file, checked by the rules of the form.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::model::draft::check_name;
use crate::model::text::short;
use crate::model::{Categories, Field, FieldError, NewPet, PetStatus, draft, export};
use crate::transfer::column_mapping::{ColumnMapping, Columns};

/// A row that can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number in the file, from 1. Blank rows do not count, bad ones do.
    pub row: u64,
    /// The line in the file where it begins, from 1.
    pub line: u64,
    /// The pet.
    pub new: NewPet,
    /// Whether its status was corrected, such as `Available ` to `available`.
    pub corrected: bool,
}

/// A row that cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Its number among the rows of the file, from 1.
    pub row: u64,
    /// The line in the file where it begins, from 1.
    pub line: u64,
    /// What is wrong, at most one a field.
    pub faults: Vec<RowFault>,
}

/// A fault of a cell, or of a row as a whole. Every text is safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// The column as the file names it; empty for the row as a whole.
    pub column: String,
    /// The value, shortened.
    pub value: String,
    /// A sentence that names the field, the value and what is allowed.
    pub reason: String,
}

impl Bad {
    /// Everything in one line: `line 17: column pet_name: Name is needed ...`.
    pub fn sentence(&self) -> String {
        format!("line {}: {}", self.line, self.reasons())
    }

    /// The same without the line.
    pub fn reasons(&self) -> String {
        let faults: Vec<_> = self.faults.iter().map(RowFault::sentence).collect();
        faults.join(" ")
    }
}

impl RowFault {
    pub(super) fn whole(reason: impl Into<String>) -> Self {
        Self { column: String::new(), value: String::new(), reason: reason.into() }
    }

    fn sentence(&self) -> String {
        match self.column.as_str() {
            "" => self.reason.clone(),
            column => format!("column {column}: {}", self.reason),
        }
    }
}

/// A row as in the file.
#[derive(Clone, Copy)]
pub(in crate::transfer) struct Source<'a> {
    /// The columns, if the file has a header.
    pub(in crate::transfer) columns: Option<&'a Columns>,
    /// The cells of the row by index. Extra cells follow the last column.
    pub(in crate::transfer) cell: Cell<'a>,
}

pub(in crate::transfer) type Cell<'a> = &'a dyn Fn(usize) -> Option<&'a [u8]>;

pub(super) type Each<'a> = &'a mut dyn FnMut(Result<Row, Bad>, [&str; 3], Source<'_>) -> ControlFlow<()>;

/// Checks rows and counts them.
pub(super) struct Rows<'a> {
    pub(super) reading: &'a ColumnMapping,
    pub(super) row: u64,
    pub(super) each: Each<'a>,
}

/// The cells of a row, in the order of [`Field::ALL`]; `None` if missing.
pub(super) type Cells<'a> = [Option<Cow<'a, str>>; 3];

/// How cells are interpreted.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    /// The column of each field, for messages.
    pub(super) columns: [&'a str; 3],
    /// A `'` before a value that begins like a formula is removed.
    pub(super) active: bool,
    /// Names are kept byte for byte.
    pub(super) exact: bool,
}

impl<'a> Manner<'a> {
    /// For a file with a header.
    pub(super) fn of(columns: &'a Columns, reading: &ColumnMapping) -> Self {
        let names = columns.of.map(|place| place.map_or("", |place| columns.names[place].as_str()));
        Self { columns: names, active: !reading.raw, exact: columns.ours }
    }
}

impl Rows<'_> {
    /// Passes a row with these cells on; it is bad if there is a `fault`.
    pub(super) fn row(
        &mut self,
        line: u64,
        found: (&Cells<'_>, Option<RowFault>),
        source: Source<'_>,
        manner: Manner<'_>,
    ) -> ControlFlow<()> {
        self.row += 1;
        let (cells, fault) = found;
        let texts = texts(self.reading, cells, manner);
        let checked = fault.map_or_else(|| check(texts, &self.reading.categories, manner), |fault| Err(vec![fault]));
        let row = match checked {
            Ok((new, corrected)) => Ok(Row { row: self.row, line, new, corrected }),
            Err(faults) => Err(Bad { row: self.row, line, faults }),
        };
        (self.each)(row, texts, source)
    }
}

/// The text of each field.
fn texts<'a>(reading: &'a ColumnMapping, cells: &'a Cells<'_>, manner: Manner<'_>) -> [&'a str; 3] {
    Field::ALL.map(|field| {
        if let Some(fixed) = &reading.set[field as usize] {
            return fixed.as_str();
        }
        let cell = cells[field as usize].as_deref().unwrap_or("");
        if !manner.active {
            return cell;
        }
        let active = export::active(cell);
        // Spaces before the mark are ignored, unless names are exact.
        if active == cell && !manner.exact { export::active(cell.trim()) } else { active }
    })
}

fn check(texts: [&str; 3], categories: &Categories, manner: Manner<'_>) -> Result<(NewPet, bool), Vec<RowFault>> {
    let text = |field: Field| texts[field as usize];
    let name = text(Field::Name);
    let name = if manner.exact { name } else { name.trim() };
    let category = categories.parse(text(Field::CategoryId).trim());
    let word = text(Field::Status);
    let status = corrected_status(word);
    let fault = |error: FieldError| RowFault {
        column: manner.columns[error.field() as usize].to_owned(),
        value: short(text(error.field())),
        reason: error.to_string(),
    };
    // A huge name is rejected by its length first.
    let is_too_long = name.len() > draft::NAME_MAX_CHARS * 4;
    let too_long = is_too_long.then(|| FieldError::NameTooLong { chars: name.chars().count() });
    match (too_long.map_or_else(|| check_name(name), Err), category, status) {
        (Ok(()), Ok(category_id), Ok((status, corrected))) => {
            Ok((NewPet { name: name.to_owned(), category_id, status }, corrected))
        }
        (name, category, status) => {
            let errors = name.err().into_iter().chain(category.err()).chain(status.err());
            Err(errors.map(fault).collect())
        }
    }
}

/// The status of `word`, and whether it was corrected; `None` leaves it to the service.
fn corrected_status(word: &str) -> Result<(Option<PetStatus>, bool), FieldError> {
    let plain = word.trim();
    if plain.is_empty() {
        return Ok((None, false));
    }
    match plain.to_ascii_lowercase().parse() {
        Ok(status) => Ok((Some(status), word != PetStatus::as_str(status))),
        Err(_) => Err(FieldError::StatusUnknown(plain.to_owned())),
    }
}

/// The text of a cell, or its fault. `offset` is the position of `bytes` in the file.
pub(super) fn text_of(bytes: &[u8], offset: u64) -> Result<&str, RowFault> {
    str::from_utf8(bytes).map_err(|error| {
        let at = offset + error.valid_up_to() as u64;
        RowFault::whole(format!("This is not UTF-8 at byte {at}. Save the file as UTF-8."))
    })
}
