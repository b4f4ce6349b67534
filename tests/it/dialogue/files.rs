//! Importing a file.

use crate::prelude::*;

use super::Person;
use crate::service::fixture::Service;
use crate::stub::{always, impatient, json};

const FILE: &str = "name,category,status\nRex,1,sold\nLuna,one,\n,2,\nMax,3, Available \nRex,1,sold\n";

#[tokio::test]
async fn bad_rows_are_named_before_it_is_asked_whether_to_send() {
    let service = Service::start().await;
    let person = Person::of(&service);
    person.file("pets.csv", FILE);
    let lines = ["6", "nothing.csv", "~/pets.csv", "", "import", "~/pets.csv", "yes", "6", "~/pets.csv", "quit"];
    insta::assert_snapshot!(person.says(&lines).await);
    assert_eq!(service.get("/v1/pets").await.json().as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn columns_without_a_known_name_are_asked_for() {
    let service = Service::start().await;
    let person = Person::of(&service);
    person.file("pets.csv", "animal,kind\nRex,3\nMax,4\n");
    let lines = ["6", "'~/pets.csv'", "animal", "3", "three", "7", "y", "quit"];
    insta::assert_snapshot!(person.says(&lines).await);
}

#[tokio::test]
async fn rows_that_the_service_refuses_are_named_and_so_is_a_missing_file() {
    let stub = always(json("400 Bad Request", r#"{"code":"NO","message":"Not this one.","status":400}"#)).await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    person.file("pets.csv", "name,category\nRex,1\n");
    person.file("empty.csv", "");
    insta::assert_snapshot!(person.says(&["6", "~/empty.csv", "6", "~/pets.csv", "yes", "quit"]).await);
}

#[tokio::test]
async fn an_import_that_finds_no_service_sends_nothing_and_can_be_begun_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let person = Person::at(&base_url, "petk_0123456789abcdef77d0", Timeouts::default(), "");
    person.file("pets.csv", "name,category\nRex,1\n");
    let transcript = person.says(&["6", "~/pets.csv", "yes", "6", "~/pets.csv", "no", "quit"]).await;
    insta::assert_snapshot!(transcript);
}

/// Somebody in whose home directory a file of this name was imported before, and has other rows now.
async fn after_another(service: &Service, before: &str, now: &str) -> Person {
    let person = Person::of(service);
    let file = |rows: &str| person.file("week.csv", &format!("name,category\n{rows}"));
    file(before);
    let imported = tokio::process::Command::new(env!("CARGO_BIN_EXE_petstore"))
        .args(["pets", "import", "week.csv"])
        .env_clear()
        .envs([("PETSTORE_BASE_URL", &*service.server.base_url()), ("PETSTORE_API_KEY", service.key())])
        .env("HOME", person.directory.path())
        .current_dir(person.directory.path())
        .output();
    assert!(String::from_utf8(imported.await.unwrap().stderr).unwrap().contains(" added"));
    file(now);
    person
}

#[tokio::test]
async fn what_an_earlier_import_added_is_never_sent_again_unasked() {
    let three = "Ada,1\nBen,2\nCleo,3\n";
    for (before, now, answers, says, count) in [
        // Corrected: only that is sent.
        ("Ada,1\nBen,two\nCleo,3\n", three, &["yes", "yes"][..], "2 of 3 rows were added then", 3),
        // Corrected and longer: what is new is asked about.
        ("Ada,1\nBen,two\n", three, &["", "back"], "The file has 1 row more than when its import began", 1),
        ("Ada,1\nBen,two\n", three, &["1", "yes"], "1: skip 1 matching row, send the other 2", 3),
        // Done.
        (three, three, &[""], "every row was added.", 3),
        (three, three, &["yes", "yes"], "Add all of them again?", 6),
        // Another file.
        (three, "Dot,4\n", &["yes"], "was of another file. Its report is kept.", 4),
        // Half of another one: a choice that has no usual answer.
        (three, "Dot,4\nAda,1\n", &["", "back"], "1 of 2 rows match", 3),
        (three, "Dot,4\nAda,1\n", &["1", "yes"], "1: skip 1 matching row, send the other 1", 4),
        (three, "Dot,4\nAda,1\n", &["2", "yes"], "2: add all 2", 5),
    ] {
        let service = Service::start().await;
        let person = after_another(&service, before, now).await;
        let transcript = person.says(&[&["6", "~/week.csv"], answers, &["quit"]].concat()).await;
        assert!(transcript.contains(says), "{transcript}");
        let there = service.get("/v1/pets").await.json().as_array().unwrap().len();
        assert_eq!(there, count, "{transcript}");
    }
}
