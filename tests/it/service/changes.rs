//! Changes of pets: what is changed, what is refused, and who learns of it.

use crate::prelude::*;

use serde_json::json;

use super::fixture::{Answer, Service};
use crate::sse::Events;

const SELL: &str =
    r#"[{"op":"test","path":"/status","value":"available"},{"op":"replace","path":"/status","value":"sold"}]"#;

impl Service {
    async fn patch(&self, id: i64, body: &str, headers: &[(&str, &str)]) -> Answer {
        let bearer = self.bearer();
        let own = [("Authorization", &*bearer), ("Content-Type", "application/json-patch+json")];
        self.send("PATCH", &format!("/v1/pets/{id}"), &[&own, headers].concat(), body).await
    }
}

fn rex(status: &str) -> Value {
    json!({"id": 1, "name": "Rex", "categoryId": 1, "status": status})
}

#[tokio::test]
async fn a_sale_is_made_once_and_whoever_comes_second_learns_of_it() {
    let service = Service::start().await;
    service.post(REX).await;
    let sold = service.patch(1, SELL, &[]).await;
    assert_eq!((sold.status, sold.json()), (200, rex("sold")));
    let second = service.patch(1, SELL, &[]).await;
    second.is_error(409, "changed");
    assert_eq!(second.json()["pet"], rex("sold"));
    assert_eq!(service.get("/v1/pets?status=sold").await.json(), json!([rex("sold")]));
    assert_eq!(service.get("/v1/pets?status=available").await.json(), json!([]));
    assert_eq!(service.patch(1, "[]", &[]).await.json(), rex("sold"), "nothing to change");
    service.patch(2, SELL, &[]).await.is_error(404, "not_found");
}

#[tokio::test]
async fn a_repeat_with_its_key_gets_the_pet_and_changes_nothing_again() {
    let service = Service::start().await;
    service.post(REX).await;
    let once = [("Idempotency-Key", "a")];
    assert_eq!(service.patch(1, SELL, &once).await.header("idempotency-replayed"), None);
    let again = service.patch(1, SELL, &once).await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (200, Some("true")));
    let back = SELL.replace("sold", "pending");
    service.patch(1, &back, &once).await.is_error(422, "idempotency_mismatch");
    assert_eq!(service.get("/v1/pets/1/history").await.json().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_no_patch_is_400_and_says_why() {
    let service = Service::start().await;
    service.post(REX).await;
    let one = |operation: &str| format!("[{operation}]");
    for (body, code, message) in [
        ("{}".to_owned(), "invalid_body", "The body must be one JSON array of operations, and nothing after it."),
        (one("[]"), "invalid_body", "The body must be one JSON array of operations, and nothing after it."),
        (
            one(r#"{"op":"add","path":"/name","value":"Max"}"#),
            "invalid_body",
            "op of an operation must be \"test\" or \"replace\", not \"add\".",
        ),
        (
            one(r#"{"path":"/name","value":"Max"}"#),
            "invalid_body",
            "op of an operation must be \"test\" or \"replace\", not missing.",
        ),
        (
            one(r#"{"op":"test","path":"/id","value":1}"#),
            "invalid_body",
            "path of an operation must be \"/name\", \"/categoryId\" or \"/status\", not \"/id\".",
        ),
        (one(r#"{"op":"test","path":"/status"}"#), "invalid_body", "value of an operation must be there, not missing."),
        (
            one(r#"{"op":"replace","path":"/status","value":"gone"}"#),
            "invalid_status",
            "Status must be available, pending or sold, or omitted, not \"gone\".",
        ),
        (one(r#"{"op":"replace","path":"/categoryId","value":1.5}"#), "invalid_category", ""),
        (one(r#"{"op":"replace","path":"/name","value":" "}"#), "invalid_name", ""),
        (one(r#"{"op":"test","op":"test","path":"/name","value":"Rex"}"#), "invalid_body", ""),
        (format!("{SELL} x"), "invalid_body", ""),
    ] {
        let refused = service.patch(1, &body, &[]).await;
        refused.is_error(400, code);
        assert!(message.is_empty() || refused.json()["message"] == message, "{body}: {}", refused.text());
    }
    let bearer = service.bearer();
    let headers = [("Authorization", &*bearer), ("Content-Type", "application/json")];
    let other_type = service.send("PATCH", "/v1/pets/1", &headers, SELL).await;
    other_type.is_error(415, "unsupported_media_type");
    assert_eq!(other_type.header("accept-patch"), Some("application/json-patch+json"));
    let refused = service.patch(1, SELL, &[("If-Match", "\"abc\"")]).await;
    refused.is_error(400, "invalid_parameter");
    let (_, reader) = service.new_key("read").await;
    let denied = service.call_as(&reader, "PATCH", "/v1/pets/1", SELL).await;
    denied.is_error(403, "forbidden");
    assert_eq!(service.get("/v1/pets").await.json(), json!([rex("available")]));
}

#[tokio::test]
async fn lists_pets_and_options_say_that_pets_can_be_changed_and_a_change_is_not_deprecated() {
    let service = Service::start().await;
    service.post(REX).await;
    for (method, target) in
        [("GET", "/v1/pets"), ("GET", "/v1/pets/1"), ("OPTIONS", "/v1/pets"), ("OPTIONS", "/v1/pets/1")]
    {
        let answer = service.call(method, target, &[], "").await;
        assert_eq!(answer.header("accept-patch"), Some("application/json-patch+json"), "{method} {target}");
    }
    assert_eq!(service.call("OPTIONS", "/v1/pets/1", &[], "").await.header("allow"), Some("GET, HEAD, PATCH, OPTIONS"));
    assert_eq!(service.patch(1, SELL, &[]).await.header("deprecation"), None);
}

#[tokio::test]
async fn events_tell_changes_after_their_pets_and_go_on_where_a_client_was() {
    let service = Service::start().await;
    let address = service.server.local_addr();
    let (id, till) = service.new_key("read audit").await;
    let open = async |target: &str, headers: &[(&str, &str)]| Events::open(address, &till, target, headers).await;
    let mut all = open("/v1/pets/events", &[]).await;
    let mut pending = open("/v1/pets/events?status=pending", &[]).await;
    for events in [&mut all, &mut pending] {
        events.block().await.unwrap();
    }
    service.post(REX).await;
    let added = all.block().await.unwrap();
    assert_eq!((added.event.as_deref(), added.raw_id.as_deref()), (Some("pet.added"), Some("1")));
    service.patch(1, SELL, &[]).await;
    let changed = all.block().await.unwrap();
    assert_eq!((changed.event.as_deref(), changed.raw_id.as_deref()), (Some("pet.changed"), Some("1.1")));
    let data: Value = serde_json::from_str(&changed.data.unwrap()).unwrap();
    assert_eq!((&data["from"], &data["to"]), (&json!({"status": "available"}), &json!({"status": "sold"})));
    assert_eq!((&data["status"], &data["name"]), (&json!("sold"), &json!("Rex")));
    assert_eq!(data["changedBy"]["name"], "this app");
    assert_eq!(id.to_string().len(), 8);
    service.patch(1, &SELL.replace("sold", "pending").replace("available", "sold"), &[]).await;
    service.patch(1, &SELL.replace("available", "pending"), &[]).await;
    // One that comes and one that leaves.
    for from in ["sold", "pending"] {
        let data: Value = serde_json::from_str(&pending.block().await.unwrap().data.unwrap()).unwrap();
        assert_eq!(data["from"]["status"], from);
    }
    // Also by a client that knew pets only.
    for (last, events) in
        [("1.1", vec!["1.2", "1.3"]), ("1", vec!["1.1", "1.2", "1.3"]), ("0", vec!["1", "1.1", "1.2", "1.3"])]
    {
        let mut again = open("/v1/pets/events", &[("Last-Event-ID", last)]).await;
        assert_eq!(again.block().await.unwrap().raw_id.as_deref(), Some(last));
        for event in events {
            assert_eq!(again.block().await.unwrap().raw_id.as_deref(), Some(event), "after {last}");
        }
    }
    let mut after = open("/v1/pets/events?after=0", &[]).await;
    assert_eq!(after.block().await.unwrap().raw_id.as_deref(), Some("0.3"));
    assert_eq!(after.block().await.unwrap().raw_id.as_deref(), Some("1.3"));
}

#[tokio::test]
async fn changes_that_are_gone_are_told_like_pets_that_are() {
    let service = Service::start().await;
    service.post(REX).await;
    service.patch(1, SELL, &[]).await;
    let mut events = Events::open(service.server.local_addr(), service.key(), "/v1/pets/events", &[]).await;
    assert_eq!(events.block().await.unwrap().raw_id.as_deref(), Some("1.1"));
    let file = rusqlite::Connection::open(service.file()).unwrap();
    // Its id was given again before anybody looked.
    let other = "UPDATE pet_changes SET changed_at = 1, changed_by = NULL; UPDATE pets SET status = 'available'";
    file.execute_batch(other).unwrap();
    let lost = events.block().await.unwrap();
    assert_eq!((lost.event.as_deref(), lost.raw_id.as_deref()), (Some("pets.lost"), Some("1")));
    assert_eq!(events.block().await.unwrap().raw_id.as_deref(), Some("1.1"));
    service.patch(1, SELL, &[]).await;
    assert_eq!(events.block().await.unwrap().raw_id.as_deref(), Some("1.2"));
}

#[tokio::test]
async fn only_a_key_that_may_audit_reads_a_history() {
    let service = Service::start().await;
    service.post(REX).await;
    for (scopes, status) in [("read write", 403), ("audit", 200)] {
        let (_, key) = service.new_key(scopes).await;
        assert_eq!(service.call_as(&key, "GET", "/v1/pets/1/history", "").await.status, status, "{scopes}");
    }
    service.get("/v1/pets/2/history").await.is_error(404, "not_found");
}
