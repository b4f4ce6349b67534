//! Conditional requests (4.13).

use crate::prelude::*;

use super::fixture::Service;

#[tokio::test]
async fn an_answer_that_the_client_has_is_304_until_it_changes() {
    let service = Service::start().await;
    service.post(REX).await;
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
    // The same pets, but there are more now.
    let changed = service.call("GET", "/v1/pets?limit=1", &[("If-None-Match", &full_page)], "").await;
    assert_eq!(changed.status, 200);
    assert!(changed.header("link").is_some());
}
