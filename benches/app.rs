//! Measures the app as its user meets it: the release binary in a pseudo-terminal, beside a yardstick in the same run.
//!
//! `cargo bench --bench app`. Reports and never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the measurements of the service")]
mod common;
#[allow(dead_code, reason = "shared with the tests in a pseudo-terminal")]
#[path = "../tests/pty/harness.rs"]
mod harness;

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::Limit::{self, AtMost, LessIsBetter};
use common::{PETSTORE, Served, milliseconds, number, process_status, report};
use harness::{Start, Terminal};

/// How many times each start is measured.
const RUNS: usize = 15;

fn main() {
    // Under `cargo test --benches` nothing is measured.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    common::heading();
    starts();
    keys();
    idle_and_memory();
    list_against_curl();
}

/// From exec until `text`, one word since blanks are skipped, is in what was written; in milliseconds.
fn until(start: Start, text: &str) -> (f64, Terminal) {
    let begin = Instant::now();
    let terminal = start.open();
    terminal.wait_until(text, |_, bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()));
    (milliseconds(begin.elapsed()), terminal)
}

fn measure(what: &str, limit: Limit, start: impl Fn() -> Start, text: &str) -> f64 {
    let times = (0..RUNS).map(|_| until(start(), text).0).collect();
    report(what, limit, "ms", times)
}

fn starts() {
    let shell = || Start::program("/bin/sh", &["-c", "printf ready; read -r end"]);
    measure("yardstick: a shell's first word", LessIsBetter, shell, "ready");
    let demo = || Start::petstore(&["--demo"]);
    measure("--demo: first frame", AtMost(15.0), demo, "Pets");
    measure("--demo: rows", AtMost(100.0), demo, "Rex");
    let served = Served::start(250);
    measure("another service: rows", LessIsBetter, || app(&served), "Rex");
    let round_trip = (0..RUNS).map(|_| milliseconds(served.round_trip("/v1/pets?limit=20", 200))).collect();
    report("yardstick: one round trip to it on a new connection", LessIsBetter, "ms", round_trip);
    for animals in [0, 100_000] {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir(data.path().join("petstore")).unwrap();
        let database = format!("sqlite:{}", data.path().join("petstore/embedded.db").display());
        drop(Served::on(&database, animals));
        let path = data.path().to_str().unwrap().to_owned();
        let text = if animals == 0 { "animals" } else { "Rex" };
        let start = || Start::petstore(&[]).env("XDG_DATA_HOME", &path);
        measure(&format!("an existing store of {animals}: rows"), LessIsBetter, start, text);
    }
}

fn keys() {
    const MOVES: usize = 200;
    for (columns, rows, limit) in [(80, 24, AtMost(250.0)), (120, 40, AtMost(300.0))] {
        let mut app = Start::petstore(&["--demo"]).size(columns, rows).open();
        app.shows(&["Rex", "sold 25"]);
        app.send("L100\r");
        app.shows(&["Row 1 of 100"]);
        let (mut bytes, mut times) = (Vec::new(), Vec::new());
        let before = cpu(&app);
        for at in 0..MOVES {
            let there = if at % 20 < 10 { at % 20 + 2 } else { 20 - at % 20 };
            let written = app.bytes().len();
            let begin = Instant::now();
            app.send(if at % 20 < 10 { "j" } else { "k" });
            let place = format!("Row {there} of 100");
            app.wait_until(&place, |screen, _| screen.contents().contains(&place));
            times.push(milliseconds(begin.elapsed()));
            bytes.push((app.bytes().len() - written) as f64);
        }
        let spent = (cpu(&app) - before) / MOVES as f64;
        report(&format!("row move at {columns}x{rows}"), limit, "bytes", bytes);
        report(&format!("row move at {columns}x{rows}: processor"), AtMost(0.5), "ms", vec![spent]);
        report(&format!("row move at {columns}x{rows}: key to screen, emulator included"), LessIsBetter, "ms", times);
    }
}

fn idle_and_memory() {
    let served = Served::start(250);
    for (what, start, limit) in [
        ("another service", app(&served), AtMost(15.0)),
        ("the embedded service", Start::petstore(&["--demo"]), AtMost(30.0)),
    ] {
        let app = start.open();
        app.shows(&["Rex", "sold 25"]);
        // Unused connections are closed after some seconds, once; idle is what comes then.
        std::thread::sleep(Duration::from_secs(15));
        let (bytes, switches) = (app.bytes().len(), switches(&app));
        std::thread::sleep(Duration::from_secs(10));
        let bytes = (app.bytes().len() - bytes) as f64;
        let switches = self::switches(&app) - switches;
        let memory = |field| vec![process_status(app.process_id(), field) / 1024.0];
        report(&format!("{what}: written in 10 idle seconds"), AtMost(0.5), "bytes", vec![bytes]);
        report(&format!("{what}: wake-ups in 10 idle seconds"), AtMost(0.5), "times", vec![switches]);
        report(&format!("{what}: resident memory"), limit, "MiB", memory("VmRSS:"));
        report(&format!("{what}: of it not shared with other programs"), LessIsBetter, "MiB", memory("RssAnon:"));
    }
}

fn list_against_curl() {
    let served = Served::start(250);
    let url = format!("{}/pets?limit=20", served.base_url);
    let header = format!("Authorization: Bearer {}", served.key);
    let time = |mut command: Command| {
        let begin = Instant::now();
        let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success()).then(|| milliseconds(begin.elapsed()))
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..40 {
        let mut list = Command::new(PETSTORE);
        list.args(["pets", "list", "--format", "json", "--base-url", &served.base_url]);
        ours.extend(time({
            list.env("PETSTORE_API_KEY", &served.key);
            list
        }));
        let mut curl = Command::new("curl");
        curl.args(["-s", "-H", &header, &url]);
        theirs.extend(time(curl));
    }
    let ours = report("petstore pets list", LessIsBetter, "ms", ours);
    if theirs.is_empty() {
        println!("  curl is not here: nothing to compare with");
        return;
    }
    let theirs = report("yardstick: curl, the same request", LessIsBetter, "ms", theirs);
    report("petstore pets list / curl", AtMost(1.5), "ratio", vec![ours / theirs]);
}

/// The sum of a field over all threads.
fn over_threads(app: &Terminal, file: &str, field: impl Fn(&str) -> f64) -> f64 {
    let threads = fs::read_dir(format!("/proc/{}/task", app.process_id())).unwrap();
    threads
        .filter_map(|thread| fs::read_to_string(thread.unwrap().path().join(file)).ok())
        .map(|text| field(&text))
        .sum()
}

/// Milliseconds of processor time so far.
fn cpu(app: &Terminal) -> f64 {
    over_threads(app, "schedstat", |text| text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e6)
}

/// How often any thread went to sleep so far.
fn switches(app: &Terminal) -> f64 {
    over_threads(app, "status", |text| number(text, "voluntary_ctxt_switches:"))
}

/// The app, on that service.
fn app(served: &Served) -> Start {
    Start::petstore(&["--base-url", &served.base_url]).env("PETSTORE_API_KEY", &served.key)
}
