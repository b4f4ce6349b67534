//! Reads CSV; the first row determines the delimiter and the columns.

use std::io::Read;

use csv::ByteRecord;

use super::row::{RowFault, Rows, Stop};
use super::window::{Piece, window};
use crate::transfer::column_mapping::MOST_CELLS;
use crate::transfer::input::{Input, mark};
use crate::transfer::{ColumnMapping, Columns};

/// Reads all rows.
pub fn read(input: Input, rows: &mut Rows<'_>) -> Result<(), Stop> {
    let delimiter = delimiter(&input.head, rows.reading);
    rows.layout.delimiter = Some(delimiter.into());
    let mut window = window(input, b"\r\n");
    window.line -= u64::from(rows.reading.has_added_header);
    let begin = window.offset;
    let mut reader = reader(delimiter, window);
    let mut cells = ByteRecord::new();
    while reader.read_byte_record(&mut cells).map_err(|error| reader.get_ref().failed(error.into()))? {
        let end = begin + reader.position().byte();
        let is_last = reader.get_ref().has_ended;
        let piece = reader.get_mut().piece(end);
        let is_open = is_last && ends_in_quotes(delimiter, piece.bytes);
        let columns = rows.layout.columns.as_ref().map(|columns| columns.names.len());
        let fault = columns.and_then(|columns| check(&mut cells, &piece, columns, is_open).err());
        rows.row(piece.line, &cells, fault)?;
    }
    Ok(())
}

fn reader<R: Read>(delimiter: u8, input: R) -> csv::Reader<R> {
    csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(input)
}

/// Whether the last row of a file ends in quotes: a further line would belong to it too.
fn ends_in_quotes(delimiter: u8, row: &[u8]) -> bool {
    reader(delimiter, row.chain(&b"\nx"[..])).byte_records().count() == 1
}

/// Fails with the fault of a row as a whole, whose table has this many columns.
fn check(cells: &mut ByteRecord, piece: &Piece<'_>, columns: usize, is_open: bool) -> Result<(), RowFault> {
    if is_open {
        // All of the row is an extra cell.
        *cells = ByteRecord::from(vec![""; columns]);
        cells.push_field(piece.bytes);
        return Err(RowFault::whole("A quote opens here and is not closed before the end of the file."));
    }
    piece.text()?;
    let here = cells.len();
    let why = if here > MOST_CELLS {
        format!("There are more than {MOST_CELLS} cells. Is a quote or the end of a line missing?")
    } else if cells.iter().skip(columns).any(|cell| !cell.trim_ascii().is_empty()) {
        let why = format!("This row has {here} cells, but there are {columns} columns.");
        format!("{why} Put cells that contain the delimiter in quotes.")
    } else {
        return Ok(());
    };
    Err(RowFault::whole(why))
}

/// The delimiter with the most recognized columns, or else the most cells.
fn delimiter(head: &[u8], reading: &ColumnMapping) -> u8 {
    let score = |delimiter: u8| {
        let mut header = ByteRecord::new();
        // Reading from memory does not fail.
        let _ = reader(delimiter, &head[mark(head)..]).read_byte_record(&mut header);
        let columns = Columns::look(&header, reading);
        (columns.map_or(0, |columns| columns.of.iter().flatten().count()), header.len())
    };
    // Of equal scores, `max_by_key` takes the last.
    [b'\t', b';', b','].into_iter().max_by_key(|delimiter| score(*delimiter)).unwrap_or(b',')
}
