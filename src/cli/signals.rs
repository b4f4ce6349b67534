//! What ends a command early: the signals, but for the one that must not, and panics: a report for a person at a
//! terminal, one line elsewhere.

use std::future::poll_fn;
use std::io::{self, IsTerminal as _};
use std::panic::{self, PanicHookInfo};
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::output::safe;
use super::{Exit, Failed, Result, note};
use crate::model::display_safe;

/// SIGINT, SIGQUIT, SIGTERM and SIGHUP, from the moment this is created.
pub struct Signals([(Signal, Exit); 4]);

impl Signals {
    pub fn new() -> Result<Self> {
        let listen = |kind, exit| signal(kind).map(|signal| (signal, exit)).map_err(Failed::because("cannot start"));
        Ok(Self([
            listen(SignalKind::interrupt(), Exit::Interrupt)?,
            listen(SignalKind::quit(), Exit::Quit)?,
            listen(SignalKind::terminate(), Exit::Terminate)?,
            listen(SignalKind::hangup(), Exit::Hangup)?,
        ]))
    }

    /// Waits for the next one, and returns its exit status.
    pub async fn next(&mut self) -> Exit {
        poll_fn(|context| {
            let came =
                self.0.iter_mut().find_map(|(signal, exit)| signal.poll_recv(context).is_ready().then_some(*exit));
            came.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Has a write beyond the limit on the size of files (`ulimit -f`) fail as one on a full disk does. By default SIGXFSZ ends
/// the process. Nothing waits for it: from now on it is handled.
pub fn fail_at_file_size_limit() -> io::Result<()> {
    signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())).map(drop)
}

/// Reports panics on standard error. Every expected failure has its own message and exit status.
pub fn report() {
    if io::stderr().is_terminal()
        && color_eyre::config::HookBuilder::default().display_env_section(false).install().is_ok()
    {
        return;
    }
    panic::set_hook(Box::new(|info| {
        let (place, why) = parts(info);
        note(&display_safe(&safe(&format!("petstore: a thread panicked at {place}: {why}; this is a bug"))));
    }));
}

/// Logs panics from now on.
pub fn log_panics() {
    panic::set_hook(Box::new(|info| {
        let (place, panic) = parts(info);
        tracing::error!(place, panic, "a thread panicked");
    }));
}

/// Its place and its message.
fn parts<'a>(info: &'a PanicHookInfo<'_>) -> (String, &'a str) {
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    (place, info.payload_as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::thread;

    use super::*;

    /// The report of a panic on stderr, which is a pipe. The hook is of the whole process, so that a child runs `test`.
    fn report_of(test: &str) -> String {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", &format!("cli::signals::tests::{test}"), "--ignored", "--nocapture"]);
        let output = child.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }

    fn panic_in_a_thread() {
        assert!(thread::spawn(|| panic!("two\nlines")).join().is_err());
    }

    #[test]
    #[ignore = "run by another test"]
    fn reports() {
        report();
        panic_in_a_thread();
    }

    #[test]
    #[ignore = "run by another test"]
    fn logs() {
        tracing_subscriber::fmt().json().flatten_event(true).with_writer(io::stderr).init();
        log_panics();
        panic_in_a_thread();
    }

    #[test]
    fn a_panic_in_a_pipe_is_one_plain_line() {
        let report = report_of("reports");
        assert!(report.starts_with("petstore: a thread panicked at src/cli/signals.rs:"), "{report}");
        assert!(report.lines().count() == 1 && report.contains("two") && !report.contains('\x1b'), "{report}");
    }

    #[test]
    fn a_panic_of_the_service_is_one_line_of_its_json_log() {
        let report = report_of("logs");
        let logged: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert_eq!((&logged["level"], &logged["panic"]), (&"ERROR".into(), &"two\nlines".into()), "{report}");
        assert!(logged["place"].as_str().unwrap().starts_with("src/cli/signals.rs:"), "{report}");
    }
}
