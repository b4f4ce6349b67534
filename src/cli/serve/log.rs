//! The log on stderr: a bounded queue and a thread that writes. No request and no signal waits for the reader of stderr;
//! what does not fit is dropped and counted.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::mem::take;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use parking_lot::{Condvar, Mutex};
use prometheus_client::metrics::counter::Counter;
use serde_json::json;
use tracing::Level;

use crate::clock;

/// The size of the queue in bytes: thousands of lines.
const MOST: usize = 1 << 20;

/// How long the program waits at its end for the rest to be written.
const PATIENCE: Duration = Duration::from_secs(1);

/// The format of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// The log. Clones share one queue.
#[derive(Clone, Debug)]
pub struct Log {
    /// How its lines look.
    pub format: LogFormat,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    dropped: Counter,
}

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<u8>,
    writing: bool,
}

impl Log {
    /// A log on stderr. Fails if there is no descriptor or no thread left.
    pub fn to_stderr(format: LogFormat) -> io::Result<Self> {
        // The standard library's own stderr is locked while it is written to.
        Self::to(File::from(io::stderr().as_fd().try_clone_to_owned()?), format)
    }

    pub fn to(mut out: impl Write + Send + 'static, format: LogFormat) -> io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let writer = Arc::clone(&shared);
        // It is never joined, since a write may hang.
        thread::Builder::new().name("log".into()).spawn(move || writer.write_all_to(&mut out))?;
        Ok(Self { format, shared })
    }

    /// Adds one line, whatever the lowest level is.
    pub fn line(&self, level: Level, line: &str) {
        let line = match self.format {
            LogFormat::Text => format!("{line}\n"),
            LogFormat::Json => format!("{}\n", as_json(level, line)),
        };
        self.shared.push(line.as_bytes());
    }

    /// How many lines were dropped.
    pub fn dropped(&self) -> Counter {
        self.shared.dropped.clone()
    }

    /// Waits until everything is written, at most a second.
    pub fn finish(&self) {
        let unwritten = |queue: &mut Queue| queue.writing || !queue.lines.is_empty();
        self.shared.changed.wait_while_for(&mut self.shared.queue.lock(), unwritten, PATIENCE);
    }
}

/// A line as an event of tracing would be written.
pub fn as_json(level: Level, line: &str) -> impl fmt::Display {
    json!({"timestamp": clock::now().wall, "level": level.as_str(), "message": line, "target": module_path!()})
}

/// Each write is one or more whole lines, as `tracing_subscriber` makes them.
impl Write for Log {
    fn write(&mut self, lines: &[u8]) -> io::Result<usize> {
        self.shared.push(lines);
        Ok(lines.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn push(&self, lines: &[u8]) {
        let mut queue = self.queue.lock();
        if queue.lines.len() + lines.len() <= MOST {
            queue.lines.extend_from_slice(lines);
            self.changed.notify_all();
        } else {
            self.dropped.inc();
        }
    }

    fn write_all_to(&self, out: &mut impl Write) {
        let (mut reported, mut written) = (0, false);
        loop {
            let lines = self.next();
            let dropped = self.dropped.get();
            // Once lines are read again.
            if written && dropped > reported {
                // At the highest level, so that it is never filtered; after the lines taken so far, where the dropped ones
                // are missing.
                tracing::error!("{} log lines dropped: nothing read stderr in time", dropped - reported);
                reported = dropped;
            }
            written = false;
            // One by one: other programs may write to the same pipe.
            for line in lines.split_inclusive(|byte| *byte == b'\n') {
                if out.write_all(line).is_ok() {
                    written = true;
                } else {
                    self.dropped.inc();
                }
            }
        }
    }

    /// Waits for lines and takes them all.
    fn next(&self) -> Vec<u8> {
        let mut queue = self.queue.lock();
        queue.writing = false;
        self.changed.notify_all();
        self.changed.wait_while(&mut queue, |queue| queue.lines.is_empty());
        queue.writing = true;
        take(&mut queue.lines)
    }
}
