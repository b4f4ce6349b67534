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
use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::Limit::{self, AtMost, LessIsBetter};
use common::{Served, milliseconds, number, process_status, report};
use harness::{Start, Terminal};
use petstore::app::inventory::search::{Query, Search, fitting};
use petstore::model::{Categories, Pet, PetStatus, sample};

/// At most one frame is drawn in this time.
const FRAME: Duration = Duration::from_millis(17);
/// How many times each start is measured.
const RUNS: usize = 15;

fn main() {
    let parts: [(&str, fn()); 7] = [
        ("start", starts),
        ("keys", keys),
        ("rows", many_rows),
        ("live", live_pets),
        ("waiting", live_idle),
        ("idle", idle_and_memory),
        ("search", search),
    ];
    common::run(&parts, |measure| measure());
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
    for pets in [0, 100_000] {
        let data = tempfile::tempdir().unwrap();
        fs::create_dir(data.path().join("petstore")).unwrap();
        let database = format!("sqlite:{}", data.path().join("petstore/embedded.db").display());
        drop(Served::on(&database, pets));
        let path = data.path().to_str().unwrap().to_owned();
        let text = if pets == 0 { "yet." } else { "Rex" };
        let start = || Start::petstore(&[]).env("XDG_DATA_HOME", &path);
        measure(&format!("an existing store of {pets}: rows"), LessIsBetter, start, text);
    }
}

/// A program that only echoes: what the pseudo-terminal and the measurement themselves cost.
fn echo() -> f64 {
    let mut echo = Start::program("/bin/sh", &["-c", "stty raw -echo; printf ready; exec cat"]).open();
    echo.shows(&["ready"]);
    let mut times = Vec::new();
    for at in 0..200 {
        let written = echo.bytes().len();
        let begin = Instant::now();
        echo.send(if at % 2 == 0 { "j" } else { "k" });
        echo.wait_until("the echo", |_, bytes| bytes.len() > written);
        times.push(milliseconds(begin.elapsed()));
    }
    report("yardstick: a key echoed by cat through the same terminal", LessIsBetter, "ms", times)
}

/// A thousand rows, and a hundred thousand: memory, moving and searching.
fn many_rows() {
    for (pets, most) in [(1_000, 15.0), (100_000, 60.0)] {
        let served = Served::start(pets);
        let mut app = app(&served).open();
        app.shows(&["Rex", "sold"]);
        app.send("W").shows(&[&format!("these {pets} rows")]);
        let memory = process_status(app.process_id(), "VmRSS:") / 1024.0;
        report(&format!("{pets} rows: resident memory"), AtMost(most), "MiB", vec![memory]);
        let mut times = Vec::new();
        for at in 0..100 {
            let there = format!("Row {} of {pets}", if at % 2 == 0 { 2 } else { 1 });
            let begin = Instant::now();
            app.send(if at % 2 == 0 { "j" } else { "k" });
            app.wait_until(&there, |screen, _| screen.contents().contains(&there));
            times.push(milliseconds(begin.elapsed()));
        }
        report(&format!("{pets} rows: key to screen"), AtMost(1.5), "ms", times);
        let mut times = Vec::new();
        for word in ["whiskers", "captain", "rex", "tiger", "luna"] {
            app.send("/");
            app.wait_until("the field", |screen, _| screen.contents().contains("F1 help"));
            let mut rows = format!("{pets} of {pets} rows");
            for letter in word.chars() {
                let (before, begin) = (app.bytes().len(), Instant::now());
                app.send(letter.to_string());
                // Each letter narrows what is shown, or is at least shown in the field.
                app.wait_until("an answer", |_, bytes| bytes.len() > before);
                times.push(milliseconds(begin.elapsed()));
                rows = app.screen();
            }
            assert!(rows.contains(&format!("of {pets} rows")), "{rows}");
            app.send("\x15\r");
            app.wait_until("all rows", |screen, _| screen.contents().contains(&format!("these {pets} rows")));
        }
        report(&format!("{pets} rows: a letter of the search to screen"), AtMost(16.0), "ms", times);
    }
}

/// From the answer to the client that adds a pet to the screen of another app.
fn live_pets() {
    const PETS: usize = 10_000;
    let served = Served::start(250);
    let mut app = app(&served).open();
    app.shows(&["Rex", "live"]);
    // All of them have exact numbers.
    app.send("W").shows(&["All 250]"]);
    let (address, key) = (served.address(), &served.key);
    let body = "{\"name\":\"Rex\",\"categoryId\":1,\"status\":\"sold\"}";
    let request = format!(
        "POST /v1/pets HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_nodelay(true).unwrap();
    let mut times = Vec::new();
    for at in 1..=PETS {
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = [0; 4096];
        let read = socket.read(&mut answer).unwrap();
        assert!(answer[..read].starts_with(b"HTTP/1.1 201"), "{}", String::from_utf8_lossy(&answer[..read]));
        let begin = Instant::now();
        let shown = format!("sold {}", 25 + at);
        app.wait_until(&shown, |screen, _| screen.contents().contains(&shown));
        times.push(milliseconds(begin.elapsed()));
    }
    times.sort_by(f64::total_cmp);
    report("from the 201 to another app's screen, 99 of 100", AtMost(100.0), "ms", vec![times[PETS * 99 / 100]]);
    report("from the 201 to another app's screen", LessIsBetter, "ms", times);
}

/// What an app that follows a service costs while nothing is added.
fn live_idle() {
    const SECONDS: u64 = 60;
    let served = Served::start(250);
    let (address, carried) = counted(served.address().to_owned());
    let base_url = format!("http://{address}/v1");
    let app = Start::petstore(&["--base-url", &base_url]).env("PETSTORE_API_KEY", &served.key).open();
    app.shows(&["Rex", "sold 25", "live"]);
    thread::sleep(Duration::from_secs(5));
    let (written, before) = (app.bytes().len(), carried.load(Ordering::Relaxed));
    thread::sleep(Duration::from_secs(SECONDS));
    let (written, carried) = (app.bytes().len() - written, carried.load(Ordering::Relaxed) - before);
    report("live, nothing added: on the line", AtMost(1.0), "bytes a second", vec![carried as f64 / SECONDS as f64]);
    report("live, nothing added: to the terminal in a minute", AtMost(0.5), "bytes", vec![written as f64]);
}

/// An address that leads to `target`, and the bytes that went there and back.
fn counted(target: String) -> (SocketAddr, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, carried) = (listener.local_addr().unwrap(), Arc::<AtomicU64>::default());
    let count = Arc::clone(&carried);
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let service = TcpStream::connect(&target).unwrap();
            for (mut from, mut to) in [(client.try_clone().unwrap(), service.try_clone().unwrap()), (service, client)] {
                let count = Arc::clone(&count);
                thread::spawn(move || {
                    let mut bytes = [0; 4096];
                    while let Ok(read @ 1..) = from.read(&mut bytes) {
                        count.fetch_add(read as u64, Ordering::Relaxed);
                        if to.write_all(&bytes[..read]).is_err() {
                            return;
                        }
                    }
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    (address, carried)
}

fn keys() {
    let echoed = echo();
    const MOVES: usize = 200;
    for (columns, rows, limit) in [(80, 24, AtMost(120.0)), (120, 40, AtMost(160.0))] {
        let mut app = Start::petstore(&["--demo"]).size(columns, rows).open();
        app.shows(&["Rex", "sold 25"]);
        app.send("L100\r").shows(&["Row 1 of 250"]);
        let (mut bytes, mut times) = (Vec::new(), Vec::new());
        let before = cpu(&app);
        for at in 0..MOVES {
            let there = if at % 20 < 10 { at % 20 + 2 } else { 20 - at % 20 };
            let written = app.bytes().len();
            let begin = Instant::now();
            app.send(if at % 20 < 10 { "j" } else { "k" });
            let place = format!("Row {there} of 250");
            app.wait_until(&place, |screen, _| screen.contents().contains(&place));
            times.push(milliseconds(begin.elapsed()));
            bytes.push((app.bytes().len() - written) as f64);
            // A key that comes sooner waits for the time of the next frame.
            thread::sleep(FRAME);
        }
        let spent = (cpu(&app) - before) / MOVES as f64;
        report(&format!("row move at {columns}x{rows}"), limit, "bytes", bytes);
        report(&format!("row move at {columns}x{rows}: processor"), AtMost(0.5), "ms", vec![spent]);
        let settled = report(&format!("row move at {columns}x{rows}: key to settled screen"), AtMost(1.5), "ms", times);
        report(&format!("row move at {columns}x{rows} / echo"), LessIsBetter, "ratio", vec![settled / echoed]);
    }
}

fn idle_and_memory() {
    let served = Served::start(250);
    // From another service a comment comes every 15 s.
    for (what, start, most_switches, limit) in [
        ("another service", app(&served), 4.0, AtMost(15.0)),
        ("the embedded service", Start::petstore(&["--demo"]), 0.5, AtMost(30.0)),
    ] {
        let app = start.open();
        app.shows(&["Rex", "sold 25"]);
        // Unused connections are closed after some seconds, once; idle is what comes then.
        thread::sleep(Duration::from_secs(15));
        let (bytes, switches) = (app.bytes().len(), switches(&app));
        thread::sleep(Duration::from_secs(10));
        let bytes = (app.bytes().len() - bytes) as f64;
        let switches = self::switches(&app) - switches;
        let memory = |field| vec![process_status(app.process_id(), field) / 1024.0];
        report(&format!("{what}: written in 10 idle seconds"), AtMost(0.5), "bytes", vec![bytes]);
        report(&format!("{what}: wake-ups in 10 idle seconds"), AtMost(most_switches), "times", vec![switches]);
        report(&format!("{what}: resident memory"), limit, "MiB", memory("VmRSS:"));
        report(&format!("{what}: of it not shared with other programs"), LessIsBetter, "MiB", memory("RssAnon:"));
    }
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

/// How a search grows with its rows. `cargo bench --bench charts` draws it.
fn search() {
    let query = Query::parse("ell", &Categories::default());
    for rows in [20, 1000, 100_000, 1_000_000] {
        let pet = |at: usize| {
            let (new, status) = (sample(at % 100_000), Some(PetStatus::ALL[at % 3].into()));
            Pet { id: at as i64, name: new.name, category_id: new.category_id, status }
        };
        let pets: Vec<Pet> = (0..rows).map(pet).collect();
        let search = |_| {
            let begin = Instant::now();
            black_box(Search::default().best_first(&query, &pets, fitting(&query, &pets)));
            milliseconds(begin.elapsed())
        };
        report(&format!("a search at {rows} rows"), AtMost(16.0), "ms", (0..RUNS).map(search).collect());
    }
}
