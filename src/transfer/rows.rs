//! Reads the rows of a file, one at a time in constant memory, as pets to send or as faults.
//!
//! A row is checked by the rules of the form, [`draft`](crate::model::draft). Cells are trimmed like there, except for
//! names in JSON and in CSV after the header of our own export, so an export can be imported byte for byte.

mod csv;
mod json;
mod row;
mod splitter;
mod xlsx;

use std::ops::ControlFlow;

use super::column_mapping::{ColumnMapping, Columns};
use super::input::Input;
use super::{FileFormat, TransferError};

pub use row::{Bad, Row, RowFault};

use row::Rows;
pub(super) use row::Source;

/// The detected layout of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLayout {
    /// What kind of file it is.
    pub format: FileFormat,
    /// The delimiter of CSV.
    pub delimiter: Option<char>,
    /// Its columns; `None` for a JSON file without any object.
    pub columns: Option<Columns>,
}

/// Passes every row of `input` to `each`, until it breaks or the file ends. Blocks.
pub fn read(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(Result<Row, Bad>) -> ControlFlow<()>,
) -> Result<FileLayout, TransferError> {
    read_with_source(input, reading, |row, _, _| each(row))
}

/// The same, with the text of each field, in the order of [`Field::ALL`](crate::model::Field::ALL) and empty if
/// missing, and the row as in the file.
pub(super) fn read_with_source(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(Result<Row, Bad>, [&str; 3], Source<'_>) -> ControlFlow<()>,
) -> Result<FileLayout, TransferError> {
    reading.check()?;
    let format = reading.format.unwrap_or_else(|| FileFormat::recognise(input.path.as_deref(), &input.head));
    if input.head.starts_with(b"\xff\xfe") || input.head.starts_with(b"\xfe\xff") {
        return Err(TransferError::Malformed(format!("{} is in UTF-16: save it as UTF-8, or as .xlsx", input.name)));
    }
    let mut rows = Rows { reading, row: 0, each: &mut each };
    let mut layout = FileLayout { format, delimiter: None, columns: None };
    match format {
        FileFormat::Csv => {
            let (delimiter, columns) = csv::read(input, &mut rows)?;
            layout.delimiter = Some(delimiter.into());
            layout.columns = Some(columns);
        }
        FileFormat::Ndjson => layout.columns = json::read(input, splitter::Kind::Line, &mut rows)?,
        FileFormat::Json => layout.columns = json::read(input, splitter::Kind::Element, &mut rows)?,
        FileFormat::Xlsx => layout.columns = Some(xlsx::read(input, &mut rows)?),
    }
    Ok(layout)
}

#[cfg(test)]
mod tests;
