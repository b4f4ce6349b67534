//! The signals by which somebody ends a command.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::error::Exit;

/// SIGINT, SIGTERM and SIGHUP, from when this is made.
pub struct Signals {
    signals: [(Signal, Exit); 3],
}

impl Signals {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            signals: [
                (signal(SignalKind::interrupt())?, Exit::Interrupt),
                (signal(SignalKind::terminate())?, Exit::Terminate),
                (signal(SignalKind::hangup())?, Exit::Hangup),
            ],
        })
    }

    /// Waits for the next one; says how the program then ends.
    pub async fn next(&mut self) -> Exit {
        let [(interrupt, a), (terminate, b), (hangup, c)] = &mut self.signals;
        tokio::select! {
            Some(()) = interrupt.recv() => *a,
            Some(()) = terminate.recv() => *b,
            Some(()) = hangup.recv() => *c,
            else => std::future::pending().await,
        }
    }
}
