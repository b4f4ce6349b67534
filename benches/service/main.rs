//! Measures the service as its clients meet it: the release binary over loopback, beside a yardstick in the same run.
//!
//! `cargo bench --bench service`, or some parts of it by name: `cargo bench --bench service -- list adds`. Reports and
//! never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

mod adds;
#[path = "../common/mod.rs"]
mod common;
mod growth;
mod hostile;
mod list;
#[allow(dead_code, reason = "shared with the measurements on PostgreSQL")]
mod load;
mod mixed;
mod yardstick;

/// The parts by their names.
const PARTS: [(&str, fn()); 5] = [
    ("list", list::measure),
    ("adds", adds::measure),
    ("growth", growth::measure),
    ("mixed", mixed::measure),
    ("hostile", hostile::measure),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (options, names): (Vec<_>, Vec<_>) =
        arguments.iter().map(String::as_str).partition(|word| word.starts_with('-'));
    if options.contains(&yardstick::OPTION) {
        return yardstick::serve();
    }
    // Under `cargo test --benches` nothing is measured.
    if !options.contains(&"--bench") {
        return;
    }
    if let Some(unknown) = names.iter().find(|name| PARTS.iter().all(|(part, _)| part != *name)) {
        println!("there is no part {unknown:?}; there are {:?}", PARTS.map(|(part, _)| part));
        return;
    }
    common::heading();
    for (part, measure) in PARTS {
        if names.is_empty() || names.contains(&part) {
            common::part(part);
            measure();
        }
    }
}
