#![no_main]

#[path = "../readers.rs"]
#[allow(dead_code, reason = "each target calls one reader")]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| readers::configuration(bytes));
