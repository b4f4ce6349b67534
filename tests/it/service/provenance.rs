//! When and by which key a pet was added: for keys that may audit, and nobody else.

use crate::prelude::*;

use serde_json::json;

use super::fixture::Service;
use crate::sse::Events;

const PROVENANCE: &str = "/v1/pets/1/provenance";

/// What the service says of the pet 1, with the time that it was added.
async fn added_by(service: &Service) -> (Value, Value) {
    let body = service.get(PROVENANCE).await.json();
    assert_eq!(body["id"], 1);
    (body["addedAt"].clone(), body["addedBy"].clone())
}

#[tokio::test]
async fn a_pet_has_the_key_that_added_it_and_the_second_in_which_it_did() {
    for key in [None, Some("a")] {
        let service = Service::start().await;
        let (id, till) = service.new_key("write").await;
        let before = clock::now().wall.as_second();
        match key {
            None => assert_eq!(service.call_as(&till, "POST", "/v1/pets", REX).await.status, 201),
            Some(key) => {
                let bearer = format!("Bearer {till}");
                let headers =
                    [("Authorization", &*bearer), ("Content-Type", "application/json"), ("Idempotency-Key", key)];
                for _ in 0..2 {
                    assert_eq!(service.send("POST", "/v1/pets", &headers, REX).await.status, 201);
                }
            }
        }
        let (at, by) = added_by(&service).await;
        assert_eq!(by, json!({"key": id.to_string(), "name": "test"}));
        let at: Timestamp = at.as_str().unwrap().parse().unwrap();
        assert!((before..=clock::now().wall.as_second()).contains(&at.as_second()), "{at}");
        assert_eq!(service.get("/v1/pets/1").await.json()["addedBy"], Value::Null, "a pet is what it was");
    }
}

#[tokio::test]
async fn the_app_calls_its_own_store_this_app() {
    let service = Service::start().await;
    service.post(REX).await;
    assert_eq!(added_by(&service).await.1, json!({"key": "thisprog", "name": "this app"}));
}

#[tokio::test]
async fn only_a_key_that_may_audit_learns_who_added_a_pet() {
    let service = Service::start().await;
    service.post(REX).await;
    for (scopes, status) in [("read", 403), ("write", 403), ("audit", 200), ("read audit", 200), ("admin", 200)] {
        let (_, key) = service.new_key(scopes).await;
        let answer = service.call_as(&key, "GET", PROVENANCE, "").await;
        assert_eq!(answer.status, status, "{scopes}");
        if status == 403 {
            answer.is_error(403, "forbidden");
            assert!(answer.text().contains("audit"), "{}", answer.text());
        }
    }
    let (_, audit) = service.new_key("audit").await;
    service.call_as(&audit, "GET", "/v1/pets/1", "").await.is_error(403, "forbidden");
    service.send("GET", PROVENANCE, &[], "").await.is_error(401, "unauthorized");
    service.get("/v1/pets/2/provenance").await.is_error(404, "not_found");
    service.get("/v1/pets/x/provenance").await.is_error(404, "not_found");
    service.call("POST", PROVENANCE, &[], "").await.is_error(405, "method_not_allowed");
    let known = service.get(PROVENANCE).await;
    let headers = [("If-None-Match", known.header("etag").unwrap())];
    assert_eq!(service.call("GET", PROVENANCE, &headers, "").await.status, 304);
}

#[tokio::test]
async fn the_events_of_a_key_that_may_audit_say_who_added_a_pet_and_those_of_others_do_not() {
    let service = Service::start().await;
    let (id, till) = service.new_key("read write").await;
    let address = service.server.local_addr();
    let target = "/v1/pets/events?after=0";
    let data = async |events: &mut Events| -> Value {
        loop {
            if let Some(data) = events.block().await.unwrap().data {
                return serde_json::from_str(&data).unwrap();
            }
        }
    };
    let mut live =
        [Events::open(address, service.key(), target, &[]).await, Events::open(address, &till, target, &[]).await];
    service.call_as(&till, "POST", "/v1/pets", REX).await;
    let mut later =
        [Events::open(address, service.key(), target, &[]).await, Events::open(address, &till, target, &[]).await];
    let (at, by) = added_by(&service).await;
    assert_eq!(by["key"], id.to_string());
    let pet = service.get("/v1/pets/1").await.json();
    for [auditor, other] in [&mut live, &mut later] {
        assert_eq!(data(other).await, pet);
        let mut whole = pet.clone();
        whole["addedAt"] = at.clone();
        whole["addedBy"] = by.clone();
        assert_eq!(data(auditor).await, whole);
    }
}
