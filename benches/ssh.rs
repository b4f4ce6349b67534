//! Measures sessions over SSH: from the login to the rows, and what a hundred of them cost.
//!
//! `cargo bench --bench ssh`. Reports and never fails; skipped without OpenSSH's server. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the measurements of the service")]
mod common;
#[allow(dead_code, reason = "shared with the tests in a pseudo-terminal")]
#[path = "../tests/pty/harness.rs"]
mod harness;
#[allow(dead_code, reason = "shared with the tests in a pseudo-terminal")]
#[path = "../tests/pty/served.rs"]
mod served;
#[path = "../tests/it/skipped.rs"]
mod skipped;
#[allow(dead_code, reason = "shared with the tests in a pseudo-terminal")]
#[path = "../tests/pty/sshd.rs"]
mod sshd;

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use common::Limit::{AtMost, LessIsBetter};
use common::{heading, milliseconds, number, process_status, report};
use harness::Terminal;
use sshd::{Store, keygen};

/// How many times each login is measured.
const RUNS: usize = 15;

/// How many sessions are open at the same time.
const SESSIONS: usize = 100;

/// For how long each of them gets one key a second, in seconds.
const KEYS: u64 = 20;

fn main() {
    // Under `cargo test --benches` nothing is measured.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let Some(store) = Store::start() else { return };
    heading();
    for number in 1..=20 {
        store.served.add(&format!("Whiskers {number}"));
    }
    logins(&store);
    many(&store);
}

/// A connection that is authenticated already: what comes after shares it, so that only the session is measured.
fn shared(store: &Store, key: &Path) -> String {
    let socket = format!("ControlPath={}/%C-{}", store.home.path().display(), key.file_name().unwrap().display());
    let options = ["-o", "ControlMaster=yes", "-o", "ControlPersist=yes", "-o", &socket, "-N", "-f"];
    assert!(store.ssh(key, &options, &[]).status().unwrap().success());
    socket
}

/// From a request for a session to what it shows first, in milliseconds.
fn until(store: &Store, key: &Path, socket: &str, text: &str) -> f64 {
    let begin = Instant::now();
    let mut session = store.screen(key, &["-o", socket], &[]);
    session.wait_until(text, |screen, _| screen.contents().contains(text));
    let time = milliseconds(begin.elapsed());
    session.send("q\r");
    session.exit_status();
    time
}

fn logins(store: &Store) {
    let till = store.authorize("till-2", &[]);
    let shell = store.home.path().join("shell");
    keygen(&shell);
    let line = fs::read_to_string(shell.with_extension("pub")).unwrap();
    let path = store.home.path().join(".ssh/authorized_keys");
    let mut authorized = OpenOptions::new().append(true).open(path).unwrap();
    write!(authorized, "restrict,pty,command=\"printf ready; read -r end\" {line}").unwrap();
    let (of_shell, of_till) = (shared(store, &shell), shared(store, &till));
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        times.0.push(until(store, &shell, &of_shell, "ready"));
        times.1.push(until(store, &till, &of_till, "Row 1 of 20"));
    }
    report("yardstick: a shell's first word after the login", LessIsBetter, "ms", times.0);
    report("rows after the login", AtMost(150.0), "ms", times.1);
    for (key, socket) in [(&shell, &of_shell), (&till, &of_till)] {
        let _ = store.ssh(key, &["-O", "exit", "-o", socket], &[]).output();
    }
}

/// The processes of the sessions.
fn sessions() -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let is_session = |process: &u32| {
        let arguments = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        let mut arguments = arguments.split(|byte| *byte == 0);
        arguments.next() == Some(harness::PETSTORE.as_bytes()) && arguments.next() == Some(b"ssh-session")
    };
    processes.filter(is_session).collect()
}

/// The time on the processors that a process has had, in seconds.
fn processor_time(process: &u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap();
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let of = |text: &str| number(text, "") / 1e9;
    let all = threads.map(|thread| of(&fs::read_to_string(thread.unwrap().path().join("schedstat")).unwrap()));
    all.sum::<f64>().max(of(&text))
}

fn many(store: &Store) {
    // Several tills, as in a real store.
    let keys = [3, 4, 5, 6].map(|till| store.authorize(&format!("till-{till}"), &[]));
    let tills = keys.each_ref().map(|key| (key, shared(store, key)));
    let open = |(key, socket): &(&PathBuf, String)| store.screen(key, &["-o", socket], &[]);
    let mut screens: Vec<Terminal> = tills.iter().cycle().take(SESSIONS).map(open).collect();
    for screen in &screens {
        screen.shows(&["Row 1 of 20"]);
    }
    let all = sessions();
    assert_eq!(all.len(), SESSIONS);
    let memory = all.iter().map(|process| process_status(*process, "RssAnon:") / 1024.0).collect();
    report(&format!("private memory of each of {SESSIONS} sessions"), AtMost(6.0), "MiB", memory);
    let before: f64 = all.iter().map(processor_time).sum();
    let begin = Instant::now();
    let pause = Duration::from_secs(1) / u32::try_from(SESSIONS).unwrap();
    for second in 0..KEYS {
        for (at, screen) in (0..).zip(&mut screens) {
            screen.send(if second % 2 == 0 { "j" } else { "k" });
            let due = Duration::from_secs(second) + pause * (at + 1);
            thread::sleep(due.saturating_sub(begin.elapsed()));
        }
    }
    let used = all.iter().map(processor_time).sum::<f64>() - before;
    let share = used / begin.elapsed().as_secs_f64();
    report(&format!("{SESSIONS} sessions with a key a second each"), AtMost(0.5), "processors", vec![share]);
    for screen in &mut screens {
        screen.send("q");
    }
    for screen in &mut screens {
        screen.exit_status();
    }
    for (key, socket) in &tills {
        let _ = store.ssh(key, &["-O", "exit", "-o", socket], &[]).output();
    }
}
