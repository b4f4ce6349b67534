//! Slow, silent and many clients, and the end.

use crate::prelude::*;

use serde_json::json;

use super::fixture::{JSON, Service, head, read_answer};

fn short() -> Config {
    let moment = Duration::from_millis(30);
    Config { header_time: moment, body_time: moment, drain: moment, ..Service::config() }
}

#[tokio::test]
async fn headers_that_do_not_arrive_in_time_end_the_connection() {
    let service = Service::with(short()).await;
    for part in ["", "GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Slow:"] {
        let mut stream = service.connect().await;
        stream.write_all(part.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"");
    }
}

#[tokio::test]
async fn a_client_that_begins_with_tls_learns_it() {
    let service = Service::start().await;
    let mut stream = service.connect().await;
    stream.write_all(b"\x16\x03\x01\x02\x00\x01").await.unwrap();
    assert_eq!(read_answer(&mut stream).await.status, 400);
}

#[tokio::test]
async fn a_client_that_takes_no_answers_loses_its_connection() {
    let service = Service::with(Config { write_time: Duration::from_millis(30), ..Service::config() }).await;
    service.store.insert_samples(100, clock::now()).await.unwrap();
    let request = format!("GET /v1/pets?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\r\n", service.bearer());
    let mut greedy = service.connect().await;
    // Far more than all buffers on the way hold: it can be sent whole only if answers are taken, or never.
    greedy.write_all(request.repeat(100_000).as_bytes()).await.unwrap_err();
}

#[tokio::test]
async fn a_write_that_was_answered_503_is_not_made_later() {
    let service = Service::with(Config { request_time: Duration::from_millis(30), ..Service::config() }).await;
    let other_process = service.locked();
    let late = r#"{"name":"Too late","categoryId":1}"#;
    let answer = service.post(late).await;
    answer.is_error(503, "storage_unavailable");
    let told = answer.json()["message"].as_str().unwrap().to_owned();
    assert!(told.contains("may or may not have been added. Check the list"), "{told}");
    assert_eq!(answer.header("retry-after"), None, "whoever obeyed it could add the pet twice");
    let answer = service.call("POST", "/v1/pets", &[JSON, ("Idempotency-Key", "order-7-0123456789")], late).await;
    answer.is_error(503, "storage_unavailable");
    assert!(answer.text().contains("with the same Idempotency-Key"), "{}", answer.text());
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(service.get("/v1/pets").await.text(), "[]");
    other_process.execute_batch("ROLLBACK").unwrap();
    let rex = NewPet { name: "Rex".into(), category_id: 1, status: None };
    service.store.add(rex, clock::now()).await.unwrap();
    let pets = service.get("/v1/pets").await.json();
    assert_eq!((pets.as_array().unwrap().len(), &pets[0]["name"]), (1, &json!("Rex")));
}

#[tokio::test]
async fn headers_beyond_their_size_or_number_are_refused_by_hyper() {
    let service = Service::start().await;
    let many: Vec<_> = (0..101).map(|_| ("X-A", "1")).collect();
    let long = "x".repeat(40_000);
    for headers in [&many[..], &[("X-A", long.as_str())]] {
        let mut stream = service.connect().await;
        let _ = stream.write_all(format!("{}\r\n", head("GET", "/v1/pets", headers)).as_bytes()).await;
        let refused = read_answer(&mut stream).await;
        assert_eq!((refused.status, refused.text()), (431, ""));
    }
}

#[tokio::test]
async fn connections_that_ask_for_nothing_make_room_for_one_that_does() {
    let service = Service::with(Config { connections: 2, ..Service::config() }).await;
    let mut silent = service.connect().await;
    let mut half_sent = service.connect().await;
    half_sent.write_all(b"GET /v1/pets HT").await.unwrap();
    for _ in 0..2 {
        assert_eq!(service.get("/v1/pets").await.status, 200);
    }
    // The one that has waited longest was cut off.
    assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_request_that_is_being_answered_keeps_its_place() {
    let service = Service::with(Config { connections: 1, ..Service::config() }).await;
    let other_process = service.locked();
    let mut slow = pin!(service.post(REX));
    let mut next = pin!(service.get("/v1/pets"));
    // Longer than one that asks for nothing could keep its place.
    let both = async { tokio::join!(slow.as_mut(), next.as_mut()) };
    assert!(timeout(Duration::from_millis(400), both).await.is_err());
    other_process.execute_batch("ROLLBACK").unwrap();
    assert_eq!(slow.await.status, 201);
    assert_eq!(next.await.json()[0]["name"], "Rex");
}

#[tokio::test]
async fn a_body_that_does_not_arrive_makes_room_and_adds_nothing() {
    let service = Service::with(Config { connections: 1, ..Service::config() }).await;
    let mut slow = service.half_sent(service.key()).await;
    assert_eq!(service.get("/v1/pets").await.text(), "[]");
    assert_eq!(slow.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test]
async fn one_key_has_a_bounded_number_of_slow_bodies_and_everybody_else_goes_on() {
    let service = Service::with(Config { connections: 8, ..Service::config() }).await;
    let (_, other) = service.new_key("read,write").await;
    let mut slow = Vec::new();
    for _ in 0..3 {
        slow.push(service.half_sent(service.key()).await);
    }
    let of_another_key = service.half_sent(&other).await;
    let answers = slow.iter_mut().map(|slow| Box::pin(read_answer(slow)));
    let (refused, which, _) = futures_util::future::select_all(answers).await;
    refused.is_error(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(service.post(REX).await.status, 201);
    slow[which] = of_another_key;
    for mut slow in slow {
        slow.write_all(REX.as_bytes()).await.unwrap();
        assert_eq!(read_answer(&mut slow).await.status, 201);
    }
}

#[tokio::test]
async fn connections_without_a_valid_key_make_room_first() {
    let service = Service::with(Config { connections: 2, ..Service::config() }).await;
    let ask = format!("GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\r\n", service.bearer());
    let mut till = service.connect().await;
    let mut asked = async || {
        till.write_all(ask.as_bytes()).await.unwrap();
        let mut answer = [0; 4096];
        let read = till.read(&mut answer).await.unwrap();
        answer[..read].starts_with(b"HTTP/1.1 200")
    };
    assert!(asked().await);
    let mut silent = service.connect().await;
    assert_eq!(service.get("/v1/pets").await.status, 200);
    assert_eq!(silent.read(&mut [0]).await.unwrap(), 0);
    assert!(asked().await, "it has waited longer, but it had a key");
}

#[tokio::test]
async fn the_stop_finishes_what_runs_and_drops_what_was_half_sent() {
    // Long enough for a busy machine to send the rest of a body meanwhile.
    let service = Service::with(Config { drain: Duration::from_secs(3), ..Service::config() }).await;
    let idle = service.connect().await;
    let mut half_head = service.connect().await;
    half_head.write_all(b"GET /v1/pets HT").await.unwrap();
    let mut half_body = service.half_sent(service.key()).await;
    let mut running = service.half_sent(service.key()).await;
    half_body.write_all(b"{\"name\"").await.unwrap();

    let Service { server, store, directory: _directory, .. } = service;
    let address = server.local_addr();
    #[expect(clippy::disallowed_methods, reason = "how long the stop takes is the question")]
    let started = Instant::now();
    let stop = tokio::spawn(server.shutdown());
    // Once nothing is accepted any more, the drain has begun.
    while TcpStream::connect(address).await.is_ok() {}
    running.write_all(REX.as_bytes()).await.unwrap();
    assert_eq!(read_answer(&mut running).await.status, 201);
    stop.await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(60));
    for mut stream in [idle, half_head, half_body] {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
        assert_eq!(rest, b"");
    }
    assert_eq!(store.get(1).await.unwrap().unwrap().name, "Rex");
    store.close().await;
}
