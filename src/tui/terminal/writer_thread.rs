//! The way to the terminal: a separate thread writes, and a terminal that is slow or takes nothing holds up nothing
//! but its own screen.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;

use crate::clock;

/// So many bytes are written at once: more than most frames have, and no more than a slow connection takes in a moment.
const PIECE: usize = 256;

/// No line is waited for longer than that while it takes nothing.
const MOST_PATIENCE: Duration = Duration::from_secs(10);

/// The state of the connection to the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Something that was handed over is not written yet.
    pub busy: bool,
    /// How long the last of it took.
    pub took: Duration,
}

/// The way to the terminal. All clones lead to the same one, in order.
#[derive(Clone, Debug)]
pub struct TerminalWriter {
    shared: Arc<Shared>,
    /// The state of the connection.
    pub traffic: watch::Receiver<Traffic>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    traffic: watch::Sender<Traffic>,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<u8>,
    writing: bool,
    /// How many pieces were written.
    pieces: u64,
    /// How long one of the last pieces took: a slow connection takes many at once, and then none for a while.
    longest: Duration,
    failed: Option<io::ErrorKind>,
}

impl TerminalWriter {
    /// A writer to standard output. Fails without one, or without a thread.
    #[expect(clippy::disallowed_methods, reason = "the app draws nothing that is not safe")]
    pub fn to_stdout() -> io::Result<Self> {
        // A standard output of the library would write line by line, and lock others out while it does.
        Self::to(File::from(io::stdout().as_fd().try_clone_to_owned()?))
    }

    fn to(mut out: impl Write + Send + 'static) -> io::Result<Self> {
        let (sender, traffic) = watch::channel(Traffic::default());
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), traffic: sender });
        let writer = Arc::clone(&shared);
        // It ends with the program: a terminal that hangs must not hold that up.
        thread::Builder::new().name("terminal".into()).spawn(move || writer.write_all_to(&mut out))?;
        Ok(Self { shared, traffic })
    }

    /// Waits until everything is written, but for none of its pieces longer than `patience`, or where the line is slow,
    /// than it has taken before; tells whether it is.
    pub fn drained(&self, patience: Duration) -> bool {
        let mut state = self.shared.state.lock();
        loop {
            let begun = state.pieces;
            let stands = |state: &mut State| state.is_busy() && state.pieces == begun;
            let patience = patience.max((state.longest * 3).min(MOST_PATIENCE));
            let waited = self.shared.changed.wait_while_for(&mut state, stands, patience);
            if waited.timed_out() || !state.is_busy() {
                return !waited.timed_out() && state.failed.is_none();
            }
        }
    }
}

impl Write for TerminalWriter {
    /// Hands over; an error is reported by a later write.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.shared.state.lock();
        if let Some(kind) = state.failed {
            return Err(kind.into());
        }
        state.waiting.extend_from_slice(bytes);
        // The writer knows it already: only the end wakes others.
        self.shared.traffic.send_if_modified(|traffic| {
            traffic.busy = true;
            false
        });
        self.shared.changed.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl State {
    fn taken(&mut self, took: Duration) {
        self.pieces += 1;
        self.longest = took.max(self.longest / 32 * 31);
    }

    const fn is_busy(&self) -> bool {
        self.failed.is_none() && (self.writing || !self.waiting.is_empty())
    }
}

impl Shared {
    fn write_all_to(&self, out: &mut impl Write) {
        let mut state = self.state.lock();
        loop {
            self.changed.wait_while(&mut state, |state| state.waiting.is_empty());
            let bytes = std::mem::take(&mut state.waiting);
            state.writing = true;
            drop(state);
            let begun = clock::now().mono;
            let written = bytes.chunks(PIECE).try_for_each(|piece| {
                let begun = clock::now().mono;
                out.write_all(piece)?;
                self.state.lock().taken(clock::now().mono.saturating_duration_since(begun));
                self.changed.notify_all();
                Ok(())
            });
            let written = written.and_then(|()| out.flush());
            let took = clock::now().mono.saturating_duration_since(begun);
            state = self.state.lock();
            state.writing = false;
            state.failed = written.err().map(|error| error.kind());
            self.traffic.send_replace(Traffic { busy: !state.waiting.is_empty() && state.failed.is_none(), took });
            self.changed.notify_all();
            if state.failed.is_some() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A terminal that accepts as much as a test allows.
    struct Slow {
        may: mpsc::Receiver<()>,
        seen: mpsc::Sender<Vec<u8>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.may.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            self.seen.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (TerminalWriter, mpsc::Sender<()>, mpsc::Receiver<Vec<u8>>) {
        let ((let_it, may), (seen, written)) = (mpsc::channel(), mpsc::channel());
        (TerminalWriter::to(Slow { may, seen }).unwrap(), let_it, written)
    }

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn what_is_handed_over_is_written_in_order_while_nobody_waits() {
        let (mut outlet, let_it, written) = slow();
        outlet.write_all(b"a").unwrap();
        assert!(outlet.traffic.borrow().busy && !outlet.drained(Duration::ZERO));
        let_it.send(()).unwrap();
        assert_eq!(written.recv().unwrap(), b"a");
        assert!(outlet.drained(LONG) && !outlet.traffic.borrow().busy);
        outlet.write_all(b"b").unwrap();
        outlet.clone().write_all(b"c").unwrap();
        for _ in 0..2 {
            // One piece or two.
            let _ = let_it.send(());
        }
        assert!(outlet.drained(LONG));
        assert_eq!(written.try_iter().flatten().collect::<Vec<u8>>(), b"bc");
    }

    #[test]
    fn a_terminal_that_takes_piece_after_piece_is_waited_for() {
        let (mut outlet, let_it, written) = slow();
        outlet.write_all(&[b'a'; 3 * PIECE]).unwrap();
        let waiting = outlet.clone();
        let drained = thread::spawn(move || waiting.drained(LONG));
        for piece in 1..=3 {
            assert!(!outlet.drained(Duration::from_millis(1)), "piece {piece} is not taken");
            let_it.send(()).unwrap();
            assert_eq!(written.recv().unwrap().len(), PIECE);
        }
        assert!(drained.join().unwrap());
    }

    #[test]
    fn a_line_that_was_slow_is_given_the_time_it_has_taken_for_a_while() {
        let mut state = State::default();
        state.taken(Duration::from_secs(4));
        (0..16).for_each(|_| state.taken(Duration::ZERO));
        assert!(state.longest > Duration::from_secs(2), "{:?}", state.longest);
        (0..200).for_each(|_| state.taken(Duration::ZERO));
        assert!(state.longest < Duration::from_millis(10), "{:?}", state.longest);
    }

    #[test]
    fn a_terminal_that_is_gone_is_reported_to_the_next_write() {
        let (mut outlet, let_it, _written) = slow();
        drop(let_it);
        outlet.write_all(b"a").unwrap();
        assert!(!outlet.drained(LONG), "the terminal is gone");
        assert_eq!(outlet.write_all(b"b").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
