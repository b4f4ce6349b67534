//! What the diagnosis says in the worlds of tests, one world a line: a change of words or of a judgement shows there.
//!
//! `GOLDEN=write cargo test diagnosis` and `... --test it domains` write the files again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

/// One process writes one file.
static WRITTEN: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

/// How what was found in the world `key` differs from its lines in the file.
pub fn difference(file: &str, key: &str, found: &[String]) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    let found = found.join("\n    ");
    let read = || fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("GOLDEN").is_some_and(|word| word == "write") {
        let mut all = WRITTEN.lock().unwrap();
        if all.is_empty() {
            *all = worlds(&read());
        }
        all.insert(key.to_owned(), found);
        let text: String = all.iter().map(|(key, found)| format!("{key}\n    {found}\n")).collect();
        fs::write(&path, text).unwrap();
        return None;
    }
    let known = worlds(&read()).remove(key).unwrap_or_default();
    (found != known).then(|| format!("{key} in {}: expected\n    {known}\nfound\n    {found}", path.display()))
}

fn worlds(text: &str) -> BTreeMap<String, String> {
    let mut worlds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut key = "";
    for line in text.lines() {
        match line.strip_prefix("    ") {
            Some(found) => worlds.entry(key.to_owned()).or_default().push(found),
            None => key = line,
        }
    }
    worlds.into_iter().map(|(key, found)| (key, found.join("\n    "))).collect()
}
