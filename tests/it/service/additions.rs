//! Conditional requests (4.13) and web pages of other origins (4.16).

use petstore::server::Config;

use super::fixture::{JSON, Service};

#[tokio::test]
async fn an_answer_that_the_client_has_is_304_until_it_changes() {
    let service = Service::start().await;
    service.post(r#"{"name":"Rex","categoryId":1}"#).await;
    for target in ["/v1/pets?limit=1", "/v1/pets/1"] {
        let whole = service.get(target).await;
        let etag = whole.header("etag").unwrap().to_owned();
        let again = service.call("GET", target, &[("If-None-Match", &etag)], "").await;
        assert_eq!((again.status, again.text(), again.header("etag")), (304, "", Some(etag.as_str())));
        let head = service.call("HEAD", target, &[("If-None-Match", &etag)], "").await;
        assert_eq!(head.status, 304);
        let other = service.call("GET", target, &[("If-None-Match", "\"0\"")], "").await;
        assert_eq!((other.status, other.text()), (200, whole.text()));
    }
    let full_page = service.get("/v1/pets?limit=1").await.header("etag").unwrap().to_owned();
    service.post(r#"{"name":"Bella","categoryId":1}"#).await;
    // The same animals, but there are more now.
    let changed = service.call("GET", "/v1/pets?limit=1", &[("If-None-Match", &full_page)], "").await;
    assert_eq!(changed.status, 200);
    assert!(changed.header("link").is_some());
}

#[tokio::test]
async fn no_web_page_may_use_the_service_unless_its_origin_was_named() {
    let asks = [
        ("Origin", "https://shop.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization,idempotency-key"),
    ];
    let closed = Service::start().await;
    let answer = closed.send("OPTIONS", "/v1/pets", &asks, "").await;
    answer.is_error(401, "unauthorized");
    assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")));

    let origins = vec!["https://shop.example".parse().unwrap()];
    let open = Service::with(Config { cors_origins: origins, ..Service::config() }).await;
    let answer = open.exchange("OPTIONS", "/v1/pets", &asks, "").await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://shop.example"));
    let allowed = answer.header("access-control-allow-headers").unwrap();
    assert!(allowed.contains("authorization") && allowed.contains("idempotency-key"));

    // What no browser asks is answered as ever.
    open.send("OPTIONS", "/v1/pets", &asks[..1], "").await.is_error(401, "unauthorized");
    let bearer = open.bearer();
    let answer = open.send("OPTIONS", "/v1/pets", &[("Authorization", bearer.as_str())], "").await;
    assert_eq!((answer.status, answer.header("allow").is_some()), (204, true));

    for (origin, allowed) in [("https://shop.example", Some("https://shop.example")), ("https://evil.example", None)] {
        let headers = [("Authorization", bearer.as_str()), ("Origin", origin), JSON];
        let answer = open.exchange("GET", "/v1/pets", &headers, "").await;
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, allowed));
        // Also a refusal can be read by the page.
        let refused = open.exchange("GET", "/v1/pets", &[("Origin", origin)], "").await;
        assert_eq!((refused.status, refused.header("access-control-allow-origin")), (401, allowed));
    }
}
