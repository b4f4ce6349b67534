//! `petstore pets watch`.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncWriteExt as _;

use super::fixture::{KEY, Running, Served, against, all, fails_cleanly, stdout};
use crate::stub::{header, json, serve};

#[test]
fn what_is_added_is_told_and_ctrl_c_ends_it() {
    let served = Served::start();
    let mut command = served.petstore(&["pets", "watch", "--interval", "1s"]);
    let mut running = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let child = &mut running.0;
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let first = said.next().unwrap();
    assert!(first.starts_with("watching 30 pets of 127.0.0.1"), "{first}");
    let added = served.run(&["pets", "add", "--name", "Zoë", "--category-id", "3", "-s", "sold", "-o", "ids"]);
    assert_eq!(stdout(&added), "31\n");
    let line = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    assert_eq!(&line[8..], "  + 31  Zoë  3  sold", "{line}");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(said.next(), None);
}

#[tokio::test]
async fn changes_are_told_across_an_outage_which_is_said_once() {
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
    let changes: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
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
    let mut command = served.petstore(&["pets", "list", "--all", "--watch", "-o", "ndjson"]);
    let mut running = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let child = &mut running.0;
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.next().unwrap().starts_with("watching 30 pets"));
    assert_eq!(lines.by_ref().take(30).filter(|line| line.starts_with("{\"id\":")).count(), 30);
    assert_eq!(served.run(&["pets", "add", "--name", "Rex", "--category-id", "3"]).status.code(), Some(0));
    let line = lines.next().unwrap();
    assert!(line.contains("\"name\":\"Rex\"") && line.contains("\"change\":"), "{line}");
}
