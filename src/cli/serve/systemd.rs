//! Reports to systemd: that the service starts, is ready, works and stops (sd_notify(3)).

use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process;
use std::time::Duration;

use tokio::time::interval;

use crate::config::Env;

/// The service manager that started the process, or nobody.
#[derive(Clone, Debug)]
pub(super) struct ServiceManager {
    socket: Option<PathBuf>,
    /// After how long without a sign of life it ends the process.
    watchdog: Option<Duration>,
}

impl ServiceManager {
    pub(super) fn new(env: &Env) -> Self {
        // The variables of a parent that is watched are not for this process.
        let is_watched = env.get("WATCHDOG_PID").is_none_or(|id| id == process::id().to_string());
        let watchdog = env.get("WATCHDOG_USEC").filter(|_| is_watched).and_then(|time| time.parse().ok());
        let watchdog = watchdog.filter(|time| *time > 0).map(Duration::from_micros);
        Self { socket: env.path("NOTIFY_SOCKET"), watchdog }
    }

    /// The line that `systemctl status` shows; `text` is safe to show.
    pub(super) fn status(&self, text: &str) {
        self.notify(&format!("STATUS={text}"));
    }

    pub(super) fn ready(&self, status: &str) {
        self.notify(&format!("READY=1\nSTATUS={status}"));
    }

    pub(super) fn stopping(&self) {
        self.notify("STOPPING=1\nSTATUS=finishing requests");
    }

    /// Shows that tasks are run, for as long as they are.
    pub(super) async fn keep_alive(&self) {
        let Some(watchdog) = self.watchdog else { return };
        // Twice in that time, as sd_watchdog_enabled(3) asks.
        let mut ticks = interval(watchdog / 2);
        loop {
            ticks.tick().await;
            self.notify("WATCHDOG=1");
        }
    }

    fn notify(&self, state: &str) {
        let Some(socket) = &self.socket else { return };
        let send = || {
            let datagram = UnixDatagram::unbound()?;
            // Nothing waits for the service manager.
            datagram.set_nonblocking(true)?;
            datagram.send_to(state.as_bytes(), socket)
        };
        if let Err(error) = send() {
            tracing::warn!(%error, "cannot notify systemd");
        }
    }
}
