//! `POST /v1/pets`, answered once it is on disk, against one fsync for each insert on the same disk; and changes of pets,
//! against adds.
//!
//! One client alone also waits for a round trip after each fsync. Where a disk is as fast as a round trip, nobody could
//! do as many adds as inserts; so the two yardsticks one after the other are a yardstick too.

use std::time::Duration;

use super::common::Limit::{AtLeast, AtMost, MoreIsBetter};
use super::common::{Served, directory, report};
use super::load::{Load, Request};
use super::yardstick;

/// Many and short: a disk that others use changes its pace from one second to the next.
const ROUNDS: usize = 15;
const TIME: Duration = Duration::from_millis(500);

/// How many pets there are: enough that those who change them do not meet.
const PETS: u64 = 1000;

pub fn measure() {
    let (served, memory, directory) = (Served::start(PETS), yardstick::start(), directory());
    let load = |connections| Load {
        requests: [Request::add("", "Biscuit", &served.key)].into(),
        connections,
        time: TIME,
        every: None,
    };
    let (of_one, of_many) = (load(1), load(64));
    // Each changes something: the other status comes after all other pets.
    let change = |status| (1..=PETS).map(move |id| (id, status));
    let changes = change("sold").chain(change("pending")).map(|(id, status)| Request::change(id, status, &served.key));
    let of_changes = Load { requests: changes.collect(), ..load(64) };
    let trip = Load { requests: [Request::list("", "")].into(), connections: 1, time: TIME, every: None };
    let (mut their_rates, mut trip_rates, mut errors) = (Vec::new(), Vec::new(), 0);
    let (mut one_rates, mut one_ratios, mut one_sums) = (Vec::new(), Vec::new(), Vec::new());
    let (mut many_rates, mut many_ratios) = (Vec::new(), Vec::new());
    let (mut change_rates, mut change_ratios) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let theirs = yardstick::inserts(directory.path(), TIME);
        let trips = trip.run(memory.address()).per_second();
        let (one, many) = (of_one.run(served.address()), of_many.run(served.address()));
        let changes = of_changes.run(served.address());
        their_rates.push(theirs);
        trip_rates.push(trips);
        one_rates.push(one.per_second());
        one_ratios.push(one.per_second() / theirs);
        one_sums.push(one.per_second() * (1.0 / theirs + 1.0 / trips));
        many_rates.push(many.per_second());
        many_ratios.push(many.per_second() / theirs);
        change_rates.push(changes.per_second());
        change_ratios.push(changes.per_second() / many.per_second());
        errors += one.errors + many.errors + changes.errors;
    }
    report("yardstick: one fsync for each insert", MoreIsBetter, "inserts/s", their_rates);
    report("yardstick: a list from memory, 1 connection", MoreIsBetter, "requests/s", trip_rates);
    report("1 connection", MoreIsBetter, "requests/s", one_rates);
    report("1 connection / yardstick", AtLeast(0.9), "ratio", one_ratios);
    report("1 connection / one yardstick after the other", MoreIsBetter, "ratio", one_sums);
    report("64 connections", MoreIsBetter, "requests/s", many_rates);
    report("64 connections / yardstick", AtLeast(10.0), "ratio", many_ratios);
    report("changes, 64 connections", MoreIsBetter, "requests/s", change_rates);
    report("changes, 64 connections / adds", AtLeast(0.9), "ratio", change_ratios);
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}
