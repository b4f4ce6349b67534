//! How the service grows: with its pets, with connections, and with those that follow added pets. `cargo bench --bench charts` draws
//! it.

use std::sync::Arc;
use std::time::Duration;

use super::common::Limit::{AtMost, LessIsBetter, MoreIsBetter};
use super::common::{Served, process_status, report};
use super::listeners::{Listeners, latencies, p99};
use super::load::{Load, Request, pages, scattered};
use super::yardstick;

const ROWS: [u64; 5] = [20, 1000, 100_000, 1_000_000, 10_000_000];
const CONNECTIONS: [usize; 5] = [1, 4, 16, 64, 256];
const LISTENERS: [usize; 4] = [1, 10, 100, 1000];
const ROUNDS: usize = 9;
const TIME: Duration = Duration::from_millis(200);
/// Pets that are followed, and how many are added in a second.
const ADDED: usize = 500;
const RATE: u32 = 50;

pub fn measure() {
    rows();
    connections();
    listeners();
}

fn rows() {
    for rows in ROWS {
        let served = Served::start(rows);
        let key = &served.key;
        let mut kinds: Vec<(_, _, Arc<[Request]>)> = vec![
            ("a first page", AtMost(1.0), [Request::list("", key)].into()),
            ("one pet", AtMost(1.0), scattered(10_000, rows).map(|id| Request::get(id, key)).collect()),
            ("an add", LessIsBetter, [Request::add("", "Biscuit", key)].into()),
        ];
        if rows > ROWS[0] {
            kinds.push(("any page of a status", AtMost(1.0), pages(rows, &["&status=sold"], key)));
        }
        for (what, limit, requests) in kinds {
            let load = Load { requests, connections: 1, time: TIME, every: None };
            let latencies = (0..ROUNDS).map(|_| load.run(served.address()).latency(0.5)).collect();
            report(&format!("{what} at {rows} rows"), limit, "ms", latencies);
        }
    }
}

fn connections() {
    let (theirs, ours) = (yardstick::start(), Served::start(100_000));
    for connections in CONNECTIONS {
        let load = Load { requests: [Request::list("", &ours.key)].into(), connections, time: TIME, every: None };
        for (what, served) in [("a server that answers from memory", &theirs), ("petstore", &ours)] {
            let rounds: Vec<_> = (0..ROUNDS).map(|_| load.run(served.address())).collect();
            let rates = rounds.iter().map(|round| round.per_second()).collect();
            report(&format!("{what} at {connections} connections"), MoreIsBetter, "requests/s", rates);
        }
    }
}

fn listeners() {
    for listeners in LISTENERS {
        let served = Served::start(1000);
        let _others = Listeners::open(served.address(), &served.key, listeners - 1);
        let (latencies, missed) = latencies(&[served.address()], &served.key, ADDED, RATE);
        assert_eq!(missed, 0);
        let last = p99(&latencies);
        report(
            &format!("from the 201 to the last of 99 in 100 at {listeners} listeners"),
            AtMost(100.0),
            "ms",
            vec![last],
        );
        let memory = process_status(served.process_id(), "VmHWM:") / 1024.0;
        report(&format!("peak of resident memory at {listeners} listeners"), AtMost(100.0), "MiB", vec![memory]);
    }
}
