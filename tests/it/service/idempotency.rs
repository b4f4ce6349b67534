//! Creations that happen once (4.7).

use crate::prelude::*;

use futures_util::future::select;

use super::fixture::{Answer, JSON, Service};

async fn names(service: &Service) -> Vec<String> {
    let pets = service.get("/v1/pets?limit=100").await.json();
    pets.as_array().unwrap().iter().map(|pet| pet["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_same_key_and_body_twice_is_one_pet_and_the_same_answer() {
    let service = Service::start().await;
    let first = service.post_once("k-1", REX).await;
    let second =
        service.post_once("k-1", "{ \"status\": \"available\", \"categoryId\": 1, \"name\": \"R\\u0065x\" }").await;
    assert_eq!((first.status, second.status), (201, 201));
    assert_eq!(first.text(), second.text());
    assert_eq!((first.header("idempotency-replayed"), second.header("idempotency-replayed")), (None, Some("true")));
    assert_eq!(names(&service).await, ["Rex"]);
}

#[tokio::test]
async fn the_same_key_in_parallel_is_one_pet() {
    let service = Service::start().await;
    for round in 0..20 {
        let key = format!("k-{round}");
        let body = format!(r#"{{"name":"Pet {round}","categoryId":1}}"#);
        let answers = join_all((0..8).map(|_| service.post_once(&key, &body))).await;
        let added: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
        assert!(!added.is_empty());
        assert!(added.iter().all(|answer| answer.text() == added[0].text()));
        assert_eq!(added.iter().filter(|answer| answer.header("idempotency-replayed").is_none()).count(), 1);
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            answer.is_error(409, "idempotency_in_progress");
        }
    }
    assert_eq!(names(&service).await.len(), 20);
}

#[tokio::test]
async fn while_the_first_one_runs_the_second_is_409_with_a_time_to_wait() {
    let service = Service::start().await;
    let (refused, added) = two_at_once(&service, "k", REX).await;
    refused.is_error(409, "idempotency_in_progress");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(added.status, 201);
    assert_eq!(service.post_once("k", REX).await.header("idempotency-replayed"), Some("true"));
    assert_eq!(names(&service).await, ["Rex"]);
}

/// Sends the same twice while another process keeps the database from being written, until one is answered. The answers
/// in the order in which they came.
pub async fn two_at_once(service: &Service, key: &str, body: &str) -> (Answer, Answer) {
    let other_process = service.locked();
    let (one, two) = (pin!(service.post_once(key, body)), pin!(service.post_once(key, body)));
    let (first, other) = select(one, two).await.factor_first();
    other_process.execute_batch("ROLLBACK").unwrap();
    (first, other.await)
}

#[tokio::test]
async fn what_was_refused_may_be_corrected_and_sent_with_the_same_key() {
    let service = Service::start().await;
    service.post_once("k", r#"{"name":"Rex"}"#).await.is_error(400, "invalid_category");
    let corrected = service.post_once("k", REX).await;
    assert_eq!((corrected.status, corrected.header("idempotency-replayed")), (201, None));
}

#[tokio::test]
async fn keys_that_are_too_old_go_away_as_others_come() {
    let service = Service::start().await;
    let (id, _) = service.new_key("write").await;
    let now = clock::now();
    let add = async |key: u64, days: u32| {
        let passed = Idempotency::RETENTION * days;
        let at = Now { mono: now.mono + passed, wall: now.wall + passed };
        let once = Idempotency { api_key: id, key: format!("{days}/{key}") };
        service.store.add_once(NewPet { name: "Rex".into(), category_id: 1, status: None }, once, at).await.unwrap();
    };
    for key in 0..20 {
        add(key, 0).await;
    }
    // Not each of them looks for old ones.
    for key in 0..100 {
        add(key, 3).await;
    }
    service.store.close().await;
    let kept: i64 = rusqlite::Connection::open(service.file())
        .unwrap()
        .query_row("SELECT COUNT(*) FROM idempotency_keys", [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, 100);
}

#[tokio::test]
async fn a_repeat_learns_what_became_of_the_first_also_while_nothing_can_be_written() {
    let service = Service::start().await;
    let first = service.post_once("k", REX).await;
    let _other_process = service.locked();
    assert_eq!(service.post_once("k", REX).await.text(), first.text());
}

#[tokio::test]
async fn a_creation_that_was_given_up_in_the_queue_is_not_made_and_can_be_asked_for_again() {
    let service = Service::start().await;
    let (id, _) = service.new_key("write").await;
    let other_process = service.locked();
    let once = || Idempotency { api_key: id, key: "k".into() };
    let rex = || NewPet { name: "Rex".into(), category_id: 1, status: None };
    let given_up = service.store.add_once(rex(), once(), clock::now());
    assert!(timeout(Duration::from_millis(20), given_up).await.is_err());
    let running = service.store.add_once(rex(), once(), clock::now()).await;
    assert!(matches!(running, Err(StoreError::IdempotencyInProgress)));
    other_process.execute_batch("ROLLBACK").unwrap();
    let added = loop {
        match service.store.add_once(rex(), once(), clock::now()).await {
            Err(StoreError::IdempotencyInProgress) => yield_now().await,
            added => break added.unwrap(),
        }
    };
    assert!(!added.replayed);
    assert_eq!(names(&service).await, ["Rex"]);
}

#[tokio::test]
async fn wrong_keys_are_400_and_every_answer_says_how_long_keys_are_kept() {
    let service = Service::start().await;
    service.post_once("not one word", REX).await.is_error(400, "invalid_parameter");
    let twice = [JSON, ("Idempotency-Key", "a"), ("Idempotency-Key", "b")];
    service.call("POST", "/v1/pets", &twice, REX).await.is_error(400, "invalid_parameter");
    for answer in [
        service.get("/v1/pets").await,
        service.get("/v1/pets?limit=0").await,
        service.post(REX).await,
        service.post("{}").await,
        service.call("DELETE", "/v1/pets", &[], "").await,
        service.send("GET", "/v1/pets", &[], "").await,
    ] {
        assert_eq!(answer.header("idempotency-key-retention"), Some("86400"), "{answer:?}");
    }
}
