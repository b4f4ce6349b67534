//! `petstore pets import` and `export` as scripts use them.

use crate::prelude::*;

use std::os::unix::fs::symlink;

use crate::cli::fixture::{self, with_stdin};
use crate::stub::{json, serve};

pub(super) fn petstore(home: &TempDir, arguments: &[&str]) -> Command {
    let mut command = fixture::petstore(home, arguments);
    command.current_dir(home.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(super) fn run(home: &TempDir, arguments: &[&str]) -> Output {
    petstore(home, arguments).output().unwrap()
}

/// Exit status and what is on stderr.
pub(super) fn said(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8(output.stderr.clone()).unwrap())
}

pub(super) fn home_with(name: &str, text: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(name), text).unwrap();
    home
}

const ARRIVALS: &str =
    "pet_name;cat;state;notes\nBiscuit;3;Available ;Tuesday\n;3;;\nTank;three;;\nBiscuit;3;available;\n";

#[test]
fn a_dry_run_says_everything_and_sends_nothing() {
    let home = home_with("new.csv", ARRIVALS);
    let expected = "line 3: column pet_name: Name is required: 1 to 255 characters, not all blank.\n\
        line 4: column cat: \"three\" is not a number. Type digits, for example 3.\n\
        4 rows: 2 fine, 2 need fixing; 1 status value corrected; 1 duplicate. Nothing was sent\n";
    assert_eq!(said(&run(&home, &["pets", "import", "new.csv", "--dry-run"])), (Some(3), expected.to_owned()));
    assert_eq!(said(&with_stdin(petstore(&home, &["pets", "import", "-", "--dry-run"]), ARRIVALS)).1, expected);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}

#[test]
fn quiet_leaves_only_what_went_wrong() {
    let home = home_with("good.csv", "name,cat\nRex,3\n");
    fs::write(home.path().join("bad.csv"), "name,cat\n,3\n").unwrap();
    for good in [&["import", "good.csv", "--dry-run"][..], &["import", "good.csv"], &["export", "all.csv"]] {
        let output = run(&home, &[&["-q", "pets"], good].concat());
        assert_eq!(said(&output), (Some(0), String::new()), "{good:?}");
    }
    let (status, text) = said(&run(&home, &["pets", "import", "bad.csv", "--quiet"]));
    assert!(status == Some(7) && text.starts_with("line 2: column name: ") && text.contains("1 not sent"), "{text}");
}

#[test]
fn an_import_adds_the_good_rows_once() {
    let home = home_with("new.csv", ARRIVALS);
    let (status, text) = said(&run(&home, &["pets", "import", "new.csv"]));
    assert_eq!(status, Some(3), "{text}");
    let end = "4 rows: 2 fine, 2 need fixing; 1 status value corrected; 1 duplicate\n2 added, 2 not sent\n\
        report: new.csv.petstore-import.ndjson\nto fix the others: edit new.csv and import it again, which \
        sends only them; or write them to a new file: petstore pets import new.csv --resume --rejects CSV\n";
    assert!(text.ends_with(end), "{text}");
    for again in [&["pets", "import", "new.csv"][..], &["pets", "import", "new.csv", "--resume"]] {
        let (status, text) = said(&run(&home, again));
        assert!(status == Some(3) && text.contains("2 added before, 2 not sent"), "{text}");
    }
    let list = run(&home, &["pets", "export"]);
    let csv = "id,name,categoryId,status\n1,Biscuit,3,available\n2,Biscuit,3,available\n";
    assert_eq!(String::from_utf8(list.stdout.clone()).unwrap(), csv);
    assert_eq!(said(&list), (Some(0), "2 pets from 1 request: all that the service lists.\n".to_owned()));
}

#[test]
fn rows_that_were_not_added_are_corrected_and_imported() {
    let home = home_with("new.csv", ARRIVALS);
    let (status, text) = said(&run(&home, &["pets", "import", "new.csv", "--dry-run", "--rejects", "bad.csv"]));
    assert!(status == Some(3) && text.ends_with("Nothing was sent\n2 rows to fix: bad.csv\n"), "{text}");
    let (status, text) = said(&run(&home, &["pets", "import", "new.csv", "--rejects", "bad.csv"]));
    assert!(status == Some(2) && text.contains("bad.csv already exists") && text.contains("--force"), "{text}");
    let (status, text) = said(&run(&home, &["pets", "import", "new.csv", "--rejects", "bad.csv", "--force"]));
    assert!(status == Some(3) && text.ends_with("2 rows to fix: bad.csv\n"), "{text}");
    let bad = fs::read_to_string(home.path().join("bad.csv")).unwrap();
    assert!(
        bad.starts_with("why not added,name,categoryId,status,notes\n\"line 3: column pet_name: Name is required"),
        "{bad}"
    );
    let corrected = bad.replace(",,3,", ",Rex,3,").replace("Tank,three", "Tank,4");
    fs::write(home.path().join("bad.csv"), corrected).unwrap();
    let (status, text) = said(&run(&home, &["pets", "import", "bad.csv", "--rejects", "worse.csv"]));
    assert!(status == Some(0) && text.contains("2 added") && text.ends_with("no rows need fixing\n"), "{text}");
    assert!(home.path().join("worse.csv").metadata().is_err());
    // Sent side by side, they may have got their ids in either order.
    let list = String::from_utf8(run(&home, &["pets", "export"]).stdout).unwrap();
    assert!(list.contains(",Rex,3,available\n") && list.contains(",Tank,4,available\n"), "{list}");
}

#[test]
fn what_is_missing_or_wrong_is_reported_with_its_remedy() {
    let home = home_with("new.csv", "Rex,3\n");
    for (arguments, status, says) in [
        (&["new.csv"][..], 2, "--map name=COLUMN"),
        (&["new.csv", "--map", "name=who"], 2, "no column \"who\" for name. The columns are Rex, 3"),
        (&["new.csv", "--map", "colour=x"], 2, "the fields are name, categoryId and status"),
        (&["new.csv", "--set", "status=gone"], 2, "status must be available, pending or sold"),
        (&["new.csv", "--resume"], 2, "Run without --resume"),
        (&["-", "--resume"], 2, "name it with --report"),
        (&["-", "--rejects", "bad.csv"], 2, "standard input can be read only once"),
        (&["absent.csv"], 1, "cannot read absent.csv"),
        (&["new.csv", "--concurrency", "17"], 2, "1..=16"),
    ] {
        let (code, text) = said(&run(&home, &[&["pets", "import"], arguments].concat()));
        assert!(code == Some(status) && text.contains(says), "{arguments:?}: {code:?} {text}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_file()).count(), 1);
}

#[test]
fn a_protected_profile_is_not_added_to_unasked() {
    let home = home_with("new.csv", "name,cat\nRex,3\n");
    let config = "[profiles.live]\nbase_url = \"http://127.0.0.1:9/v1\"\nkey = { env = \"K\" }\nprotect = true\n";
    fs::write(home.path().join("c.toml"), config).unwrap();
    let with = |arguments: &[&str]| {
        let all = [&["--config", "c.toml", "-p", "live", "pets", "import", "new.csv"], arguments].concat();
        said(&petstore(&home, &all).env("K", "petk_0123456789abcdef77d0").output().unwrap())
    };
    let (status, text) = with(&[]);
    assert!(status == Some(2) && text.contains("--yes"), "{text}");
    let (status, text) = with(&["--yes"]);
    assert!(status == Some(6) && text.contains("No connection to 127.0.0.1:9"), "{text}");
    assert!(home.path().join("new.csv.petstore-import.ndjson").metadata().is_err(), "nothing was begun");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_goes_away_is_waited_for_quietly_and_then_left_with_the_way_on() {
    let stub = serve(|number, request, mut socket| async move {
        let answer = match number {
            _ if request.starts_with("GET") => json("200 OK", "[]"),
            0..3 => json("201 Created", r#"{"id":1,"name":"Rex","categoryId":3}"#),
            _ => json("503 Service Unavailable", r#"{"code":"busy","message":"not now","status":503}"#),
        };
        let keeps_keys = "idempotency-key-retention: 86400\r\ncontent-type";
        let answer = String::from_utf8(answer).unwrap().replacen("content-type", keeps_keys, 1);
        let _ = AsyncWriteExt::write_all(&mut socket, answer.as_bytes()).await;
    })
    .await;
    let home = home_with("new.csv", &format!("name,cat\n{}", "Rex,3\n".repeat(9)));
    let mut command = petstore(&home, &["pets", "import", "new.csv", "--wait", "1s"]);
    command.env("PETSTORE_BASE_URL", &stub.base_url).env("PETSTORE_API_KEY", "petk_0123456789abcdef77d0");
    let (status, text) = said(&tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
    assert_eq!(status, Some(6), "{text}");
    assert!(text.contains("continue with: petstore pets import new.csv --resume"), "{text}");
    assert!(text.matches(" 503 ").count() <= 5, "not a line for each try, only for the four rows under way: {text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_cleanly_and_says_how_to_go_on() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let stub = serve(|number, request, mut socket| async move {
            if request.starts_with("GET") || number < 4 {
                let body = if request.starts_with("GET") { "[]" } else { r#"{"id":1,"name":"a","categoryId":3}"# };
                let status = if request.starts_with("GET") { "200 OK" } else { "201 Created" };
                let _ = AsyncWriteExt::write_all(&mut socket, &json(status, body)).await;
            } else {
                std::future::pending::<()>().await;
            }
        })
        .await;
        let home = home_with("new.csv", &format!("name,cat\n{}", "Rex,3\n".repeat(50)));
        let mut command = petstore(&home, &["pets", "import", "new.csv", "--concurrency", "1"]);
        command.env("PETSTORE_BASE_URL", &stub.base_url).env("PETSTORE_API_KEY", "petk_0123456789abcdef77d0");
        let mut child = command.spawn().unwrap();
        while stub.requests() < 5 {
            yield_now().await;
        }
        let ended = tokio::task::spawn_blocking(move || {
            let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
            let pid = Pid::from_child(&child);
            kill_process(pid, signal).unwrap();
            while !lines.next().unwrap().starts_with("stopping after the rows being sent") {}
            // The second one does not wait for the answer that never comes.
            kill_process(pid, signal).unwrap();
            let text: Vec<String> = lines.collect();
            (child.wait().unwrap().code(), text.join("\n"))
        });
        let (status, text) = ended.await.unwrap();
        assert_eq!(status, Some(code), "{text}");
        assert!(text.lines().any(|line| line == "stopped"), "{text}");
        assert!(text.contains("3 added, 1 unknown, 46 left"), "{text}");
        assert!(text.contains("continue with: petstore pets import new.csv --resume"), "{text}");
    }
}

#[test]
fn files_of_one_stem_have_reports_of_their_own() {
    let home = home_with("new.csv", "name,cat\nRex,3\n");
    fs::write(home.path().join("new.ndjson"), "{\"name\":\"Tom\",\"categoryId\":3}\n").unwrap();
    for name in ["new.csv", "new.ndjson"] {
        let (status, text) = said(&run(&home, &["pets", "import", name]));
        assert!(status == Some(0) && text.contains("\n1 added\n"), "{text}");
    }
    let report = "new.csv.petstore-import.ndjson";
    let (status, text) = said(&run(&home, &["pets", "import", "new.ndjson", "--report", report, "--resume"]));
    assert!(status == Some(2) && text.contains("the report of another file"), "{text}");
    assert_eq!(run(&home, &["pets", "list", "--format", "ids"]).stdout.len(), "1\n2\n".len());
}

#[test]
fn what_is_no_file_is_never_replaced_and_an_unknown_ending_is_refused() {
    let home = home_with("new.csv", "name,cat\nRex,three\n");
    symlink("/dev/null", home.path().join("nul")).unwrap();
    assert!(Command::new("mkfifo").arg(home.path().join("pipe")).status().unwrap().success());
    for (name, what) in [("nul", "a device"), (".", "a directory"), ("pipe", "a pipe")] {
        for force in [&[][..], &["--force"]] {
            let (status, text) = said(&run(&home, &[&["--demo", "pets", "export", name], force].concat()));
            let says = format!("{name} is {what} and cannot be overwritten. Choose another name");
            assert!(status == Some(2) && text.contains(&says) && text.contains("export -"), "{text}");
            let import = ["pets", "import", "new.csv", "--dry-run", "--rejects", name];
            let (status, text) = said(&run(&home, &[&import, force].concat()));
            assert!(status == Some(2) && text.contains(&says), "{text}");
        }
        let (status, text) = said(&run(&home, &["pets", "import", "new.csv", "--report", name]));
        assert!(status == Some(2) && text.contains(what), "{text}");
    }
    let (status, text) = said(&run(&home, &["--demo", "pets", "export", "all.xlsx"]));
    assert!(status == Some(2) && text.contains(".csv, .tsv, .json, .ndjson, .jsonl"), "{text}");
    assert!(home.path().join("all.xlsx").metadata().is_err());
    let (status, text) = said(&run(&home, &["--demo", "pets", "export", "all.xlsx", "--format", "csv"]));
    assert_eq!(status, Some(0), "{text}");
}

#[test]
fn what_is_imported_and_its_report_are_not_replaced_by_what_is_to_be_corrected() {
    let home = home_with("new.csv", ARRIVALS);
    symlink("new.csv", home.path().join("link.csv")).unwrap();
    let report = "new.csv.petstore-import.ndjson";
    for (to, what) in [
        ("new.csv", "the file that is imported"),
        ("link.csv", "the file that is imported"),
        (report, "the report of this import"),
    ] {
        for force in [&[][..], &["--force"]] {
            let (status, text) = said(&run(&home, &[&["pets", "import", "new.csv", "--rejects", to], force].concat()));
            assert!(status == Some(2) && text.contains(&format!("{to} is {what} and is not overwritten")), "{text}");
        }
        let (status, text) = said(&run(&home, &["pets", "import", "new.csv", "--dry-run", "--rejects", to, "--force"]));
        assert!(status == Some(2) && text.contains("is not overwritten"), "{text}");
    }
    assert_eq!(fs::read_to_string(home.path().join("new.csv")).unwrap(), ARRIVALS);
    assert!(!home.path().join(report).exists(), "nothing was begun");
}

#[test]
fn the_file_behind_a_link_is_replaced_and_a_link_to_nothing_is_named() {
    let home = home_with("old.csv", "old");
    fs::create_dir(home.path().join("there")).unwrap();
    fs::rename(home.path().join("old.csv"), home.path().join("there/old.csv")).unwrap();
    symlink("there/old.csv", home.path().join("link.csv")).unwrap();
    symlink("there/absent.csv", home.path().join("lost.csv")).unwrap();
    let export = |to: &str| said(&run(&home, &["--demo", "pets", "export", to, "--force"]));
    let (status, text) = export("link.csv");
    assert_eq!(status, Some(0), "{text}");
    assert!(fs::symlink_metadata(home.path().join("link.csv")).unwrap().is_symlink());
    assert!(fs::read_to_string(home.path().join("there/old.csv")).unwrap().starts_with("id,name,"));
    let (status, text) = export("lost.csv");
    assert!(status == Some(1) && text.contains("cannot write lost.csv: No such file"), "{text}");
}

#[test]
fn an_export_to_a_closed_pipe_ends_quietly() {
    let home = tempfile::tempdir().unwrap();
    let mut child = petstore(&home, &["--demo", "pets", "export"]).spawn().unwrap();
    drop(child.stdout.take());
    let (status, text) = said(&child.wait_with_output().unwrap());
    assert_eq!((status, text.contains("cannot")), (Some(0), false), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_who_added_pets_fails_when_the_stream_falls_silent_before_the_last_pet() {
    let (broken, whole) = tokio::join!(exported_from_a_silent_stream(9), exported_from_a_silent_stream(8));
    assert_eq!((broken.0, broken.2), (Some(6), None), "{}", broken.1);
    assert!(broken.1.contains("No answer from"), "{}", broken.1);
    // Pet 9 was removed meanwhile.
    assert_eq!(whole.0, Some(0), "{}", whole.1);
    let rows = "id,name,categoryId,status,by,at\n7,Rex,3,,till 1,\n9,Tank,3,,,\n";
    assert_eq!(whole.2.as_deref(), Some(rows));
}

/// Exports the pets 7 and 9, with who added them, of a service whose stream falls silent after pet 7 and whose last pet
/// is `last`. How that ended, and the file.
async fn exported_from_a_silent_stream(last: u8) -> (Option<i32>, String, Option<String>) {
    let stub = serve(move |_, request, mut socket| async move {
        let is_stream = request.starts_with("GET /v1/pets/events");
        let begin = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let after = request.split_once("?after=").map(|(_, after)| after.split(' ').next().unwrap());
        let answer = match after {
            _ if !is_stream => {
                let pets = r#"[{"id":7,"name":"Rex","categoryId":3},{"id":9,"name":"Tank","categoryId":3}]"#;
                let list = String::from_utf8(json("200 OK", pets)).unwrap();
                list.replacen("content-type", "pets-events: /v1/pets/events\r\ncontent-type", 1)
            }
            None => format!("{begin}id: {last}\n\n"),
            Some("6") => {
                let by = r#""addedAt":null,"addedBy":{"key":"AB12cd34","name":"till 1"}"#;
                let pet = format!(r#"{{"id":7,"name":"Rex","categoryId":3,{by}}}"#);
                format!("{begin}id: 6\n\nevent: pet.added\nid: 7\ndata: {pet}\n\n")
            }
            Some(after) => format!("{begin}id: {after}\n\n"),
        };
        let _ = AsyncWriteExt::write_all(&mut socket, answer.as_bytes()).await;
        if is_stream {
            std::future::pending::<()>().await;
        }
    })
    .await;
    let home = tempfile::tempdir().unwrap();
    let mut command = petstore(&home, &["pets", "export", "all.csv", "--require-complete", "--provenance"]);
    command.env("PETSTORE_BASE_URL", &stub.base_url).env("PETSTORE_API_KEY", "petk_0123456789abcdef77d0");
    let (status, text) = said(&tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap());
    (status, text, fs::read_to_string(home.path().join("all.csv")).ok())
}
