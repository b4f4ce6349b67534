//! The real binary as scripts use it: output, exit statuses, closed pipes.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

use crate::stub::{json, losing_answers, serve};

const PETSTORE: &str = env!("CARGO_BIN_EXE_petstore");

/// The binary with a home of its own and nothing else in its environment.
fn petstore(home: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(PETSTORE);
    command.args(arguments).env_clear().env("HOME", home.path()).env("LANG", "C.UTF-8").env("TZ", "UTC");
    command.stdin(Stdio::null());
    command
}

fn run(home: &TempDir, arguments: &[&str]) -> Output {
    petstore(home, arguments).output().unwrap()
}

fn with_stdin(mut command: Command, text: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Exit status, and the failure is one to three clean lines on stderr and nothing on stdout.
#[track_caller]
fn fails_cleanly(output: &Output, status: i32, says: &str) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.contains(says), "{text}");
    assert!((1..=3).contains(&text.lines().count()), "{text}");
    assert!(text.starts_with("petstore: ") && !text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    assert_eq!(stdout(output), "");
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A running `petstore serve` with a key; killed when dropped.
struct Served {
    child: Child,
    base_url: String,
    key: String,
    home: TempDir,
}

impl Served {
    fn start() -> Self {
        let home = home();
        let database = format!("sqlite:{}", home.path().join("store.db").display());
        let made = run(&home, &["keys", "create", "--database", &database, "--name", "test"]);
        let key = stdout(&made);
        assert!(stderr(&made).starts_with("created key "), "{}", stderr(&made));
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &database, "--sample", "30"];
        let mut child = petstore(&home, &serve).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let base_url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, base_url, key: key.trim().to_owned(), home }
    }

    fn petstore(&self, arguments: &[&str]) -> Command {
        let mut command = petstore(&self.home, arguments);
        command.env("PETSTORE_BASE_URL", &self.base_url).env("PETSTORE_API_KEY", &self.key);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.petstore(arguments).output().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn plain_lines_are_answered_from_a_pipe_and_end_with_it() {
    let home = home();
    let mut by_variable = petstore(&home, &["--demo"]);
    by_variable.env("ACCESSIBLE", "1");
    for command in [petstore(&home, &["--accessible", "--demo"]), by_variable] {
        let output = with_stdin(command, "browse\n\n2\n");
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
        let said = "2 animals:\n1: Rex, category 1, available, id 1\n2: Mr. Whiskers, category 2, pending, id 2\n";
        assert!(stdout(&output).contains(said), "{}", stdout(&output));
        assert!(stdout(&output).ends_with("Goodbye.\n"), "{}", stdout(&output));
    }
}

#[test]
fn the_demo_lists_in_every_format() {
    let home = home();
    let list = |format: &str| {
        let output = run(&home, &["--demo", "pets", "list", "-n", "3", "-s", "available", "--format", format]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stderr(&output), "3 and there are more; --limit takes up to 100\n");
        stdout(&output)
    };
    assert_eq!(list("table").lines().next(), Some("ID  NAME           CATEGORY  STATUS"));
    let pets: Vec<serde_json::Value> = serde_json::from_str(&list("json")).unwrap();
    assert_eq!(pets.len(), 3);
    let lines: Vec<serde_json::Value> =
        list("ndjson").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, pets);
    let ids: Vec<String> = pets.iter().map(|pet| pet["id"].to_string()).collect();
    assert_eq!(list("ids").lines().collect::<Vec<_>>(), ids);
    assert_eq!(list("csv").lines().next(), Some("id,name,categoryId,status"));
    assert_eq!(list("tsv").lines().next(), Some("id\tname\tcategoryId\tstatus"));
    assert!(fs::read_dir(home.path()).unwrap().next().is_none(), "the demo leaves nothing behind");
}

#[test]
fn with_nothing_configured_animals_are_kept_in_the_data_directory() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = home();
    let added = run(&home, &["pets", "add", "--name", "Rex", "--category-id", "-3", "--format", "ids"]);
    assert_eq!((added.status.code(), stdout(&added).trim()), (Some(0), "1"), "{}", stderr(&added));
    let listed = run(&home, &["pets", "list", "--format", "json"]);
    assert_eq!(stdout(&listed), "[{\"id\":1,\"name\":\"Rex\",\"categoryId\":-3,\"status\":\"available\"}]\n");
    let database = home.path().join(".local/share/petstore/embedded.db");
    assert_eq!(database.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn xdg_data_home_wins() {
    let (home, data) = (home(), home());
    let mut command = petstore(&home, &["pets", "list"]);
    assert_eq!(command.env("XDG_DATA_HOME", data.path()).output().unwrap().status.code(), Some(0));
    assert!(data.path().join("petstore/embedded.db").exists());
}

#[test]
fn another_service_is_used_with_its_key() {
    let served = Served::start();
    let added =
        served.run(&["pets", "add", "--name", "=Biscuit", "--category-id", "9223372036854775807", "-s", "sold"]);
    assert_eq!(added.status.code(), Some(0), "{}", stderr(&added));
    let got = served.run(&["pets", "get", "31", "--format", "json"]);
    let pet = r#"{"id":31,"name":"=Biscuit","categoryId":9223372036854775807,"status":"sold"}"#;
    assert_eq!(stdout(&got).trim(), pet);
    assert_eq!(stderr(&got), "used GET /pets/{petId}, which is removed on 5 December 2030\n");
    assert_eq!(
        stdout(&served.run(&["pets", "get", "31", "--format", "csv"])).lines().nth(1).unwrap(),
        "31,'=Biscuit,9223372036854775807,sold"
    );
}

#[test]
fn exit_statuses_tell_failures_apart() {
    let served = Served::start();
    let with = |name: &str, value: &str| served.petstore(&["pets", "list"]).env(name, value).output().unwrap();
    fails_cleanly(&with("PETSTORE_API_KEY", "petk_wrong_key_0123456789"), 4, "did not accept the API key");
    fails_cleanly(&with("PETSTORE_API_KEY", ""), 4, "no API key for http://127.0.0.1");
    fails_cleanly(&with("PETSTORE_BASE_URL", "http://127.0.0.1:1/v1"), 6, "Connection refused");
    fails_cleanly(&with("PETSTORE_BASE_URL", "http://shop.example/v1"), 2, "would send the API key to shop.example");
    fails_cleanly(&with("PETSTORE_BASE_URL", "nonsense"), 2, "is not an address");
    fails_cleanly(&with("PETSTORE_PROFILE", "nowhere"), 2, "there is no profile \"nowhere\"");
    fails_cleanly(&served.run(&["pets", "get", "4711"]), 5, "4711");
    fails_cleanly(&served.run(&["pets", "add", "--name", "a\u{202e}b", "--category-id", "1"]), 2, "U+202E at place 2");
    fails_cleanly(&served.run(&["pets", "add", "--name", "a", "--category-id", "1.0"]), 2, "\"1.0\" is not one");
    let output = served.run(&["pets", "list", "-n", "150"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("1 to 100"), "{}", stderr(&output));
}

#[test]
fn a_stream_of_animals_names_its_wrong_lines_and_adds_the_others() {
    let served = Served::start();
    let lines = concat!(
        "{\"name\":\"one\",\"categoryId\":1}\n",
        "\n",
        "{\"name\":\"\",\"categoryId\":1}\n",
        "{\"name\":\"three\",\"categoryId\":1.5}\n",
        "{\"id\":9,\"name\":\"four\",\"categoryId\":4,\"status\":\"sold\"}",
    );
    let output = with_stdin(served.petstore(&["pets", "add", "-", "--format", "ids"]), lines);
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert_eq!(stdout(&output), "31\n32\n");
    let said = stderr(&output);
    assert!(
        said.contains("line 3: Name is needed") && said.contains("line 4: ") && said.ends_with("2 added, 2 refused\n"),
        "{said}"
    );
    let again = with_stdin(served.petstore(&["pets", "add", "-"]), "{\"name\":\"five\",\"categoryId\":5}\n");
    assert_eq!((again.status.code(), stderr(&again).as_str()), (Some(0), ""));
}

#[test]
fn d32_a_reader_that_goes_is_no_failure_and_a_full_disk_is() {
    let home = home();
    let mut child = petstore(&home, &["--demo", "pets", "list", "-n", "100"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = petstore(&home, &["--demo", "pets", "list"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    fails_cleanly(&output, 1, "cannot write to standard output");
}

#[test]
fn a_wrong_configuration_names_file_line_and_column() {
    let home = home();
    let path = home.path().join("wrong.toml");
    fs::write(&path, "[pets]\nlimit = 1000\n").unwrap();
    let output = run(&home, &["--config", path.to_str().unwrap(), "pets", "list"]);
    fails_cleanly(&output, 2, "wrong.toml:2:9: limit must be a whole number from 1 to 100");
}

#[test]
fn without_a_terminal_the_full_screen_says_so() {
    let output = run(&home(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("petstore: the full screen needs a terminal"), "{}", stderr(&output));
}

#[test]
fn serve_prints_its_address_and_ends_well_on_sigterm() {
    let mut served = Served::start();
    assert!(served.base_url.starts_with("http://127.0.0.1:") && served.base_url.ends_with("/v1"));
    let id = served.child.id().to_string();
    assert!(Command::new("kill").arg(&id).status().unwrap().success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    let output = run(&served.home, &["serve", "--listen", "0.0.0.0:0"]);
    fails_cleanly(&output, 2, "clear text");
}

#[test]
fn the_log_is_json_with_the_request_id_and_the_client_and_without_the_key() {
    let home = home();
    let database = format!("sqlite:{}", home.path().join("store.db").display());
    let key = stdout(&run(&home, &["keys", "create", "--database", &database, "--name", "test"]));
    let key = key.trim();
    let log = ["--log-level", "info", "--log-format", "json", "--proxy", "127.0.0.1"];
    let serve = [&["serve", "--listen", "127.0.0.1:0", "--database", &database], &log[..]].concat();
    let mut child = petstore(&home, &serve).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let base_url = lines.next().unwrap().strip_prefix("listening on ").unwrap().to_owned();
    let mut get = petstore(&home, &["pets", "get", "7"]);
    get.env("PETSTORE_BASE_URL", &base_url).env("PETSTORE_API_KEY", key);
    assert_eq!(get.output().unwrap().status.code(), Some(5));
    let line = lines.next().unwrap();
    let mut proxy = TcpStream::connect(base_url.trim_start_matches("http://").trim_end_matches("/v1")).unwrap();
    let secrets =
        "Authorization: Bearer petk_wrong\r\nCookie: petk_cookie\r\nX-Forwarded-For: petk_made_up, 192.0.2.9\r\n";
    let asks = format!("GET /v1/pets?after=petk_query HTTP/1.1\r\nHost: x\r\nX-Request-Id: order-7\r\n{secrets}\r\n");
    proxy.write_all(asks.as_bytes()).unwrap();
    let refused = lines.next().unwrap();
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    let logged: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&logged["level"], &logged["method"]), (&"INFO".into(), &"GET".into()), "{line}");
    assert_eq!((&logged["path"], &logged["status"]), (&"/v1/pets/7".into(), &404.into()), "{line}");
    assert_eq!(logged["key"], key[5..13], "the public id of the key, and no more of it");
    assert_eq!(logged["request_id"].as_str().map(str::len), Some(36), "{line}");
    assert_eq!(logged["client"], "127.0.0.1", "{line}");
    assert!(!line.contains(&key[13..]), "{line}");
    let logged: serde_json::Value = serde_json::from_str(&refused).unwrap();
    assert_eq!((&logged["client"], &logged["status"]), (&"192.0.2.9".into(), &401.into()), "{refused}");
    assert_eq!(logged["request_id"], "order-7", "{refused}");
    assert!(logged.get("key").is_none() && !refused.contains("petk_"), "{refused}");
}

#[test]
fn the_metrics_are_where_the_second_line_says() {
    let home = home();
    let database = format!("sqlite:{}", home.path().join("store.db").display());
    let serve = ["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--database", &database];
    let mut child = petstore(&home, &serve).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap).skip(1);
    let line = lines.next().unwrap();
    let address = line.strip_prefix("metrics on http://").unwrap().strip_suffix("/metrics").unwrap();
    let mut prometheus = TcpStream::connect(address).unwrap();
    prometheus.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    prometheus.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("# EOF\n"), "{answer}");
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success());
    let open = run(&home, &["serve", "--metrics-listen", "0.0.0.0:0", "--database", &database]);
    fails_cleanly(&open, 2, "--metrics-listen 0.0.0.0:0");
}

#[test]
fn a_first_start_writes_a_key_for_its_owner_only_and_a_second_one_none() {
    let home = home();
    let database = format!("sqlite:{}", home.path().join("store.db").display());
    let key_file = home.path().join("store.db.admin-key");
    let serve = || {
        let serve = ["serve", "--listen", "127.0.0.1:0", "--database", &database];
        let mut child = petstore(&home, &serve).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let base_url = lines.next().unwrap().strip_prefix("listening on ").unwrap().to_owned();
        (child, base_url, lines)
    };
    let stop = |mut child: Child| {
        assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
        assert!(child.wait().unwrap().success());
    };

    let (child, base_url, mut lines) = serve();
    let said = lines.next().unwrap();
    assert!(said.ends_with(key_file.to_str().unwrap()), "{said}");
    let key = fs::read_to_string(&key_file).unwrap();
    assert!(!said.contains(key.trim()));
    assert_eq!(fs::metadata(&key_file).unwrap().permissions().mode() & 0o777, 0o600);
    let mut add = petstore(&home, &["pets", "add", "--name", "Rex", "--category-id", "3"]);
    let added = add.env("PETSTORE_BASE_URL", base_url).env("PETSTORE_API_KEY", key.trim()).output().unwrap();
    assert!(added.status.success(), "{}", stderr(&added));
    stop(child);

    fs::remove_file(&key_file).unwrap();
    let (child, _, mut lines) = serve();
    stop(child);
    assert_eq!(lines.next(), None);
    assert!(!key_file.exists());
}

/// The binary against a service elsewhere.
async fn against(base_url: &str, key: &str, arguments: &[&str]) -> Output {
    let home = home();
    let mut command = petstore(&home, arguments);
    command.env("PETSTORE_BASE_URL", base_url).env("PETSTORE_API_KEY", key);
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

#[tokio::test]
async fn d24_a_list_is_asked_for_again_when_the_service_was_busy() {
    let busy_once = serve(|number, _, mut socket| async move {
        let answer = match number {
            0 => json("503 Service Unavailable", r#"{"code":"busy","message":"not now","status":503}"#),
            _ => json("200 OK", r#"[{"id":7,"name":"Rex","categoryId":3}]"#),
        };
        let _ = socket.write_all(&answer).await;
    })
    .await;
    let listed = against(&busy_once.base_url, "petk_0123456789abcdef77d0", &["pets", "list", "-o", "ids"]).await;
    assert_eq!((stdout(&listed).as_str(), listed.status.code()), ("7\n", Some(0)), "{}", stderr(&listed));
    assert_eq!(busy_once.requests(), 2);
}

#[tokio::test]
async fn d21_an_add_whose_answer_got_lost_is_one_animal() {
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
fn help_and_version_are_on_stdout() {
    for arguments in [&["--help"][..], &["--version"], &["pets", "list", "--help"], &["serve", "--help"]] {
        let output = run(&home(), arguments);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
        assert!(!output.stdout.is_empty());
    }
}
