//! Measures the service as its clients meet it: the release binary over loopback, beside a yardstick in the same run.
//!
//! `cargo bench --bench service`, or some parts of it by name: `cargo bench --bench service -- list adds`. Reports and
//! never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

mod adds;
#[allow(dead_code, reason = "shared with the other measurements")]
#[path = "../common/mod.rs"]
mod common;
mod growth;
mod list;
#[allow(dead_code, reason = "shared with the measurements on PostgreSQL")]
mod listeners;
mod live;
#[allow(dead_code, reason = "shared with the measurements on PostgreSQL")]
mod load;
mod scale;
mod yardstick;

/// The parts by their names.
const PARTS: [(&str, fn()); 5] = [
    ("list", list::measure),
    ("adds", adds::measure),
    ("growth", growth::measure),
    ("scale", scale::measure),
    ("live", live::measure),
];

fn main() {
    if std::env::args().any(|argument| argument == yardstick::OPTION) {
        return yardstick::serve();
    }
    common::run(&PARTS, |measure| measure());
}
