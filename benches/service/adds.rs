//! `POST /v1/pets`, answered once it is on disk, against one fsync for each record on the same disk.

use std::time::Duration;

use super::common::Limit::{AtLeast, AtMost, MoreIsBetter};
use super::common::{Served, directory, report};
use super::load::{Load, Request};
use super::yardstick;

/// Many and short: a disk that others use changes its pace from one second to the next.
const ROUNDS: usize = 15;
const TIME: Duration = Duration::from_millis(500);

pub fn measure() {
    let (served, directory) = (Served::start(1000), directory());
    let load =
        |connections| Load { requests: [Request::add(&served.key)].into(), connections, time: TIME, every: None };
    let (of_one, of_many) = (load(1), load(64));
    let (mut their_rates, mut errors) = (Vec::new(), 0);
    let (mut one_rates, mut one_ratios) = (Vec::new(), Vec::new());
    let (mut many_rates, mut many_ratios) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let theirs = yardstick::fsyncs(directory.path(), TIME);
        let (one, many) = (of_one.run(served.address()), of_many.run(served.address()));
        their_rates.push(theirs);
        one_rates.push(one.per_second());
        one_ratios.push(one.per_second() / theirs);
        many_rates.push(many.per_second());
        many_ratios.push(many.per_second() / theirs);
        errors += one.errors + many.errors;
    }
    report("yardstick: one fsync for each record", MoreIsBetter, "records/s", their_rates);
    report("1 connection", MoreIsBetter, "requests/s", one_rates);
    report("1 connection / yardstick", AtLeast(0.9), "ratio", one_ratios);
    report("64 connections", MoreIsBetter, "requests/s", many_rates);
    report("64 connections / yardstick", AtLeast(10.0), "ratio", many_ratios);
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}
