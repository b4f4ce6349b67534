//! Measures the service on PostgreSQL, beside SQLite and `pgbench` in the same run.
//!
//! `cargo bench --bench postgres`, or some parts of it by name: `cargo bench --bench postgres -- list adds`. Reports and
//! never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

mod adds;
#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "shared with the other measurements")]
mod common;
mod copy;
mod instances;
mod list;
#[path = "../service/listeners.rs"]
#[allow(dead_code, reason = "shared with the measurements of the service")]
mod listeners;
mod live;
#[path = "../service/load.rs"]
#[allow(dead_code, reason = "shared with the measurements of the service")]
mod load;
mod server;

use server::Server;

/// A part by its name.
type Part = (&'static str, fn(&mut Server));

const PARTS: [Part; 5] = [
    ("list", list::measure),
    ("adds", adds::measure),
    ("instances", instances::measure),
    ("copy", copy::measure),
    ("live", live::measure),
];

fn main() {
    if common::asked().is_none() {
        return;
    }
    let Some(mut server) = Server::start() else {
        println!("skipped: there is no PostgreSQL (Debian: apt-get install postgresql)");
        return;
    };
    common::run(&PARTS, |measure| measure(&mut server));
}
