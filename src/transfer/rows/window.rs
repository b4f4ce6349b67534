//! The part of a text that is being read, with its place in the file. Its length is limited, so even a broken file is
//! never held in memory.

use std::io::{self, Read};
use std::mem::take;

use super::row::RowFault;
use crate::transfer::input::{Input, mark};
use crate::transfer::{Result, TransferError};

/// The most bytes of a row.
pub const MOST: usize = 1 << 20;

/// A row as in the file.
pub struct Piece<'a> {
    /// The line in the file where it begins, from 1.
    pub line: u64,
    /// Its offset in the file, in bytes.
    offset: u64,
    pub bytes: &'a [u8],
}

/// Reads a text, and keeps what was read after the last piece.
pub struct Window<R> {
    input: R,
    name: String,
    /// The bytes that may be between two pieces.
    blank: &'static [u8],
    kept: Vec<u8>,
    /// How many of these are before the next piece.
    passed: usize,
    /// The line of the next piece.
    pub line: u64,
    /// The offset in the file of the next piece.
    pub offset: u64,
    last: u8,
    /// Whether the end of the text was read.
    pub has_ended: bool,
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.skip_blank();
        self.kept.drain(..take(&mut self.passed));
        if self.kept.len() > MOST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let count = self.input.read(buffer)?;
        self.has_ended = count == 0;
        self.kept.extend_from_slice(&buffer[..count]);
        Ok(count)
    }
}

impl<R: Read> Window<R> {
    /// Why reading failed: the row is too long, or the file cannot be read.
    pub fn failed(&self, source: io::Error) -> TransferError {
        if self.kept.len() > MOST {
            return self.malformed("the row that begins here is longer than 1024 KiB. Is a quote missing?");
        }
        TransferError::Read { name: self.name.clone(), source }
    }

    /// The error for what is next.
    pub fn malformed(&self, why: &str) -> TransferError {
        TransferError::Malformed(format!("line {}: {why}", self.line))
    }

    /// The byte at this place of the next piece; `None` after the end of the text.
    pub fn byte(&mut self, at: usize) -> Result<Option<u8>> {
        loop {
            if at == 0 {
                self.skip_blank();
            }
            if let Some(byte) = self.kept.get(self.passed + at) {
                return Ok(Some(*byte));
            }
            match self.read(&mut [0; 8 << 10]) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// The next piece, which ends at this offset.
    pub fn piece(&mut self, end: u64) -> Piece<'_> {
        self.skip_blank();
        let (line, offset, begin) = (self.line, self.offset, self.passed);
        self.pass(end.saturating_sub(offset) as usize);
        Piece { line, offset, bytes: &self.kept[begin..self.passed] }
    }

    fn skip_blank(&mut self) {
        let next = &self.kept[self.passed..];
        self.pass(next.iter().take_while(|byte| self.blank.contains(byte)).count());
    }

    /// Passes over bytes. A line feed, a carriage return, or both together end a line.
    pub fn pass(&mut self, count: usize) {
        for byte in &self.kept[self.passed..self.passed + count] {
            self.line += u64::from(*byte == b'\r' || *byte == b'\n' && self.last != b'\r');
            self.last = *byte;
        }
        self.passed += count;
        self.offset += count as u64;
    }
}

/// The text of `input`, without a byte order mark.
pub fn window(input: Input, blank: &'static [u8]) -> Window<impl Read> {
    let (name, mark) = (input.name.clone(), mark(&input.head));
    let mut input = input.bytes();
    // The mark is in the head, which is in memory.
    let _ = input.read_exact(&mut [0; 3][..mark]);
    Window { input, name, blank, kept: Vec::new(), passed: 0, line: 1, offset: mark as u64, last: 0, has_ended: false }
}

impl<'a> Piece<'a> {
    /// Its text, or its fault.
    pub fn text(&self) -> Result<&'a str, RowFault> {
        str::from_utf8(self.bytes).map_err(|error| {
            let at = self.offset + error.valid_up_to() as u64;
            RowFault::whole(format!("This is not UTF-8 at byte {at}. Save the file as UTF-8."))
        })
    }
}
