//! A shop's day: of ten requests seven lists, two gets and one add; first as fast as they can, then at a fixed rate.

use std::sync::Arc;
use std::time::Duration;

use super::common::Limit::{AtMost, LessIsBetter, MoreIsBetter};
use super::common::{Served, report};
use super::load::{Load, Request, scattered};

const ANIMALS: u64 = 100_000;

pub fn measure() {
    let served = Served::start(ANIMALS);
    let one = |(index, id)| match index % 10 {
        0..7 => Request::list(&format!("&after={id}"), &served.key),
        7 | 8 => Request::get(id, &served.key),
        _ => Request::add("", "Biscuit", &served.key),
    };
    let requests: Arc<[Request]> = scattered(10_000, ANIMALS / 10 * 9).enumerate().map(one).collect();
    let every = Duration::from_secs(1) / 500;
    for (what, seconds, every, slowest) in
        [("32 clients", 60, None, 50.0), ("500 requests a second", 30, Some(every), 25.0)]
    {
        let load = Load { requests: Arc::clone(&requests), connections: 32, time: Duration::from_secs(seconds), every };
        let outcome = load.run(served.address());
        report(&format!("{what}: answers"), MoreIsBetter, "requests/s", vec![outcome.per_second()]);
        report(&format!("{what}: median"), LessIsBetter, "ms", vec![outcome.latency(0.5)]);
        report(&format!("{what}: p99"), AtMost(slowest), "ms", vec![outcome.latency(0.99)]);
        report(&format!("{what}: errors"), AtMost(0.0), "times", vec![outcome.errors as f64]);
    }
}
