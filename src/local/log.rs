//! An append-only log of JSON records, one per line.
//!
//! A line counts once it is complete. A torn line at the end, left by a crash, must be cut off before anything is
//! appended.

use std::fs::File;
use std::io::{self, BufRead, Read as _, Write as _};

use serde::Serialize;

pub fn line(record: &impl Serialize) -> io::Result<String> {
    let mut line = serde_json::to_string(record)?;
    line.push('\n');
    Ok(line)
}

/// A log that is open for appending.
#[derive(Debug)]
pub struct Log {
    file: File,
    /// A write has failed, maybe in the middle of a line, so nothing more is written.
    has_failed: bool,
}

impl Log {
    /// A log on a file that is open for appending and ends with a complete line.
    pub const fn new(file: File) -> Self {
        Self { file, has_failed: false }
    }

    /// Writes records. After this they survive a crash of the program, and after [`sync`](Self::sync) one of the machine.
    pub fn append(&mut self, records: &[impl Serialize]) -> io::Result<()> {
        if self.has_failed {
            return Err(io::Error::other("an earlier line could not be written"));
        }
        let lines = records.iter().map(line).collect::<io::Result<String>>()?;
        let written = self.file.write_all(lines.as_bytes());
        self.has_failed = written.is_err();
        written
    }

    /// Syncs everything that was written to disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Unlocks the file.
    pub fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        // Closing it is not enough: a program that is just being started has it open, too.
        let _ = self.unlock();
    }
}

/// The complete lines of a log, one at a time.
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    longest: u64,
    line: Vec<u8>,
    end: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a log, read from the beginning, of at most `longest` bytes each.
    pub const fn new(input: R, longest: u64) -> Self {
        Self { input, longest, line: Vec::new(), end: 0 }
    }

    /// The next line and its position; `None` at the end of the log. Fails with [`io::ErrorKind::InvalidData`] for a line
    /// that is too long.
    pub fn next_line(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        self.line.clear();
        let length = self.input.by_ref().take(self.longest).read_until(b'\n', &mut self.line)? as u64;
        if !self.line.ends_with(b"\n") {
            return if length < self.longest { Ok(None) } else { Err(io::ErrorKind::InvalidData.into()) };
        }
        let begin = self.end;
        self.end += length;
        Ok(Some((begin, &self.line)))
    }

    /// The end of the last complete line that was read.
    pub const fn end(&self) -> u64 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use serde_json::json;

    use super::*;

    fn all(text: &[u8], longest: u64) -> io::Result<(Vec<(u64, String)>, u64)> {
        let mut lines = Lines::new(text, longest);
        let mut all = Vec::new();
        while let Some((begin, line)) = lines.next_line()? {
            all.push((begin, String::from_utf8_lossy(line).into_owned()));
        }
        Ok((all, lines.end()))
    }

    #[test]
    fn written_records_are_read_again_without_a_torn_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log::new(OpenOptions::new().append(true).open(file.path()).unwrap());
        log.append(&[1]).unwrap();
        log.append(&[json!("a"), json!([2])]).unwrap();
        drop(log);
        let whole = std::fs::read(file.path()).unwrap();
        let lines = |count: usize| {
            let lines = [(0, "1\n".to_owned()), (2, "\"a\"\n".to_owned()), (6, "[2]\n".to_owned())];
            (lines[..count].to_vec(), [0, 2, 6, 10][count])
        };
        for end in 0..=whole.len() {
            let count = whole[..end].iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(all(&whole[..end], 64).unwrap(), lines(count), "{end}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        assert_eq!(all(b"abc\nabcd", 4).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(all(b"abc\nabc", 4).unwrap(), (vec![(0, "abc\n".to_owned())], 4));
    }

    #[test]
    fn nothing_is_written_after_a_failed_write() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log::new(File::open(file.path()).unwrap());
        assert!(log.append(&[1]).is_err(), "it is open for reading only");
        assert_eq!(log.append(&[2]).unwrap_err().to_string(), "an earlier line could not be written");
    }
}
