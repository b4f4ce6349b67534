//! Measures what a call from a script takes: the release binary, compared with `curl` and `true` in the same run.
//!
//! `cargo bench --bench cli`. Reports and never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the other measurements")]
mod common;

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use common::Limit::{AtMost, LessIsBetter};
use common::{PETSTORE, Served, heading, milliseconds, report};

/// How often each is called.
const ROUNDS: usize = 61;

fn main() {
    // Under `cargo test --benches` nothing is measured.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    heading();
    let version = || Command::new(PETSTORE).arg("--version").stdout(Stdio::null()).status();
    let nothing = || Command::new("/bin/true").status();
    alternating("petstore --version", version, "true", nothing, 3.0);
    let served = Served::start(250);
    let home = common::directory();
    let list = || {
        let mut command = Command::new(PETSTORE);
        command.args(["pets", "list", "--quiet", "--format", "json"]).env("HOME", home.path());
        command.env("PETSTORE_BASE_URL", &served.base_url).env("PETSTORE_API_KEY", &served.key);
        command.stdin(Stdio::null()).stdout(Stdio::null()).status()
    };
    let (bearer, url) = (format!("Authorization: Bearer {}", served.key), format!("{}/pets?limit=20", served.base_url));
    let curl = || Command::new("curl").args(["-s", "-H", &bearer, &url]).stdout(Stdio::null()).status();
    alternating("petstore pets list", list, "curl", curl, 1.3);
    let size = fs::metadata(PETSTORE).unwrap().len() as f64 / 1024.0 / 1024.0;
    report("release binary", AtMost(20.0), "MiB", vec![size]);
}

type Ended = std::io::Result<std::process::ExitStatus>;

/// Reports both, from start to end, and ours as a multiple of theirs.
fn alternating(our: &str, ours: impl Fn() -> Ended, their: &str, theirs: impl Fn() -> Ended, most: f64) {
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (call, times) in [(&ours as &dyn Fn() -> Ended, &mut our_times), (&theirs, &mut their_times)] {
            let begun = Instant::now();
            assert!(call().unwrap().success());
            times.push(milliseconds(begun.elapsed()));
        }
    }
    let ratios = our_times.iter().zip(&their_times).map(|(our, their)| our / their).collect();
    report(our, LessIsBetter, "ms", our_times);
    report(&format!("  yardstick: {their}"), LessIsBetter, "ms", their_times);
    report(&format!("{our} / {their}"), AtMost(most), "ratio", ratios);
}
