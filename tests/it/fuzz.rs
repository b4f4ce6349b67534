//! The inputs that fuzzing begins with, and those that it found: each reader takes all of them.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[path = "../fuzz/readers/mod.rs"]
mod readers;

#[test]
fn every_seed_is_read_without_harm() {
    for &(name, read) in readers::READERS {
        assert!(include_str!("../fuzz/Cargo.toml").contains(&format!("{{ name = \"{name}\",")), "{name} has no target");
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(name);
        let files: Vec<_> = fs::read_dir(seeds).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 4, "{name} has too few seeds");
        let read = |bytes: &[u8]| {
            let is_read = catch_unwind(|| read(bytes)).is_ok();
            assert!(is_read, "{name} does not take {}", bytes.escape_ascii());
        };
        for file in files {
            let bytes = fs::read(&file).unwrap();
            // Also cut off, and damaged at each place.
            for end in 0..=bytes.len().min(600) {
                read(&bytes[..end]);
            }
            for at in 0..bytes.len().min(600) {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x41;
                read(&damaged);
            }
        }
    }
}
