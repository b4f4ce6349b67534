//! A log: records in the lines of a file that only grows at its end, each as JSON.
//!
//! A line counts once it is whole. What the end of the program or of the machine has torn at the end of the file is no
//! line, and has to be cut off before anything is appended.

use std::fs::File;
use std::io::{self, BufRead, Read as _, Write as _};

use serde::Serialize;

pub fn line(record: &impl Serialize) -> io::Result<String> {
    let mut line = serde_json::to_string(record)?;
    line.push('\n');
    Ok(line)
}

/// The end of a log.
#[derive(Debug)]
pub struct Log {
    file: File,
    kept: String,
    /// What follows half a line could not be read any more.
    has_failed: bool,
}

impl Log {
    /// Of a file that is open for appending and ends with a whole line.
    pub const fn new(file: File) -> Self {
        Self { file, kept: String::new(), has_failed: false }
    }

    /// Keeps a record in memory until the next [`write`](Self::write). Tells how many bytes are kept.
    pub fn keep(&mut self, record: &impl Serialize) -> io::Result<usize> {
        if self.has_failed {
            return Err(io::Error::other("an earlier line could not be written"));
        }
        self.kept.push_str(&line(record)?);
        Ok(self.kept.len())
    }

    /// Writes the records that were kept. They survive the end of the program when this returns, and that of the machine
    /// after [`sync`](Self::sync).
    pub fn write(&mut self) -> io::Result<()> {
        let written = self.file.write_all(self.kept.as_bytes());
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

    /// Where the last whole line ends that was read.
    pub const fn end(&self) -> u64 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

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
    fn what_was_written_is_read_again_without_a_torn_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log::new(OpenOptions::new().append(true).open(file.path()).unwrap());
        assert_eq!(log.keep(&1).unwrap(), 2);
        assert_eq!(log.keep(&"a").unwrap(), 6);
        assert_eq!(std::fs::read(file.path()).unwrap(), b"", "it is kept");
        log.write().unwrap();
        log.keep(&[2]).unwrap();
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
    fn a_line_without_an_end_is_not_held() {
        assert_eq!(all(b"abc\nabcd", 4).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(all(b"abc\nabc", 4).unwrap(), (vec![(0, "abc\n".to_owned())], 4));
    }

    #[test]
    fn nothing_is_written_after_a_line_that_could_not_be() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut log = Log::new(File::open(file.path()).unwrap());
        log.keep(&1).unwrap();
        assert!(log.write().is_err(), "it is open for reading only");
        assert!(log.keep(&2).is_err());
    }
}
