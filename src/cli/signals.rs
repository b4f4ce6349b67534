//! The signals that end a command.

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
