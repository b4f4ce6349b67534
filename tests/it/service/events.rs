//! The stream of added pets: every pet once and in order, whatever the client, its key and the database do.

use crate::prelude::*;

use tokio::net::TcpSocket;

use super::fixture::{Service, head, until};
use super::metrics::{figures, with_metrics};
use crate::sse::Events;

const EVENTS: &str = "/v1/pets/events";

impl Service {
    async fn events(&self, target: &str) -> Events {
        let events = Events::open(self.server.local_addr(), self.key(), target, &[]).await;
        assert!(events.is_ok(), "{}", events.head);
        events
    }

    async fn add(&self, name: &str, status: PetStatus) -> PetId {
        let new = NewPet { name: name.into(), category_id: 1, status: Some(status) };
        self.store.add(new, clock::now()).await.unwrap().id
    }
}

/// The ids of the next `count` pets.
async fn ids(events: &mut Events, count: usize) -> Vec<PetId> {
    let mut ids = Vec::new();
    while ids.len() < count {
        ids.push(events.pet().await.expect("the stream goes on").id);
    }
    ids
}

#[tokio::test]
async fn a_stream_begins_now_and_shows_each_pet_that_is_added_as_the_list_does() {
    let service = Service::start().await;
    service.add("Before", PetStatus::Sold).await;
    let (_, key) = service.new_key("read").await;
    let mut events = Events::open(service.server.local_addr(), &key, EVENTS, &[]).await;
    for header in
        ["content-type: text/event-stream", "cache-control: no-store", "x-accel-buffering: no", "x-request-id: "]
    {
        assert!(events.head.contains(header), "{header}: {}", events.head);
    }
    let first = events.block().await.unwrap();
    assert_eq!((first.id, first.data), (Some(1), None));
    let added = service.post(r#"{"name":"Zoë 🐕\\n","categoryId":-9}"#).await.json();
    let event = events.block().await.unwrap();
    assert_eq!(event.event.as_deref(), Some("pet.added"));
    assert_eq!(event.id, added["id"].as_i64());
    assert_eq!(serde_json::from_str::<Value>(&event.data.unwrap()).unwrap(), added);
}

#[tokio::test]
async fn a_stream_begins_after_the_id_that_the_client_names() {
    let service = Service::start().await;
    service.store.insert_samples(1200, clock::now()).await.unwrap();
    let address = service.server.local_addr();
    let mut all = service.events("/v1/pets/events?after=0").await;
    assert_eq!(ids(&mut all, 1200).await, (1..=1200).collect::<Vec<_>>());
    // What a browser sends when it comes again counts more than the address that it was given at first.
    let mut rest = Events::open(address, service.key(), "/v1/pets/events?after=5", &[("Last-Event-ID", "1198")]).await;
    assert_eq!(ids(&mut rest, 2).await, [1199, 1200]);
    service.add("Rex", PetStatus::Sold).await;
    assert_eq!(ids(&mut all, 1).await, [1201]);
    assert_eq!(ids(&mut rest, 1).await, [1201]);
}

#[tokio::test]
async fn a_client_that_is_ahead_of_the_last_pet_learns_that_and_gets_what_is_added_next() {
    let service = Service::start().await;
    service.store.insert_samples(3, clock::now()).await.unwrap();
    let mut there = service.events("/v1/pets/events?after=3").await;
    for (target, last) in [("?after=4", 3), ("?after=9223372036854775807&status=sold", 3)] {
        let mut ahead = service.events(&format!("{EVENTS}{target}")).await;
        let first = ahead.block().await.unwrap();
        assert_eq!((first.id, first.event), (Some(last), None));
        let lost = ahead.block().await.unwrap();
        assert_eq!((lost.lost(), lost.data.as_deref()), (Some(3), Some("{\"last\":3}")), "{target}");
        let added = service.add("Rex", PetStatus::Sold).await;
        assert_eq!(ids(&mut ahead, 1).await, [added]);
        let taken_back = rusqlite::Connection::open(service.file()).unwrap();
        taken_back.execute("DELETE FROM pets WHERE id > 3", ()).unwrap();
        // An open stream learns it, too. Until then the same id, given again within a second, would not be noticed.
        while there.block().await.expect("it goes on").lost() != Some(3) {}
    }
}

#[tokio::test]
async fn an_open_stream_learns_that_its_pets_were_lost_also_where_others_have_their_ids() {
    let service = Service::start().await;
    let mut events = service.events(EVENTS).await;
    for name in ["Rex", "Mochi", "Zoë"] {
        service.add(name, PetStatus::Sold).await;
    }
    assert_eq!(ids(&mut events, 3).await, [1, 2, 3]);
    let database = rusqlite::Connection::open(service.file()).unwrap();
    // As after a failover to a server that did not have the last two.
    let lost = "BEGIN; DELETE FROM pets WHERE id > 1; INSERT INTO pets (id, name, category_id, status, created_at) \
                VALUES (2, 'Tom', 1, 'sold', 7), (3, 'Ada', 1, 'sold', 7), (4, 'Leo', 1, 'sold', 7); COMMIT;";
    database.execute_batch(lost).unwrap();
    while events.block().await.expect("the stream goes on").lost() != Some(1) {}
    let added = service.add("Next", PetStatus::Sold).await;
    assert_eq!(ids(&mut events, 4).await, [2, 3, 4, added]);
}

#[tokio::test]
async fn what_is_not_an_id_is_refused_and_so_is_a_key_that_may_not_read() {
    let service = Service::start().await;
    for target in ["?after=", "?after=x", "?after=01", "?after=1&after=1", "?status=gone"] {
        service.get(&format!("{EVENTS}{target}")).await.is_error(400, "invalid_parameter");
    }
    for id in ["", "x", "1.0", "1.", "1.01", "1.1.1", "+1", "9223372036854775808"] {
        let answer = service.call("GET", EVENTS, &[("Last-Event-ID", id)], "").await;
        answer.is_error(400, "invalid_parameter");
        assert!(answer.json()["message"].as_str().unwrap().contains("Last-Event-ID must be the id of an event"));
    }
    let twice = [("Last-Event-ID", "1"), ("Last-Event-ID", "1")];
    service.call("GET", EVENTS, &twice, "").await.is_error(400, "invalid_parameter");
    let (_, write) = service.new_key("write").await;
    service.call_as(&write, "GET", EVENTS, "").await.is_error(403, "forbidden");
    service.send("GET", EVENTS, &[], "").await.is_error(401, "unauthorized");
    service.call("POST", EVENTS, &[], "").await.is_error(405, "method_not_allowed");
    let known = service.call("HEAD", EVENTS, &[], "").await;
    assert_eq!((known.status, known.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(service.call("OPTIONS", EVENTS, &[], "").await.header("allow"), Some("GET, HEAD, OPTIONS"));
}

#[tokio::test]
async fn the_list_says_where_to_follow_it() {
    let service = Service::start().await;
    let list = service.get("/v1/pets").await;
    assert_eq!(list.header("pets-events"), Some(EVENTS));
    let etag = list.header("etag").unwrap();
    let known = service.call("GET", "/v1/pets", &[("If-None-Match", etag)], "").await;
    assert_eq!((known.status, known.header("pets-events")), (304, Some(EVENTS)));
}

#[tokio::test]
async fn a_stream_ends_when_its_key_is_revoked() {
    let service = Service::start().await;
    let (id, key) = service.new_key("read").await;
    let mut revoked = Events::open(service.server.local_addr(), &key, EVENTS, &[]).await;
    let mut other = service.events(EVENTS).await;
    revoked.block().await.unwrap();
    service.store.revoke_key(id, "ada", clock::now()).await.unwrap();
    assert_eq!(timeout(Duration::from_secs(60), revoked.pet()).await.expect("it should have ended"), None);
    let added = service.add("Rex", PetStatus::Sold).await;
    assert_eq!(ids(&mut other, 1).await, [added]);
}

#[tokio::test]
async fn the_stop_ends_streams_after_what_was_committed() {
    let service = Service::start().await;
    let mut events = service.events(EVENTS).await;
    let mut running = service.half_sent(service.key()).await;
    let Service { server, store, directory: _directory, .. } = service;
    let address = server.local_addr();
    let stop = tokio::spawn(server.shutdown());
    // Once nothing is accepted any more, the drain has begun.
    while TcpStream::connect(address).await.is_ok() {}
    running.write_all(REX.as_bytes()).await.unwrap();
    assert_eq!(ids(&mut events, 1).await, [1]);
    assert_eq!(events.block().await, None);
    timeout(Duration::from_secs(60), stop).await.expect("no stream should hold up the stop").unwrap();
    store.close().await;
}

#[tokio::test]
async fn streams_take_no_places_from_requests_and_have_a_limit_with_each_key_and_in_all() {
    let (service, metrics) = with_metrics(Config { connections: 2, streams: 4, ..Service::config() }).await;
    let (_, other) = service.new_key("read").await;
    let (_, third) = service.new_key("read").await;
    let address = service.server.local_addr();
    let mut open = vec![service.events(EVENTS).await, service.events(EVENTS).await];
    service.get(EVENTS).await.is_error(429, "rate_limited");
    for _ in 0..2 {
        open.push(Events::open(address, &other, EVENTS, &[]).await);
    }
    let refused = service.call_as(&third, "GET", EVENTS, "").await;
    refused.is_error(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(figures(metrics).await.get("petstore_streams_open"), 4.0);
    let added = service.post(REX).await;
    assert_eq!(added.status, 201);
    for events in &mut open {
        assert_eq!(ids(events, 1).await, [1]);
    }
    drop(open);
    until(async || figures(metrics).await.get("petstore_streams_open") == 0.0).await;
    assert_eq!(ids(&mut service.events("/v1/pets/events?after=0").await, 1).await, [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_read_is_cut_off_and_others_are_not_kept_waiting() {
    let config = Config { write_time: Duration::from_secs(1), ..Service::config() };
    let (service, metrics) = with_metrics(config).await;
    let mut reader = service.events(EVENTS).await;
    let small = TcpSocket::new_v4().unwrap();
    small.set_recv_buffer_size(4096).unwrap();
    let mut deaf = small.connect(service.server.local_addr()).await.unwrap();
    let ask = head("GET", EVENTS, &[("Authorization", &service.bearer())]);
    deaf.write_all(format!("{ask}\r\n").as_bytes()).await.unwrap();
    until(async || figures(metrics).await.get("petstore_streams_open") == 2.0).await;
    // More than all buffers on the way take.
    let many = 60_000;
    let reading = tokio::spawn(async move { (ids(&mut reader, many).await, reader) });
    service.store.insert_samples(many, clock::now()).await.unwrap();
    let (read, _open) = reading.await.unwrap();
    assert_eq!(read, (1..=many as PetId).collect::<Vec<_>>());
    until(async || figures(metrics).await.get("petstore_streams_open") == 1.0).await;
}

#[tokio::test]
async fn a_stream_over_http_1_0_says_that_it_ends_with_its_connection() {
    let service = Service::start().await;
    let bearer = service.bearer();
    for (version, connection, closes) in
        [("1.0", "", true), ("1.0", "Connection: keep-alive\r\n", true), ("1.1", "", false)]
    {
        let mut stream = service.connect().await;
        let head = format!("GET {EVENTS} HTTP/{version}\r\nHost: x\r\n{connection}Authorization: {bearer}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        assert_eq!(head.contains("\r\nconnection: close\r\n"), closes, "{head}");
        assert!(!head.contains("connection: keep-alive"), "{head}");
    }
}

#[tokio::test]
async fn two_processes_on_one_file_see_each_others_pets() {
    let service = Service::start().await;
    let mut events = service.events(EVENTS).await;
    let other = Store::open(&DatabaseUrl::Sqlite(service.file())).await.unwrap();
    let new = NewPet { name: "Rex".into(), category_id: 1, status: None };
    let id = other.add(new, clock::now()).await.unwrap().id;
    assert_eq!(ids(&mut events, 1).await, [id]);
    other.close().await;
}
