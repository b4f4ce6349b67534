//! Streams of added pets: how soon a pet comes to those who follow, and what they cost.

use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::common::Limit::{AtMost, LessIsBetter};
use super::common::{Served, directory, new_key, process_status, processor, report};
use super::listeners::{Listeners, deaf, latencies, report_adds, report_latencies};
use super::load::{Load, Request};

/// Streams that do nothing, and for how long.
const IDLE: usize = 1000;
const IDLE_TIME: Duration = Duration::from_secs(30);

/// Streams that nobody reads, with two keys.
const DEAF: usize = 1000;

pub fn measure() {
    let files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: files.maximum, ..files }).unwrap();
    let served = Served::start(1000);
    report_latencies("a listener, 500 pets/s", 100.0, &[served.address()], &served.key);
    drop(served);
    idle();
    let served = Served::start(1000);
    report_adds(100, &[served.address()], &served.key);
    drop(served);
    unread();
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
