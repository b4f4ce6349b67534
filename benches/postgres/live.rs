//! Streams of added pets at three instances: how soon a pet that one has added comes to who follows another.

use super::common::Limit::{AtLeast, AtMost, LessIsBetter};
use super::common::{Served, report};
use super::listeners::{Listeners, latencies, p99};
use super::load::{Load, Request};
use super::server::Server;

use std::time::Duration;

/// Pets whose way is measured in a round, and how many are added in a second.
const PETS: usize = 10_000;
const RATE: u32 = 500;
const ROUNDS: usize = 3;

/// Streams at each instance while others add.
const FOLLOWING: usize = 33;
const PAIRS: usize = 9;
const TIME: Duration = Duration::from_secs(1);

pub fn measure(server: &mut Server) {
    let database = server.new_database();
    let url = server.url(&database);
    let instances = [Served::on(&url, 1000), Served::on(&url, 0), Served::on(&url, 0)];
    let addresses = instances.each_ref().map(Served::address);
    let key = &instances[0].key;
    let rounds: Vec<_> = (0..ROUNDS).map(|_| latencies(&addresses, key, PETS, RATE)).collect();
    let medians = rounds.iter().map(|(round, _)| round[round.len() / 2]).collect();
    report("from the 201 to a listener of another: median", LessIsBetter, "ms", medians);
    let p99 = rounds.iter().map(|(round, _)| p99(round)).collect();
    report("from the 201 to a listener of another: 99 in 100", AtMost(500.0), "ms", p99);
    report("missed", AtMost(0.0), "pets", rounds.iter().map(|(_, missed)| *missed as f64).collect());

    let load = Load { requests: [Request::add("", "Biscuit", key)].into(), connections: 64, time: TIME, every: None };
    let (mut ratios, mut errors) = (Vec::new(), 0);
    load.run_on(&addresses);
    for _ in 0..PAIRS {
        let without = load.run_on(&addresses);
        let listeners = addresses.map(|address| Listeners::open(address, key, FOLLOWING));
        let with = load.run_on(&addresses);
        drop(listeners);
        ratios.push(with.per_second() / without.per_second());
        errors += without.errors + with.errors;
    }
    report("adds, 64 connections: with 99 listeners / with none", AtLeast(0.9), "ratio", ratios);
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}
