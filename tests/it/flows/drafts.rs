//! What is typed, on a real disk: written while it is typed, before it is sent, and for the service that it is meant for.

use std::fs;
use std::path::Path;

use petstore::app::outbox::queue::SentAt;
use petstore::model::{IdempotencyKey, NewPet};
use petstore::tui::drafts::Drafts;
use petstore::tui::msg::{Msg, QuitReason};
use tokio::io::AsyncWriteExt as _;

use super::profiles::Home;
use super::*;
use crate::service::fixture::Service;
use petstore::app::outbox::queue::{Attempt, LineSent, LineToSend, Queue, Queues};
use petstore::local::draft_files::Claims;

/// The files of drafts, with what is in them.
fn files(state: &Path) -> Vec<Drafts> {
    let entries = fs::read_dir(state.join("drafts")).into_iter().flatten().map(|entry| entry.unwrap().path());
    let drafts = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    drafts.filter_map(|path| serde_json::from_str(&fs::read_to_string(path).ok()?).ok()).collect()
}

/// The names in the forms that are on disk, with the profile each was typed for, in order.
fn names(state: &Path) -> Vec<(String, String)> {
    let name = |drafts: Drafts| Some((drafts.profile, drafts.typed.form?["name"].value().to_owned()));
    let mut names: Vec<_> = files(state).into_iter().filter_map(name).collect();
    names.sort();
    names
}

/// Waits until this is typed on disk, and nothing else.
#[track_caller]
fn on_disk<'a>(state: &'a Path, wanted: &'a [(&'a str, &'a str)]) -> impl Future<Output = ()> + 'a {
    let caller = std::panic::Location::caller();
    async move {
        let there = async {
            while names(state)
                .iter()
                .map(|(profile, name)| (profile.as_str(), name.as_str()))
                .ne(wanted.iter().copied())
            {
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, there).await;
        assert!(waited.is_ok(), "{caller}: {wanted:?} never came: {:?}", names(state));
    }
}

fn two_services(first: &Real, second: &Real) -> Home {
    let profile = |name: &str, real: &Real| {
        let address = real.server.base_url();
        format!("[profiles.{name}]\nbase_url = \"{address}\"\nkey = {{ file = \"~/.config/petstore/keys/{name}\" }}\n")
    };
    let home = Home::with(&format!("profile = \"shop\"\n{}{}", profile("shop", first), profile("lab", second)));
    home.put_key("shop", &first.key);
    home.put_key("lab", &second.key);
    home
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_typed_for_a_service_stays_with_it_on_screen_and_on_disk() {
    let (shop, lab) = (Real::with_samples(3).await, Real::with_samples(7).await);
    let home = two_services(&shop, &lab);
    let state = home.state();
    let mut app = home.open();
    app.shows(&["[All 3]", "shop | ok"]).await;
    app.press("a \"Biscuit\"");
    on_disk(&state, &[("shop", "Biscuit")]).await;
    app.shows(&["draft saved "]).await;
    app.press("Esc P");
    app.shows(&["> shop"]).await;
    app.press("g Down Enter");
    app.shows(&["Using lab: 127.0.0.1", "Your text for shop stays there."]).await;
    app.press("a \"Rex\" Tab \"3\" F2");
    app.shows(&["Added Rex, id 8."]).await;
    app.press("\"Luna\"");
    app.shows(&["Luna_", "draft saved "]).await;
    on_disk(&state, &[("lab", "Luna"), ("shop", "Biscuit")]).await;
    app.press("Esc P");
    app.shows(&["> lab"]).await;
    app.press("Down Enter");
    app.shows(&["Using shop: 127.0.0.1", "Your text for lab stays there.", "Biscuit_"]).await;
    app.press("Tab \"3\" F2");
    app.shows(&["Added Biscuit, id 4."]).await;
    on_disk(&state, &[("lab", "Luna")]).await;
    app.press("Esc");
    app.quit().await;
    assert_eq!(names(&state), [("lab".to_owned(), "Luna".to_owned())]);
    assert_eq!((shop.store.get(5).await.unwrap(), lab.store.get(9).await.unwrap()), (None, None));

    // The next session has it, too.
    let mut app = home.open();
    app.shows(&["[All 4]"]).await;
    app.press("P");
    app.shows(&["> shop"]).await;
    app.press("g Down Enter");
    app.shows(&["lab | ok", "Luna_", "Your text here is restored."]).await;
    app.press("Esc");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_pet_is_on_disk_with_its_key_before_it_is_sent() {
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
    let (setup, domains_context) = no_domains();
    let claims = Arc::new(Claims::new(state.clone()));
    let queues = Arc::new(Queues::new(Some(Arc::clone(&claims))));
    let drafts = Some(claims);
    let service = remote(&stub.base_url, "petk_0123456789abcdef77d0");
    let context = WorkerContext { drafts, queues, ..context(domains_context) };
    let mut app = App::start(service, stub.client(), setup, context, clock::now);
    app.shows(&["No pets yet."]).await;
    app.press("a \"Biscuit\" Tab \"3\" F2");
    app.shows(&["Added Biscuit, id 7."]).await;
    let (key, queue) = seen.recv().await.unwrap();
    let [typed, sent] = &queue.lines().collect::<Vec<_>>()[..] else { panic!("{queue}") };
    assert!(typed.contains("Biscuit") && typed.contains(&key) && sent.starts_with("{\"sent\":"), "{queue}");
    on_disk(&state, &[]).await;
    app.press("Esc");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_drafts_cannot_be_written_one_goes_on_and_is_warned_until_they_can() {
    let real = Real::with_samples(3).await;
    let home = two_services(&real, &real);
    fs::write(home.state(), "a file in the place of the directory").unwrap();
    let mut app = home.open();
    app.shows(&["[All 3]"]).await;
    app.press("a \"Biscuit\" Tab \"3\"");
    app.shows(&["Biscuit", "Cannot save drafts: Not a directory", "What you type is kept only"]).await;
    app.press("F2");
    app.shows(&["1 saved", "id 4 ", "Biscuit"]).await;
    app.press("\"Rex\"");
    app.shows(&["Rex", "Cannot save drafts: "]).await;
    fs::remove_file(home.state()).unwrap();
    on_disk(&home.state(), &[("shop", "Rex")]).await;
    let screen = app.shows(&["draft saved "]).await;
    assert!(!screen.contains("Cannot save drafts"), "{screen}");
    app.press("Esc");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_another_program_works_on_is_left_to_it() {
    let real = Real::with_samples(3).await;
    let home = two_services(&real, &real);
    let (mut one, mut two) = (home.open(), home.open());
    for (app, name) in [(&mut one, "Biscuit"), (&mut two, "Rex")] {
        app.shows(&["[All 3]"]).await;
        app.press(&format!("a \"{name}\""));
        app.shows(&[name, "draft saved "]).await;
    }
    let mut both: Vec<String> = names(&home.state()).into_iter().map(|(_, name)| name).collect();
    both.sort();
    assert_eq!(both, ["Biscuit", "Rex"]);
    one._signals.send(Msg::Quit(QuitReason::Hangup)).await.unwrap();
    two._signals.send(Msg::Quit(QuitReason::Hangup)).await.unwrap();
    for app in [one, two] {
        app.ended.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn what_was_sent_at_a_time_that_a_clock_does_not_know_is_not_sent_again_unasked() {
    let service = Service::start().await;
    let client = |base_url: &str| {
        install_tls_provider();
        Client::new(base_url.parse().unwrap(), Some(ApiKey::new(service.key()).unwrap()), Timeouts::default()).unwrap()
    };
    let ahead = stub::answering_at(service.server.local_addr(), "Sat, 01 Jan 2050 00:00:00 GMT").await;
    let new = NewPet { name: "Rex".into(), category_id: 3, status: None };
    let key = IdempotencyKey::numbered(Uuid::nil(), 1);
    let now = clock::now().wall;
    let hours = |hours: i64| now + jiff::SignedDuration::from_hours(hours);
    let settle_sent = async |base_url: &str, here: i64, there: Option<i64>| {
        let at = SentAt { here: hours(here), there: there.map(hours) };
        let attempt = Attempt { by: String::new(), there: at.there };
        let (new, key) = (new.clone(), key.clone());
        let line =
            LineToSend { line: 1, new, patch: None, key, attempt, again: Some(at), is_kept: true, repeats: false };
        match Queue::default().send(&client(base_url), line).await {
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
