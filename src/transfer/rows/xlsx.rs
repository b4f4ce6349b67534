//! Reads the first sheet of a workbook. All its texts are in memory, as the format requires, so its size is limited.

use std::error::Error;
use std::fmt::Display;
use std::io::{BufReader, Cursor, Read as _};
use std::mem::{replace, take};

use calamine::{Data, DataRef, Reader as _, Xlsx};
use csv::ByteRecord;
use quick_xml::Reader as XmlReader;
use quick_xml::events::Event;
use zip::ZipArchive;
use zip::read::ZipFile;

use super::row::{Rows, Stop};
use crate::model::{cut, display_safe};
use crate::transfer::TransferError;
use crate::transfer::column_mapping::MOST_CELLS;
use crate::transfer::input::Input;

/// The largest workbook file, in bytes.
const MOST: u64 = 32 << 20;

/// The most bytes of its parts, unpacked.
const MOST_UNPACKED: u64 = 256 << 20;

/// The fewest bytes of a shared text: `<si/>`.
const LEAST_TEXT: u64 = 5;

/// Whole numbers up to here are exact in a spreadsheet.
const EXACT: f64 = 9_007_199_254_740_992.0;

type Workbook = Xlsx<Cursor<Vec<u8>>>;

/// Reads all rows of the first sheet.
pub fn read(input: Input, rows: &mut Rows<'_>) -> Result<(), Stop> {
    let wrong = |why: &dyn Display| {
        let why = cut(&display_safe(&why.to_string()), 200);
        TransferError::Malformed(format!("cannot read the workbook: {why}"))
    };
    let (name, mut bytes) = (input.name.clone(), Vec::new());
    let read = input.bytes().take(MOST + 1).read_to_end(&mut bytes);
    read.map_err(|source| TransferError::Read { name, source })?;
    if bytes.len() as u64 > MOST {
        return Err(wrong(&"it is larger than 32 MiB. Save the sheet as CSV").into());
    }
    let (mut workbook, sheet) = open(bytes).map_err(|why| wrong(&why))?;
    let mut cells = workbook.worksheet_cells_reader(&sheet).map_err(|error| wrong(&error))?;
    let (mut line, mut row) = (0, Vec::new());
    while let Some(cell) = cells.next_cell().map_err(|error| wrong(&error))? {
        let (index, column) = cell.get_position();
        let before = replace(&mut line, u64::from(index) + 1);
        if before != line {
            rows.row(before, &ByteRecord::from(take(&mut row)), None)?;
        }
        let place = column as usize;
        if place < MOST_CELLS {
            row.resize(row.len().max(place + 1), String::new());
            row[place] = text(cell.get_value());
        }
    }
    // The last row ends with the sheet.
    rows.row(line, &ByteRecord::from(row), None)
}

/// The workbook, and the name of its first sheet. Refuses one that unpacks to more than the limit.
fn open(bytes: Vec<u8>) -> Result<(Workbook, String), Box<dyn Error>> {
    let mut archive = ZipArchive::new(Cursor::new(&*bytes))?;
    let mut sum = 0_u64;
    for index in 0..archive.len() {
        sum = sum.saturating_add(archive.by_index_raw(index)?.size());
        if sum > MOST_UNPACKED {
            return Err("it unpacks to more than 256 MiB. Save the sheet as CSV".into());
        }
        texts(archive.by_index(index)?)?;
    }
    let workbook = Xlsx::new(Cursor::new(bytes))?;
    let sheet = workbook.sheet_names().first().cloned().ok_or("it has no sheet")?;
    Ok((workbook, sheet))
}

/// Refuses a text list with an impossible count, since the reader allocates for that many.
fn texts(part: ZipFile<'_, Cursor<&[u8]>>) -> Result<(), Box<dyn Error>> {
    if !part.name().is_ok_and(|name| name.to_ascii_lowercase().ends_with("sharedstrings.xml")) {
        return Ok(());
    }
    let most = part.size() / LEAST_TEXT;
    let mut reader = XmlReader::from_reader(BufReader::new(part));
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.read_event_into(&mut bytes)? {
            Event::Start(list) | Event::Empty(list) if list.local_name().as_ref() == "sst" => {
                let mut counts = list.attributes();
                let counts = counts.with_checks(false).flatten().filter(|count| count.key.as_ref() == "uniqueCount");
                // A count that does not parse here does not parse in the reader either.
                let counts = counts.filter_map(|count| count.value.parse::<u64>().ok());
                return match counts.max().filter(|count| *count > most) {
                    Some(count) => Err(format!("it claims {count} texts but has room for only {most}").into()),
                    None => Ok(()),
                };
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// A number beyond a spreadsheet's exact range is written so that it is not a valid integer.
fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Float(number) if number.fract() == 0.0 && number.abs() <= EXACT => format!("{number:.0}"),
        DataRef::Float(number) => format!("{number:e}"),
        value => Data::from(value.clone()).to_string(),
    }
}
