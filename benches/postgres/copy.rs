//! `petstore database copy` of a million pets from SQLite to PostgreSQL and back, verification included.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::common::Limit::{AtLeast, AtMost};
use super::common::{PETSTORE, Served, directory, peak, report};
use super::server::Server;

const PETS: u64 = 1_000_000;
const ROUNDS: usize = 3;

pub fn measure(server: &mut Server) {
    let directory = directory();
    let file = |name: &str| format!("sqlite:{}", directory.path().join(name).display());
    Served::on(&file("store.db"), PETS).stop();
    let [mut there, mut back, mut memory_there, mut memory_back] = [const { Vec::new() }; 4];
    for round in 0..ROUNDS {
        let database = server.new_database();
        let (url, copy) = (server.url(&database), file(&format!("copy-{round}.db")));
        for (from, to, rates, memory) in
            [(&file("store.db"), &url, &mut there, &mut memory_there), (&url, &copy, &mut back, &mut memory_back)]
        {
            let (time, peak) = run(&["database", "copy", "--from", from, "--to", to]);
            rates.push(PETS as f64 / time.as_secs_f64());
            memory.push(peak);
        }
    }
    report("from SQLite to PostgreSQL", AtLeast(50_000.0), "pets/s", there);
    report("from SQLite to PostgreSQL: memory", AtMost(50.0), "MiB", memory_there);
    report("from PostgreSQL to SQLite", AtLeast(50_000.0), "pets/s", back);
    report("from PostgreSQL to SQLite: memory", AtMost(50.0), "MiB", memory_back);
}

/// How long it took, and its peak of resident memory in MiB.
fn run(arguments: &[&str]) -> (Duration, f64) {
    let begin = Instant::now();
    let mut child = Command::new(PETSTORE).args(arguments).stderr(Stdio::null()).spawn().unwrap();
    let peak = peak(&mut child);
    assert!(child.wait().unwrap().success(), "{arguments:?}");
    (begin.elapsed(), peak)
}
