//! 100,000 rows, against a load generator that sends as many at a time and writes nothing down.

use std::fs;
use std::time::{Duration, Instant};

use super::common::Limit::{AtLeast, MoreIsBetter};
use super::common::{Served, directory, report};
use super::load::{Load, Request};
use super::{pets, rows};

const ROWS: usize = 100_000;
const ROUNDS: usize = 3;
const TIME: Duration = Duration::from_secs(5);

pub fn measure() {
    for concurrency in [4, 16] {
        let (served, directory) = (Served::start(1000), directory());
        let file = directory.path().join("rows.csv");
        fs::write(&file, rows(ROWS)).unwrap();
        let (mut theirs, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            // A key each, as the import sends them.
            let key = |number| format!("idempotency-key: {round}-{concurrency}-{number}\r\n");
            let requests = (0..ROWS).map(|number| Request::add(&key(number), "Biscuit", &served.key));
            let load = Load { requests: requests.collect(), connections: concurrency, time: TIME, every: None };
            let their = load.run(served.address()).per_second();
            let at_a_time = concurrency.to_string();
            let arguments = ["import", file.to_str().unwrap(), "--concurrency", &at_a_time];
            let begin = Instant::now();
            assert!(pets(&served, &arguments).status().unwrap().success());
            let our = ROWS as f64 / begin.elapsed().as_secs_f64();
            fs::remove_file(directory.path().join("rows.csv.petstore-import.ndjson")).unwrap();
            theirs.push(their);
            ours.push(our);
            ratios.push(our / their);
        }
        let what = format!("100k rows, {concurrency} at a time");
        report(&format!("{what}: load generator"), MoreIsBetter, "rows/s", theirs);
        report(&what, MoreIsBetter, "rows/s", ours);
        report(&format!("{what} / load generator"), AtLeast(0.8), "ratio", ratios);
    }
}
