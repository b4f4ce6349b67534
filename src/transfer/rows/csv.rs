//! Reads CSV; the first row determines the delimiter and the columns.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::row::{Cells, Manner, RowFault, Rows, Source, text_of};
use super::splitter::{Kind, Piece, Pieces};
use crate::transfer::TransferError;
use crate::transfer::column_mapping::{ColumnMapping, Columns};
use crate::transfer::input::{Input, mark};

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// The most cells of a row.
const MOST_CELLS: usize = 16 << 10;

/// Reads all rows. Returns the delimiter and the columns.
pub(super) fn read(input: Input, rows: &mut Rows<'_>) -> Result<(u8, Columns), TransferError> {
    let name = input.name.clone();
    let delimiter = delimiter(&input.head, rows.reading);
    let (input, begin) = input.text();
    let mut pieces = Pieces::new(input, Kind::Csv { delimiter }, name.clone());
    let mut cells = Splitter::new(delimiter);
    let header = pieces.next()?.ok_or(TransferError::Empty(name))?;
    let columns = Columns::find(&cells.names(header.bytes), rows.reading)?;
    let manner = Manner::of(&columns, rows.reading);
    while let Some(piece) = pieces.next()? {
        if row(rows, &mut cells, &piece, begin + piece.offset, &columns, manner).is_break() {
            break;
        }
    }
    Ok((delimiter, columns))
}

fn row(
    rows: &mut Rows<'_>,
    cells: &mut Splitter,
    piece: &Piece<'_>,
    offset: u64,
    columns: &Columns,
    manner: Manner<'_>,
) -> ControlFlow<()> {
    if piece.is_open {
        let why = "A quote opens here and is not closed before the end of the file.";
        let cell = |place| match columns.names.len().cmp(&place) {
            Ordering::Greater => Some(&b""[..]),
            Ordering::Equal => Some(piece.bytes),
            Ordering::Less => None,
        };
        let found = (&Cells::default(), Some(RowFault::whole(why)));
        return rows.row(piece.line, found, Source { columns: Some(columns), cell: &cell }, manner);
    }
    cells.split(piece.bytes);
    let cells = &*cells;
    if cells.all().all(|cell| cell.trim_ascii().is_empty()) {
        return ControlFlow::Continue(());
    }
    let fault = fault(cells, piece, offset, columns);
    // Valid text is split only at ASCII characters, so cells are valid too.
    let of_fields = columns.of.map(|place| place.and_then(|place| cells.get(place)).map(String::from_utf8_lossy));
    let source = Source { columns: Some(columns), cell: &|place| cells.get(place) };
    rows.row(piece.line, (&of_fields, fault), source, manner)
}

/// The fault of the row as a whole.
fn fault(cells: &Splitter, piece: &Piece<'_>, offset: u64, columns: &Columns) -> Option<RowFault> {
    if let Err(fault) = text_of(piece.bytes, offset) {
        Some(fault)
    } else if cells.is_cut {
        Some(RowFault::whole(format!(
            "There are more than {MOST_CELLS} cells. Is a quote or the end of a line missing?"
        )))
    } else if cells.all().skip(columns.names.len()).any(|cell| !cell.trim_ascii().is_empty()) {
        let (here, there) = (cells.count, columns.names.len());
        let why = format!(
            "This row has {here} cells, but there are {there} columns. Put cells that contain the delimiter in quotes."
        );
        Some(RowFault::whole(why))
    } else {
        None
    }
}

/// The delimiter with the most recognized columns, or else the most cells.
fn delimiter(head: &[u8], reading: &ColumnMapping) -> u8 {
    let head = &head[mark(head)..];
    let score = |delimiter: u8| {
        let mut pieces = Pieces::new(head, Kind::Csv { delimiter }, String::new());
        let Ok(Some(header)) = pieces.next() else { return (0, 0) };
        let mut cells = Splitter::new(delimiter);
        let header = cells.names(header.bytes);
        (Columns::look(&header, reading).map_or(0, |columns| columns.of.iter().flatten().count()), header.len())
    };
    // Of equal scores, `max_by_key` takes the last.
    DELIMITERS.into_iter().rev().max_by_key(|delimiter| score(*delimiter)).unwrap_or(b',')
}

/// Splits a row into cells without quotes.
struct Splitter {
    reader: Reader,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
    /// There are more than can be held.
    is_cut: bool,
}

impl Splitter {
    fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Self { reader, bytes: Vec::new(), ends: vec![0; 64], count: 0, is_cut: false }
    }

    fn split(&mut self, row: &[u8]) {
        self.reader.reset();
        self.bytes.resize(row.len().max(1), 0);
        (self.count, self.is_cut) = (0, false);
        let (mut input, mut written) = (row, 0);
        loop {
            let (result, read, out, ends) =
                self.reader.read_record(input, &mut self.bytes[written..], &mut self.ends[self.count..]);
            input = &input[read..];
            written += out;
            self.count += ends;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputEndsFull if self.ends.len() < MOST_CELLS => {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    self.is_cut = true;
                    return;
                }
                // Without its quotes, a row is never longer.
                ReadRecordResult::OutputFull | ReadRecordResult::Record | ReadRecordResult::End => return,
            }
        }
    }

    /// The cells of a header.
    fn names(&mut self, row: &[u8]) -> Vec<String> {
        self.split(row);
        self.all().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()
    }

    fn get(&self, place: usize) -> Option<&[u8]> {
        let end = *self.ends[..self.count].get(place)?;
        let begin = if place == 0 { 0 } else { self.ends[place - 1] };
        self.bytes.get(begin..end)
    }

    fn all(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map_while(|place| self.get(place))
    }
}
