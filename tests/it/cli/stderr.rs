//! `petstore serve` while nothing reads its stderr.

use crate::prelude::*;

use std::net::TcpListener;
use std::process::ExitStatus;

use rustix::fs::{OFlags, fcntl_setfl};

use super::fixture::*;

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

/// A service whose stderr is a pipe, which is read up to the last line of the start.
struct Stuck {
    service: Running,
    stderr: BufReader<std::process::ChildStderr>,
    address: String,
    metrics: String,
    key: String,
    home: TempDir,
}

impl Stuck {
    fn start(flags: &[&str]) -> Self {
        let home = home();
        let key = new_key(&home, &[]);
        let serve = ["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--database"];
        let mut serve = petstore(&home, &[&serve[..], &[&database(&home)], flags].concat());
        let mut service = Running(serve.stderr(Stdio::piped()).spawn().unwrap());
        let mut stderr = BufReader::new(service.0.stderr.take().unwrap());
        let mut part = |before: &str, after: &str| {
            let mut line = String::new();
            stderr.read_line(&mut line).unwrap();
            // In either format of the log.
            line.split_once(before).unwrap().1.split_once(after).unwrap().0.to_owned()
        };
        let address = part("listening on http://", "/v1");
        let metrics = part("metrics on http://", "/metrics");
        Self { service, stderr, address, metrics, key, home }
    }

    fn dropped(&self) -> u64 {
        let figures = Wire::to(&self.metrics).ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").1;
        let dropped = figures.lines().find_map(|line| line.strip_prefix("petstore_log_lines_dropped_total "));
        dropped.unwrap_or_else(|| panic!("{figures}")).parse().unwrap()
    }

    /// Asks until log lines are dropped.
    fn fill(&self) {
        let id = "x".repeat(64);
        let request = format!("GET /v1/{id} HTTP/1.1\r\nHost: x\r\nX-Request-Id: {id}\r\n\r\n").repeat(100);
        let mut wire = Wire::to(&self.address);
        while self.dropped() == 0 {
            wire.send(&request);
            for _ in 0..100 {
                assert!([401, 429].contains(&wire.answer().0));
            }
        }
    }
}

fn terminate(service: &mut Running) -> ExitStatus {
    signal(&service.0, Signal::TERM);
    ended(service)
}

/// How it ends, which must be within a minute.
#[expect(clippy::disallowed_methods, reason = "how long the end takes is the question")]
fn ended(service: &mut Running) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = service.0.try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it should have ended");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_log_that_nothing_reads_holds_up_neither_requests_nor_sigterm() {
    let mut stuck = Stuck::start(&["--log-level", "info"]);
    stuck.fill();
    assert_eq!(Wire::to(&stuck.address).ask(HEALTH).0, 204);
    assert_eq!(terminate(&mut stuck.service).code(), Some(0));
}

#[test]
fn errors_that_nothing_reads_hold_up_neither_requests_nor_sigterm() {
    let mut stuck = Stuck::start(&[]);
    let store = rusqlite::Connection::open(stuck.home.path().join("store.db")).unwrap();
    store.execute_batch("ALTER TABLE pets RENAME TO gone").unwrap();
    let list = format!("GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n", stuck.key);
    let mut wire = Wire::to(&stuck.address);
    // Far more than a pipe holds: 64 KiB.
    for _ in 0..1000 {
        assert_eq!(wire.ask(&list).0, 503);
    }
    assert_eq!(wire.ask(HEALTH).0, 204);
    assert_eq!(terminate(&mut stuck.service).code(), Some(0));
}

#[test]
fn dropped_log_lines_are_counted_and_reported_when_the_log_is_read_again() {
    for (format, level) in [("text", "ERROR"), ("json", "\"level\":\"ERROR\"")] {
        let mut stuck = Stuck::start(&["--log-level", "info", "--log-format", format]);
        stuck.fill();
        let counted = stuck.dropped();
        let mut lines = stuck.stderr.lines().map(Result::unwrap);
        let report = lines.find(|line| line.contains("log lines dropped")).unwrap();
        assert!(report.contains(level) && report.contains(&format!("{counted} log lines dropped")), "{report}");
        assert_eq!(terminate(&mut stuck.service).code(), Some(0));
    }
}

#[test]
fn a_stop_first_writes_what_is_queued() {
    let mut stuck = Stuck::start(&["--log-level", "info"]);
    let mut wire = Wire::to(&stuck.address);
    for _ in 0..1000 {
        assert_eq!(wire.ask(HEALTH).0, 204);
    }
    signal(&stuck.service.0, Signal::TERM);
    let mut log = String::new();
    stuck.stderr.read_to_string(&mut log).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("path=\"/healthz\"")).count(), 1000);
    assert_eq!(ended(&mut stuck.service).code(), Some(0));
}

#[test]
fn a_failed_start_ends_although_nothing_reads_why() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let (_reader, mut writer) = io::pipe().unwrap();
    fcntl_setfl(&writer, OFlags::NONBLOCK).unwrap();
    while writer.write(&[b'x'; 4096]).is_ok() {}
    fcntl_setfl(&writer, OFlags::empty()).unwrap();
    let home = home();
    let mut serve = Command::new(PETSTORE);
    serve.args(["serve", "--listen", &taken.local_addr().unwrap().to_string()]).env_clear().env("HOME", home.path());
    let mut service = Running(serve.stderr(writer).spawn().unwrap());
    assert_eq!(ended(&mut service).code(), Some(1));
}
