//! Following new pets, also those of services that send what they like.

use crate::prelude::*;

use petstore::api::follow::{EventPosition, Followed, Follower};
use petstore::api::follow::{ProvenanceError, ProvenanceReader};

use crate::stub::{Stub, always, header, json, serve};

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";

/// A list that announces the stream; where that is, is known.
fn list() -> Vec<u8> {
    let text = String::from_utf8(json("200 OK", "[]")).unwrap();
    text.replace("content-type", "Pets-Events: https://evil.example/events\r\ncontent-type").into_bytes()
}

fn added(id: PetId, status: &str) -> String {
    format!(
        "event: pet.added\nid: {id}\ndata: {{\"id\":{id},\"name\":\"Rex\",\"categoryId\":1,\"status\":\"{status}\"}}\n\n"
    )
}

/// A service with these connections of events, one after another; each stays open where nothing follows it.
async fn service(connections: Vec<Vec<u8>>) -> (Stub, Arc<Mutex<Vec<String>>>) {
    let requests = Arc::<Mutex<Vec<String>>>::default();
    let record = Arc::clone(&requests);
    let stub = serve(move |number, request, mut socket| {
        record.lock().unwrap().push(request);
        let answer = match number.checked_sub(1) {
            None => list(),
            Some(at) => connections.get(at).cloned().unwrap_or_default(),
        };
        let is_last = number >= connections.len();
        async move {
            let _ = socket.write_all(&answer).await;
            if is_last {
                std::future::pending::<()>().await;
            }
        }
    })
    .await;
    (stub, requests)
}

async fn follower(stub: &Stub, after: Option<PetId>, status: Option<PetStatus>) -> Follower {
    let client = stub.client();
    client.list_pets(&PetQuery::default()).await.unwrap();
    Follower::new(&client, after.map(EventPosition::after), status).unwrap().expect("the list announces the stream")
}

/// What comes, in a word each, up to the first error.
async fn news(follower: &mut Follower, most: usize) -> Vec<String> {
    let mut all = Vec::new();
    for _ in 0..most {
        all.push(match follower.next().await {
            Ok(Followed::Connected(..)) => "connected".to_owned(),
            Ok(Followed::Added(added)) => added[0].pet.id.to_string(),
            Ok(Followed::Changed(changed)) => {
                format!("{} changed from {:?}", changed[0].pet.id, changed[0].from.status)
            }
            Ok(Followed::PetsLost(last)) => format!("lost all after {last}"),
            Ok(Followed::Lost(None)) => "ended".to_owned(),
            Ok(Followed::Lost(Some(error))) => format!("lost: {error}"),
            Err(Failure::Malformed { why, .. }) => format!("wrong: {why}"),
            Err(error) => format!("failed: {error}"),
        });
    }
    all
}

#[tokio::test]
async fn pets_come_once_each_across_connections() {
    let first = format!("{EVENTS}retry: 1\nid: 5\n\n:\n\n{}", added(6, "sold"));
    let second = format!("{EVENTS}id: 6\n\n{}{}", added(6, "sold"), added(7, "sold"));
    let (stub, requests) = service(vec![first.into_bytes(), second.into_bytes()]).await;
    let mut follower = follower(&stub, None, None).await;
    assert_eq!(news(&mut follower, 5).await, ["connected", "6", "ended", "connected", "7"]);
    assert_eq!(follower.position().unwrap().pet, 7);
    let requests = requests.lock().unwrap();
    assert!(requests[1].starts_with("GET /v1/pets/events HTTP/1.1\r\n"), "{}", requests[1]);
    let sent = |at: usize, name| header(&requests[at], name).map(str::to_owned);
    assert_eq!((sent(1, "accept").as_deref(), sent(1, "last-event-id")), (Some("text/event-stream"), None));
    assert_eq!(sent(2, "last-event-id").as_deref(), Some("6"));
    assert!(sent(2, "authorization").is_some());
}

#[tokio::test]
async fn changes_come_and_the_next_connection_goes_on_after_them() {
    let changed = |id: &str, from: &str, to: &str| {
        let pet = format!("\"id\":1,\"name\":\"Rex\",\"categoryId\":1,\"status\":\"{to}\"");
        let members = format!("\"from\":{{\"status\":\"{from}\"}},\"to\":{{\"status\":\"{to}\"}}");
        format!("event: pet.changed\nid: {id}\ndata: {{{pet},{members}}}\n\n")
    };
    let first =
        [EVENTS, "id: 5\n\n", &changed("5.1", "available", "sold"), &changed("5.2", "sold", "pending")].concat();
    let second = [EVENTS, "id: 5.2\n\n", &added(6, "sold"), &changed("6.2", "pending", "sold")].concat();
    let (stub, requests) = service(vec![first.into_bytes(), second.into_bytes()]).await;
    let mut follower = follower(&stub, None, Some(PetStatus::Sold)).await;
    let [available, sold, pending] =
        ["Available", "Sold", "Pending"].map(|was| format!("1 changed from Some(Known({was}))"));
    let expected = ["connected", &available, &sold, "ended", "connected", "6", &pending];
    assert_eq!(news(&mut follower, 7).await, expected);
    assert_eq!(header(&requests.lock().unwrap()[2], "last-event-id"), Some("5.2"));
}

#[tokio::test]
async fn ids_that_go_back_and_other_statuses_are_left_out() {
    let body = [
        "id: 10\n\n".to_owned(),
        added(9, "sold"),
        added(11, "pending"),
        "event: pet.removed\nid: 12\ndata: {\"id\":12}\n\n".to_owned(),
        added(12, "sold"),
        "id: 3\n\n".to_owned(),
        added(4, "sold"),
        added(i64::MAX, "sold"),
    ];
    let (stub, requests) = service(vec![format!("{EVENTS}{}", body.concat()).into_bytes()]).await;
    let mut follower = follower(&stub, Some(8), Some(PetStatus::Sold)).await;
    assert_eq!(news(&mut follower, 2).await, ["connected", "9223372036854775807"]);
    assert!(requests.lock().unwrap()[1].starts_with("GET /v1/pets/events?status=sold&after=8 HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_service_that_has_lost_pets_is_followed_from_its_last_one() {
    let lost = |last: PetId| format!("event: pets.lost\nid: {last}\ndata: {{\"last\":{last}}}\n\n");
    let first = [EVENTS, "id: 3\n\n", &lost(3), &lost(3), &added(4, "sold")].concat();
    let second = [EVENTS, "id: 4\n\n", &lost(2), &added(3, "sold")].concat();
    let (stub, requests) = service(vec![first.into_bytes(), second.into_bytes()]).await;
    let mut follower = follower(&stub, Some(9), None).await;
    let expected = ["connected", "lost all after 3", "4", "ended", "connected", "lost all after 2", "3"];
    assert_eq!(news(&mut follower, 7).await, expected);
    assert_eq!(follower.position().unwrap().pet, 3);
    assert_eq!(header(&requests.lock().unwrap()[2], "last-event-id"), Some("4"));
}

#[tokio::test]
async fn comments_keep_a_quiet_connection_for_ever() {
    for end in ["\n", "\r\n", "\r"] {
        let quiet = format!(":{end}{end}").repeat(5000);
        let body = format!("id: 1\n\n{quiet}{}", added(2, "sold")).replace('\n', end);
        let (stub, _) = service(vec![[EVENTS, &body].concat().into_bytes()]).await;
        assert_eq!(news(&mut follower(&stub, None, None).await, 2).await, ["connected", "2"], "{end:?}");
    }
}

#[tokio::test]
async fn what_is_not_a_stream_of_pets_ends_it() {
    let stream = |text: &[u8]| [EVENTS.as_bytes(), b"id: 1\n\n", text].concat();
    let endless = [b"data: ".to_vec(), vec![b'x'; 3 << 20]].concat();
    let many = b"data: x\n".repeat(400_000);
    let wrong = |id: &str, data: &str| format!("event: pet.added\nid: {id}\ndata: {data}\n\n").into_bytes();
    let large = format!("{{\"id\":2,\"name\":\"{}\",\"categoryId\":1}}", "x".repeat(8 << 10));
    for (body, expected) in [
        (stream(&endless), "wrong: an event is larger than 8 KiB"),
        (stream(&many), "wrong: an event is larger than 8 KiB"),
        (stream(&wrong("2", &large)), "wrong: an event is larger than 8 KiB"),
        (stream(&wrong("x", "{}")), "wrong: an event has an id that is not a number"),
        (stream(b"event: pet.added\ndata: \xff\xfe\n\n"), "wrong: an event is not UTF-8"),
        (stream(&wrong("2", r#"{"id":3,"name":"Rex","categoryId":1}"#)), "wrong: an event has the id of another pet"),
        (stream(&wrong("2", "null")), "wrong: invalid type: null, expected struct Pet at line 1 column 4"),
    ] {
        let (stub, _) = service(vec![body]).await;
        assert_eq!(news(&mut follower(&stub, None, None).await, 2).await, ["connected", expected]);
    }
    for (head, expected) in [
        (json("200 OK", "[]"), "wrong: the answer is not a stream of events"),
        (json("401 Unauthorized", "{}"), "failed: the service answered 401"),
        (json("404 Not Found", "{}"), "failed: the service answered 404"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(), "wrong: unexpected status 304"),
        (
            b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.2/\r\ncontent-length: 0\r\n\r\n".to_vec(),
            "failed: the service answered 302",
        ),
        (json("503 Service Unavailable", "{}"), "lost: the service answered 503"),
    ] {
        let (stub, _) = service(vec![head]).await;
        assert_eq!(news(&mut follower(&stub, None, None).await, 1).await, [expected]);
    }
}

#[tokio::test]
#[allow(clippy::disallowed_methods, reason = "the clock of the test, which stands still")]
async fn a_connection_without_a_byte_for_40_seconds_is_dead() {
    let (stub, _) = service(vec![format!("{EVENTS}id: 1\n\n").into_bytes()]).await;
    let mut follower = follower(&stub, None, None).await;
    assert_eq!(news(&mut follower, 1).await, ["connected"]);
    tokio::time::pause();
    let before = tokio::time::Instant::now();
    assert_eq!(news(&mut follower, 1).await, ["lost: no answer within 40 s"]);
    let waited = before.elapsed();
    assert!((Duration::from_secs(40)..Duration::from_secs(41)).contains(&waited), "{waited:?}");
}

#[tokio::test]
async fn a_service_that_offers_no_events_is_not_followed() {
    let client = always(json("200 OK", "[]")).await.client();
    client.list_pets(&PetQuery::default()).await.unwrap();
    assert!(Follower::new(&client, None, None).unwrap().is_none());
}

/// An event with the further members that keys with the scope `audit` see.
fn traced(id: PetId, further: &str) -> String {
    format!("event: pet.added\nid: {id}\ndata: {{\"id\":{id},\"name\":\"Rex\",\"categoryId\":1{further}}}\n\n")
}

#[tokio::test]
async fn an_event_may_say_who_added_the_pet_and_wrong_words_about_that_lose_no_pet() {
    let long = "é".repeat(300);
    let named = format!(",\"addedAt\":null,\"addedBy\":{{\"key\":\"AB12cd34\",\"name\":\"{long}\"}}");
    for (further, expected) in [
        ("", None),
        (",\"addedAt\":null", None),
        (",\"addedAt\":7,\"addedBy\":null", None),
        (",\"addedAt\":null,\"addedBy\":null", Some(None)),
        (",\"addedAt\":null,\"addedBy\":{\"key\":\"AB12cd34\",\"name\":null}", Some(Some("AB12cd34"))),
        (named.as_str(), Some(Some(&long[..254]))),
    ] {
        let (stub, _) = service(vec![format!("{EVENTS}id: 0\n\n{}", traced(1, further)).into_bytes()]).await;
        let mut follower = follower(&stub, None, None).await;
        assert!(matches!(follower.next().await, Ok(Followed::Connected(..))));
        let Ok(Followed::Added(added)) = follower.next().await else { panic!("no pet: {further}") };
        assert_eq!(added[0].provenance.as_ref().map(|provenance| provenance.by()), expected, "{further}");
    }
}

#[tokio::test]
async fn who_added_pets_near_each_other_comes_over_one_connection_and_those_that_are_gone_are_left_out() {
    let by = |name: &str| format!(",\"addedAt\":null,\"addedBy\":{{\"key\":\"AB12cd34\",\"name\":\"{name}\"}}");
    let near = format!("{EVENTS}id: 6\n\n{}{}{}", traced(7, &by("till 1")), traced(8, ""), traced(9, &by("till 2")));
    let near = near.replace(&traced(8, ""), &traced(8, &by("another")));
    let far = format!("{EVENTS}id: 99999\n\n{}", traced(100_002, &by("till 3")));
    let (stub, requests) = service(vec![near.into_bytes(), far.into_bytes()]).await;
    let client = stub.client();
    client.list_pets(&PetQuery::default()).await.unwrap();
    let mut reader = ProvenanceReader::new(&client);
    let known = reader.read([9, 7, 100_002, 100_000]).await.unwrap();
    let names: Vec<_> = [7, 9, 100_000, 100_002].into_iter().map(|id| known[&id].by()).collect();
    assert_eq!((names, known.len()), (vec![Some("till 1"), Some("till 2"), None, Some("till 3")], 4));
    let requests = requests.lock().unwrap().clone();
    let places: Vec<_> = requests[1..].iter().map(|request| request.split(' ').nth(1).unwrap()).collect();
    assert_eq!(places, ["/v1/pets/events?after=6", "/v1/pets/events?after=99999"]);
}

/// Reads who added the pets 7 and 9 where the stream is silent after pet 7 and the last pet is `last`. Also counts the requests.
#[allow(clippy::disallowed_methods, reason = "the clock of the test, which stands still")]
async fn read_of_a_silent_stream(last: PetId) -> (Result<Vec<Option<String>>, ProvenanceError>, usize) {
    let by = ",\"addedAt\":null,\"addedBy\":{\"key\":\"AB12cd34\",\"name\":\"till 1\"}";
    let stub = serve(move |number, request, mut socket| async move {
        let answer = match request.contains("?after=") {
            _ if number == 0 => list(),
            true => format!("{EVENTS}id: 6\n\n{}", traced(7, by)).into_bytes(),
            false => format!("{EVENTS}id: {last}\n\n").into_bytes(),
        };
        let _ = socket.write_all(&answer).await;
        if number > 0 {
            std::future::pending::<()>().await;
        }
    })
    .await;
    let client = stub.client();
    client.list_pets(&PetQuery::default()).await.unwrap();
    let mut reader = ProvenanceReader::new(&client);
    assert_eq!(reader.read([7]).await.unwrap()[&7].by(), Some("till 1"));
    tokio::time::pause();
    let read = reader.read([9]).await;
    tokio::time::resume();
    (read.map(|known| vec![known[&9].by().map(str::to_owned)]), stub.requests())
}

#[tokio::test]
async fn a_pause_of_the_stream_does_not_make_pets_ones_of_which_nothing_was_recorded() {
    let (read, _) = read_of_a_silent_stream(9).await;
    assert!(matches!(read, Err(ProvenanceError::Api(Failure::NoAnswer { .. }))), "{read:?}");
    let (read, requests) = read_of_a_silent_stream(8).await;
    assert_eq!((read.unwrap(), requests), (vec![None], 3), "there is no pet 9");
}

#[tokio::test]
async fn what_a_key_may_not_see_and_what_a_service_does_not_offer_are_told_apart() {
    let (stub, _) = service(vec![format!("{EVENTS}id: 0\n\n{}", traced(1, "")).into_bytes()]).await;
    let client = stub.client();
    let mut reader = ProvenanceReader::new(&client);
    assert!(matches!(reader.read([1]).await, Err(ProvenanceError::NotOffered)));
    client.list_pets(&PetQuery::default()).await.unwrap();
    assert!(matches!(reader.read([1]).await, Err(ProvenanceError::NotAllowed)));
    assert!(reader.read([]).await.unwrap().is_empty());
}
