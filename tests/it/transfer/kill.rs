//! The end that nobody asked for: kill -9 at any moment, then --resume, until every row is there once.

use crate::prelude::*;

use crate::service::fixture::Service;

const ROWS: usize = 400;

/// Imports into the service that the environment names, kills that so often, and goes on to the end.
fn kill_and_resume(kills: u64, environment: &[(&str, &str)]) {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("pets.csv");
    let text: String = (0..ROWS)
        .map(|row| format!("pet {row},{row},sold\n{}", if row % 50 == 0 { ",,\n" } else { "x,y,\n" }))
        .collect();
    fs::write(&file, format!("name,cat,status\n{text}")).unwrap();
    let command = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_petstore"));
        command.arg("pets").args(arguments).arg("--quiet").env_clear().env("HOME", home.path());
        command.envs(environment.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let import = |resume: bool| {
        let mut command = command(&["import", file.to_str().unwrap()]);
        command.args(resume.then_some("--resume"));
        command
    };
    let report = home.path().join("pets.csv.petstore-import.ndjson");
    let length = || fs::metadata(&report).map_or(0, |metadata| metadata.len());
    for kill in 0..kills {
        let before = length();
        let mut child = import(before > 0).spawn().unwrap();
        // Somewhere in the lines of the rows: another place each time, but never after the end.
        while length() < before + 1 + kill * 173 % 2900 && child.try_wait().unwrap().is_none() {
            thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ended = import(true).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(3), "{said}");
    assert!(!said.contains(" unknown") && !said.contains(" left\n"), "{said}");
    let list = command(&["export", "-o", "json"]).stdout(Stdio::piped()).output().unwrap().stdout;
    let mut times: HashMap<String, usize> = HashMap::new();
    for pet in serde_json::from_slice::<Vec<Pet>>(&list).unwrap() {
        *times.entry(pet.name).or_default() += 1;
    }
    let wrong: Vec<_> = (0..ROWS).map(|row| format!("pet {row}")).filter(|name| times.get(name) != Some(&1)).collect();
    assert_eq!((wrong, times.len()), (Vec::<String>::new(), ROWS));
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_kills_at_any_moment_add_every_row_once() {
    let service = Service::start().await;
    let (_, key) = service.new_key("read,write").await;
    let base_url = service.server.base_url();
    kill_and_resume(20, &[("PETSTORE_BASE_URL", &base_url), ("PETSTORE_API_KEY", &key)]);
}

#[test]
fn kills_of_the_service_inside_together_with_its_import_add_every_row_once() {
    kill_and_resume(10, &[]);
}
