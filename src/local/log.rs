//! A log: records in the lines of a file that only grows at its end, each as JSON.
//!
//! A line counts once it is whole. What the end of the program or of the machine has torn at the end of the file is no
//! line, and has to be cut off before anything is appended.

use std::fs::File;
use std::io::{self, BufRead, Read as _, Write as _};

use serde::Serialize;

/// The line of a record.
pub fn line(record: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    Ok(line)
}

/// The end of a log.
#[derive(Debug)]
pub struct Log {
    file: File,
    kept: Vec<u8>,
    /// What follows half a line could not be read any more.
    has_failed: bool,
}

impl Log {
    /// Of a file that is open for appending and ends with a whole line.
    #[must_use]
    pub const fn new(file: File) -> Self {
        Self { file, kept: Vec::new(), has_failed: false }
    }

    /// Keeps a record in memory until the next [`write`](Self::write). Tells how many bytes are kept.
    pub fn keep(&mut self, record: &impl Serialize) -> io::Result<usize> {
        if self.has_failed {
            return Err(io::Error::other("an earlier line could not be written"));
        }
        self.kept.extend(line(record)?);
        Ok(self.kept.len())
    }

    /// Writes the records that were kept. They survive the end of the program when this returns, and that of the machine
    /// after [`sync`](Self::sync).
    pub fn write(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.kept);
        self.kept.clear();
        self.has_failed |= written.is_err();
        written
    }

    /// Waits until the disk has everything that was written.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Lets others lock the file.
    pub fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // What cannot be written stays unknown, which is true.
        let _ = self.write();
    }
}

/// The whole lines of a log, one at a time.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    longest: u64,
    line: Vec<u8>,
    end: u64,
}

impl<R: BufRead> Lines<R> {
    /// Of a log that is read from its beginning, with lines of at most `longest` bytes.
    pub const fn new(input: R, longest: u64) -> Self {
        Self { input, longest, line: Vec::new(), end: 0 }
    }

    /// The next line, and where it begins; `None` at the end of the log. Fails with [`io::ErrorKind::InvalidData`] for a
    /// line that is too long.
    pub fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        self.line.clear();
        let length = self.input.by_ref().take(self.longest).read_until(b'\n', &mut self.line)? as u64;
        if !self.line.ends_with(b"\n") {
            return if length < self.longest { Ok(None) } else { Err(io::ErrorKind::InvalidData.into()) };
        }
        let begin = self.end;
        self.end += length;
        Ok(Some((begin, &self.line)))
    }

    /// Where the last whole line ends that was read.
    pub const fn end(&self) -> u64 {
        self.end
    }
}
