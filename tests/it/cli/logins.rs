//! `petstore login`, `logout` and `status`: keys that are tested, kept, forgotten, and never shown.

use crate::prelude::*;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::fixture::*;

/// A profile `branch` of this service, without a key, in the home of the service.
fn with_profile(served: &Served) -> PathBuf {
    configure(&served.home, &config(&served.base_url, ""))
}

fn config(address: &str, key: &str) -> String {
    format!("# mine\nprofile = \"branch\"\n[profiles.branch] # the till\nbase_url = \"{address}\" # here\n{key}")
}

fn key_file(served: &Served) -> PathBuf {
    served.home.path().join(".config/petstore/keys/branch")
}

#[test]
fn a_key_is_tested_kept_used_and_forgotten() {
    let served = Served::start();
    let file = with_profile(&served);
    let login = with_stdin(petstore(&served.home, &["login", "--with-token"]), &format!("{}\n", served.key));
    let host = served.base_url.trim_start_matches("http://").trim_end_matches("/v1");
    let kept = "from the file ~/.config/petstore/keys/branch";
    let said = format!("{host} accepts the key; profile branch now reads it {kept}\n");
    assert_eq!(all(&login), (Some(0), String::new(), said));
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (path, directory) = (key_file(&served), key_file(&served).parent().unwrap().to_owned());
    assert_eq!((mode(&path), mode(&directory)), (0o600, 0o700));
    let mention = "key = { file = \"~/.config/petstore/keys/branch\" }\n";
    assert_eq!(fs::read_to_string(&file).unwrap(), config(&served.base_url, mention));
    assert_eq!(run(&served.home, &["pets", "list", "-n", "1", "-o", "ids"]).status.code(), Some(0));

    let logout = run(&served.home, &["logout"]);
    assert_eq!(all(&logout), (Some(0), String::new(), format!("removed the key of branch ({kept})\n")));
    assert!(!path.exists());
    assert_eq!(fs::read_to_string(&file).unwrap(), config(&served.base_url, ""));
    assert_eq!(all(&run(&served.home, &["logout"])), (Some(0), String::new(), "branch has no key\n".into()));
}

#[test]
fn a_key_that_is_not_accepted_is_not_kept() {
    let served = Served::start();
    let file = with_profile(&served);
    let refused = with_stdin(petstore(&served.home, &["login", "--with-token"]), KEY);
    fails_cleanly(&refused, 4, "did not accept the API key");
    assert!(stderr(&refused).contains("it was not saved") && !stderr(&refused).contains(KEY), "{}", stderr(&refused));
    let nobody = ["login", "--with-token", "-p", "new", "--base-url", "http://127.0.0.1:1/v1"];
    fails_cleanly(&with_stdin(petstore(&served.home, &nobody), KEY), 6, "127.0.0.1:1");
    for (text, says) in [("", "API key is missing"), ("\n\n", "API key is missing"), ("petk_\u{1b}[2J\n", "")] {
        fails_cleanly(&with_stdin(petstore(&served.home, &["login", "--with-token"]), text), 2, says);
    }
    assert_eq!(fs::read_to_string(file).unwrap(), config(&served.base_url, ""));
    assert!(!key_file(&served).exists());
}

#[test]
fn a_profile_that_is_not_there_yet_is_made_with_its_key() {
    let served = Served::start();
    let login = ["login", "-p", "till-2", "--base-url", &served.base_url, "--with-token"];
    let said = with_stdin(petstore(&served.home, &login), &served.key);
    assert!(said.status.success() && stderr(&said).contains("new profile till-2 now reads it"), "{}", stderr(&said));
    assert!(run(&served.home, &["-p", "till-2", "status"]).status.success());
    let again = with_stdin(petstore(&served.home, &login), &served.key);
    assert!(
        stderr(&again).contains("accepts the key; profile till-2 now reads it"),
        "its own address: {}",
        stderr(&again)
    );
    let other = ["login", "-p", "till-2", "--base-url", "https://other.example/v1", "--with-token"];
    let refused = with_stdin(petstore(&served.home, &other), &served.key);
    fails_cleanly(&refused, 2, "profile \"till-2\" already exists, with the address http://127.0.0.1:");
    let way = "hint: for another key: petstore login -p till-2; for another address, change it in the file: petstore config path";
    assert!(stderr(&refused).contains(way), "{}", stderr(&refused));
}

#[test]
fn the_first_profile_is_the_default_unless_one_was_chosen_or_the_embedded_store_is_in_use() {
    let served = Served::start();
    let login = |name: &str| {
        let words = ["login", "-p", name, "--base-url", &served.base_url, "--with-token"];
        let said = with_stdin(petstore(&served.home, &words), &served.key);
        assert!(said.status.success(), "{}", stderr(&said));
        stderr(&said)
    };
    let shown = || stdout(&run(&served.home, &["config", "show"]));
    let said = login("till");
    assert!(said.ends_with("\ntill is now the default\n"), "{said}");
    assert!(shown().contains("till"), "{}", shown());
    let said = login("other");
    assert!(said.ends_with("\nto make other the default: petstore profiles use other\n"), "{said}");
    assert!(!shown().contains("other"), "{}", shown());

    let add = |home: &TempDir, name: &str| {
        let added = run(home, &["profiles", "add", name, "--base-url", "https://shop.example/v1"]);
        assert!(added.status.success());
        stderr(&added)
    };
    let new = home();
    let said = "added the profile shop, now the default; to save its key: petstore login -p shop\n";
    assert_eq!(add(&new, "shop"), said);
    assert_eq!(add(&new, "lab"), "added the profile lab; to save its key: petstore login -p lab\n");
    let used = home();
    assert!(run(&used, &["pets", "add", "--name", "Rex", "--category-id", "1"]).status.success());
    assert_eq!(add(&used, "shop"), "added the profile shop; to save its key: petstore login -p shop\n");
    assert_eq!(stdout(&run(&used, &["pets", "list", "-o", "ids"])), "1\n", "the store in use stays the default");
    // Those of before had no default.
    fs::write(
        served.home.path().join(".config/petstore/config.toml"),
        format!("[profiles.till]\nbase_url = \"{0}\"\n[profiles.lab]\nbase_url = \"{0}\"\n", served.base_url),
    )
    .unwrap();
    let said = login("till");
    assert!(said.contains("profile till now reads it") && !said.contains("default"), "{said}");
    assert_eq!(add(&served.home, "shop"), "added the profile shop; to save its key: petstore login -p shop\n");
    let demo = ["--demo", "profiles", "use", "shop"];
    fails_cleanly(&run(&new, &demo), 2, "the demo keeps nothing");
}

#[test]
fn who_cannot_log_in_learns_why() {
    let home = home();
    fails_cleanly(&run(&home, &["login"]), 2, "the profile embedded needs no key");
    fails_cleanly(&run(&home, &["--demo", "logout"]), 2, "the demo needs no key");
    let direct = ["--base-url", "https://shop.example/v1", "login"];
    fails_cleanly(&run(&home, &direct), 2, "hint: create a profile: petstore login -p NAME --base-url URL");
    let config = home.path().join("config.toml");
    fs::write(&config, "[profiles.branch]\nbase_url = \"http://127.0.0.1:1/v1\"\nkey = { env = \"MINE\" }\n").unwrap();
    let at = |words: &[&str]| run(&home, &[&["--config", config.to_str().unwrap(), "-p", "branch"], words].concat());
    fails_cleanly(&at(&["login"]), 2, "a key is needed, and it cannot be asked for here");
    let logout = at(&["logout"]);
    fails_cleanly(&logout, 2, "petstore does not manage the key of branch: it comes from environment MINE.");
    assert!(stderr(&logout).contains("config.toml, line 3"), "{}", stderr(&logout));
    let keyring = at(&["login", "--store", "keyring"]);
    fails_cleanly(&keyring, 2, "--store was removed\nhint: ");
}

#[test]
fn a_key_that_is_typed_is_not_shown() {
    let served = Served::start();
    with_profile(&served);
    let pair = native_pty_system().openpty(PtySize { rows: 24, cols: 100, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(PETSTORE);
    command.arg("login");
    command.env_clear();
    command.env("HOME", served.home.path());
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let (mut reader, mut writer) = (pair.master.try_clone_reader().unwrap(), pair.master.take_writer().unwrap());
    let mut shown = Vec::new();
    let mut byte = [0];
    // What is typed before the question would be shown by the terminal itself.
    while !shown.ends_with(b"(not shown): ") {
        reader.read_exact(&mut byte).unwrap();
        shown.push(byte[0]);
    }
    writer.write_all(format!("x\u{15}{}\r", served.key).as_bytes()).unwrap();
    let _ = reader.read_to_end(&mut shown);
    let shown = String::from_utf8_lossy(&shown).into_owned();
    assert!(child.wait().unwrap().success(), "{shown}");
    assert!(shown.contains("accepts the key") && !shown.contains(&served.key), "{shown}");
    assert_eq!(fs::read_to_string(key_file(&served)).unwrap(), format!("{}\n", served.key));
}

#[test]
fn status_says_where_each_setting_comes_from_and_whether_the_service_answers() {
    let served = Served::start();
    with_profile(&served);
    let status = |key: &str| {
        let mut command = petstore(&served.home, &["status", "-o", "json"]);
        let output = command.env("PETSTORE_API_KEY", key).output().unwrap();
        let object: Value = serde_json::from_str(&stdout(&output)).unwrap();
        (output, object)
    };
    let (output, object) = status(&served.key);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert_eq!(
        (&object["profile"], &object["reachable"], &object["keyAccepted"]),
        (&"branch".into(), &true.into(), &true.into())
    );
    assert!(object["milliseconds"].is_u64() && object["failure"].is_null(), "{object}");
    let setting = |name: &str| {
        object["settings"].as_array().unwrap().iter().find(|setting| setting["name"] == name).unwrap().clone()
    };
    assert_eq!((&setting("profile")["line"], &setting("address")["line"]), (&2.into(), &4.into()));
    assert_eq!(setting("key")["origin"], "from environment PETSTORE_API_KEY");
    let (output, object) = status(KEY);
    assert_eq!(
        (output.status.code(), &object["reachable"], &object["keyAccepted"]),
        (Some(4), &true.into(), &false.into())
    );
    let table = run(&served.home, &["status"]);
    assert_eq!(table.status.code(), Some(4));
    assert!(stderr(&table).starts_with("petstore: no API key for http://127.0.0.1:"), "{}", stderr(&table));
    let text = stdout(&table);
    assert!(text.contains("\nkey        none"), "{text}");
    assert!(text.contains("\nservice    answers in ") && text.ends_with(" ms, key not accepted\n"), "{text}");
    assert!(!text.contains(&served.key));
}

#[test]
fn status_of_a_service_that_is_away_shows_the_settings_all_the_same() {
    let home = home();
    let nobody = run(&home, &["--base-url", "http://127.0.0.1:1/v1", "status"]);
    assert_eq!(nobody.status.code(), Some(6));
    assert!(stdout(&nobody).ends_with("\nservice    no answer\n"), "{}", stdout(&nobody));
    let mut lost = petstore(&home, &["--base-url", "http://127.0.0.1:1/v1", "status"]);
    let lost = lost.env("PETSTORE_API_KEY_FILE", "/nowhere/key").output().unwrap();
    assert_eq!(lost.status.code(), Some(4));
    assert!(stdout(&lost).contains("from the file /nowhere/key"), "{}", stdout(&lost));
    assert!(stderr(&lost).contains("cannot read the API key from /nowhere/key"), "{}", stderr(&lost));
    let inside = run(&home, &["--demo", "status"]);
    assert_eq!((inside.status.code(), stderr(&inside)), (Some(0), String::new()));
    assert!(stdout(&inside).ends_with(" ms, key accepted\n"), "{}", stdout(&inside));
}

#[test]
fn status_of_a_service_inside_that_was_never_used_makes_nothing() {
    let home = home();
    let status = run(&home, &["status"]);
    assert_eq!((status.status.code(), stderr(&status)), (Some(0), String::new()));
    assert!(stdout(&status).ends_with("\nservice    created at first use\n"), "{}", stdout(&status));
    let object: Value = serde_json::from_str(&stdout(&run(&home, &["status", "-o", "json"]))).unwrap();
    assert!(object["reachable"].is_null() && object["failure"].is_null(), "{object}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn a_profile_is_added_tested_and_removed() {
    let served = Served::start();
    let home = &served.home;
    fs::write(home.path().join("key"), &served.key).unwrap();
    fs::set_permissions(home.path().join("key"), Permissions::from_mode(0o600)).unwrap();
    let profiles = |words: &[&str]| run(home, &[&["profiles"], words].concat());
    fails_cleanly(&profiles(&["add", "shop"]), 2, "needs the address of its service");
    let key = home.path().join("key").display().to_string();
    let added = profiles(&["add", "shop", "--base-url", &served.base_url, "--key-file", &key, "--label", "SHOP"]);
    assert_eq!(all(&added), (Some(0), String::new(), "added the profile shop, now the default\n".into()));
    let (status, out, said) = all(&profiles(&["test", "shop"]));
    assert!(status == Some(0) && out.contains("key accepted"), "{out}{said}");
    fails_cleanly(&profiles(&["add", "shop", "--base-url", &served.base_url]), 1, "already exists");
    fails_cleanly(&profiles(&["add", "far", "--base-url", "http://192.0.2.1/v1"]), 2, "--base-url: ");
    assert_eq!(profiles(&["use", "shop"]).status.code(), Some(0));
    fails_cleanly(&profiles(&["remove", "shop"]), 2, "is the default profile");
    assert_eq!(profiles(&["use", "embedded"]).status.code(), Some(0));
    assert_eq!(all(&profiles(&["remove", "shop"])), (Some(0), String::new(), "removed the profile shop\n".into()));
    fails_cleanly(&profiles(&["remove", "shop"]), 2, "there is no profile \"shop\"");
    assert!(home.path().join("key").exists(), "a key that petstore did not write stays");
}

#[test]
fn a_key_comes_from_a_file_or_a_program_of_the_command_line() {
    let served = Served::start();
    let key = served.home.path().join("key");
    fs::write(&key, &served.key).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    let key = key.display().to_string();
    for option in [["--key-file", &key], ["--key-command", &format!("cat '{key}'")]] {
        let count = run(&served.home, &[&option[..], &["--base-url", &served.base_url, "pets", "count"]].concat());
        assert_eq!(all(&count), (Some(0), "30\n".into(), String::new()));
    }
    fails_cleanly(&run(&served.home, &["--key-command", "'x", "pets", "list"]), 2, "a quote is not closed");
}

#[test]
fn a_refused_key_is_named_by_its_place() {
    let served = Served::start();
    let (file, key) = (with_profile(&served), served.home.path().join("old"));
    fs::write(&key, KEY).unwrap();
    fs::set_permissions(&key, Permissions::from_mode(0o600)).unwrap();
    let path = key.display().to_string();
    fs::write(&file, config(&served.base_url, &format!("key = {{ file = \"{path}\" }}\n"))).unwrap();
    let listed = run(&served.home, &["pets", "list"]);
    fails_cleanly(&listed, 4, &format!("the key came from the file {path}; to replace it: petstore login -p branch"));
    let mut command = petstore(&served.home, &["--base-url", &served.base_url, "pets", "list"]);
    let listed = command.env("PETSTORE_API_KEY", KEY).output().unwrap();
    fails_cleanly(&listed, 4, "the key came from environment PETSTORE_API_KEY");
}
