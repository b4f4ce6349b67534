//! A list of 20 from 10,000 pets on PostgreSQL, against the same on SQLite.

use std::time::Duration;

use super::common::Limit::{AtLeast, AtMost, MoreIsBetter};
use super::common::{Served, report};
use super::load::{Load, Request, pages};
use super::server::Server;

const PETS: u64 = 10_000;
const ROUNDS: usize = 9;
const TIME: Duration = Duration::from_secs(1);

pub fn measure(server: &mut Server) {
    let database = server.new_database();
    let (sqlite, postgres) = (Served::start(PETS), Served::on(&server.url(&database), PETS));
    let mut errors = 0;
    for (what, connections, limit) in
        [("first page", 16, MoreIsBetter), ("first page", 64, AtLeast(0.5)), ("any page", 64, MoreIsBetter)]
    {
        let load = |served: &Served| {
            let first = || [Request::list("", &served.key)].into();
            let requests = if what == "any page" { pages(PETS, &[""], &served.key) } else { first() };
            Load { requests, connections, time: TIME, every: None }
        };
        let (on_sqlite, on_postgres) = (load(&sqlite), load(&postgres));
        let (mut theirs, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let (sqlite, postgres) = (on_sqlite.run(sqlite.address()), on_postgres.run(postgres.address()));
            theirs.push(sqlite.per_second());
            ours.push(postgres.per_second());
            ratios.push(postgres.per_second() / sqlite.per_second());
            errors += sqlite.errors + postgres.errors;
        }
        let what = format!("{what}, {connections} connections");
        report(&format!("{what}: SQLite"), MoreIsBetter, "requests/s", theirs);
        report(&format!("{what}: PostgreSQL"), MoreIsBetter, "requests/s", ours);
        report(&format!("{what}: PostgreSQL / SQLite"), limit, "ratio", ratios);
    }
    report("errors", AtMost(0.0), "times", vec![errors as f64]);
}
