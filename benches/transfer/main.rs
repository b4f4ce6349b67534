//! Measures import: the release binary against the service over loopback, beside yardsticks in the same run.
//!
//! `cargo bench --bench transfer`, or some parts of it by name: `cargo bench --bench transfer -- import memory`. Reports
//! and never fails: the machine may be shared. See `benches/README.md`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "it measures and reports")]

#[allow(dead_code, reason = "shared with the other measurements")]
#[path = "../common/mod.rs"]
mod common;
mod import;
#[allow(dead_code, reason = "shared with the measurements of the service")]
#[path = "../service/load.rs"]
mod load;
mod memory;

use std::process::{Command, Stdio};

use common::{PETSTORE, Served};

/// The parts by their names.
const PARTS: [(&str, fn()); 2] = [("import", import::measure), ("memory", memory::measure)];

fn main() {
    common::run(&PARTS, |measure| measure());
}

/// `petstore pets` with these arguments, for this service, saying nothing.
fn pets(served: &Served, arguments: &[&str]) -> Command {
    let mut command = Command::new(PETSTORE);
    command.arg("pets").args(arguments).env("PETSTORE_BASE_URL", &served.base_url);
    command.env("PETSTORE_API_KEY", &served.key);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// This many rows with a header.
fn rows(count: usize) -> String {
    let rows = (0..count).map(|row| format!("Biscuit {row},{},available\n", row % 9));
    format!("name,categoryId,status\n{}", rows.collect::<String>())
}
