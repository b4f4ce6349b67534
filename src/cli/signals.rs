//! The signals that end a command, and the one that must not.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::error::{Exit, Failed};

/// SIGINT, SIGQUIT, SIGTERM and SIGHUP, from the moment this is created.
pub struct Signals {
    interrupt: Signal,
    quit: Signal,
    terminate: Signal,
    hangup: Signal,
}

impl Signals {
    pub fn new() -> Result<Self, Failed> {
        let listen = |kind| signal(kind).map_err(Failed::because("cannot start"));
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            quit: listen(SignalKind::quit())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: listen(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one, and returns its exit status.
    pub async fn next(&mut self) -> Exit {
        tokio::select! {
            Some(()) = self.interrupt.recv() => Exit::Interrupt,
            Some(()) = self.quit.recv() => Exit::Quit,
            Some(()) = self.terminate.recv() => Exit::Terminate,
            Some(()) = self.hangup.recv() => Exit::Hangup,
            else => std::future::pending().await,
        }
    }
}

/// Has a write beyond the limit on the size of files (`ulimit -f`) fail as one on a full disk does. By default SIGXFSZ ends
/// the process. Nothing waits for it: from now on it is handled.
pub fn fail_at_file_size_limit() -> io::Result<()> {
    signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
}
