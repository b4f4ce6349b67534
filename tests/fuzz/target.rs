//! Every target: the reader of its name.

#![no_main]

#[path = "readers/mod.rs"]
mod readers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (_, read) = readers::READERS.iter().find(|(name, _)| *name == env!("CARGO_BIN_NAME")).expect("a reader");
    read(bytes);
});
