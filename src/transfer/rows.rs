//! Reads the rows of a file, one at a time in constant memory, as pets to send or as faults.
//!
//! A row is checked by the rules of the form, [`draft`](crate::model::draft). Cells are trimmed like there, except for
//! names in JSON and in CSV after the header of our own export, so an export can be imported byte for byte.

mod csv;
mod json;
mod row;
mod window;
mod xlsx;

use std::ops::ControlFlow;

use ::csv::ByteRecord;

use super::input::Input;
use super::{ColumnMapping, Columns, FileFormat, Result, TransferError};

pub use row::{Bad, FileLayout, Row, RowFault};

use row::{Rows, Stop};

/// Passes every row of `input` to `each`, until it breaks or the file ends. Blocks.
pub fn read(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(Result<Row, Bad>) -> ControlFlow<()>,
) -> Result<FileLayout> {
    read_with_cells(input, reading, |row, _, _| if each(row).is_break() { Err(None) } else { Ok(()) })
}

/// The same, with the columns of the row, and its cells as in the file: extra ones follow the last column.
pub(super) fn read_with_cells(
    input: Input,
    reading: &ColumnMapping,
    mut each: impl FnMut(Result<Row, Bad>, &Columns, &ByteRecord) -> Result<(), Stop>,
) -> Result<FileLayout> {
    reading.check()?;
    let format = reading.format.unwrap_or_else(|| FileFormat::recognise(input.path.as_deref(), &input.head));
    let name = input.name.clone();
    if input.head.starts_with(b"\xff\xfe") || input.head.starts_with(b"\xfe\xff") {
        return Err(TransferError::Malformed(format!("{name} is in UTF-16: save it as UTF-8, or as .xlsx")));
    }
    let layout = FileLayout { format, delimiter: None, columns: None };
    let mut rows = Rows { reading, layout, columns: None, count: 0, each: &mut each };
    let read = match format {
        FileFormat::Csv => csv::read(input, &mut rows),
        FileFormat::Xlsx => xlsx::read(input, &mut rows),
        FileFormat::Ndjson | FileFormat::Json => json::read(input, &mut rows),
    };
    if let Err(Some(error)) = read {
        return Err(error);
    }
    let is_empty = rows.columns.is_none() && rows.layout.columns.is_none();
    if is_empty { Err(TransferError::Empty(name)) } else { Ok(rows.layout) }
}

#[cfg(test)]
mod tests;
