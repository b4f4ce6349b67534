//! What is typed, on a real disk: written while it is typed, before it is sent, and for the service that it is meant for.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use petstore::app::outbox::send::{SentAt, settle};
use petstore::model::{IdempotencyKey, NewPet};
use petstore::tui::drafts::Drafts;
use petstore::tui::msg::{Msg, QuitReason};
use petstore::tui::worker::drafts::DraftFiles;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::profiles::Home;
use super::*;
use crate::service::fixture::Service;
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
async fn an_animal_is_on_disk_with_its_key_before_it_is_sent() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().to_owned();
    let at_service = state.clone();
    let (saw, mut seen) = mpsc::unbounded_channel();
    let stub = serve(move |_, request, mut socket| {
        let (at_service, saw) = (at_service.clone(), saw.clone());
        async move {
            let answer = if request.starts_with("POST") {
                let sent: Vec<_> = files(&at_service).into_iter().filter_map(|drafts| drafts.typed.sent).collect();
                saw.send((stub::header(&request, "idempotency-key").unwrap().to_owned(), sent)).unwrap();
                json("201 Created", r#"{"id":7,"name":"Biscuit","categoryId":3}"#)
            } else {
                json("200 OK", "[]")
            };
            let _ = socket.write_all(&answer).await;
        }
    })
    .await;
    let (setup, domains_context) = no_domains();
    let drafts = Some(Arc::new(DraftFiles::new(Arc::new(Claims::new(state.clone())))));
    let service = remote(&stub.base_url, "petk_0123456789abcdef77d0");
    let mut app =
        App::start(service, stub.client(), setup, WorkerContext { drafts, ..context(domains_context) }, clock::now);
    app.shows(&["No pets yet."]).await;
    app.press("a \"Biscuit\" Tab \"3\" F2");
    app.shows(&["Added Biscuit, id 7."]).await;
    let (key, sent) = seen.recv().await.unwrap();
    assert_eq!(
        sent.iter().map(|sent| (sent.new.name.as_str(), sent.key.as_str())).collect::<Vec<_>>(),
        [("Biscuit", key.as_str())]
    );
    on_disk(&state, &[]).await;
    app.press("Esc");
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_drafts_cannot_be_written_one_goes_on_and_is_told_until_they_can() {
    let real = Real::with_samples(3).await;
    let home = two_services(&real, &real);
    fs::write(home.state(), "a file in the place of the directory").unwrap();
    let mut app = home.open();
    app.shows(&["[All 3]"]).await;
    app.press("a \"Biscuit\" Tab \"3\"");
    app.shows(&["Biscuit", "Cannot save drafts: Not a directory", "What you type is kept only"]).await;
    app.press("F2");
    app.shows(&["Added Biscuit, id 4."]).await;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_sent_when_the_program_was_gone_is_settled_by_the_next_one() {
    let real = Real::with_samples(5).await;
    let (address, holding) = (real.server.local_addr(), Arc::new(AtomicBool::new(true)));
    let holds = Arc::clone(&holding);
    let stub = serve(move |_, request, mut socket| {
        let holds = Arc::clone(&holds);
        async move {
            let mut service = TcpStream::connect(address).await.unwrap();
            service.write_all(request.as_bytes()).await.unwrap();
            let answer = stub::read_request(&mut service).await.unwrap();
            if request.starts_with("POST") && holds.load(Ordering::SeqCst) {
                return std::future::pending().await;
            }
            let _ = socket.write_all(answer.as_bytes()).await;
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().to_owned();
    let open = |base_url: &str| {
        let client = Client::new(base_url.parse().unwrap(), Some(ApiKey::new(&real.key).unwrap()), Timeouts::default());
        let (setup, domains_context) = no_domains();
        let files = Arc::new(DraftFiles::new(Arc::new(Claims::new(state.clone()))));
        let gone = Arc::downgrade(&files);
        let context = WorkerContext { drafts: Some(files), ..context(domains_context) };
        (App::start(remote(base_url, &real.key), client.unwrap(), setup, context, clock::now), gone)
    };
    install_tls_provider();
    let (mut app, gone) = open(&stub.base_url);
    app.shows(&["[All 5]"]).await;
    app.press("a \"Biscuit\" Tab \"3\" F2");
    tokio::time::timeout(PATIENCE, async {
        while real.store.get(6).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    app.ended.abort();
    let ended = app.ended.await;
    assert!(ended.is_err(), "it was still waiting for the answer");
    // The files are free as soon as the worker is gone, too.
    while gone.upgrade().is_some() {
        tokio::task::yield_now().await;
    }
    let sent = files(&state).remove(0).typed.sent.unwrap();
    assert_eq!((sent.new.name.as_str(), sent.known.len()), ("Biscuit", 5));
    assert!(files(&state).iter().all(|drafts| !drafts.text().contains(&real.key)));

    holding.store(false, Ordering::SeqCst);
    let (mut app, _) = open(&stub.base_url);
    app.shows(&["Added Biscuit, id 6."]).await;
    on_disk(&state, &[]).await;
    app.press("Esc");
    app.shows(&["[All 6]"]).await;
    app.quit().await;
    assert!(real.store.get(7).await.unwrap().is_none());
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
        settle(&client(base_url), &new, &key, at).await.unwrap().map(|pet| pet.id)
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
