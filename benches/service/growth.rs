//! Ten million pets against ten thousand: what a store costs that has grown.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::common::Limit::{AtMost, LessIsBetter};
use super::common::{Served, directory, milliseconds, process_status, report};
use super::load::{Load, Request, pages, scattered};

const FEW: u64 = 10_000;
const MANY: u64 = 10_000_000;
/// Many and short: what else the machine does must fall on both stores.
const ROUNDS: usize = 41;
const TIME: Duration = Duration::from_millis(50);
const STARTS: usize = 10;

/// Requests for so many pets, with a key.
type Requests = fn(u64, &str) -> Arc<[Request]>;

const KINDS: [(&str, Requests); 7] = [
    ("first page", |_, key| [Request::list("", key)].into()),
    ("any page", |pets, key| pages(pets, &[""], key)),
    ("any page of the available", |pets, key| pages(pets, &["&status=available"], key)),
    ("any page of the pending", |pets, key| pages(pets, &["&status=pending"], key)),
    ("any page of the sold", |pets, key| pages(pets, &["&status=sold"], key)),
    ("get", |pets, key| scattered(10_000, pets).map(|id| Request::get(id, key)).collect()),
    ("add", |_, key| [Request::add("", "Biscuit", key)].into()),
];

pub fn measure() {
    let directory = directory();
    let path = directory.path().join("many.db");
    let database = format!("sqlite:{}", path.display());
    let begin = Instant::now();
    Served::on(&database, MANY).stop();
    report("10M sample pets made", LessIsBetter, "s", vec![begin.elapsed().as_secs_f64()]);

    // Through the cache of the system: it is the depth of the store that is measured, not a cold disk.
    io::copy(&mut File::open(&path).unwrap(), &mut io::sink()).unwrap();
    let starts = (0..STARTS).map(|_| milliseconds(until_ready(&database))).collect();
    report("10M pets: from exec until ready", AtMost(500.0), "ms", starts);

    let (few, many) = (Served::start(FEW), Served::on(&database, 0));
    let mut errors = 0;
    for (what, requests) in KINDS {
        errors += compare(what, (&few, requests(FEW, &few.key)), (&many, requests(MANY, &many.key)));
    }
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
    let peak = process_status(many.process_id(), "VmHWM:") / 1024.0;
    report("10M pets: peak of resident memory", AtMost(150.0), "MiB", vec![peak]);
}

fn until_ready(database: &str) -> Duration {
    let served = Served::on(database, 0);
    served.round_trip("/readyz", 204);
    served.began.elapsed()
}

/// Asks both stores alternately, and returns the number of errors.
fn compare(what: &str, few: (&Served, Arc<[Request]>), many: (&Served, Arc<[Request]>)) -> usize {
    let run = |(served, requests): &(&Served, Arc<[Request]>)| {
        let load = Load { requests: Arc::clone(requests), connections: 1, time: TIME, every: None };
        load.run(served.address())
    };
    let (mut latencies, mut rates, mut errors) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        let (few, many) = (run(&few), run(&many));
        latencies.push(many.latency(0.5) / few.latency(0.5));
        rates.push(few.per_second() / many.per_second());
        errors += few.errors + many.errors;
    }
    report(&format!("{what}: median latency, 10M / 10k"), AtMost(1.3), "ratio", latencies);
    report(&format!("{what}: requests/s, 10k / 10M"), AtMost(1.3), "ratio", rates);
    errors
}
