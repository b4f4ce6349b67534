//! `petstore doctor`: what it looks at, what it finds, and how it ends.

use crate::prelude::*;

use super::fixture::*;

fn checks(output: &Output) -> Vec<Value> {
    serde_json::from_str(&stdout(output)).unwrap()
}

fn verdict(checks: &[Value], name: &str) -> (String, String) {
    let check = checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {checks:?}"));
    (check["verdict"].as_str().unwrap().to_owned(), check["found"].as_str().unwrap().to_owned())
}

#[test]
fn a_new_home_is_in_order() {
    let home = home();
    let output = run(&home, &["doctor"]);
    let (status, out, said) = all(&output);
    assert_eq!((status, said.as_str()), (Some(0), ""), "{out}");
    for line in [
        "ok    terminal          output is not a terminal",
        "ok    characters        UTF-8",
        "ok    configuration     no file, so the defaults are used",
        "ok    settings          ~/.config/petstore (created when needed)",
        "ok    profile embedded  embedded store, no key needed",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "nothing is made by looking");
}

#[test]
fn a_service_that_answers_is_looked_at_from_name_to_clock() {
    let served = Served::start();
    let output = served.run(&["doctor", "--format", "json"]);
    let checks = checks(&output);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{checks:?}");
    let found = |name: &str| verdict(&checks, name);
    assert!(found("service").1.ends_with(" ms and accepts the key"), "{:?}", found("service"));
    assert_eq!(found("clock"), ("ok".into(), "matches the service's, within 30 s".into()));
    assert!(found("name").1.starts_with("127.0.0.1: 1 address in "), "{:?}", found("name"));
    assert!(!stdout(&output).contains(&served.key));
}

#[test]
fn what_is_wrong_fails_with_the_remedy() {
    let home = home();
    let config = home.path().join(".config/petstore");
    fs::create_dir_all(config.join("keys")).unwrap();
    let branch = "[profiles.branch]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    fs::write(config.join("config.toml"), format!("profile = \"branch\"\n{branch}")).unwrap();
    fs::write(config.join("keys/branch"), KEY).unwrap();
    fs::set_permissions(config.join("keys"), Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(config.join("keys/branch"), Permissions::from_mode(0o644)).unwrap();
    let mut doctor = petstore(&home, &["doctor"]);
    let (status, out, said) = all(&doctor.env("PETSTORE_API_KEY", KEY).output().unwrap());
    assert_eq!((status, said.as_str()), (Some(1), ""), "{out}");
    for says in [
        "fail  keys            others can read ~/.config/petstore/keys/branch (mode 0644)",
        "fix: chmod 600 ~/.config/petstore/keys/branch, then replace the key",
        "fail  service         No connection to 127.0.0.1:1",
        "fix: check the address, or start a service: petstore serve",
    ] {
        assert!(out.contains(says), "{says}: {out}");
    }
    assert!(!out.contains(KEY), "{out}");
    let without = run(&home, &["doctor", "-o", "json"]);
    let (verdict_of_key, found) = verdict(&checks(&without), "profile branch");
    assert_eq!((verdict_of_key.as_str(), found.as_str()), ("fail", "no key for http://127.0.0.1:1/v1"));
    fs::write(config.join("config.toml"), "[pest]\n").unwrap();
    let wrong = run(&home, &["doctor", "-o", "json"]);
    assert_eq!(wrong.status.code(), Some(1));
    let (verdict_of_file, found) = verdict(&checks(&wrong), "configuration");
    assert!(verdict_of_file == "fail" && found.ends_with("Did you mean pets?"), "{found}");
}

#[test]
fn the_embedded_database_is_looked_at_if_there_is_one() {
    let home = home();
    let database = home.path().join("data/petstore/embedded.db");
    let doctor = || {
        let mut command = petstore(&home, &["doctor", "-o", "json"]);
        command.env("XDG_DATA_HOME", home.path().join("data")).output().unwrap()
    };
    let list = petstore(&home, &["pets", "list"]).env("XDG_DATA_HOME", home.path().join("data")).output().unwrap();
    assert!(list.status.success(), "{}", stderr(&list));
    assert_eq!(verdict(&checks(&doctor()), "database").0, "ok");
    assert!(verdict(&checks(&doctor()), "database").1.contains("embedded.db is intact (schema "));
    fs::write(&database, "no database".repeat(1000)).unwrap();
    let damaged = doctor();
    assert_eq!((damaged.status.code(), verdict(&checks(&damaged), "database").0.as_str()), (Some(1), "fail"));
}
