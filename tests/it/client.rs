//! The client against services that misbehave.

mod find;
mod follow;
mod inventory;
mod lists;
mod records;
pub mod scripted;

use crate::prelude::*;

use petstore::api::retry::create_pet_once;
use petstore::model::ObservedStatus;

use crate::stub::{self, Stub, always, client, json, serve};

async fn list(stub: &Stub) -> Result<petstore::api::PetPage, Failure> {
    stub.client().list_pets(&PetQuery::default()).await
}

fn key() -> IdempotencyKey {
    IdempotencyKeys::new(Uuid::new_v4()).make()
}

fn rex() -> NewPet {
    NewPet { name: "Rex".into(), category_id: 3, status: None }
}

#[tokio::test]
async fn a_refused_connection_means_that_nothing_was_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = client(&base).create_pet(&rex(), &key()).await.unwrap_err();
    assert!(matches!(error, Failure::NotSent { .. }), "{error:?}");
    assert!(!error.outcome_unknown());
}

#[tokio::test]
async fn silence_ends_and_a_pet_may_have_been_added() {
    let silent = serve(|_, _, socket| async move {
        std::future::pending::<()>().await;
        drop(socket);
    })
    .await;
    let error = silent.client().create_pet(&rex(), &key()).await.unwrap_err();
    assert!(matches!(error, Failure::NoAnswer { after } if after >= Duration::from_millis(250)), "{error:?}");
    assert!(error.outcome_unknown());
    assert_eq!(silent.requests(), 1, "a creation is sent once");
}

#[tokio::test]
async fn a_body_that_drips_ends_with_the_whole_time() {
    let drip = serve(|_, _, mut socket| async move {
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n[").await;
        let mut tick = tokio::time::interval(Duration::from_millis(50));
        loop {
            tick.tick().await;
            if socket.write_all(b" ").await.is_err() {
                return;
            }
        }
    })
    .await;
    let error = list(&drip).await.unwrap_err();
    assert!(matches!(error, Failure::NoAnswer { .. }), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_never_taken_for_whole() {
    for bytes in [
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[]",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n[]\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n[]",
        "HTTP/1.1 200",
        "garbage\r\n\r\n",
        "",
    ] {
        let error = list(&always(bytes).await).await.unwrap_err();
        assert!(matches!(error, Failure::Broken { .. }), "{bytes:?}: {error:?}");
    }
}

#[tokio::test]
async fn an_error_body_is_read_and_anything_else_is_quoted() {
    let body = r#"{"code":"storage_unavailable","message":"disk is full","status":503}"#;
    let error = list(&always(json("503 Service Unavailable", body)).await).await.unwrap_err();
    let Failure::Refused { status: 503, message, body: Some(_), .. } = &error else { panic!("{error:?}") };
    assert_eq!(message, "disk is full");
    let error = list(&always(json("502 Bad Gateway", "<h1>\u{1b}[2Jbad</h1>")).await).await.unwrap_err();
    let Failure::Refused { status: 502, code: None, message, .. } = error else { panic!("{error:?}") };
    assert_eq!(message, "<h1>⟨U+001B⟩[2Jbad</h1>");
}

#[tokio::test]
async fn retry_after_is_read_as_seconds_only() {
    for (value, seconds) in [("7", Some(7)), ("Fri, 31 Dec 2099 23:59:59 GMT", None), ("soon", None)] {
        let answer = format!("HTTP/1.1 429 Too Many\r\nretry-after: {value}\r\ncontent-length: 0\r\n\r\n");
        let error = list(&always(answer).await).await.unwrap_err();
        let asked = error.asked_pause().map(|asked| asked.as_secs());
        assert_eq!(asked, seconds, "{value}");
    }
}

#[tokio::test]
async fn a_success_that_is_not_the_promised_json_says_what_it_was() {
    for body in ["<html>", "", "[{", "{\"id\":1}", "[1]", "null", r#"[{"id":"1","name":"a","categoryId":1}]"#] {
        let error = list(&always(json("200 OK", body)).await).await.unwrap_err();
        assert!(matches!(&error, Failure::Malformed { .. }), "{body:?}: {error:?}");
        assert!(error.outcome_unknown());
    }
    let invalid = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\n[\"\xff\"]".to_vec();
    assert!(matches!(list(&always(invalid).await).await, Err(Failure::Malformed { .. })));
    let error = list(&always(json("204 No Content", "")).await).await.unwrap_err();
    assert!(matches!(&error, Failure::Malformed { why, .. } if why == "unexpected status 204"), "{error:?}");
}

#[tokio::test]
async fn a_body_without_end_is_cut_off_at_8_mib() {
    let endless = serve(|_, _, mut socket| async move {
        let _ = socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n[").await;
        let blanks = vec![b' '; 1 << 20];
        while socket.write_all(&blanks).await.is_ok() {}
    })
    .await;
    let error = list(&endless).await.unwrap_err();
    assert!(matches!(&error, Failure::Malformed { why, .. } if why == "larger than 8 MiB"), "{error:?}");
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let elsewhere = always(json("200 OK", "[]")).await;
    let redirect = format!("HTTP/1.1 307 T\r\nlocation: {}/pets\r\ncontent-length: 0\r\n\r\n", elsewhere.base_url);
    let error = list(&always(redirect).await).await.unwrap_err();
    assert!(matches!(error, Failure::Refused { status: 307, .. }), "{error:?}");
    assert_eq!(elsewhere.requests(), 0);
}

#[tokio::test]
async fn the_request_is_as_the_description_says() {
    let echo = serve(|_, request, mut socket| async move {
        let name = serde_json::to_string(&request).unwrap();
        let body = format!(r#"[{{"id":1,"name":{name},"categoryId":1}}]"#);
        let _ = socket.write_all(&json("200 OK", &body)).await;
    })
    .await;
    let query = PetQuery { status: Some(PetStatus::Sold), limit: Limit::MAX, ..PetQuery::default() };
    let request = echo.client().list_pets(&query).await.unwrap().pets.remove(0).name;
    assert!(request.starts_with("GET /v1/pets?limit=100&status=sold HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: Bearer petk_0123456789abcdef77d0\r\n"), "{request}");
    assert!(!request.contains("accept-encoding"), "a compressed body could be a bomb: {request}");
}

/// A service that drops the connections of its first `lost` creations, and says on every other answer whether it keeps
/// idempotency keys. Its methods and keys go to the list.
async fn dropping(lost: usize, keeps_keys: bool) -> (Stub, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&seen);
    let stub = serve(move |_, request, mut socket| {
        let list = Arc::clone(&list);
        async move {
            let key = stub::header(&request, "idempotency-key").unwrap_or("-");
            list.lock().unwrap().push(format!("{} {key}", &request[..4]));
            let creations = list.lock().unwrap().iter().filter(|request| request.starts_with("POST")).count();
            let answer = match request.starts_with("POST") {
                true if creations <= lost => return,
                true => json("201 Created", r#"{"id":7,"name":"Rex","categoryId":3}"#),
                false => json("200 OK", "[]"),
            };
            let mut text = String::from_utf8(answer).unwrap();
            if keeps_keys {
                text = text.replacen("\r\n", "\r\nidempotency-key-retention: 86400\r\n", 1);
            }
            let _ = socket.write_all(text.as_bytes()).await;
        }
    })
    .await;
    (stub, seen)
}

#[tokio::test]
async fn a_creation_is_sent_again_with_its_key_where_the_service_keeps_keys() {
    let (stub, seen) = dropping(2, true).await;
    let key = key();
    let added = create_pet_once(&stub.client(), &rex(), &key).await.unwrap();
    assert_eq!(added.id, 7);
    // Whether it keeps keys was not known before the second request.
    let post = format!("POST {key}");
    assert_eq!(*seen.lock().unwrap(), [&post, "GET  -", &post, &post]);
}

#[tokio::test]
async fn a_creation_is_sent_once_where_the_service_does_not_keep_keys() {
    let (stub, seen) = dropping(1, false).await;
    let error = create_pet_once(&stub.client(), &rex(), &key()).await.unwrap_err();
    assert!(error.outcome_unknown(), "{error:?}");
    assert_eq!(seen.lock().unwrap().iter().filter(|request| request.starts_with("POST")).count(), 1);
}

#[tokio::test]
async fn what_fails_for_sure_later_does_not_settle_what_became_of_the_first() {
    let keeps = serve(|number, request, mut socket| async move {
        if request.starts_with("GET") {
            let answer = String::from_utf8(json("200 OK", "[]")).unwrap();
            let answer = answer.replacen("\r\n", "\r\nidempotency-key-retention: 86400\r\n", 1);
            let _ = socket.write_all(answer.as_bytes()).await;
        } else if number > 0 {
            let body = r#"{"code":"unauthorized","message":"revoked meanwhile","status":401}"#;
            let _ = socket.write_all(&json("401 Unauthorized", body)).await;
        }
    })
    .await;
    let error = create_pet_once(&keeps.client(), &rex(), &key()).await.unwrap_err();
    assert!(matches!(error, Failure::Broken { .. }), "{error:?}");
}

#[tokio::test]
async fn odd_rows_are_kept_and_broken_ones_are_not() {
    let body =
        r#"[{"id":1,"name":"a","categoryId":1,"status":"reserved"},{"id":2,"name":"b","categoryId":2,"born":"x"}]"#;
    let page = list(&always(json("200 OK", body)).await).await.unwrap();
    assert_eq!(page.pets[0].status, Some(ObservedStatus::Unknown("reserved".into())));
    assert_eq!(page.pets[1].status, None);
    for id in ["null", "1.5", "9223372036854775808", "\"1\""] {
        let body = format!(r#"[{{"id":{id},"name":"a","categoryId":1}}]"#);
        assert!(matches!(list(&always(json("200 OK", &body)).await).await, Err(Failure::Malformed { .. })), "{id}");
    }
}
