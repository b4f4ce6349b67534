//! Streams of added pets: how soon a pet comes to those who follow, and what they cost.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::common::Limit::{AtLeast, AtMost, LessIsBetter};
use super::common::{Served, directory, new_key, process_status, processor, report};
use super::listeners::{Listeners, deaf, latencies, p99};
use super::load::{Load, Request};

/// Pets whose way is measured in a round, and how many are added in a second.
const PETS: usize = 10_000;
const RATE: u32 = 500;
const ROUNDS: usize = 3;

/// Streams that do nothing, and for how long.
const IDLE: usize = 1000;
const IDLE_TIME: Duration = Duration::from_secs(30);

/// Streams while others add.
const FOLLOWING: usize = 100;
const PAIRS: usize = 9;
const TIME: Duration = Duration::from_secs(1);

/// Streams that nobody reads, with two keys.
const DEAF: usize = 1000;

pub fn measure() {
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files }).unwrap();
    arrive();
    idle();
    adds();
    unread();
}

fn arrive() {
    let served = Served::start(1000);
    let rounds: Vec<_> = (0..ROUNDS).map(|_| latencies(&[served.address()], &served.key, PETS, RATE)).collect();
    let medians = rounds.iter().map(|(round, _)| round[round.len() / 2]).collect();
    report("from the 201 to a listener, 500 pets/s: median", LessIsBetter, "ms", medians);
    let p99 = rounds.iter().map(|(round, _)| p99(round)).collect();
    report("from the 201 to a listener, 500 pets/s: 99 in 100", AtMost(100.0), "ms", p99);
    report("missed", AtMost(0.0), "pets", rounds.iter().map(|(_, missed)| *missed as f64).collect());
}

fn idle() {
    let served = Served::start(1000);
    let before = memory(&served);
    let _listeners = Listeners::open(served.address(), &served.key, IDLE);
    report("1,000 listeners: resident memory", AtMost(60.0), "MiB", vec![memory(&served) - before]);
    let (begin, busy) = (Instant::now(), processor(served.process_id()));
    sleep(IDLE_TIME);
    let part = (processor(served.process_id()) - busy) / begin.elapsed().as_secs_f64() * 100.0;
    report("1,000 listeners: processor while nothing is added", AtMost(5.0), "% of a core", vec![part]);
    latencies(&[served.address()], &served.key, 1000, 100);
    report("1,000 listeners: resident memory after 1,000 pets", AtMost(60.0), "MiB", vec![memory(&served) - before]);
}

fn adds() {
    let served = Served::start(1000);
    let requests = [Request::add("", "Biscuit", &served.key)].into();
    let load = Load { requests, connections: 64, time: TIME, every: None };
    let (mut ratios, mut errors) = (Vec::new(), 0);
    load.run(served.address());
    for _ in 0..PAIRS {
        let without = load.run(served.address());
        let listeners = Listeners::open(served.address(), &served.key, FOLLOWING);
        let with = load.run(served.address());
        drop(listeners);
        ratios.push(with.per_second() / without.per_second());
        errors += without.errors + with.errors;
    }
    report("adds, 64 connections: with 100 listeners / with none", AtLeast(0.9), "ratio", ratios);
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}

fn unread() {
    let directory = directory();
    let database = format!("sqlite:{}", directory.path().join("store.db").display());
    let (served, other) = (Served::on(&database, 1000), new_key(&database));
    let before = memory(&served);
    let streams = [&served.key, &other].map(|key| deaf(served.address(), key, DEAF));
    let requests = [Request::add("", "Biscuit", &served.key), Request::list("", &served.key)].into();
    let load = Load { requests, connections: 4, time: Duration::from_secs(10), every: Some(Duration::from_millis(5)) };
    let outcome = load.run(served.address());
    report("2,000 streams that nobody reads: the slowest request", AtMost(500.0), "ms", vec![outcome.slowest()]);
    report("growth of resident memory", LessIsBetter, "MiB", vec![memory(&served) - before]);
    drop(streams);
}

/// Resident memory in MiB.
fn memory(served: &Served) -> f64 {
    process_status(served.process_id(), "VmRSS:") / 1024.0
}
