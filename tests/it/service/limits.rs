//! Rate limits (4.10): a burst for each key, then so many requests a second, and what every answer says about it.

use crate::prelude::*;

use petstore::server::RateLimit;

use super::fixture::{Answer, JSON, Service, until};

async fn limited(each_second: u32, burst: u32) -> Service {
    let number = |number| NonZeroU32::new(number).unwrap();
    let limit = RateLimit { each_second: number(each_second), burst: number(burst) };
    Service::with(Config { rate_limit: Some(limit), ..Service::config() }).await
}

/// The two numbers of a field with one item of the name `default`.
fn numbers(answer: &Answer, field: &str, names: [&str; 2]) -> Option<[u32; 2]> {
    let item = answer.header(field)?.strip_prefix("\"default\";").unwrap();
    let (first, second) = item.split_once(';').unwrap();
    let number = |text: &str, name| text.strip_prefix(name)?.strip_prefix('=')?.parse().ok();
    Some([number(first, names[0]).expect(item), number(second, names[1]).expect(item)])
}

fn policy(answer: &Answer) -> Option<[u32; 2]> {
    numbers(answer, "ratelimit-policy", ["q", "w"])
}

fn left(answer: &Answer) -> Option<[u32; 2]> {
    numbers(answer, "ratelimit", ["r", "t"])
}

#[tokio::test]
async fn after_a_burst_a_key_waits_as_long_as_the_answer_asks_and_other_keys_need_not() {
    let service = limited(1, 3).await;
    let (_, other) = service.new_key("read").await;
    assert_eq!(left(&service.get("/v1/pets").await), Some([2, 1]));
    let refused = loop {
        let answer = service.get("/v1/pets").await;
        if answer.status != 200 {
            break answer;
        }
    };
    refused.is_error(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!((policy(&refused), left(&refused)), (Some([3, 3]), Some([0, 3])));
    let free = service.call_as(&other, "GET", "/v1/pets", "").await;
    assert_eq!((free.status, left(&free)), (200, Some([2, 1])));
    until(async || service.get("/v1/pets").await.status == 200).await;
}

#[tokio::test]
async fn what_is_refused_is_not_done() {
    let service = limited(1, 1).await;
    let mut added = 0;
    until(async || {
        let answer = service.post(REX).await;
        added += i64::from(answer.status == 201);
        answer.status == 429
    })
    .await;
    assert!(service.store.get(added).await.unwrap().is_some());
    assert_eq!(service.store.get(added + 1).await.unwrap(), None);
}

#[tokio::test]
async fn every_answer_to_a_valid_key_says_what_is_left_and_no_other_does() {
    let service = limited(1000, 1000).await;
    let (_, write) = service.new_key("write").await;
    for (method, target) in [
        ("GET", "/v1/pets"),
        ("HEAD", "/v1/pets"),
        ("OPTIONS", "/v1/pets"),
        ("POST", "/v1/pets"),
        ("DELETE", "/v1/pets"),
        ("GET", "/v1/pets?limit=0"),
        ("GET", "/v1/pets/1"),
        ("HEAD", "/v1/pets/1"),
        ("OPTIONS", "/v1/pets/1"),
        ("GET", "/v1/store/orders"),
    ] {
        let known = [JSON, ("If-None-Match", "*")];
        for answer in [
            service.call(method, target, &[], "").await,
            service.call(method, target, &known, REX).await,
            service.call_as(&write, method, target, "").await,
        ] {
            assert_eq!(policy(&answer), Some([1000, 1]), "{method} {target}");
            assert!(left(&answer).is_some_and(|[left, full_in]| left < 1000 && full_in == 1), "{answer:?}");
        }
        let stranger = service.send(method, target, &[], "").await;
        assert_eq!((policy(&stranger), left(&stranger)), (None, None), "{method} {target}");
    }
    for target in ["/healthz", "/readyz", "/v1/openapi.yaml"] {
        let open = service.get(target).await;
        assert_eq!((policy(&open), left(&open)), (None, None), "{target}");
    }
}

#[tokio::test]
async fn without_a_limit_nothing_is_reported_and_nobody_is_slowed() {
    let service = Service::with(Config { failed_authentications: None, ..Config::default() }).await;
    for _ in 0..50 {
        let answer = service.get("/v1/pets").await;
        assert_eq!((answer.status, policy(&answer), left(&answer)), (200, None, None));
        assert_eq!(service.send("GET", "/v1/pets", &[], "").await.status, 401);
    }
}
