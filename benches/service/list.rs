//! A list of 20 from 100,000 pets, against a server that answers it from memory.

use std::time::Duration;

use super::common::Limit::{AtLeast, AtMost, LessIsBetter, MoreIsBetter};
use super::common::{Served, report};
use super::load::{Load, Request, pages};
use super::yardstick;

const PETS: u64 = 100_000;
const ROUNDS: usize = 9;
const TIME: Duration = Duration::from_secs(1);

pub fn measure() {
    let (theirs, ours) = (yardstick::start(), Served::start(PETS));
    let first = || [Request::list("", &ours.key)].into();
    let any = || pages(PETS, &[""], &ours.key);
    let filtered = || pages(PETS, &["&status=available", "&status=pending", "&status=sold"], &ours.key);
    let must = (AtLeast(0.5), AtMost(2.5));
    let may = (MoreIsBetter, LessIsBetter);
    let mut errors = 0;
    for (what, requests, connections, (rate, tail)) in [
        ("first page", first(), 16, must),
        ("first page", first(), 64, must),
        ("any page", any(), 16, may),
        ("any page of a status", filtered(), 16, may),
    ] {
        let load = Load { requests, connections, time: TIME, every: None };
        let (mut their_rates, mut our_rates) = (Vec::new(), Vec::new());
        let (mut rate_ratios, mut tail_ratios) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (theirs, ours) = (load.run(theirs.address()), load.run(ours.address()));
            their_rates.push(theirs.per_second());
            our_rates.push(ours.per_second());
            rate_ratios.push(ours.per_second() / theirs.per_second());
            tail_ratios.push(ours.latency(0.99) / theirs.latency(0.99));
            errors += theirs.errors + ours.errors;
        }
        let what = format!("{what}, {connections} connections");
        report(&format!("{what}: yardstick"), MoreIsBetter, "requests/s", their_rates);
        report(&what, MoreIsBetter, "requests/s", our_rates);
        report(&format!("{what} / yardstick"), rate, "ratio", rate_ratios);
        report(&format!("{what}: p99 / yardstick"), tail, "ratio", tail_ratios);
    }
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}
