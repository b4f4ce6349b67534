//! `petstore pets add`.

use crate::prelude::*;

use std::net::TcpListener;

use super::fixture::*;
use crate::stub::losing_answers;

#[test]
fn with_nothing_configured_pets_are_kept_in_the_data_directory() {
    let home = home();
    let added = run(&home, &["pets", "add", "--name", "Rex", "--category-id", "-3", "--format", "ids"]);
    assert_eq!((added.status.code(), stdout(&added).trim()), (Some(0), "1"), "{}", stderr(&added));
    let listed = run(&home, &["pets", "list", "--format", "json"]);
    assert_eq!(stdout(&listed), "[{\"id\":1,\"name\":\"Rex\",\"categoryId\":-3,\"status\":\"available\"}]\n");
    let database = home.path().join(".local/share/petstore/embedded.db");
    assert_eq!(database.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_hanging_add_that_a_signal_ends_says_what_is_known_of_it() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::QUIT, 131), (Signal::HUP, 129)] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let mut command =
            petstore(&home(), &["--base-url", &address, "pets", "add", "--name", "Rex", "--category-id", "1"]);
        command.env("PETSTORE_API_KEY", KEY).stderr(Stdio::piped());
        let mut running = Running(command.spawn().unwrap());
        let (mut socket, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        assert!(socket.read(&mut request).unwrap() > 0);
        kill_process(Pid::from_child(&running.0), signal).unwrap();
        assert_eq!(running.0.wait().unwrap().code(), Some(status));
        let mut said = String::new();
        running.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let check = format!("check with: petstore --base-url {address} pets list --all");
        assert_eq!(said, format!("stopped waiting: the pet may or may not have been added; {check}\n"));
    }
}

#[tokio::test]
async fn an_add_whose_answer_got_lost_is_one_pet() {
    let served = Served::start();
    let address = served.base_url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap().parse().unwrap();
    let lossy = losing_answers(address, 1).await;
    let add = ["pets", "add", "--name", "Biscuit", "--category-id", "3", "-o", "ids"];
    let added = against(&lossy.base_url, &served.key, &add).await;
    assert_eq!((stdout(&added).as_str(), added.status.code()), ("31\n", Some(0)), "{}", stderr(&added));
    let all = served.run(&["pets", "list", "-n", "100", "-o", "ids"]);
    assert_eq!(stdout(&all).lines().count(), 31);
}

#[test]
fn a_dry_run_prints_what_would_be_sent_without_the_key_and_sends_nothing() {
    let served = Served::start();
    let add = ["pets", "add", "--name", "o'Neil", "--category-id", "3", "--dry-run"];
    let line = format!(
        "curl -sSg -H \"Authorization: Bearer $PETSTORE_API_KEY\" -H 'Content-Type: application/json' --data-raw \
         '{{\"name\":\"o'\\''Neil\",\"categoryId\":3}}' '{}/pets'\n",
        served.base_url
    );
    assert_eq!(all(&served.run(&add)), (Some(0), line, String::new()));
    assert_eq!(stdout(&served.run(&["pets", "list", "--all", "-o", "ids"])).lines().count(), 30);
}

#[test]
fn a_protected_profile_is_changed_only_with_a_flag_or_a_confirmation() {
    let served = Served::start();
    let add = |more: &[&str]| {
        let words = [&["add", "--name", "Rex", "--category-id", "1", "-o", "ids"], more].concat();
        served.run_in_shop("protect = true\nlabel = \"SHOP\"", &words)
    };
    fails_cleanly(&add(&[]), 2, "SHOP is protected and needs a confirmation\nhint: to confirm: --yes");
    assert_eq!(all(&add(&["--yes"])), (Some(0), "31\n".to_owned(), String::new()));
}

#[test]
fn the_commands_of_a_hint_go_to_the_service_that_was_named() {
    let served = Served::start();
    fs::write(served.home.path().join("week.csv"), "name,category_id\nRex,1\nBello,two\n").unwrap();
    let run = |words: &[&str]| served.run_in_shop("", words);
    let lost = run(&["get", "4711", "-q"]);
    fails_cleanly(&lost, 5, "to see all pets: petstore -p shop pets list --all");
    let (status, _, said) = all(&run(&["import", "week.csv"]));
    let next = "petstore -p shop pets import week.csv --resume --rejects CSV";
    assert!(status == Some(3) && said.contains(next), "{said}");
}

#[test]
fn a_read_only_profile_is_never_changed_by_a_command() {
    let served = Served::start();
    fs::write(served.home.path().join("pets.csv"), "name,category_id\nRex,1\n").unwrap();
    let run = |words: &[&str]| served.run_in_shop("read_only = true", words);
    let why = "nothing was sent: shop is read-only (read_only = true in its profile)";
    fails_cleanly(&run(&["add", "--name", "Rex", "--category-id", "1", "--yes"]), 2, why);
    fails_cleanly(&run(&["import", "pets.csv", "--yes"]), 2, why);
    assert_eq!(run(&["import", "pets.csv", "--dry-run"]).status.code(), Some(0));
    assert_eq!(stdout(&run(&["list", "--all", "-o", "ids"])).lines().count(), 30);
}

#[tokio::test]
async fn a_pet_that_may_have_been_added_is_an_exit_status_of_its_own() {
    let add = ["pets", "add", "--name", "Rex", "--category-id", "1"];
    let cut = against_answer(b"HTTP/1.1 201 Created\r\ncontent-length: 50\r\n\r\n{\"id\":".to_vec(), &add).await;
    fails_cleanly(&cut, 10, "may or may not have been added; check with: petstore pets list");
    let nobody = against("http://127.0.0.1:1/v1", KEY, &add).await;
    fails_cleanly(&nobody, 6, "No connection to 127.0.0.1:1");
}

#[test]
fn a_pet_that_was_surely_not_added_is_reported_as_such() {
    let served = Served::start();
    for name in ["store.db", "store.db-wal", "store.db-shm"] {
        let path = served.home.path().join(name);
        fs::rename(&path, path.with_extension("away")).unwrap();
    }
    let refused = served.run(&["pets", "add", "--name", "Rex", "--category-id", "3"]);
    fails_cleanly(&refused, 1, "(not_added): \"The pet was not added: the database file was removed, renamed");
    assert!(!stderr(&refused).contains("may or may not"), "{}", stderr(&refused));
}

#[test]
fn all_faults_of_a_pet_are_named_at_once() {
    let home = home();
    let add = |words: &[&str]| run(&home, &[&["--demo", "pets", "add"], words].concat());
    let wrong = add(&["--name", " ", "--category-id", "three", "--status", "gone"]);
    fails_cleanly(&wrong, 2, "--name: Name is required");
    let said = stderr(&wrong);
    assert!(said.contains("--category-id: \"three\" is not a category"), "{said}");
    assert!(said.contains("--status: Status must be available, pending or sold"), "{said}");
    fails_cleanly(&add(&["--status", "sold"]), 2, "--category-id: Category is required");
}
