//! `petstore serve` and `keys`: addresses, logs, figures, keys.

use crate::prelude::*;

use std::net::TcpStream;
use std::os::unix::fs::MetadataExt as _;

use super::fixture::*;

/// A user without an entry in the list of users, and without `HOME`; files are theirs all the same.
fn homeless(arguments: &[&str]) -> Command {
    let mut command = if rustix::process::geteuid().is_root() {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid=54321", "--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--clear-groups"]);
        setpriv
    } else {
        let mut unshare = Command::new("unshare");
        unshare.args(["--user", "--map-user=54321"]);
        unshare
    };
    command.arg(PETSTORE).args(arguments).env_clear().env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
    command
}

#[test]
fn a_user_without_a_home_serves_the_database_that_is_named() {
    let directory = home();
    let database = database(&directory);
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    fails_cleanly(&homeless(&serve).output().unwrap(), 2, "no home directory is known");
    for named in [&["--database", &database][..], &[]] {
        let mut serve = homeless(&[&serve[..], named].concat());
        serve.env("PETSTORE_DATABASE", &database);
        let (_service, mut said) = started(serve);
        let base_url = listening(&mut said);
        let key = fs::read_to_string(directory.path().join("store.db.admin-key")).unwrap();
        let mut list = homeless(&["pets", "list", "--base-url", &base_url, "--format", "ids"]);
        let listed = list.env("PETSTORE_API_KEY", key.trim()).output().unwrap();
        assert_eq!(all(&listed), (Some(0), String::new(), String::new()));
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "only Linux shows it")]
fn neither_a_core_file_nor_another_program_of_the_user_gets_the_keys_in_memory() {
    let directory = home();
    let database = database(&directory);
    let (service, mut said) = started(homeless(&["serve", "--listen", "127.0.0.1:0", "--database", &database]));
    listening(&mut said);
    // The memory of a process that may be dumped is its user's.
    assert_eq!(fs::metadata(format!("/proc/{}/mem", service.0.id())).unwrap().uid(), 0);
}

#[test]
fn the_log_is_json_with_the_request_id_and_the_client_and_without_the_key() {
    let home = home();
    let key = new_key(&home, &[]);
    let log = ["--log-level", "info", "--log-format", "json", "--proxy", "127.0.0.1"];
    let (service, mut lines) = serve(&home, &log);
    let started: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    assert_eq!(started["level"], "INFO", "{started}");
    let base_url = started["message"].as_str().unwrap().strip_prefix("listening on ").unwrap();
    let mut get = petstore(&home, &["pets", "get", "7"]);
    get.env("PETSTORE_BASE_URL", base_url).env("PETSTORE_API_KEY", &key);
    assert_eq!(get.output().unwrap().status.code(), Some(5));
    let line = lines.find(|line| line.contains("/v1/pets/7")).unwrap();
    let mut proxy = TcpStream::connect(base_url.trim_start_matches("http://").trim_end_matches("/v1")).unwrap();
    let secrets = "Authorization: Bearer petk_wrong\r\nCookie: petk_cookie\r\n\
        X-Forwarded-For: petk_made_up, 192.0.2.9\r\n";
    let asks = format!("GET /v1/pets?after=petk_query HTTP/1.1\r\nHost: x\r\nX-Request-Id: order-7\r\n{secrets}\r\n");
    proxy.write_all(asks.as_bytes()).unwrap();
    let refused = lines.next().unwrap();
    stop(service);
    let stopped: Vec<Value> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    let stopped: Vec<_> = stopped.iter().map(|line| &line["message"]).collect();
    assert_eq!(stopped, ["stopping", "stopped"]);
    let logged: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&logged["level"], &logged["method"]), (&"INFO".into(), &"GET".into()), "{line}");
    assert_eq!((&logged["path"], &logged["status"]), (&"/v1/pets/7".into(), &404.into()), "{line}");
    assert_eq!(logged["key"], key[5..13], "the public id of the key, and no more of it");
    assert_eq!(logged["request_id"].as_str().map(str::len), Some(36), "{line}");
    assert_eq!(logged["client"], "127.0.0.1", "{line}");
    assert!(!line.contains(&key[13..]), "{line}");
    let logged: Value = serde_json::from_str(&refused).unwrap();
    assert_eq!((&logged["client"], &logged["status"]), (&"192.0.2.9".into(), &401.into()), "{refused}");
    assert_eq!(logged["request_id"], "order-7", "{refused}");
    assert!(logged.get("key").is_none() && !refused.contains("petk_"), "{refused}");
}

#[test]
fn serve_records_who_adds_pets_unless_that_is_turned_off() {
    let home = home();
    let file = home.path().join("store.db");
    let key = new_key(&home, &[]);
    for switch in [&[][..], &["--no-provenance"]] {
        let (_service, mut said) = serve(&home, switch);
        let base_url = listening(&mut said);
        let mut add = petstore(&home, &["pets", "add", "--name", "Rex", "--category-id", "1"]);
        add.env("PETSTORE_BASE_URL", base_url).env("PETSTORE_API_KEY", &key);
        assert_eq!(add.output().unwrap().status.code(), Some(0));
    }
    let store = rusqlite::Connection::open(file).unwrap();
    let sql = "SELECT added_by, created_at > 0 FROM pets ORDER BY id";
    let mut recorded = store.prepare(sql).unwrap();
    let recorded = recorded.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let recorded: Vec<(Option<String>, bool)> = recorded.collect::<Result<_, _>>().unwrap();
    assert_eq!(recorded, [(Some(key[5..13].to_owned()), true), (None, false)]);
}

#[test]
fn a_first_key_that_cannot_be_kept_is_not_left_behind() {
    let home = home();
    let database = database(&home);
    let kept = home.path().join("store.db.admin-key");
    fs::create_dir(&kept).unwrap();
    let refused = run(&home, &["serve", "--listen", "127.0.0.1:0", "--database", &database]);
    fails_cleanly(&refused, 1, "cannot write the first API key to");
    let keys = stdout(&run(&home, &["keys", "list", "--database", &database]));
    assert_eq!(keys.lines().count(), 1, "{keys}");
    fs::remove_dir(&kept).unwrap();
    let (service, mut lines) = serve(&home, &[]);
    listening(&mut lines);
    assert!(lines.next().unwrap().starts_with("the first API key, with scope admin, is in "));
    stop(service);
}

#[test]
fn a_database_that_others_can_write_to_is_warned_of() {
    let home = home();
    for (mode, warns) in [(0o600, false), (0o640, false), (0o666, true), (0o620, true)] {
        let file = home.path().join(format!("{mode:o}.db"));
        let database = format!("sqlite:{}", file.display());
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &database];
        let (_service, lines) = started(petstore(&home, &serve));
        let before: Vec<_> = lines.take_while(|line| !line.starts_with("listening on ")).collect();
        let warned = before.iter().any(|line| line.contains(&format!("(mode {mode:04o}): chmod go-w")));
        assert_eq!(warned, warns, "{mode:o}: {before:?}");
    }
}

#[test]
fn a_first_start_writes_a_key_for_its_owner_only_and_a_second_one_none() {
    let home = home();
    let key_file = home.path().join("store.db.admin-key");
    let (service, mut lines) = serve(&home, &[]);
    let base_url = listening(&mut lines);
    let said = lines.next().unwrap();
    assert!(said.ends_with(key_file.to_str().unwrap()), "{said}");
    let key = fs::read_to_string(&key_file).unwrap();
    assert!(!said.contains(key.trim()));
    assert_eq!(fs::metadata(&key_file).unwrap().permissions().mode() & 0o777, 0o600);
    let mut add = petstore(&home, &["pets", "add", "--name", "Rex", "--category-id", "3"]);
    let added = add.env("PETSTORE_BASE_URL", base_url).env("PETSTORE_API_KEY", key.trim()).output().unwrap();
    assert!(added.status.success(), "{}", stderr(&added));
    stop(service);

    fs::remove_file(&key_file).unwrap();
    let (service, mut lines) = serve(&home, &[]);
    listening(&mut lines);
    stop(service);
    assert_eq!(lines.next(), None);
    assert!(!key_file.exists());
}

#[test]
fn a_reader_of_the_keys_that_has_gone_is_not_a_failure() {
    let home = home();
    new_key(&home, &[]);
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = petstore(&home, &["keys", "list", "--database", &database(&home)]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}
