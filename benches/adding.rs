//! Measures adding by hand: one pet after another on a slow connection, and what drafts cost the keys.
//!
//! `cargo bench --bench adding`. Reports and never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the other measurements")]
mod common;
#[allow(dead_code, reason = "shared with the tests in a pseudo-terminal")]
#[path = "../tests/pty/harness.rs"]
mod harness;

use std::collections::HashSet;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use common::Limit::{AtMost, LessIsBetter};
use common::{Served, milliseconds, report};
use harness::{Start, Terminal};

fn main() {
    // Under `cargo test --benches` nothing is measured.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    common::heading();
    drafts();
    one_after_another();
}

/// Letters into the form, fifty a second, alternately in an app that keeps drafts and in one that has no place for them.
fn drafts() {
    const LETTERS: usize = 40;
    const ROUNDS: usize = 30;
    let served = Served::start(0);
    let state = tempfile::tempdir().unwrap();
    let open = |keeps: bool| {
        let start = Start::petstore(&["--base-url", &served.base_url]).env("PETSTORE_API_KEY", &served.key);
        let start = if keeps {
            start.env("XDG_STATE_HOME", state.path().to_str().unwrap())
        } else {
            // Without a home directory nothing is kept.
            start.env("HOME", "")
        };
        let mut app = start.open();
        app.shows(&["No pets yet."]);
        app.send("a");
        app.shows(&["> Name"]);
        app
    };
    let mut apps = [open(true), open(false)];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        for letter in 1..=LETTERS {
            let due = begin + Duration::from_millis(20) * u32::try_from(letter).unwrap();
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let shown = format!("[{}_", "p".repeat(letter));
            // Each comes first equally often: the first one wakes the processor, and waits longer.
            for at in [letter % 2, 1 - letter % 2] {
                let begin = Instant::now();
                apps[at].send("p");
                apps[at].wait_until(&shown, |screen, _| screen.contents().contains(&shown));
                times[at].push(milliseconds(begin.elapsed()));
            }
        }
        for app in &mut apps {
            app.send("\x15");
            app.shows(&["> Name *       [___"]);
        }
    }
    let late = |times: &[f64]| {
        let mut times = times.to_vec();
        times.sort_by(f64::total_cmp);
        times[times.len() * 95 / 100]
    };
    let late = times.each_ref().map(|times| late(times));
    let [with, without] = times;
    let without = report("drafts: key to screen, without", LessIsBetter, "ms", without);
    let with = report("drafts: key to screen, with", LessIsBetter, "ms", with);
    report("drafts: with / without", AtMost(1.05), "ratio", vec![with / without]);
    report("drafts: with / without, 19 of 20 keys", LessIsBetter, "ratio", vec![late[0] / late[1]]);
    let written = std::fs::read_dir(state.path().join("petstore/drafts")).unwrap().count();
    assert!(written > 0, "no draft was written");
}

/// A line that takes its time: what comes on a connection goes on 150 ms later, each way.
fn distant(address: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let here = format!("http://{}/v1", listener.local_addr().unwrap());
    let carry = |mut from: TcpStream, mut to: TcpStream| {
        let (pieces, coming) = mpsc::channel::<(Instant, Vec<u8>)>();
        thread::spawn(move || {
            for (due, piece) in coming {
                thread::sleep(due.saturating_duration_since(Instant::now()));
                if to.write_all(&piece).is_err() {
                    return;
                }
            }
            let _ = to.shutdown(Shutdown::Write);
        });
        thread::spawn(move || {
            let mut piece = [0; 16_384];
            while let Ok(count @ 1..) = from.read(&mut piece) {
                if pieces.send((Instant::now() + Duration::from_millis(150), piece[..count].to_vec())).is_err() {
                    return;
                }
            }
        });
    };
    thread::spawn(move || {
        for near in listener.incoming().map_while(Result::ok) {
            let far = TcpStream::connect(&address).unwrap();
            carry(near.try_clone().unwrap(), far.try_clone().unwrap());
            carry(far, near);
        }
    });
    here
}

/// Twenty names a second for a minute, with answers that take 300 ms: nothing is lost, doubled or reordered, and a key
/// is on the screen as soon as without.
fn one_after_another() {
    const NAMES: usize = 1_200;
    let served = Served::start(0);
    let far = distant(served.address().to_owned());
    let state = tempfile::tempdir().unwrap();
    let start = Start::petstore(&["--base-url", &far]).env("PETSTORE_API_KEY", &served.key);
    let mut app = start.env("XDG_STATE_HOME", state.path().to_str().unwrap()).open();
    app.shows(&["No pets yet."]);
    app.send("a\t3\r");
    app.shows(&["> Name", "[3_"]);
    let key = |app: &mut Terminal, letter: &str, shown: &str| {
        let begin = Instant::now();
        app.send(letter);
        app.wait_until(shown, |screen, _| screen.contents().contains(shown));
        milliseconds(begin.elapsed())
    };
    let mut idle = Vec::new();
    for _ in 0..100 {
        idle.push(key(&mut app, "p", "[p_"));
        app.send("\x7f");
        app.wait_until("the empty field", |screen, _| screen.contents().contains("Name *       [__"));
    }
    let begin = Instant::now();
    let mut times = Vec::new();
    for number in 1..=NAMES {
        thread::sleep(
            (begin + Duration::from_millis(50) * u32::try_from(number).unwrap())
                .saturating_duration_since(Instant::now()),
        );
        times.push(key(&mut app, "p", "[p_"));
        app.send(format!("et-{number:04}\r"));
        app.wait_until("the empty field", |screen, _| screen.contents().contains("Name *       [__"));
    }
    let typed = begin.elapsed();
    app.shows(&[&format!("{NAMES} saved ")]);
    let behind = milliseconds(begin.elapsed().saturating_sub(typed));
    let before = report("adding: key to screen, nothing under way", LessIsBetter, "ms", idle);
    let during = report("adding: key to screen, 20 lines a second", AtMost(16.0), "ms", times);
    report("adding: key to screen, with / without", LessIsBetter, "ratio", vec![during / before]);
    report("adding: the last line saved after it was typed", AtMost(2_000.0), "ms", vec![behind]);
    let names = names_in_store(&served);
    let wanted: Vec<String> = (1..=NAMES).map(|number| format!("pet-{number:04}")).collect();
    let there: HashSet<&String> = names.iter().collect();
    let lost = wanted.iter().filter(|name| !there.contains(name)).count();
    report("adding: lost of 1200", AtMost(0.0), "lines", vec![lost as f64]);
    report("adding: doubled of 1200", AtMost(0.0), "lines", vec![(names.len() - there.len()) as f64]);
    let overtaken = names.windows(2).filter(|pair| pair[0] > pair[1]).count();
    report("adding: ids not in the order of typing", LessIsBetter, "pairs", vec![overtaken as f64]);
}

/// The names of all pets in the order of their ids, page by page.
fn names_in_store(served: &Served) -> Vec<String> {
    let (address, key) = (served.address(), &served.key);
    let (mut names, mut path) = (Vec::new(), Some("/v1/pets?limit=100".to_owned()));
    while let Some(asked) = path {
        let mut socket = TcpStream::connect(address).unwrap();
        let head = format!("GET {asked} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n");
        socket.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let parts = answer.split("\"name\":\"").skip(1);
        names.extend(parts.map(|part| part.split('"').next().unwrap().to_owned()));
        let link = answer.lines().find_map(|line| line.strip_prefix("link: <"));
        path = link.and_then(|link| Some(link.split('>').next()?[link.find("/v1")?..].to_owned()));
    }
    names
}
