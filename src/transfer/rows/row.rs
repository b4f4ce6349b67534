//! A row of a file, checked by the rules of the form.

use csv::ByteRecord;

use crate::model::draft::check_name;
use crate::model::{Field, FieldError, NewPet, PetId, PetMembers, PetStatus, draft, export, short};
use crate::transfer::{ColumnMapping, Columns, FileFormat, TransferError};

/// The detected layout of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLayout {
    /// What kind of file it is.
    pub format: FileFormat,
    /// The delimiter of CSV.
    pub delimiter: Option<char>,
    /// Its columns; `None` for a JSON file without any object.
    pub columns: Option<Columns>,
}

/// A row that can be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its number in the file, from 1. Blank rows do not count, bad ones do.
    pub row: u64,
    /// The line in the file where it begins, from 1.
    pub line: u64,
    /// The pet.
    pub new: NewPet,
    /// Which pet it changes, and to what, if it was read so; the pet above is of no use then.
    pub change: Option<(PetId, PetMembers)>,
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
    /// The field of the cell; `None` for the row as a whole.
    pub field: Option<Field>,
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
        self.faults.iter().map(RowFault::sentence).collect::<Vec<_>>().join(" ")
    }
}

impl RowFault {
    pub fn whole(reason: impl Into<String>) -> Self {
        Self { field: None, column: String::new(), value: String::new(), reason: reason.into() }
    }

    fn sentence(&self) -> String {
        let place = if self.column.is_empty() { String::new() } else { format!("column {}: ", self.column) };
        place + &self.reason
    }
}

/// Why reading ends early: an error, or `None` if no more rows are wanted.
pub type Stop = Option<TransferError>;

pub type Each<'a> = &'a mut dyn FnMut(Result<Row, Bad>, &Columns, &ByteRecord) -> Result<(), Stop>;

/// Checks rows and counts them.
pub struct Rows<'a> {
    pub reading: &'a ColumnMapping,
    pub layout: FileLayout,
    /// The columns of rows that are not those of a table.
    pub columns: Option<Columns>,
    pub count: u64,
    pub each: Each<'a>,
}

impl Rows<'_> {
    /// Passes a row with these cells on; it is bad if there is a `fault`. Blank rows do not count, and the first row of
    /// a table has its columns.
    pub fn row(&mut self, line: u64, cells: &ByteRecord, fault: Option<RowFault>) -> Result<(), Stop> {
        if cells.iter().all(|cell| cell.trim_ascii().is_empty()) {
            return Ok(());
        }
        let Some(columns) = self.columns.as_ref().or(self.layout.columns.as_ref()) else {
            let columns = Columns::look(cells, self.reading)?;
            columns.check(self.reading, true)?;
            self.layout.columns = Some(columns);
            return Ok(());
        };
        self.count += 1;
        let checked = fault.map_or_else(|| check(cells, columns, self.reading), |fault| Err(vec![fault]));
        let row = match checked {
            Ok((new, corrected, change)) => Ok(Row { row: self.count, line, new, change, corrected }),
            Err(faults) => Err(Bad { row: self.count, line, faults }),
        };
        (self.each)(row, columns, cells)
    }
}

/// What is valid in place of a cell that changes nothing, in the order of [`Field::ALL`].
const NOTHING: [&str; 3] = ["-", "0", ""];

type Checked = (NewPet, bool, Option<(PetId, PetMembers)>);

fn check(cells: &ByteRecord, columns: &Columns, reading: &ColumnMapping) -> Result<Checked, Vec<RowFault>> {
    let mut texts = Field::ALL.map(|field| text(field, cells, columns, reading));
    let stays = texts.map(|text| reading.changes && text.trim().is_empty());
    for (at, text) in texts.iter_mut().enumerate().filter(|(at, _)| stays[*at]) {
        *text = NOTHING[at];
    }
    let [name, category, word] = texts;
    let name = if columns.ours { name } else { name.trim() };
    let category = reading.categories.parse(category.trim());
    let status = corrected_status(word);
    let fault = |error: FieldError| {
        let field = error.field();
        let column = columns.of[field as usize].map_or("", |place| &columns.names[place]);
        let (value, reason) = (short(texts[field as usize]), error.to_string());
        RowFault { field: Some(field), column: column.to_owned(), value, reason }
    };
    // A huge name is rejected by its length first.
    let is_too_long = name.len() > draft::NAME_MAX_CHARS * 4;
    let too_long = is_too_long.then(|| FieldError::NameTooLong { chars: name.chars().count() });
    match (too_long.map_or_else(|| check_name(name), Err), category, status) {
        (Ok(()), Ok(category_id), Ok((status, corrected))) => {
            let to = || PetMembers {
                name: (!stays[0]).then(|| name.to_owned()),
                category_id: (!stays[1]).then_some(category_id),
                status: status.map(Into::into),
            };
            let change = if reading.changes { Some((id(cells, columns)?, to())) } else { None };
            Ok((NewPet { name: name.to_owned(), category_id, status }, corrected, change))
        }
        (name, category, status) => {
            let errors = name.err().into_iter().chain(category.err()).chain(status.err());
            Err(errors.map(fault).collect())
        }
    }
}

/// The pet that a row changes.
fn id(cells: &ByteRecord, columns: &Columns) -> Result<PetId, Vec<RowFault>> {
    let cell = cell(cells, columns.id);
    cell.trim().parse().map_err(|_| {
        let reason = format!("\"{}\" is not the id of a pet: a whole number.", short(cell));
        vec![RowFault { field: None, column: "id".to_owned(), value: short(cell), reason }]
    })
}

fn text<'a>(field: Field, cells: &'a ByteRecord, columns: &Columns, reading: &'a ColumnMapping) -> &'a str {
    if let Some(fixed) = &reading.set[field as usize] {
        return fixed;
    }
    let cell = cell(cells, columns.of[field as usize]);
    if !columns.is_marked {
        return cell;
    }
    let active = export::active(cell);
    // Spaces before the mark are ignored, unless names are exact.
    if active == cell && !columns.ours { export::active(cell.trim()) } else { active }
}

/// The text of a cell. A row that is not UTF-8 has a fault already.
fn cell(cells: &ByteRecord, place: Option<usize>) -> &str {
    str::from_utf8(place.and_then(|place| cells.get(place)).unwrap_or_default()).unwrap_or_default()
}

/// The status of `word`, and whether it was corrected; `None` leaves it to the service.
fn corrected_status(word: &str) -> Result<(Option<PetStatus>, bool), FieldError> {
    let plain = word.trim();
    if plain.is_empty() {
        return Ok((None, false));
    }
    let status = plain.to_ascii_lowercase().parse().map_err(|_| FieldError::StatusUnknown(plain.to_owned()))?;
    Ok((Some(status), word != PetStatus::as_str(status)))
}
