//! What is typed, on a real disk: written while it is typed, before it is sent, and for the service that it is meant for.

use petstore::app::outbox::queue::SentAt;
use petstore::tui::drafts::Drafts;

use super::*;
use crate::service::fixture::Service;
use petstore::app::outbox::queue::{Attempt, LineSent, LineToSend, Queue};

/// The files of drafts, with what is in them.
fn files(state: &Path) -> Vec<Drafts> {
    let entries = fs::read_dir(state.join("drafts")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let drafts = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    drafts.filter_map(|path| serde_json::from_str(&fs::read_to_string(path).ok()?).ok()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pet_is_on_disk_with_its_key_before_it_is_sent() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().to_owned();
    let at_service = state.clone();
    let (saw, mut seen) = mpsc::unbounded_channel();
    let stub = serve(move |_, request, mut socket| {
        let (at_service, saw) = (at_service.clone(), saw.clone());
        async move {
            let answer = if request.starts_with("POST") {
                let queue = fs::read_dir(at_service.join("drafts")).unwrap().map(|file| file.unwrap().path());
                let queue = queue.filter(|path| path.to_str().unwrap().ends_with(".queue.ndjson"));
                let queue: String = queue.map(|path| fs::read_to_string(path).unwrap()).collect();
                saw.send((stub::header(&request, "idempotency-key").unwrap().to_owned(), queue)).unwrap();
                json("201 Created", r#"{"id":7,"name":"Biscuit","categoryId":3}"#)
            } else {
                json("200 OK", "[]")
            };
            let _ = socket.write_all(&answer).await;
        }
    })
    .await;
    let claims = Arc::new(Claims::new(state.clone()));
    let queues = Arc::new(Queues::new(Some(Arc::clone(&claims))));
    let drafts = Some(claims);
    let service = remote(&stub.base_url, "petk_0123456789abcdef77d0");
    let context = WorkerContext { drafts, queues, ..context(no_domains()) };
    let mut app = TestApp::start(service, stub.client(), DomainSetup::default(), context);
    app.shows(&["No pets yet."]).await;
    app.press("a \"Biscuit\" Tab \"3\" F2");
    app.shows(&["Added Biscuit, id 7."]).await;
    let (key, queue) = seen.recv().await.unwrap();
    let [typed, sent] = &queue.lines().collect::<Vec<_>>()[..] else { panic!("{queue}") };
    assert!(typed.contains("Biscuit") && typed.contains(&key) && sent.starts_with("{\"sent\":"), "{queue}");
    timeout(PATIENCE, async {
        while !files(&state).is_empty() {
            yield_now().await;
        }
    })
    .await
    .expect("no draft is left");
    app.press("Esc");
    app.quit().await;
}

#[tokio::test]
async fn what_was_sent_at_a_time_that_a_clock_does_not_know_is_not_sent_again_unasked() {
    let service = Service::start().await;
    let ahead = stub::answering_at(service.server.local_addr(), "Sat, 01 Jan 2050 00:00:00 GMT").await;
    let new = NewPet { name: "Rex".into(), category_id: 3, status: None };
    let key = IdempotencyKey::numbered(Uuid::nil(), 1);
    let now = clock::now().wall;
    let hours = |hours: i64| now + SignedDuration::from_hours(hours);
    let settle_sent = async |base_url: &str, here: i64, there: Option<i64>| {
        let at = SentAt { here: hours(here), there: there.map(hours) };
        let attempt = Attempt { by: String::new(), there: at.there };
        let (new, key) = (new.clone(), key.clone());
        let line =
            LineToSend { line: 1, new, patch: None, key, attempt, again: Some(at), is_kept: true, repeats: false };
        match Queue::default().send(&client(base_url, service.key(), Timeouts::default()), line).await {
            LineSent::Saved(pet) => Some(pet.id),
            LineSent::NotRepeatable => None,
            other => panic!("{other:?}"),
        }
    };
    let settle = async |base_url: &str, here: i64| settle_sent(base_url, here, None).await;
    let here = service.server.base_url();
    // Just now, and at the end of the time for which keys are kept.
    assert_eq!([settle(&here, 0).await, settle(&here, -23).await], [Some(1), Some(1)]);
    // Before that; in the future of this machine; and far back by the clock of the service.
    assert_eq!([settle(&here, -24).await, settle(&here, 48).await, settle(&ahead.base_url, 0).await], [None; 3]);
    // Where the time of the service is known, it decides: the clock here was a day ahead when it was sent, or behind.
    assert_eq!([settle_sent(&here, 0, Some(-25)).await, settle_sent(&here, -30, Some(48)).await], [None; 2]);
    assert_eq!([settle_sent(&here, 48, Some(0)).await, settle_sent(&here, -30, Some(-1)).await], [Some(1); 2]);
}
