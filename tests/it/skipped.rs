//! Tests that need programs of a Debian installation. Without them they report that they were skipped, and why. Where
//! `PETSTORE_TEST_SERVERS` is `required`, as in CI, that is a failure.

use std::io::Write as _;

/// Reports why a test does nothing; a failure if everything is required.
#[expect(clippy::disallowed_methods, reason = "only CI says what must be there")]
pub fn skipped(why: &str) {
    let is_required = std::env::var_os("PETSTORE_TEST_SERVERS").is_some_and(|value| value == "required");
    assert!(!is_required, "{why}");
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // Past the capture of the test harness, which would hide it.
    let _ = writeln!(std::io::stderr(), "{test}: skipped, {why}");
}
