//! Reads the first sheet of a workbook. All its texts are in memory, as the format requires, so its size is limited.

use std::borrow::Cow;
use std::io::{BufReader, Cursor, Read as _};
use std::ops::ControlFlow;

use calamine::{Cell, DataRef, Reader as _, Xlsx};
use quick_xml::Reader as XmlReader;
use quick_xml::events::Event;
use zip::ZipArchive;

use super::row::{Cells, Manner, Rows, Source};
use crate::model::display_safe;
use crate::model::text::cut;
use crate::transfer::TransferError;
use crate::transfer::column_mapping::Columns;
use crate::transfer::input::Input;

/// The largest workbook file, in bytes.
const MOST: u64 = 32 << 20;

/// The most bytes of its parts, unpacked.
const MOST_UNPACKED: u64 = 256 << 20;

/// The fewest bytes of a shared text: `<si/>`.
const LEAST_TEXT: u64 = 5;

/// Whole numbers up to here are exact in a spreadsheet.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The most columns of a sheet.
const MOST_COLUMNS: u32 = 16 << 10;

/// Reads all rows of the first sheet. Returns its columns.
pub(super) fn read(input: Input, rows: &mut Rows<'_>) -> Result<Columns, TransferError> {
    let wrong = |why: &dyn std::fmt::Display| {
        let why = cut(&display_safe(&why.to_string()), 200);
        TransferError::Malformed(format!("cannot read the workbook: {why}"))
    };
    let name = input.name.clone();
    let mut bytes = Vec::new();
    input
        .bytes()
        .take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| TransferError::Read { name: name.clone(), source })?;
    if bytes.len() as u64 > MOST {
        return Err(wrong(&"it is larger than 32 MiB. Save the sheet as CSV"));
    }
    guard(&bytes).map_err(|why| wrong(&why))?;
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(|error| wrong(&error))?;
    let sheet = workbook.sheet_names().first().cloned().ok_or_else(|| wrong(&"it has no sheet"))?;
    let mut cells = workbook.worksheet_cells_reader(&sheet).map_err(|error| wrong(&error))?;
    let mut sheet = Sheet { rows, columns: None, row: Vec::new(), line: 0 };
    while let Some(cell) = cells.next_cell().map_err(|error| wrong(&error))? {
        if sheet.cell(&cell)?.is_break() {
            return sheet.columns.ok_or(TransferError::Empty(name));
        }
    }
    // The last row ends with the sheet.
    let _ = sheet.end_of_row()?;
    sheet.columns.ok_or(TransferError::Empty(name))
}

/// Refuses a workbook that unpacks to more than the limit.
fn guard(bytes: &[u8]) -> Result<(), String> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut sum = 0_u64;
    for index in 0..archive.len() {
        let part = archive.by_index_raw(index).map_err(|error| error.to_string())?;
        sum = sum.saturating_add(part.size());
    }
    if sum > MOST_UNPACKED {
        return Err("it unpacks to more than 256 MiB. Save the sheet as CSV".to_owned());
    }
    (0..archive.len()).try_for_each(|index| texts(&mut archive, index))
}

/// Refuses a text list with an impossible count, since the reader allocates for that many.
fn texts(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize) -> Result<(), String> {
    let part = archive.by_index(index).map_err(|error| error.to_string())?;
    if !part.name().is_ok_and(|name| name.to_ascii_lowercase().ends_with("sharedstrings.xml")) {
        return Ok(());
    }
    let most = part.size() / LEAST_TEXT;
    let mut reader = XmlReader::from_reader(BufReader::new(part));
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.read_event_into(&mut bytes).map_err(|error| error.to_string())? {
            Event::Start(list) | Event::Empty(list) if list.local_name().as_ref() == "sst" => {
                let mut counts = list.attributes();
                let counts = counts.with_checks(false).flatten().filter(|count| count.key.as_ref() == "uniqueCount");
                // A count that does not parse here does not parse in the reader either.
                return match counts.filter_map(|count| count.value.parse::<u64>().ok()).max() {
                    Some(count) if count > most => Err(format!("it claims {count} texts but has room for only {most}")),
                    Some(_) | None => Ok(()),
                };
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

struct Sheet<'a, 'b> {
    rows: &'a mut Rows<'b>,
    columns: Option<Columns>,
    /// The cells of the current row.
    row: Vec<String>,
    /// Its line, from 1.
    line: u64,
}

impl Sheet<'_, '_> {
    fn cell(&mut self, cell: &Cell<DataRef<'_>>) -> Result<ControlFlow<()>, TransferError> {
        let (row, column) = cell.get_position();
        if u64::from(row) + 1 != self.line {
            if self.end_of_row()?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
            self.line = u64::from(row) + 1;
        }
        if column < MOST_COLUMNS {
            let place = column as usize;
            self.row.resize(self.row.len().max(place + 1), String::new());
            self.row[place] = text(cell.get_value());
        }
        Ok(ControlFlow::Continue(()))
    }

    fn end_of_row(&mut self) -> Result<ControlFlow<()>, TransferError> {
        let row = std::mem::take(&mut self.row);
        if row.iter().all(|cell| cell.trim().is_empty()) {
            return Ok(ControlFlow::Continue(()));
        }
        let Some(columns) = &self.columns else {
            self.columns = Some(Columns::find(&row, self.rows.reading)?);
            return Ok(ControlFlow::Continue(()));
        };
        let manner = Manner::of(columns, self.rows.reading);
        let cells: Cells<'_> =
            columns.of.map(|place| place.and_then(|place| row.get(place)).map(|cell| Cow::Borrowed(cell.as_str())));
        let cell = |place: usize| row.get(place).map(String::as_bytes);
        let source = Source { columns: Some(columns), cell: &cell };
        Ok(self.rows.row(self.line, (&cells, None), source, manner))
    }
}

/// A number beyond a spreadsheet's exact range is written so that it is not a valid integer.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) if number.fract() == 0.0 && number.abs() <= EXACT => format!("{number:.0}"),
        DataRef::Float(number) => format!("{number:e}"),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(value) => value.to_string(),
        DataRef::Error(error) => error.to_string(),
    }
}
