//! `petstore pets watch`.

use crate::prelude::*;

use super::fixture::*;
use crate::stub::{header, json, serve};

#[test]
fn of_a_view_only_its_pets_are_printed() {
    let served = Served::start();
    let config = tempfile::NamedTempFile::new().unwrap();
    fs::write(&config, "[[views]]\nname = \"cats\"\nsearch = \"cat:3\"\nstatus = \"sold\"\n").unwrap();
    let config = config.path().to_str().unwrap();
    let view = ["watch", "--interval", "1s", "--view", "cats", "-o", "jsonl", "--config", config];
    let (_running, mut lines, mut told) = started(&served, &view);
    let first = told.next().unwrap();
    assert!(first.starts_with("watching "), "{first}");
    for (name, category, status) in [("Rex", "1", "sold"), ("Tom", "3", "pending"), ("Zoë", "3", "sold")] {
        served.run(&["pets", "add", "--name", name, "--category-id", category, "-s", status]);
    }
    let line = lines.next().unwrap();
    assert!(line.contains("Zoë"), "{line}");
}

#[tokio::test]
async fn changes_are_printed_across_an_outage_which_is_reported_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let conditional = Arc::clone(&asked);
    let service = serve(move |number, request, mut socket| {
        let list = |tag: &str, rows: &str| {
            let text = String::from_utf8(json("200 OK", rows)).unwrap();
            text.replace("content-type", &format!("etag: \"{tag}\"\r\ncontent-type")).into_bytes()
        };
        let is_known = header(&request, "if-none-match").is_some();
        conditional.fetch_add(usize::from(is_known), Ordering::SeqCst);
        let answer = match number {
            0 => {
                list("a", r#"[{"id":1,"name":"a","categoryId":1},{"id":2,"name":"b","categoryId":1,"status":"sold"}]"#)
            }
            1 | 2 => json("503 Service Unavailable", "{}"),
            3 => list(
                "b",
                r#"[{"id":2,"name":"b","categoryId":1,"status":"pending"},{"id":3,"name":"c","categoryId":1}]"#,
            ),
            _ => b"HTTP/1.1 304 Not Modified\r\nconnection: close\r\n\r\n".to_vec(),
        };
        async move {
            let _ = socket.write_all(&answer).await;
        }
    })
    .await;
    let watch = ["pets", "watch", "--interval", "1s", "--timeout", "6s", "--format", "ndjson"];
    let (status, lines, said) = all(&against(&service.base_url, KEY, &watch).await);
    assert_eq!(status, Some(9), "{said}");
    let changes: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = changes
        .iter()
        .map(|change| (change["change"].as_str().unwrap(), change["pet"]["id"].as_i64().unwrap()))
        .collect();
    assert_eq!(told, [("changed", 2), ("new", 3), ("gone", 1)]);
    assert_eq!((&changes[0]["before"]["status"], &changes[0]["pet"]["status"]), (&"sold".into(), &"pending".into()));
    let said: Vec<_> = said.lines().collect();
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(said[0].starts_with("watching 2 pets of "), "{said:?}");
    assert!(said[1].ends_with("Retrying at growing intervals."), "{said:?}");
    assert!(said[2].ends_with(" is answering again"), "{said:?}");
    assert_eq!(said[3], "stopped: the timeout is over");
    assert!(asked.load(Ordering::SeqCst) >= 3, "the entity tag is shown each time");
}

#[tokio::test]
async fn a_service_that_is_not_there_at_the_start_and_a_key_that_is_refused_later_end_it() {
    let nobody = against("http://127.0.0.1:1/v1", KEY, &["pets", "watch"]).await;
    fails_cleanly(&nobody, 6, "No connection to 127.0.0.1:1");
    let revoked = serve(|number, _, mut socket| async move {
        let answer = if number == 0 { json("200 OK", "[]") } else { json("401 Unauthorized", "{}") };
        let _ = socket.write_all(&answer).await;
    })
    .await;
    fails_cleanly(&against(&revoked.base_url, KEY, &["pets", "watch", "-i", "1s", "-q"]).await, 4, "the API key");
    let often = against(&revoked.base_url, KEY, &["pets", "watch", "--interval", "0s"]).await;
    fails_cleanly(&often, 2, "the minimum is 1s");
}

#[test]
fn a_list_goes_on_as_a_watch() {
    let served = Served::start();
    let (_running, mut lines, mut said) = started(&served, &["list", "--all", "--watch", "-o", "ndjson"]);
    let begun = said.next().unwrap();
    assert!(
        begun.starts_with("watching 127.0.0.1") && begun.ends_with(" for new and changed pets after 30"),
        "{begun}"
    );
    assert_eq!(lines.by_ref().take(30).filter(|line| line.starts_with("{\"id\":")).count(), 30);
    assert_eq!(served.run(&["pets", "add", "--name", "Rex", "--category-id", "3"]).status.code(), Some(0));
    let line = lines.next().unwrap();
    assert!(line.contains("\"name\":\"Rex\"") && line.contains("\"change\":"), "{line}");
}

/// A command of pets that goes on, and what it writes to standard output and standard error.
fn started(served: &Served, words: &[&str]) -> (Running, Lines, Lines) {
    let mut command = served.petstore(&[&["pets"], words].concat());
    let mut running = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let (out, told) = (lines(running.0.stdout.take().unwrap()), lines(running.0.stderr.take().unwrap()));
    (running, out, told)
}

/// A watch by events.
fn watching(served: &Served, more: &[&str]) -> (Running, Lines, Lines) {
    started(served, &[&["watch"], more].concat())
}

fn interrupt(running: &mut Running) {
    signal(&running.0, Signal::INT);
    assert_eq!(running.0.wait().unwrap().code(), Some(130));
}

#[test]
fn a_watch_begins_after_a_pet_and_nothing_is_asked_again() {
    let served = Served::start();
    let (mut running, mut lines, mut told) = watching(&served, &["--from", "28", "-o", "ndjson"]);
    let begun = told.next().unwrap();
    assert!(
        begun.starts_with("watching 127.0.0.1") && begun.ends_with(" for new and changed pets after 28"),
        "{begun}"
    );
    assert_eq!(served.run(&["pets", "add", "--name", "Rex", "--category-id", "3"]).status.code(), Some(0));
    let ids: Vec<_> = lines
        .by_ref()
        .take(3)
        .map(|line| serde_json::from_str::<Value>(&line).unwrap()["pet"]["id"].as_i64())
        .collect();
    assert_eq!(ids, [Some(29), Some(30), Some(31)]);
    interrupt(&mut running);
    let (mut running, lines, _) = watching(&served, &["--from", "28", "-o", "ndjson", "--once"]);
    assert_eq!((lines.count(), running.0.wait().unwrap().code()), (1, Some(0)));
}

#[test]
fn a_watch_after_a_pet_that_is_not_there_any_more_says_so_and_goes_on_after_the_last_one() {
    let served = Served::start();
    for exec in [&["-o", "ndjson"][..], &["--exec", "cat"]] {
        let words = [&["--from", "500"], exec].concat();
        let (mut running, mut lines, mut told) = watching(&served, &words);
        assert!(told.next().unwrap().ends_with(" for new and changed pets after 500"));
        let lost = told.next().unwrap();
        assert!(lost.contains(" has lost pets, for example because a backup was restored. Watching for"), "{lost}");
        let added = served.run(&["pets", "add", "--name", "Rex", "--category-id", "3", "-o", "ids"]);
        let id = format!("\"id\":{},", stdout(&added).trim());
        let line = lines.next().unwrap();
        assert!(line.contains(&id), "{line}");
        interrupt(&mut running);
    }
}

#[test]
fn a_command_gets_each_new_pet_without_a_shell_and_one_that_fails_does_not_stop_the_stream() {
    let served = Served::start();
    let read = served.home.path().join("read");
    let script = format!("cat >> {}; exit 3", read.display());
    let exec = ["--from", "29", "--exec", "/bin/sh", "-c", &script, "$HOME; --state"];
    let (mut running, _, mut told) = watching(&served, &exec);
    assert!(told.next().unwrap().starts_with("watching"));
    assert!(told.next().unwrap().starts_with("pet 30: /bin/sh failed (exit status: 3)"));
    assert_eq!(served.run(&["pets", "add", "--name", "$(id) \"'", "--category-id", "3"]).status.code(), Some(0));
    assert!(told.next().unwrap().starts_with("pet 31: /bin/sh failed"));
    interrupt(&mut running);
    let text = fs::read_to_string(read).unwrap();
    let pets: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((pets.len(), &pets[1]["name"]), (2, &"$(id) \"'".into()));
    let missing = served.run(&["pets", "watch", "--from", "29", "-q", "--exec", "/nonexistent/print"]);
    fails_cleanly(&missing, 2, "cannot run /nonexistent/print for pet 30: ");
}

#[test]
fn changes_of_pets_are_printed_with_what_they_were_and_a_command_gets_them_too() {
    let served = Served::start();
    let read = served.home.path().join("read");
    let script = format!("cat >> {}; exit 3", read.display());
    let (mut running, mut lines, mut begun) = watching(&served, &["--from", "30"]);
    let exec = ["--from", "30", "--exec", "/bin/sh", "-c", &script];
    let (mut executing, _, mut told) = watching(&served, &exec);
    assert!(begun.next().unwrap().starts_with("watching") && told.next().unwrap().starts_with("watching"));
    // Once its addition is printed, the watch has begun.
    assert_eq!(served.run(&["pets", "add", "--name", "Rex", "--category-id", "3"]).status.code(), Some(0));
    assert_eq!(&lines.next().unwrap()[8..], "  + 31  Rex  3  available");
    assert!(told.next().unwrap().starts_with("pet 31: /bin/sh failed"));
    let sold = served.run(&["pets", "set", "31", "--status", "sold", "--name", "Röx"]);
    assert_eq!(sold.status.code(), Some(0));
    assert_eq!(served.run(&["pets", "set", "31", "--status", "pending"]).status.code(), Some(0));
    assert_eq!(&lines.next().unwrap()[8..], "  * 31  Röx  3  sold  (name was Rex, status was available)");
    assert_eq!(&lines.next().unwrap()[8..], "  * 31  Röx  3  pending  (status was sold)");
    for _ in 0..2 {
        assert!(told.next().unwrap().starts_with("pet 31: /bin/sh failed"));
    }
    interrupt(&mut running);
    interrupt(&mut executing);
    let text = fs::read_to_string(read).unwrap();
    let pets: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<_> = pets.iter().map(|pet| pet["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["available", "sold", "pending"]);
}

/// Starts a watch whose command for pet 30 has a child, and waits until that runs. Returns the id of the child, too.
fn with_a_command_that_hangs(served: &Served, more: &[&str]) -> (Running, String) {
    let file = served.home.path().join("child");
    let script = format!("sleep 600 & echo $! > {0}.new; mv {0}.new {0}; wait", file.display());
    let exec = [&["--from", "29"], more, &["--exec", "/bin/sh", "-c", &script]].concat();
    let (running, ..) = watching(served, &exec);
    while !file.exists() {
        thread::yield_now();
    }
    let child = fs::read_to_string(&file).unwrap().trim().to_owned();
    fs::remove_file(&file).unwrap();
    (running, child)
}

fn is_running(id: &str) -> bool {
    // A zombie is one that nobody has waited for.
    fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
#[cfg(target_os = "linux")]
fn a_command_ends_with_its_children_when_the_watch_is_stopped_or_its_time_is_over() {
    let served = Served::start();
    for (stop, status) in [(Some(Signal::TERM), 143), (Some(Signal::INT), 130), (None, 9)] {
        let limit = ["--timeout", if stop.is_some() { "1h" } else { "3s" }];
        let (mut running, child) = with_a_command_that_hangs(&served, &limit);
        if let Some(stop) = stop {
            signal(&running.0, stop);
        }
        assert_eq!(running.0.wait().unwrap().code(), Some(status), "{stop:?}");
        while is_running(&child) {
            thread::yield_now();
        }
    }
}

#[tokio::test]
async fn where_no_events_are_offered_a_watch_polls_and_cannot_promise_a_place() {
    let polled = against_answer(json("200 OK", "[]"), &["pets", "watch", "--timeout", "1s"]).await;
    let (status, _, told) = all(&polled);
    assert_eq!((status, told.starts_with("watching 0 pets of ")), (Some(9), true), "{told}");
    let from = against_answer(json("200 OK", "[]"), &["pets", "watch", "--from", "3"]).await;
    fails_cleanly(&from, 2, "--from cannot be used: ");
}
