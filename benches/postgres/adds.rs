//! `POST /v1/pets`, answered once it is on PostgreSQL's disk, against `pgbench` with one insert into the same table.
//!
//! One client alone also waits for a request and its answer over HTTP after each insert, so the two together are a yardstick
//! too.

use std::time::Duration;

use super::common::Limit::{AtLeast, AtMost, MoreIsBetter};
use super::common::{Served, report};
use super::load::{Load, Request};
use super::server::Server;

const ROUNDS: usize = 7;
const TIME: Duration = Duration::from_secs(1);

/// So many keys that none comes twice in a round.
const KEYS: usize = 100_000;

const INSERT: &str = "INSERT INTO pets (name, category_id, status, created_at) \
    VALUES ('Biscuit', 1, 'available', 1700000000) RETURNING id;";

pub fn measure(server: &mut Server) {
    let database = server.new_database();
    let served = Served::on(&server.url(&database), 1000);
    let (mut errors, mut key_round) = (0, 0);
    for connections in [1, 16, 64] {
        let plain =
            Load { requests: [Request::add("", "Biscuit", &served.key)].into(), connections, time: TIME, every: None };
        let trip = Load { requests: [Request::probe()].into(), ..plain.clone() };
        let [mut theirs, mut ours, mut ratios, mut with_key, mut sums] = [const { Vec::new() }; 5];
        for _ in 0..ROUNDS {
            let Some(inserts) = server.pgbench(&database, INSERT, connections, TIME) else {
                println!("skipped: there is no pgbench (Debian: apt-get install postgresql-contrib)");
                return;
            };
            key_round += 1;
            let keys = (0..KEYS).map(|number| {
                Request::add(&format!("idempotency-key: {key_round}-{number}\r\n"), "Biscuit", &served.key)
            });
            let once = Load { requests: keys.collect(), ..plain.clone() };
            let (plain, once) = (plain.run(served.address()), once.run(served.address()));
            let trips = trip.run(served.address()).per_second();
            sums.push(plain.per_second() * (1.0 / inserts + 1.0 / trips));
            theirs.push(inserts);
            ours.push(plain.per_second());
            ratios.push(plain.per_second() / inserts);
            with_key.push(once.per_second() / inserts);
            errors += plain.errors + once.errors;
        }
        let what = format!("{connections} connection{}", if connections == 1 { "" } else { "s" });
        report(&format!("{what}: pgbench"), MoreIsBetter, "inserts/s", theirs);
        report(&what, MoreIsBetter, "requests/s", ours);
        report(&format!("{what} / pgbench"), AtLeast(0.7), "ratio", ratios);
        if connections == 1 {
            report("1 connection / an insert and a request for nothing", MoreIsBetter, "ratio", sums);
        }
        report(&format!("{what}, each with an Idempotency-Key / pgbench"), MoreIsBetter, "ratio", with_key);
    }
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}
