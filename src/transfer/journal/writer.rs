//! Writes lines to the file, in the thread that has them: an import has threads of its own, which may wait for the disk,
//! and a write takes less time than to wake another thread.
//!
//! Lines that need not be there at once are kept for a moment, and go with the next ones.

use std::fs::File;
use std::io::{self, Write as _};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;

/// How long a line is kept.
const MOMENT: Duration = Duration::from_millis(2);

/// How much is kept, in octets.
const MOST: usize = 256 << 10;

#[derive(Debug)]
pub(super) struct Writer {
    lines: Mutex<Lines>,
    kept: Notify,
}

#[derive(Debug)]
struct Lines {
    file: File,
    kept: Vec<u8>,
    /// What follows half a line could not be read any more.
    has_failed: bool,
}

impl Writer {
    pub(super) fn new(file: File) -> Self {
        Self { lines: Mutex::new(Lines { file, kept: Vec::new(), has_failed: false }), kept: Notify::new() }
    }

    /// Writes lines, with those that were kept.
    pub(super) fn write(&self, lines: &[u8]) -> io::Result<()> {
        self.lines.lock().take(lines)?.write()
    }

    /// Keeps lines for [`soon`](Self::soon).
    pub(super) fn keep(&self, lines: &[u8]) -> io::Result<()> {
        let mut all = self.lines.lock();
        if all.take(lines)?.kept.len() >= MOST {
            return all.write();
        }
        self.kept.notify_one();
        Ok(())
    }

    /// Waits until lines have been kept for a moment, and writes them.
    pub(super) async fn soon(&self) -> io::Result<()> {
        self.kept.notified().await;
        sleep(MOMENT).await;
        self.write(&[])
    }

    /// Brings everything to the disk, and lets others have the file.
    pub(super) fn close(&self) -> io::Result<()> {
        let mut lines = self.lines.lock();
        lines.write()?;
        lines.file.sync_all()?;
        lines.file.unlock()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // A row whose outcome cannot be written stays in doubt.
        let _ = self.write(&[]);
    }
}

impl Lines {
    fn take(&mut self, lines: &[u8]) -> io::Result<&mut Self> {
        if self.has_failed {
            return Err(io::Error::other("an earlier line could not be written"));
        }
        self.kept.extend_from_slice(lines);
        Ok(self)
    }

    fn write(&mut self) -> io::Result<()> {
        let written = self.file.write_all(&self.kept);
        self.kept.clear();
        self.has_failed |= written.is_err();
        written
    }
}
