//! What must hold for any bytes that strangers send, or that somebody types: one function for each reader. The fuzzer
//! and the tests call them; they panic where a promise is broken.

mod client;
mod domains;
mod files;
mod service;
mod ssh;

use petstore::transfer::FileFormat;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

/// A reader with its name, which is also that of its target and of the directory of its seeds.
pub type Reader = (&'static str, fn(&[u8]));

pub const READERS: &[Reader] = &[
    ("answer", client::answer),
    ("array", |bytes| files::import(bytes, FileFormat::Json)),
    ("body", service::body),
    ("caa", domains::caa),
    ("certificate", domains::certificate),
    ("configuration", domains::configuration),
    ("csv", |bytes| files::import(bytes, FileFormat::Csv)),
    ("events", client::events),
    ("head", service::head),
    ("json", client::json),
    ("message", domains::message),
    ("name", domains::name),
    ("ndjson", |bytes| files::import(bytes, FileFormat::Ndjson)),
    ("patch", service::patch),
    ("query", service::query),
    ("report", files::report),
    ("ssh", ssh::ssh),
    ("xlsx", files::xlsx),
];

/// Nothing that is shown moves a cursor.
fn is_clean(text: &str) {
    assert!(!text.chars().any(char::is_control), "{text:?}");
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|here| here == part)
}

/// One in memory, if there is a place for that: some readers write a file each time.
fn directory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// One that is never dropped, which a thread that ends could not do.
fn runtime() -> &'static Runtime {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    // In the fuzzer a connection that is gone would end the process.
    drop(runtime.block_on(async { signal(SignalKind::pipe()) }).unwrap());
    Box::leak(Box::new(runtime))
}
