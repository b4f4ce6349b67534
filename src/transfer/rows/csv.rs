//! CSV: the delimiter is found by looking at the first row, the columns by their names there.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use encoding_rs::UTF_8;

use super::row::{Cells, Manner, RowFault, Rows, Source, text_of};
use super::splitter::{Kind, Piece, Pieces};
use crate::transfer::TransferError;
use crate::transfer::column_mapping::{ColumnMapping, Columns};
use crate::transfer::input::{Input, Text};

const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// The most cells of a row.
const MOST_CELLS: usize = 16 << 10;

/// Reads all rows. Says what parts the cells, and what the columns are.
pub(super) fn read(input: Input, rows: &mut Rows<'_>) -> Result<(u8, Columns), TransferError> {
    let name = input.name.clone();
    let delimiter = delimiter(&input.head, rows.reading);
    let Text { input, offset } = input.text();
    let mut pieces = Pieces::new(input, Kind::Csv { delimiter }, name.clone());
    let mut cells = Splitter::new(delimiter);
    let header = pieces.next()?.ok_or(TransferError::Empty(name))?;
    let columns = Columns::find(&cells.names(header.bytes), rows.reading)?;
    let manner = Manner::of(&columns, rows.reading);
    while let Some(piece) = pieces.next()? {
        let offset = offset.map(|offset| offset + piece.offset);
        if row(rows, &mut cells, &piece, offset, &columns, manner).is_break() {
            break;
        }
    }
    Ok((delimiter, columns))
}

fn row(
    rows: &mut Rows<'_>,
    cells: &mut Splitter,
    piece: &Piece<'_>,
    offset: Option<u64>,
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
    // A row that is text as a whole is cut only at ASCII.
    let of_fields = columns.of.map(|place| place.and_then(|place| cells.get(place)).map(String::from_utf8_lossy));
    let source = Source { columns: Some(columns), cell: &|place| cells.get(place) };
    rows.row(piece.line, (&of_fields, fault), source, manner)
}

/// What is wrong with the row as a whole.
fn fault(cells: &Splitter, piece: &Piece<'_>, offset: Option<u64>, columns: &Columns) -> Option<RowFault> {
    if let Err(fault) = text_of(piece.bytes, offset) {
        Some(fault)
    } else if cells.is_cut {
        Some(RowFault::whole(format!(
            "There are more than {MOST_CELLS} cells. Is a quote or the end of a line missing?"
        )))
    } else if cells.all().skip(columns.names.len()).any(|cell| !cell.trim_ascii().is_empty()) {
        let (here, there) = (cells.count, columns.names.len());
        let why = format!("There are {here} cells and {there} columns. Put a cell with the delimiter in it in quotes.");
        Some(RowFault::whole(why))
    } else {
        None
    }
}

/// That one whose cells are most of the columns that are looked for; where that does not tell, the most frequent one.
fn delimiter(head: &[u8], reading: &ColumnMapping) -> u8 {
    // By its byte order mark, where it has one.
    let (head, ..) = UTF_8.decode(head);
    let score = |delimiter: u8| {
        let mut pieces = Pieces::new(head.as_bytes(), Kind::Csv { delimiter }, String::new());
        let Ok(Some(header)) = pieces.next() else { return (0, 0) };
        let mut cells = Splitter::new(delimiter);
        let header = cells.names(header.bytes);
        (Columns::look(&header, reading).map_or(0, |columns| columns.of.iter().flatten().count()), header.len())
    };
    // Of equals the last one counts.
    DELIMITERS.into_iter().rev().max_by_key(|delimiter| score(*delimiter)).unwrap_or(b',')
}

/// Cuts a row into cells, and takes their quotes off.
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
                // Without its quotes no row is longer than with them.
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
