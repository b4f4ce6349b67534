//! API keys (4.15): made beside the running service, limited by their scopes, revoked; and asking without one.

use crate::prelude::*;

use super::fixture::Service;

#[tokio::test]
async fn a_key_may_do_what_its_scopes_say_and_gets_403_for_the_rest() {
    let service = Service::start().await;
    let (_, read) = service.new_key("read").await;
    let (_, write) = service.new_key("write").await;
    let (_, admin) = service.new_key("admin").await;
    service.call_as(&read, "POST", "/v1/pets", REX).await.is_error(403, "forbidden");
    assert_eq!(service.call_as(&write, "POST", "/v1/pets", REX).await.status, 201);
    assert_eq!(service.call_as(&admin, "POST", "/v1/pets", REX).await.status, 201);
    for target in ["/v1/pets", "/v1/pets/1"] {
        assert_eq!(service.call_as(&read, "GET", target, "").await.status, 200);
        assert_eq!(service.call_as(&admin, "GET", target, "").await.status, 200);
        service.call_as(&write, "GET", target, "").await.is_error(403, "forbidden");
    }
}

#[tokio::test]
async fn the_last_use_of_a_key_is_noted() {
    let service = Service::start().await;
    let (id, key) = service.new_key("read,write").await;
    assert_eq!(service.call_as(&key, "POST", "/v1/pets", REX).await.status, 201);
    let keys = service.store.list_keys().await.unwrap();
    let noted = keys.iter().find(|found| found.id == id).unwrap();
    // The note waited before the pet, so it is written by the time that the pet is.
    assert!(noted.last_used_at.unwrap() >= noted.created_at);
}

#[tokio::test]
async fn asking_again_and_again_without_a_valid_key_is_429_and_valid_keys_still_pass() {
    let config = Config { failed_authentications: Some(NonZeroU32::MIN), ..Config::default() };
    let service = Service::with(config).await;
    service.send("GET", "/v1/pets", &[], "").await.is_error(401, "unauthorized");
    let slowed = service.slowed("GET", "/v1/pets/1").await;
    slowed.is_error(429, "rate_limited");
    assert_eq!(slowed.header("retry-after"), Some("1"));
    assert_eq!(service.get("/v1/pets").await.status, 200);
}
