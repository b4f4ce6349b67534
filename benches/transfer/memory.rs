//! Two gigabytes of CSV and of NDJSON on standard input, made as they are read.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use super::common::Limit::{AtMost, MoreIsBetter};
use super::common::{PETSTORE, peak, report};

const OCTETS: usize = 2 << 30;

pub fn measure() {
    let csv = |row: usize| format!("\"Biscuit, the {row}th\",{},available\n", row % 9);
    let ndjson =
        |row: usize| format!("{{\"name\":\"Biscuit {row}\",\"categoryId\":{},\"status\":\"sold\"}}\n", row % 9);
    of("CSV", "csv", "name,categoryId,status\n", csv);
    of("NDJSON", "ndjson", "", ndjson);
}

fn of(what: &str, format: &str, head: &'static str, row: impl Fn(usize) -> String + Send + 'static) {
    let arguments = ["pets", "import", "-", "--dry-run", "--format", format];
    let mut command = Command::new(PETSTORE);
    let mut child = command.args(arguments).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let begin = Instant::now();
    let writer = thread::spawn(move || {
        input.write_all(head.as_bytes()).unwrap();
        let (mut written, mut number, mut part) = (0, 0, String::new());
        while written < OCTETS {
            part.clear();
            while part.len() < 1 << 20 {
                part.push_str(&row(number));
                number += 1;
            }
            written += part.len();
            input.write_all(part.as_bytes()).unwrap();
        }
    });
    let memory = peak(&mut child);
    writer.join().unwrap();
    let rate = OCTETS as f64 / begin.elapsed().as_secs_f64() / f64::from(1 << 20);
    report(&format!("2 GiB of {what}, checked: peak of resident memory"), AtMost(30.0), "MiB", vec![memory]);
    report(&format!("2 GiB of {what}, checked and made"), MoreIsBetter, "MiB/s", vec![rate]);
}
