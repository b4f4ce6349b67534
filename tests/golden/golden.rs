//! What the diagnosis says in the worlds of tests: a change of words or of a judgement shows there.
//!
//! A file that is not there is written: to write one again, delete it and run its tests, of `cargo test diagnosis` or
//! `cargo test --test it domains::catalogue`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{LazyLock, Mutex};

/// The worlds of the file that this process writes.
static WRITTEN: LazyLock<Mutex<BTreeMap<String, String>>> = LazyLock::new(Mutex::default);

/// How what was found in the world `key` differs from its lines in the file.
pub fn difference(file: &str, key: &str, found: &[String]) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    let found = found.join("\n    ");
    let mut written = WRITTEN.lock().unwrap();
    if !written.is_empty() || !path.exists() {
        written.insert(key.to_owned(), found);
        let text: String = written.iter().map(|(key, found)| format!("{key}\n    {found}\n")).collect();
        fs::write(&path, text).unwrap();
        return None;
    }
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().skip_while(|line| *line != key).skip(1);
    let known: Vec<&str> = lines.map_while(|line| line.strip_prefix("    ")).collect();
    let known = known.join("\n    ");
    (found != known).then(|| format!("{key} in {}: expected\n    {known}\nfound\n    {found}", path.display()))
}
