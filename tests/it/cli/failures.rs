//! How every command fails: exit status, and one to three lines that say what, why, and what to try next.

use crate::prelude::*;

use super::fixture::*;
use crate::stub::{always, json};

#[test]
fn exit_statuses_tell_failures_apart() {
    let served = Served::start();
    let with = |name: &str, value: &str| served.petstore(&["pets", "list"]).env(name, value).output().unwrap();
    fails_cleanly(&with("PETSTORE_API_KEY", "petk_wrong_key_0123456789"), 4, "did not accept the API key");
    fails_cleanly(&with("PETSTORE_API_KEY", ""), 4, "no API key for http://127.0.0.1");
    fails_cleanly(&with("PETSTORE_BASE_URL", "http://127.0.0.1:1/v1"), 6, "Connection refused");
    fails_cleanly(&with("PETSTORE_BASE_URL", "http://shop.example/v1"), 2, "would send the API key to shop.example");
    fails_cleanly(&with("PETSTORE_BASE_URL", "nonsense"), 2, "The address must start with https://");
    fails_cleanly(&with("PETSTORE_PROFILE", "nowhere"), 2, "there is no profile \"nowhere\"");
    fails_cleanly(&served.run(&["pets", "get", "4711", "-q"]), 5, "has no pet 4711");
    let hidden = served.run(&["pets", "add", "--name", "a\u{202e}b", "--category-id", "1"]);
    fails_cleanly(&hidden, 2, "U+202E at position 2");
    fails_cleanly(&served.run(&["pets", "add", "--name", "a", "--category-id", "1.0"]), 2, "\"1.0\" is not a number");
    fails_cleanly(&served.run(&["pets", "get", "abc"]), 2, "an id is a 64-bit whole number");
    let at = ["domains", "saved", "docs.example.com", "--at", "yesterday"];
    fails_cleanly(&served.run(&at), 2, "such as 2026-11-21T08:30:00Z");
    fails_cleanly(&served.run(&["pets", "list", "-n", "150"]), 2, "1 to 100; for more than 100 use --all");
}

#[test]
fn without_a_terminal_the_full_screen_says_so() {
    let output = run(&home(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("petstore: the full screen needs a terminal"), "{}", stderr(&output));
}

#[tokio::test]
async fn each_answer_that_is_none_names_what_was_wrong_and_what_to_try() {
    let gone = |status: &str| json(status, "{\"code\":\"x\",\"message\":\"a\\u001bb\",\"status\":1}");
    let slow = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n".to_vec();
    for (answer, status, says, hint) in [
        (gone("400 Bad Request"), 7, "answered 400 (x): \"a⟨U+001B⟩b\"", "pets add --help"),
        (gone("401 Unauthorized"), 4, "did not accept the API key", "PETSTORE_API_KEY"),
        (gone("403 Forbidden"), 4, "answered 403 (x)", "keys list"),
        (gone("404 Not Found"), 5, "answered 404 (x)", "--base-url"),
        (gone("501 Not Implemented"), 1, "answered 501 (x)", "pets list -v"),
        (slow, 7, "answered 429", "asks you to wait 3600 s"),
        (json("200 OK", "<html>"), 1, "does not match the API description: expected value", "--base-url"),
        (json("200 OK", ""), 1, "does not match the API description: EOF", "--base-url"),
        (json("200 OK", "{\"id\":1}"), 1, "does not match the API description: invalid type: map", "--base-url"),
        (json("200 OK", "[{\"id\":1.5,\"name\":\"a\",\"categoryId\":1}]"), 1, "floating point `1.5`", "--base-url"),
        (json("200 OK", "[{\"name\":\"a\",\"categoryId\":1}]"), 1, "missing field `id`", "--base-url"),
        (
            b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n\xff".to_vec(),
            1,
            "does not match the API description",
            "--base-url",
        ),
    ] {
        let output = against_answer(answer, &["pets", "list"]).await;
        fails_cleanly(&output, status, says);
        let said = stderr(&output);
        assert!(said.lines().nth(1).is_some_and(|line| line.starts_with("hint: ") && line.contains(hint)), "{said}");
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_shows_nothing() {
    for cut in [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n[{\"id\":1,\"name\":\"a\",\"categoryId\":1}]"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n[{\"id",
        b"HTTP/1.1 200 OK\r\nconten",
        b"",
    ] {
        fails_cleanly(&against_answer(cut.to_vec(), &["pets", "list"]).await, 6, "The connection to 127.0.0.1");
    }
}

#[tokio::test]
async fn with_json_the_error_body_is_a_line_of_json_on_stderr() {
    let body = r#"{"code":"nope","message":"no \u202e way","status":404}"#;
    let service = always(json("404 Not Found", body)).await;
    for format in ["json", "ndjson"] {
        let output = against(&service.base_url, KEY, &["pets", "list", "-o", format]).await;
        fails_cleanly(&output, 5, "answered 404 (nope)");
        assert_eq!(stderr(&output).lines().nth(2), Some(body), "{format}");
    }
    let plain = against(&service.base_url, KEY, &["pets", "list"]).await;
    assert_eq!(stderr(&plain).lines().count(), 2, "{}", stderr(&plain));
    let nobody = against("http://127.0.0.1:1/v1", KEY, &["pets", "list", "--json"]).await;
    assert_eq!(stderr(&nobody).lines().count(), 2, "there is no Error body where nobody answered");
}

#[test]
fn the_word_that_is_closest_is_named() {
    let home = home();
    let config = home.path().join("config.toml");
    fs::write(&config, "[profiles.production]\nbase_url = \"https://shop.example/v1\"\n").unwrap();
    let config = config.to_str().unwrap();
    for (words, says) in [
        (&["pets", "lits"][..], "'lits'\nhint: a similar subcommand exists: 'list'; or see: petstore pets --help"),
        (&["pets", "list", "--statsu", "sold"], "hint: a similar argument exists: '--status'"),
        (&["pets", "list", "-s", "avaliable"], "hint: a similar value exists: 'available'"),
        (&["pets", "list", "-o", "jsn"], "hint: a similar value exists: 'json'"),
        (&["pets", "list", "--columns", "id,nme"], "Did you mean name?"),
        (&["--config", config, "-p", "prodution", "pets", "list"], "hint: Did you mean production?"),
        (&["export"], "hint: a similar subcommand exists: 'pets export'; or see: petstore --help"),
        (&["bakup"], "hint: a similar subcommand exists: 'database backup'; or see: petstore --help"),
        (&["pet", "list"], "hint: a similar subcommand exists: 'pets'; or see: petstore --help"),
        (&["man", "pets"], "petstore man was removed\nhint: the package installs the pages: man petstore-pets-list"),
        (
            &["keys", "log"],
            "petstore keys log was removed\nhint: the table key_events of the database has what was done to keys",
        ),
        (&["completions", "fsh"], "a similar value exists: 'fish'"),
    ] {
        fails_cleanly(&run(&home, words), 2, says);
    }
}

#[test]
fn a_command_that_lacks_its_command_shows_its_help_and_ends_with_2() {
    let home = home();
    for command in ["pets", "domains", "keys", "config"] {
        let (status, out, said) = all(&run(&home, &[command]));
        assert_eq!((status, out.as_str()), (Some(2), ""));
        assert!(said.contains("Usage: petstore ") && said.contains("Commands:"), "{said}");
    }
}

#[test]
fn every_command_says_it_when_its_output_cannot_be_written() {
    let served = Served::start();
    let database = served.database();
    for words in [
        &["pets", "list"][..],
        &["pets", "list", "--all", "-o", "csv"],
        &["pets", "get", "1"],
        &["pets", "add", "--name", "Rex", "--category-id", "1"],
        &["keys", "list", "--database", &database],
        &["database", "check", "--database", &database],
        &["domains", "add", "docs.example.com"],
        &["domains", "explain", "DNS-A-BLOCKS"],
        &["completions", "bash"],
        &["status"],
        &["config", "path"],
        &["config", "show"],
        &["config", "keys"],
        &["doctor"],
        &["--help"],
        &["--version"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = served.petstore(words).stdout(full).stderr(Stdio::piped()).output().unwrap();
        fails_cleanly(&output, 1, "petstore: ");
    }
}

/// The binary with standard output closed, as `>&-` does it.
fn closed(mut command: Command) -> Output {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "exec \"$0\" \"$@\" >&-"]).arg(command.get_program()).args(command.get_args()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null());
    shell.stdin(Stdio::null()).stderr(Stdio::piped()).output().unwrap()
}

#[test]
fn nothing_is_done_where_its_result_cannot_be_written() {
    let served = Served::start();
    let database = served.database();
    let keys = |served: &Served| stdout(&run(&served.home, &["keys", "list", "--database", &database])).lines().count();
    let pets = |served: &Served| stdout(&served.run(&["pets", "list", "--all", "-o", "ids"])).lines().count();
    let before = (keys(&served), pets(&served));
    for words in [
        &["pets", "list"][..],
        &["pets", "add", "--name", "Rex", "--category-id", "1"],
        &["pets", "export", "-"],
        &["keys", "create", "--database", &database, "--name", "closed"],
        &["status"],
        &["--help"],
    ] {
        fails_cleanly(&closed(served.petstore(words)), 1, "cannot write to standard output: it is closed");
    }
    assert_eq!((keys(&served), pets(&served)), before);
}

#[test]
fn what_was_done_is_reported_where_its_result_could_not_be_written() {
    let served = Served::start();
    let database = served.database();
    let full = |words: &[&str]| {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        served.petstore(words).stdout(full).stderr(Stdio::piped()).output().unwrap()
    };
    let added = full(&["pets", "add", "--name", "Rex", "--category-id", "1"]);
    fails_cleanly(&added, 1, "hint: the pet was added, with id 31");
    let create = ["keys", "create", "--database", &database, "--name", "unseen"];
    assert!(stderr(&full(&create)).contains("could not be printed, and was revoked: create another one"));
    let listed = stdout(&run(&served.home, &["keys", "list", "--database", &database]));
    let unseen = listed.lines().find(|line| line.ends_with("unseen")).unwrap();
    assert!(unseen.contains("revoked"), "{listed}");
    let till = stdout(&run(&served.home, &["keys", "create", "--database", &database, "--name", "till"]));
    let id = till["petk_".len()..].get(..8).unwrap();
    let rotated = stderr(&full(&["keys", "rotate", "--database", &database, id]));
    assert!(rotated.contains(&format!("key {id} still expires at 2")), "{rotated}");
    assert!(rotated.contains("so rotate it again before then"), "{rotated}");
    // What needs no output is done without one.
    assert!(closed(served.petstore(&["keys", "revoke", "--database", &database, id])).status.success());
}

#[test]
fn two_names_of_a_service_and_two_sources_of_a_key_are_refused_with_a_way_on() {
    let home = home();
    let two = run(&home, &["--demo", "-p", "shop", "pets", "list"]);
    fails_cleanly(&two, 2, "--demo and --profile each name a service");
    let address = ["--base-url", "http://127.0.0.1:1/v1", "-p", "shop"];
    let both = run(&home, &[&address[..], &["status"]].concat());
    fails_cleanly(&both, 2, "--profile and --base-url each name a service");
    let login = run(&home, &[&address[..], &["login"]].concat());
    fails_cleanly(&login, 2, "petstore login -p shop --base-url http://127.0.0.1:1/v1 --with-token < FILE");
    fails_cleanly(&run(&home, &["login", "-p", "nope"]), 2, "petstore login -p NAME --base-url URL");
    let mut directory = petstore(&home, &["--base-url", "http://127.0.0.1:1/v1", "pets", "list"]);
    directory.env("PETSTORE_API_KEY_FILE", home.path());
    fails_cleanly(&directory.output().unwrap(), 4, "it is a directory");
}
