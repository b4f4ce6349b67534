//! A million pets, against curl that fetches the same pages one after another on one connection.

use std::process::{Command, Stdio};
use std::time::Instant;

use super::common::Limit::{AtLeast, AtMost, MoreIsBetter};
use super::common::{Served, report};
use super::{peak, pets};

const ANIMALS: u64 = 1_000_000;
const ROUNDS: usize = 3;

pub fn measure() {
    let served = Served::start(ANIMALS);
    let pages = format!("{}/pets?limit=100&after=[0-{}:100]", served.base_url, ANIMALS - 100);
    let bearer = format!("Authorization: Bearer {}", served.key);
    for format in ["csv", "json", "ndjson"] {
        let (mut theirs, mut ours, mut ratios, mut memory) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let curl = Command::new("curl").args(["-s", "-H", &bearer, &pages]).stdout(Stdio::null()).status();
            assert!(curl.unwrap().success());
            let their = ANIMALS as f64 / begin.elapsed().as_secs_f64();
            let begin = Instant::now();
            let mut child = pets(&served, &["export", "--quiet", "--require-complete", "-o", format]).spawn().unwrap();
            memory.push(peak(&mut child));
            assert!(child.wait().unwrap().success());
            let our = ANIMALS as f64 / begin.elapsed().as_secs_f64();
            theirs.push(their);
            ours.push(our);
            ratios.push(our / their);
        }
        report(&format!("a million pets as {format}: curl"), MoreIsBetter, "pets/s", theirs);
        report(&format!("a million pets as {format}"), MoreIsBetter, "pets/s", ours);
        report(&format!("a million pets as {format} / curl"), AtLeast(0.7), "ratio", ratios);
        report(&format!("a million pets as {format}: peak of resident memory"), AtMost(30.0), "MiB", memory);
    }
}
