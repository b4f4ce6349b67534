//! Who may ask, for what, and how.

use crate::prelude::*;

use petstore::model::sunset;
use serde_json::json;

use super::fixture::{JSON, Service, read_answer};

/// The first one is empty.
const BAD_LIMITS: &str = " 0 101 -1 abc 1e2 5.0 %2B5 +5 %205 5%20 5%00 18446744073709551617 4294967301";

#[tokio::test]
async fn a_wrong_limit_is_400_and_never_clamped() {
    let service = Service::start().await;
    for limit in BAD_LIMITS.split(' ') {
        service.get(&format!("/v1/pets?limit={limit}")).await.is_error(400, "invalid_parameter");
    }
    for query in ["limit", "limit=5&limit=5", "limit=5&limit=6", "limit=5&lim%69t=5"] {
        service.get(&format!("/v1/pets?{query}")).await.is_error(400, "invalid_parameter");
    }
    service.store.insert_samples(150, clock::now()).await.unwrap();
    for (query, count) in
        [("", 20), ("?limit=1", 1), ("?limit=100", 100), ("?limit=%31%30", 10), ("?Limit=0&x=1&x=2", 20)]
    {
        let list = service.get(&format!("/v1/pets{query}")).await;
        assert_eq!(list.json().as_array().unwrap().len(), count, "{query}");
    }
}

#[tokio::test]
async fn a_wrong_status_filter_is_400_and_not_an_empty_list() {
    let service = Service::start().await;
    for query in ["status=reserved", "status=", "status", "status=SOLD", "status=sold&status=sold", "status=sold%20"] {
        service.get(&format!("/v1/pets?{query}")).await.is_error(400, "invalid_parameter");
    }
    service.store.insert_samples(10, clock::now()).await.unwrap();
    let pending = service.get("/v1/pets?status=pending").await.json();
    assert_eq!(pending.as_array().unwrap().len(), 2);
    assert!(pending.as_array().unwrap().iter().all(|pet| pet["status"] == "pending"));
}

#[tokio::test]
async fn what_is_not_an_id_is_404() {
    let service = Service::start().await;
    assert_eq!(service.post(REX).await.json()["id"], 1);
    let digits = "1".repeat(60);
    for id in ["abc", "1.0", &digits, "9223372036854775808", "1%00", "+1", "01", "%31", "1%2F", "-1", "2", "0", "%FF"] {
        service.get(&format!("/v1/pets/{id}")).await.is_error(404, "not_found");
    }
    assert_eq!(service.get("/v1/pets/1").await.status, 200);
    assert_eq!(service.get("/v1/pets/1?limit=0").await.status, 200);
}

#[tokio::test]
async fn without_the_key_everything_is_401() {
    let service = Service::start().await;
    let key = service.key().to_owned();
    let bearer = service.bearer();
    let other = format!("Bearer petk_{}", "0".repeat(47));
    let truncated = &bearer[..bearer.len() - 1];
    let cookie = format!("key={key}");
    let basic = format!("Basic {key}");
    for headers in [
        &[][..],
        &[("Authorization", "")],
        &[("Authorization", "Bearer")],
        &[("Authorization", "Bearer ")],
        &[("Authorization", key.as_str())],
        &[("Authorization", other.as_str())],
        &[("Authorization", truncated)],
        &[("Authorization", basic.as_str())],
        &[("Authorization", bearer.as_str()), ("Authorization", bearer.as_str())],
        &[("Authorization", bearer.as_str()), ("authorization", other.as_str())],
        &[("X-API-Key", key.as_str())],
        &[("Cookie", cookie.as_str())],
    ] {
        let refused = service.send("GET", "/v1/pets", headers, "").await;
        refused.is_error(401, "unauthorized");
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    }
    service
        .send("GET", &format!("/v1/pets?api_key={key}&access_token={key}"), &[], "")
        .await
        .is_error(401, "unauthorized");
}

#[tokio::test]
async fn a_401_wins_over_every_other_mistake() {
    let service = Service::start().await;
    let large = " ".repeat(100_000);
    for (method, target, headers, body) in [
        ("GET", "/v1/pets?limit=0", &[][..], ""),
        ("GET", "/v1/pets/abc", &[], ""),
        ("GET", "/v1/store/orders", &[], ""),
        ("GET", "/v1", &[], ""),
        ("GET", "/nowhere", &[], ""),
        ("DELETE", "/v1/pets", &[], ""),
        ("OPTIONS", "/v1/pets", &[], ""),
        ("POST", "/v1/pets", &[], "{"),
        ("POST", "/v1/pets", &[("Content-Type", "text/plain")], "{}"),
        ("POST", "/v1/pets", &[JSON], &large),
    ] {
        service.send(method, target, headers, body).await.is_error(401, "unauthorized");
    }
    let head = service.send("HEAD", "/v1/pets", &[], "").await;
    assert_eq!((head.status, head.text()), (401, ""));
}

#[tokio::test]
async fn wrong_methods_are_405_with_allow_and_unknown_paths_404() {
    let service = Service::start().await;
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "BREW"] {
        let list = service.call(method, "/v1/pets", &[], "").await;
        list.is_error(405, "method_not_allowed");
        assert_eq!(list.header("allow"), Some("GET, HEAD, POST, OPTIONS"));
        if method != "PATCH" {
            let one = service.call(method, "/v1/pets/1", &[], "").await;
            one.is_error(405, "method_not_allowed");
            assert_eq!(one.header("allow"), Some("GET, HEAD, PATCH, OPTIONS"));
        }
    }
    service.call("POST", "/v1/pets/1", &[JSON], "{}").await.is_error(405, "method_not_allowed");
    service.call("POST", "/v1/openapi.yaml", &[], "").await.is_error(405, "method_not_allowed");
    for path in
        ["/", "/v1", "/v1/", "/v1/pets/", "/v1//pets", "/v1/pets/1/", "/v1/pets/1/photo", "/v2/pets", "/pets", "*"]
    {
        let method = if path == "*" { "OPTIONS" } else { "GET" };
        service.call(method, path, &[], "").await.is_error(404, "not_found");
    }
    service.get("/v1/store/orders").await.is_error(404, "not_found");
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let service = Service::start().await;
    service.post(REX).await;
    for target in ["/v1/pets", "/v1/pets?limit=0", "/v1/pets/1", "/v1/pets/99", "/v1/nowhere", "/v1/openapi.yaml"] {
        let get = service.get(target).await;
        let head = service.call("HEAD", target, &[], "").await;
        assert_eq!((head.status, head.text()), (get.status, ""), "{target}");
        for name in ["content-type", "content-length", "link", "sunset"] {
            assert_eq!(head.header(name), get.header(name), "{target} {name}");
        }
    }
}

#[tokio::test]
async fn head_of_a_list_says_how_many_pets_there_are_in_all() {
    let service = Service::start().await;
    service.store.insert_samples(45, clock::now()).await.unwrap();
    for (target, total) in [("/v1/pets", "45"), ("/v1/pets?limit=1&after=44", "45"), ("/v1/pets?status=sold", "4")] {
        let head = service.call("HEAD", target, &[], "").await;
        assert_eq!(head.header("pets-total"), Some(total), "{target}");
        assert_eq!(service.get(target).await.header("pets-total"), None, "only where it is asked for");
    }
}

#[tokio::test]
async fn options_names_the_methods() {
    let service = Service::start().await;
    let answer = service.call("OPTIONS", "/v1/pets", &[("Origin", "https://example.com")], "").await;
    assert_eq!((answer.status, answer.header("allow")), (204, Some("GET, HEAD, POST, OPTIONS")));
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn pages_lead_on_by_link_and_no_row_comes_twice() {
    let service = Service::start().await;
    service.store.insert_samples(45, clock::now()).await.unwrap();
    for (first, total) in [("/v1/pets", 45), ("/v1/pets?limit=9", 45), ("/v1/pets?limit=2&status=sold", 4)] {
        let mut ids = Vec::new();
        let mut next = Some(first.to_owned());
        while let Some(target) = next {
            let page = service.get(&target).await;
            ids.extend(page.json().as_array().unwrap().iter().map(|pet| pet["id"].as_i64().unwrap()));
            next = page.header("link").map(|link| {
                link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\"")).unwrap().to_owned()
            });
            // Added while paging: at the end, or beyond the filter.
            if ids.len() < 20 && total == 45 {
                service.post(json!({"name": "Late", "categoryId": 1}).to_string()).await;
            }
        }
        assert!(ids.is_sorted_by(|before, after| before < after), "{ids:?}");
        assert!(ids.len() >= total, "{ids:?}");
    }
    service.get("/v1/pets?after=x").await.is_error(400, "invalid_parameter");
    assert_eq!(service.get("/v1/pets?after=9223372036854775807").await.text(), "[]");
}

#[tokio::test]
async fn the_newest_pets_come_first_where_that_is_asked_for() {
    let service = Service::start().await;
    service.store.insert_samples(25, clock::now()).await.unwrap();
    let (mut ids, mut next) = (Vec::new(), Some("/v1/pets?limit=10&order=desc".to_owned()));
    while let Some(target) = next {
        let page = service.get(&target).await;
        assert_eq!(page.header("pets-order"), Some("asc, desc"));
        let known = service.call("GET", &target, &[("If-None-Match", page.header("etag").unwrap())], "").await;
        assert_eq!((known.status, known.header("link")), (304, page.header("link")));
        assert_eq!(known.header("pets-order"), Some("asc, desc"));
        ids.extend(page.json().as_array().unwrap().iter().map(|pet| pet["id"].as_i64().unwrap()));
        next = page.header("link").map(|link| link[1..].split_once('>').unwrap().0.to_owned());
        assert!(
            next.as_ref().is_none_or(|next| *next == format!("/v1/pets?limit=10&order=desc&before={}", 26 - ids.len()))
        );
    }
    assert_eq!(ids, (1..=25).rev().collect::<Vec<_>>());
    let sold = service.get("/v1/pets?status=sold&order=desc&limit=1").await;
    assert_eq!(sold.header("link"), Some("</v1/pets?limit=1&status=sold&order=desc&before=18>; rel=\"next\""));
    for target in ["order=newest", "order=desc&after=7", "before=7", "order=desc&before=x"] {
        service.get(&format!("/v1/pets?{target}")).await.is_error(400, "invalid_parameter");
    }
    assert_eq!(service.call("HEAD", "/v1/pets?order=desc", &[], "").await.header("pets-order"), Some("asc, desc"));
}

#[tokio::test]
async fn every_answer_about_one_pet_says_that_the_operation_is_deprecated() {
    let service = Service::start().await;
    service.post(REX).await;
    for answer in [
        service.get("/v1/pets/1").await,
        service.get("/v1/pets/2").await,
        service.get("/v1/pets/abc").await,
        service.send("GET", "/v1/pets/1", &[], "").await,
        service.call("PUT", "/v1/pets/1", &[], "").await,
    ] {
        assert_eq!(answer.header("deprecation"), Some(sunset::GET_PET_DEPRECATION_HEADER));
        assert_eq!(answer.header("sunset"), Some("Thu, 05 Dec 2030 00:00:00 GMT"));
        assert!(answer.header("link").unwrap().contains("rel=\"deprecation\""));
    }
    assert_eq!(service.get("/v1/pets").await.header("sunset"), None);
}

#[tokio::test]
async fn a_request_id_comes_back_or_is_made() {
    let service = Service::start().await;
    let with = async |id: &str| {
        let answer = service.call("GET", "/v1/pets", &[("X-Request-Id", id)], "").await;
        answer.header("x-request-id").unwrap().to_owned()
    };
    assert_eq!(with("till-7.a_B").await, "till-7.a_B");
    for bad in ["a b", "{\"x\":1}", &"x".repeat(65), ""] {
        assert_eq!(with(bad).await.len(), 36, "{bad}");
    }
    let refused = service.send("GET", "/v1/pets", &[("X-Request-Id", "mine")], "").await;
    assert_eq!(refused.header("x-request-id"), Some("mine"));
}

#[tokio::test]
async fn a_request_without_one_valid_host_or_with_another_coding_than_chunked_is_refused_also_at_the_metrics() {
    let mut service = Service::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let metrics = service.server.serve_metrics(listener).unwrap();
    let bearer = format!("Authorization: {}\r\nConnection: close\r\n", service.bearer());
    let status = async |address: SocketAddr, head: &str, rest: &str| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(format!("{head}\r\n{bearer}{rest}").as_bytes()).await.unwrap();
        read_answer(&mut stream).await
    };
    let api = service.server.local_addr();
    for (head, expected) in [
        ("HTTP/1.1", 400),
        ("HTTP/1.1\r\nHost: a\r\nHost: a", 400),
        ("HTTP/1.0\r\nHost: a\r\nHost: b", 400),
        ("HTTP/1.1\r\nHost: a b", 400),
        ("HTTP/1.1\r\nHost: u@a", 400),
        ("HTTP/1.1\r\nHost: a/b", 400),
        ("HTTP/1.1\r\nHost: a:b", 400),
        ("HTTP/1.1\r\nHost: shop.example:443", 200),
        ("HTTP/1.1\r\nhost: [::1]:8080", 200),
        ("HTTP/1.0", 200),
    ] {
        for (address, path) in [(api, "/v1/pets"), (metrics, "/metrics")] {
            let answer = status(address, &format!("GET {path} {head}"), "\r\n").await;
            assert_eq!(answer.status, expected, "{path} {head:?}");
            assert!(
                expected == 200 || answer.body.is_empty() && answer.header("connection") == Some("close"),
                "{head:?}"
            );
        }
    }
    let chunks = "\r\n1d\r\n{\"name\":\"Rex\",\"categoryId\":1}\r\n0\r\n\r\n";
    for (coding, expected) in [
        ("gzip, chunked", 400),
        ("chunked, chunked", 400),
        ("chunked\r\nTransfer-Encoding: chunked", 400),
        ("gzip\r\nTransfer-Encoding: chunked", 400),
        ("gzip", 400),
        ("chunked;x=1", 400),
        ("identity", 400),
        ("Chunked", 201),
    ] {
        let head = format!(
            "POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: {coding}"
        );
        assert_eq!(status(api, &head, chunks).await.status, expected, "{coding:?}");
    }
    assert_eq!(service.get("/v1/pets").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_description_and_the_probes_need_no_key() {
    let service = Service::start().await;
    let description = service.send("GET", "/v1/openapi.yaml", &[], "").await;
    assert_eq!((description.status, description.text()), (200, server::OPENAPI));
    assert_eq!(service.send("GET", "/healthz", &[], "").await.status, 204);
    assert_eq!(service.send("GET", "/readyz", &[], "").await.status, 204);
    service.store.close().await;
    assert_eq!(service.send("GET", "/healthz", &[], "").await.status, 204);
    service.send("GET", "/readyz", &[], "").await.is_error(503, "storage_unavailable");
}

#[tokio::test]
async fn a_closed_store_is_503_and_the_cause_is_not_sent() {
    let service = Service::start().await;
    service.store.close().await;
    let refused = service.get("/v1/pets").await;
    refused.is_error(503, "storage_unavailable");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert!(!refused.text().contains("closed"), "{}", refused.text());
}
