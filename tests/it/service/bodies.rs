//! What may be posted, and what comes of it.

use crate::prelude::*;

use serde_json::json;

use super::fixture::{JSON, Service, head, read_answer};

#[tokio::test]
async fn malformed_bodies_are_400_invalid_body() {
    let service = Service::start().await;
    for body in [
        "",
        " ",
        "{",
        "null",
        "[]",
        r#"["Rex",1,"sold"]"#,
        "\"Rex\"",
        "1",
        r#"{"name":"Rex","categoryId":1} x"#,
        r#"{"name":"Rex","categoryId":1}{"name":"Max","categoryId":1}"#,
        r#"{"name":"Rex","categoryId":1}]"#,
        r#"{"name":"Rex","categoryId":NaN}"#,
        r#"{"name":"Rex","categoryId":1,}"#,
        r#"{"name":"Rex",/* one */"categoryId":1}"#,
        r#"{'name':'Rex','categoryId':1}"#,
        r#"{"name":"Rex","categoryId":01}"#,
        r#"{"name":"Rex","categoryId":+1}"#,
        "\u{feff}{\"name\":\"Rex\",\"categoryId\":1}",
        "{\"name\":\"Re\nx\",\"categoryId\":1}",
        r#"{"name":"Rex","categoryId":1,"x":}"#,
    ] {
        service.post(body).await.is_error(400, "invalid_body");
    }
    service.post(b"{\"name\":\"R\xffx\",\"categoryId\":1}").await.is_error(400, "invalid_body");
    let deep = format!("{{\"name\":\"Rex\",\"categoryId\":1,\"x\":{}}}", "[".repeat(30_000));
    service.post(deep).await.is_error(400, "invalid_body");
}

#[tokio::test]
async fn a_missing_or_blank_name_is_400_invalid_name() {
    let service = Service::start().await;
    service.post(r#"{"categoryId":1}"#).await.is_error(400, "invalid_name");
    service.post("{}").await.is_error(400, "invalid_name");
    for name in ["null", "5", "true", "{}", "[\"Rex\"]", r#""""#, r#"" ""#, r#""\u3000""#] {
        service.post(format!(r#"{{"name":{name},"categoryId":1}}"#)).await.is_error(400, "invalid_name");
    }
}

#[tokio::test]
async fn a_category_is_an_integer_literal_of_64_bits() {
    let service = Service::start().await;
    service.post(r#"{"name":"Rex"}"#).await.is_error(400, "invalid_category");
    let category = |text: &str| format!(r#"{{"name":"Rex","categoryId":{text}}}"#);
    let long = "9".repeat(60);
    let numbers = "9223372036854775808 -9223372036854775809 18446744073709551617 1e400";
    for bad in ["1.0 1e0 1E2 \"1\" true null []", numbers, &long].join(" ").split(' ') {
        service.post(category(bad)).await.is_error(400, "invalid_category");
    }
    for good in ["9223372036854775807", "0", "-1", "-9223372036854775808", "9007199254740993"] {
        let added = service.post(category(good)).await;
        assert_eq!(added.status, 201, "{good}");
        assert!(added.text().contains(&format!("\"categoryId\":{good},")), "{}", added.text());
        let id = &added.json()["id"];
        assert_eq!(service.get(&format!("/v1/pets/{id}")).await.text(), added.text());
    }
}

#[tokio::test]
async fn a_status_is_one_of_three_words_or_left_out() {
    let service = Service::start().await;
    let with = |status: &str| format!(r#"{{"name":"Rex","categoryId":1,"status":{status}}}"#);
    for bad in ["\"reserved\"", "\"SOLD\"", "\"\"", "null", "1", "[\"sold\"]", r#""\ud800""#] {
        service.post(with(bad)).await.is_error(400, "invalid_status");
    }
    for good in ["available", "pending", "sold"] {
        assert_eq!(service.post(with(&format!("{good:?}"))).await.json()["status"], good);
    }
    let left_out = service.post(REX).await;
    assert_eq!((left_out.status, &left_out.json()["status"]), (201, &json!("available")));
}

#[tokio::test]
async fn a_member_that_comes_twice_is_refused_also_when_escaped() {
    let service = Service::start().await;
    for body in [
        r#"{"name":"Rex","name":"Max","categoryId":1}"#,
        r#"{"name":"Rex","\u006eame":"Max","categoryId":1}"#,
        r#"{"name":"Rex","categoryId":1,"categoryId":1}"#,
        r#"{"name":"Rex","categoryId":1,"status":"sold","x":1,"status":"sold"}"#,
    ] {
        service.post(body).await.is_error(400, "invalid_body");
    }
}

#[tokio::test]
async fn unknown_members_are_ignored_and_the_id_is_ours() {
    let service = Service::start().await;
    let added = service.post(r#"{"id":77,"name":"Rex","tags":[{"a":null}],"categoryId":1}"#).await;
    assert_eq!(added.status, 201);
    assert_eq!(added.json(), json!({"id": 1, "name": "Rex", "categoryId": 1, "status": "available"}));
}

#[tokio::test]
async fn only_application_json_is_taken() {
    let service = Service::start().await;
    let body = REX;
    let post = async |headers: &[(&str, &str)]| service.call("POST", "/v1/pets", headers, body).await;
    for bad in ["text/plain", "application/jsonx", "text/json", "", "application/x-www-form-urlencoded"] {
        post(&[("Content-Type", bad)]).await.is_error(415, "unsupported_media_type");
    }
    post(&[]).await.is_error(415, "unsupported_media_type");
    post(&[JSON, ("Content-Type", "text/plain")]).await.is_error(415, "unsupported_media_type");
    post(&[JSON, ("Content-Encoding", "gzip")]).await.is_error(415, "unsupported_media_type");
    for good in ["application/json; charset=UTF-8", "Application/JSON", "application/json;charset=utf-8"] {
        assert_eq!(post(&[("Content-Type", good)]).await.status, 201, "{good}");
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_413_by_length_and_by_chunks() {
    let service = Service::start().await;
    let large = format!("{}{REX}", " ".repeat(5_000_000));
    service.post(&large).await.is_error(413, "payload_too_large");

    let bearer = service.bearer();
    let headers = [("Authorization", bearer.as_str()), JSON, ("Transfer-Encoding", "chunked")];
    let mut stream = service.connect().await;
    stream.write_all(format!("{}\r\n", head("POST", "/v1/pets", &headers)).as_bytes()).await.unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 10_000, " ".repeat(10_000));
    for _ in 0..500 {
        if stream.write_all(chunk.as_bytes()).await.is_err() {
            break;
        }
    }
    read_answer(&mut stream).await.is_error(413, "payload_too_large");

    let just_fits = format!("{}{REX}", " ".repeat(64 * 1024 - REX.len()));
    assert_eq!(service.post(&just_fits).await.status, 201);
    service.post(format!("{just_fits} ")).await.is_error(413, "payload_too_large");
}

#[tokio::test]
async fn a_body_that_ends_too_early_is_400_and_adds_nothing() {
    let service = Service::start().await;
    let bearer = service.bearer();
    let mut stream = service.connect().await;
    let headers = [("Authorization", bearer.as_str()), JSON, ("Transfer-Encoding", "chunked")];
    let broken = format!("{}\r\nzz\r\n", head("POST", "/v1/pets", &headers));
    stream.write_all(broken.as_bytes()).await.unwrap();
    read_answer(&mut stream).await.is_error(400, "invalid_body");
    assert_eq!(service.get("/v1/pets").await.text(), "[]");
}

#[tokio::test]
async fn names_that_could_harm_are_400_invalid_name() {
    let service = Service::start().await;
    let escapes = "001b 0007 009b 007f 000a 0009 0000 202e 2066 2067 2068 2069 2028 2029 \
        ffff d800 dc00 d800\\ud800";
    for escape in escapes.split_whitespace() {
        let body = format!(r#"{{"name":"Re\u{escape}x","categoryId":1}}"#);
        service.post(body).await.is_error(400, "invalid_name");
    }
    for length in [256, 10_000] {
        service
            .post(json!({"name": "x".repeat(length), "categoryId": 1}).to_string())
            .await
            .is_error(400, "invalid_name");
    }
}

#[tokio::test]
async fn a_message_names_the_field_the_value_and_the_remedy_but_never_all_of_a_long_value() {
    let service = Service::start().await;
    let message = async |body: &str| match &service.post(body).await.json()["message"] {
        Value::String(message) => message.clone(),
        other => panic!("{other}"),
    };
    assert_eq!(
        message(r#"{"name":"Rex","categoryId":1,"status":"SOLD"}"#).await,
        "Status must be available, pending or sold, or omitted, not \"SOLD\"."
    );
    assert_eq!(message(r#"{"name":5,"categoryId":1}"#).await, "The name must be a string, not 5.");
    let long = message(&format!(r#"{{"name":"Rex","categoryId":"{}"}}"#, "\\u001b".repeat(5000))).await;
    assert!(long.chars().count() < 200 && !long.contains('\x1b'), "{long}");
}

#[tokio::test]
async fn names_of_every_kind_come_back_byte_for_byte() {
    let service = Service::start().await;
    let longest = "ß".repeat(255);
    for name in [
        "🐕",
        "👨‍👩‍👧",
        "❤️",
        "ポチ",
        "قط",
        "e\u{301}",
        "\u{e9}",
        " Rex ",
        "o'Neil \"the\" \\ cat",
        "'); DROP TABLE pets; --",
        "<script>alert(1)</script>",
        "=cmd|' /C calc'!A0",
        &longest,
    ] {
        let added = service.post(json!({"name": name, "categoryId": 1}).to_string()).await;
        assert_eq!(added.status, 201, "{name}");
        assert_eq!(added.json()["name"], name);
        let found = service.get(&format!("/v1/pets/{}", added.json()["id"])).await;
        assert_eq!(found.json()["name"], name);
    }
    let escaped = service.post(r#"{"name":"\ud83d\ude00","categoryId":1}"#).await;
    assert_eq!(escaped.json()["name"], "😀");
}
