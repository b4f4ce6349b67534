//! How soon an import sends again after kill -9, and that it adds every row once.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::common::Limit::AtMost;
use super::common::{Served, directory, report};
use super::{pets, rows};

const ROWS: usize = 100_000;
const KILLS: u64 = 5;

pub fn measure() {
    let (served, directory) = (Served::start(0), directory());
    let file = directory.path().join("rows.csv");
    fs::write(&file, rows(ROWS)).unwrap();
    let journal = directory.path().join("rows.csv.petstore-import.ndjson");
    let length = || fs::metadata(&journal).map_or(0, |metadata| metadata.len());
    let file = file.to_str().unwrap();
    let mut child = pets(&served, &["import", file]).spawn().unwrap();
    let mut waits = Vec::new();
    for kill in 1..=KILLS {
        // About 130 bytes a row.
        while length() < kill * 2_000_000 {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let (before, begin) = (length(), Instant::now());
        child = pets(&served, &["import", file, "--resume"]).spawn().unwrap();
        while length() <= before {
            thread::sleep(Duration::from_micros(200));
        }
        waits.push(begin.elapsed().as_secs_f64());
    }
    assert!(child.wait().unwrap().success());
    report("100k rows: from exec until it sends again after kill -9", AtMost(1.0), "s", waits);
    // Without samples the ids are 1 to the number of rows: one more would be there twice.
    served.round_trip(&format!("/v1/pets/{ROWS}"), 200);
    served.round_trip(&format!("/v1/pets/{}", ROWS + 1), 404);
    report("rows added twice or lost", AtMost(0.0), "rows", vec![0.0]);
}
