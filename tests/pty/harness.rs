//! A program in a pseudo-terminal: keys go in, an emulated screen comes out. Waits for conditions, never for a time.

use std::fs::File;
use std::io::{Read as _, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::termios::{Action, OptionalActions, speed, tcflow, tcgetattr, tcsetattr};
use tempfile::TempDir;

/// How long anything is waited for.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The program under test.
pub const PETSTORE: &str = env!("CARGO_BIN_EXE_petstore");

struct Seen {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    closed: bool,
}

/// A running program and its screen.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    /// How many bytes come before the next prompt that is answered.
    answered: usize,
    _home: Option<TempDir>,
}

/// What to start, and in which surroundings.
pub struct Start {
    command: CommandBuilder,
    size: (u16, u16),
    is_serial: bool,
    home: Option<TempDir>,
}

impl Start {
    /// `petstore` with these arguments, a home of its own, UTF-8 and 256 colours, at 80x24.
    pub fn petstore(arguments: &[&str]) -> Self {
        Self::program(PETSTORE, arguments)
    }

    /// Any program in the same surroundings.
    pub fn program(program: &str, arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env_clear();
        for (name, value) in [("LANG", "C.UTF-8"), ("TERM", "xterm-256color"), ("TZ", "UTC"), ("PATH", "/usr/bin:/bin")]
        {
            command.env(name, value);
        }
        command.env("HOME", home.path());
        command.cwd(home.path());
        Self { command, size: (80, 24), is_serial: false, home: Some(home) }
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// More arguments.
    #[allow(dead_code, reason = "the measurements do not need it")]
    pub fn arguments(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    /// A serial line: 9600 baud, and nobody knows the size of the terminal at its other end.
    pub fn serial(mut self) -> Self {
        self.is_serial = true;
        self
    }

    /// The home directory.
    pub fn home(&self) -> &Path {
        self.home.as_ref().unwrap().path()
    }

    /// Starts it.
    pub fn open(self) -> Terminal {
        let (columns, rows) = self.size;
        let (cols, lines) = if self.is_serial { (0, 0) } else { self.size };
        let pair = native_pty_system().openpty(PtySize { rows: lines, cols, ..PtySize::default() }).unwrap();
        if self.is_serial {
            let line = slave_of(&*pair.master);
            let mut attributes = tcgetattr(&line).unwrap();
            attributes.set_speed(speed::B9600).unwrap();
            tcsetattr(&line, OptionalActions::Now, &attributes).unwrap();
        }
        let child = pair.slave.spawn_command(self.command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let parser = vt100::Parser::new(emulated(rows), emulated(columns), 0);
        let seen = Arc::new((Mutex::new(Seen { parser, bytes: Vec::new(), closed: false }), Condvar::new()));
        let shared = Arc::clone(&seen);
        // Drains all the time, so that the program never waits for the test.
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let count = reader.read(&mut bytes).unwrap_or(0);
                let mut seen = shared.0.lock().unwrap();
                seen.parser.process(&bytes[..count]);
                seen.bytes.extend_from_slice(&bytes[..count]);
                seen.closed = count == 0;
                shared.1.notify_all();
                if count == 0 {
                    return;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Terminal { master: pair.master, writer, child, seen, answered: 0, _home: self.home }
    }
}

impl Terminal {
    /// The letters on screen.
    pub fn screen(&self) -> String {
        self.seen.0.lock().unwrap().parser.screen().contents()
    }

    /// Looks at the screen.
    #[allow(dead_code, reason = "the measurements do not need it")]
    pub fn with_screen<T>(&self, look: impl FnOnce(&vt100::Screen) -> T) -> T {
        look(self.seen.0.lock().unwrap().parser.screen())
    }

    /// Everything that was written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.0.lock().unwrap().bytes.clone()
    }

    /// Waits until all of these are on screen; gives the screen.
    #[track_caller]
    pub fn shows(&self, wanted: &[&str]) -> String {
        self.wait_until(&format!("{wanted:?}"), |screen, _| {
            let text = screen.contents();
            wanted.iter().all(|part| text.contains(part))
        })
    }

    /// Waits until `condition` holds for the screen and the bytes so far.
    #[track_caller]
    pub fn wait_until(&self, what: &str, condition: impl Fn(&vt100::Screen, &[u8]) -> bool) -> String {
        let deadline = Instant::now() + PATIENCE;
        let (lock, changed) = &*self.seen;
        let mut seen = lock.lock().unwrap();
        while !condition(seen.parser.screen(), &seen.bytes) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero() && !seen.closed, "{what} never came:\n{}", seen.parser.screen().contents());
            seen = changed.wait_timeout(seen, left.min(Duration::from_millis(200))).unwrap().0;
        }
        seen.parser.screen().contents()
    }

    /// Waits until a program shows this prompt anew, after all that [`answer`](Self::answer) has typed so far, and types
    /// the answer: what is typed before a shell reads may be lost.
    #[allow(dead_code, reason = "the measurements do not need it")]
    #[track_caller]
    pub fn answer(&mut self, prompt: &str, typed: impl AsRef<[u8]>) {
        let from = self.answered;
        let end = |bytes: &[u8]| {
            let at = bytes[from..].windows(prompt.len()).position(|seen| seen == prompt.as_bytes());
            at.map(|at| from + at + prompt.len())
        };
        self.wait_until(&format!("{prompt:?} anew"), |_, bytes| end(bytes).is_some());
        self.answered = end(&self.bytes()).unwrap();
        self.send(typed);
    }

    /// Waits until nothing more is written: the frame is whole.
    #[allow(dead_code, reason = "the measurements do not need it")]
    pub fn settled(&self) {
        const QUIET: Duration = Duration::from_millis(200);
        let (lock, changed) = &*self.seen;
        let mut seen = lock.lock().unwrap();
        loop {
            let before = seen.bytes.len();
            let (now, waited) = changed.wait_timeout_while(seen, QUIET, |seen| seen.bytes.len() == before).unwrap();
            seen = now;
            if waited.timed_out() {
                return;
            }
        }
    }

    /// Writes bytes as a terminal would send them.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.writer.write_all(bytes.as_ref()).unwrap();
        self.writer.flush().unwrap();
        self
    }

    /// Presses q, which ends the app well.
    #[allow(dead_code, reason = "the measurements do not need it")]
    #[track_caller]
    pub fn quit(&mut self) {
        self.send("q");
        assert_eq!(self.ended().0, 0);
    }

    /// Sends a signal by name, and waits for the end.
    #[allow(dead_code, reason = "the measurements do not need it")]
    #[track_caller]
    pub fn end_by(&mut self, signal: &str) {
        self.signal(signal);
        self.ended();
    }

    /// The terminal stops what the program writes, as Ctrl-S does, or lets it go on.
    #[allow(dead_code, reason = "the measurements do not need it")]
    pub fn freeze(&self, frozen: bool) {
        tcflow(slave_of(&*self.master), if frozen { Action::OOff } else { Action::OOn }).unwrap();
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.seen.0.lock().unwrap().parser.screen_mut().set_size(emulated(rows), emulated(columns));
        self.master.resize(PtySize { rows, cols: columns, ..PtySize::default() }).unwrap();
    }

    pub fn process_id(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        signal(&self.process_id().to_string(), name);
    }

    /// Sends these bytes again and again until all of `wanted` is on screen: a box that has just opened takes no keys. Not
    /// too often, since those that come too late act on what is shown then.
    #[track_caller]
    pub fn send_until(&mut self, bytes: &str, wanted: &[&str]) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.send(bytes);
            let (lock, changed) = &*self.seen;
            let seen = lock.lock().unwrap();
            let there = |seen: &mut Seen| {
                let text = seen.parser.screen().contents();
                !wanted.iter().all(|part| text.contains(part))
            };
            let (seen, waited) = changed.wait_timeout_while(seen, Duration::from_secs(1), there).unwrap();
            if !waited.timed_out() {
                return;
            }
            assert!(Instant::now() < deadline, "{wanted:?} never came:\n{}", seen.parser.screen().contents());
        }
    }

    /// Waits for the end, whatever the terminal has taken by then; gives the exit status.
    #[track_caller]
    pub fn exit_status(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(Instant::now() < deadline, "still running:\n{}", self.screen());
            std::thread::yield_now();
        }
    }

    /// Waits for the end; gives the exit status and everything that was written.
    #[track_caller]
    pub fn ended(&mut self) -> (u32, Vec<u8>) {
        let deadline = Instant::now() + PATIENCE;
        let status = self.exit_status();
        let (lock, changed) = &*self.seen;
        let mut seen = lock.lock().unwrap();
        while !seen.closed {
            assert!(Instant::now() < deadline, "the terminal was not closed");
            seen = changed.wait_timeout(seen, Duration::from_millis(200)).unwrap().0;
        }
        (status, seen.bytes.clone())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The side of a program in the terminal.
fn slave_of(master: &dyn MasterPty) -> File {
    File::options().read(true).write(true).open(master.tty_name().unwrap()).unwrap()
}

/// The emulator has no empty screens, and no memory for the largest that can be claimed.
fn emulated(cells: u16) -> NonZero<u16> {
    NonZero::new(cells.min(1_000)).unwrap_or(NonZero::<u16>::MIN)
}

/// Whether everything that was switched on was switched off again, after it.
pub fn restored(bytes: &[u8]) -> bool {
    ["?1049", "?2004", "?1004"].iter().all(|mode| switched_off(bytes, mode))
}

/// Whether this mode was switched on, and off again after it.
pub fn switched_off(bytes: &[u8], mode: &str) -> bool {
    let last = |end: char| {
        let sequence = format!("\x1b[{mode}{end}");
        bytes.windows(sequence.len()).rposition(|window| window == sequence.as_bytes())
    };
    last('h').is_some() && last('l') > last('h')
}

/// Sends a signal by name, as a shell does: not every system has a program for it.
pub fn signal(process: &str, name: &str) {
    let kill = format!("kill -s {name} {process}");
    assert!(std::process::Command::new("/bin/sh").args(["-c", &kill]).status().unwrap().success());
}
