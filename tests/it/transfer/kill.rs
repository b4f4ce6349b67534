//! The end that nobody asked for: kill -9 at any moment, then --resume, until every row is there once.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, Stdio};
use std::thread;

use crate::service::fixture::Service;

const ROWS: usize = 400;
const KILLS: u64 = 20;

#[tokio::test(flavor = "multi_thread")]
async fn twenty_kills_at_any_moment_add_every_row_once() {
    let service = Service::start().await;
    let (_, key) = service.new_key("read,write").await;
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("pets.csv");
    let text: String = (0..ROWS)
        .map(|row| format!("pet {row},{row},sold\n{}", if row % 50 == 0 { ",,\n" } else { "x,y,\n" }))
        .collect();
    fs::write(&file, format!("name,cat,status\n{text}")).unwrap();
    let command = |resume: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
        command.args(["pets", "import", file.to_str().unwrap(), "--quiet"]).args(resume.then_some("--resume"));
        command.env_clear().env("HOME", home.path()).env("PETSTORE_BASE_URL", service.server.base_url());
        command.env("PETSTORE_API_KEY", &key).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let report = home.path().join("pets.petstore-import.ndjson");
    let length = || fs::metadata(&report).map_or(0, |metadata| metadata.len());
    for kill in 0..KILLS {
        let before = length();
        let mut child = command(before > 0).spawn().unwrap();
        // Somewhere in the lines of the rows: another place each time, but never after the end.
        while length() < before + 1 + kill * 173 % 2900 && child.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut child = command(true).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{said}");
    assert!(said.contains(" 0 unknown, 0 left"), "{said}");
    let mut times: HashMap<String, usize> = HashMap::new();
    for id in 1..=(ROWS as i64 * 2) {
        if let Some(pet) = service.store.get(id).await.unwrap() {
            *times.entry(pet.name).or_default() += 1;
        }
    }
    let wrong: Vec<_> = (0..ROWS).map(|row| format!("pet {row}")).filter(|name| times.get(name) != Some(&1)).collect();
    assert_eq!((wrong, times.len()), (Vec::<String>::new(), ROWS));
}
