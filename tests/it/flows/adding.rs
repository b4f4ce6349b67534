//! The lines of the add screen, and changes, through the real loop: a lossy service, and one that goes and comes back.

use petstore::app::outbox::queue::Fate;
use petstore::model::{PatchOperation, PetMember};
use petstore::tui::screens::add_pet::lines;

use super::*;

/// Into the form, with category 3.
async fn enter(app: &mut TestApp) {
    app.press("a Tab \"3\" Enter").shows(&["> Name", "[3_"]).await;
}

/// What a scanner reads that never rests.
fn names(from: usize, to: usize) -> Vec<String> {
    (from..=to).map(|number| format!("{number:08}")).collect()
}

/// Whether these names were saved in the order of typing, and nothing beside them has an id between these.
#[track_caller]
fn assert_saved(state: &App, names: Vec<String>, ids: std::ops::RangeInclusive<i64>) {
    let lines = state.add.outbox.lines.iter();
    let saved =
        lines.filter_map(
            |line| if let Fate::Saved(id) = line.fate { Some((line.typed.pet.name.clone(), id)) } else { None },
        );
    let (saved, mut given): (Vec<_>, Vec<_>) = saved.unzip();
    given.sort_unstable();
    assert_eq!((saved, given), (names, ids.collect()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_answers_add_nothing_twice_where_the_service_keeps_keys() {
    let real = Real::with_samples(0).await;
    let lossy = stub::losing_answers(real.server.local_addr(), 2).await;
    let mut app = TestApp::open(&lossy.base_url, &real.key, Timeouts::default());
    app.shows(&["No pets yet."]).await;
    enter(&mut app).await;
    for name in names(1, 5) {
        app.press(&format!("\"{name}\" Enter"));
    }
    app.shows(&["5 saved  "]).await;
    app.press("Esc").shows(&["[1 Pets]"]).await;
    assert_saved(&app.quit().await, names(1, 5), 1..=5);
    assert_eq!(real.store.get(6).await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_answers_change_nothing_twice() {
    let real = Real::with_samples(1).await;
    let lossy = stub::losing_answers(real.server.local_addr(), 2).await;
    let mut app = TestApp::open(&lossy.base_url, &real.key, Timeouts::default());
    app.shows(&["Row 1 of 1."]).await;
    app.press("s Enter").shows(&["Rex (#1): sold. u undoes it."]).await;
    let history = real.store.history(1).await.unwrap().unwrap();
    assert_eq!((history.len(), history[1].to.status.clone()), (2, Some(PetStatus::Sold.into())));
    assert_eq!(app.quit().await.add.outbox.lines, []);
}

/// The app with what the queue in `home` has, as at the start of the program.
fn session(base_url: &str, key: &str, home: &TempDir) -> (TestApp, Arc<Queues>) {
    let service = remote(base_url, key);
    let queues = Arc::new(Queues::new(Some(Arc::new(Claims::new(home.path().to_owned())))));
    let left = queues.of(settings(service.clone()).identity().as_deref()).unwrap().1;
    let context = WorkerContext { queues: Arc::clone(&queues), ..context(no_domains()) };
    let client = client(base_url, key, Timeouts::default());
    let prepare = |state: &mut App| lines::restore(state, Ok(left));
    (TestApp::start_with(service, client, DomainSetup::default(), context, prepare), queues)
}

/// Writes what is on its way to disk, and gives back what was claimed, as at the end of the program.
fn end(state: App, queues: Arc<Queues>) {
    let rest: Vec<_> = state.add.outbox.not_in_file().cloned().collect();
    queues.close(state.link.identity.as_deref(), &rest).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_wait_on_disk_for_a_service_that_is_away_and_the_next_session_makes_them_in_order() {
    let Real { server, key, store, _directory } = Real::with_samples(2).await;
    let (address, base_url) = (server.local_addr(), server.base_url());
    let home = tempfile::tempdir().unwrap();
    let (mut app, queues) = session(&base_url, &key, &home);
    app.shows(&["Row 1 of 2."]).await;
    server.shutdown().await;
    app.press("s Enter").shows(&["Changed once", "Rex (#1)", "1 waiting"]).await;
    // Sold, returned, and the other one sold.
    app.press("s Enter Down s Enter").shows(&["Mr. Whiskers (#2)", "3 waiting"]).await;
    end(app.quit().await, queues);

    let listener = TcpListener::bind(address).await.unwrap();
    let server = server::start(Config::default(), store.clone(), vec![listener]).unwrap();
    let faster = PetPatch(vec![PatchOperation::Replace(PetMember::Status(PetStatus::Available))]);
    let till = Client::new(base_url.parse().unwrap(), Some(ApiKey::new(&key).unwrap()), Timeouts::default()).unwrap();
    let taken = till.change_pet(2, &faster, &IdempotencyKeys::new(Uuid::new_v4()).make()).await.unwrap();
    let (mut app, queues) = session(&base_url, &key, &home);
    app.shows(&["was returned by"]).await;
    app.press("2 F6").shows(&["So far: 1 to fix", "not changed"]).await;
    app.press("Esc Esc").shows(&["[1 Pets]"]).await;
    let state = app.quit().await;
    assert!(state.pets.changing.is_empty() && state.add.outbox.lines.len() == 1);
    queues.close(state.link.identity.as_deref(), &[]).unwrap();
    assert_eq!(store.get(2).await.unwrap(), Some(taken), "not overwritten");
    let statuses = store.history(1).await.unwrap().unwrap().into_iter().map(|entry| entry.to.status);
    let [sold, available] = [PetStatus::Sold, PetStatus::Available].map(|status| Some(status.into()));
    assert_eq!(statuses.skip(1).collect::<Vec<_>>(), [sold, available], "each once, in order");
    server.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_service_keeps_up_with_a_scanner_and_every_line_gets_its_own_id() {
    let (slow, arrived, most) = slow(Duration::from_millis(300)).await;
    let mut app = TestApp::open(&slow.base_url, "petk_0123456789abcdef77d0", Timeouts::default());
    app.shows(&["No pets yet."]).await;
    enter(&mut app).await;
    for name in names(1, 40) {
        app.press(&format!("\"{name}\" Enter"));
    }
    app.shows(&["40 saved  "]).await;
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    let state = app.quit().await;
    let arrived = arrived.lock().unwrap().clone();
    let most = most.load(Ordering::SeqCst);
    assert!((2..=8).contains(&most), "{most} at once");
    let ids: HashMap<String, i64> = (1..).zip(arrived).map(|(id, name)| (name, id)).collect();
    assert_eq!(ids.len(), 40);
    let expected: Vec<_> = names(1, 40).into_iter().map(|name| (name.clone(), ids[&name])).collect();
    assert_eq!(saved(&state), expected);
}

/// A service that takes `delay` for each answer, counts names, and gives ids in the order in which requests came.
async fn slow(delay: Duration) -> (stub::Stub, Arc<Mutex<Vec<String>>>, Arc<AtomicUsize>) {
    let (arrived, most) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
    let (seen, at_once, now) = (Arc::clone(&arrived), Arc::clone(&most), Arc::new(AtomicUsize::new(0)));
    let slow = stub::serve(move |_, request, mut socket| {
        let (seen, at_once, now) = (Arc::clone(&seen), Arc::clone(&at_once), Arc::clone(&now));
        async move {
            if request.starts_with("GET") {
                let _ = socket.write_all(&stub::json("200 OK", "[]")).await;
                return;
            }
            let id = {
                let mut seen = seen.lock().unwrap();
                let name = request.split("\"name\":\"").nth(1).unwrap().split('"').next().unwrap();
                seen.push(name.to_owned());
                seen.len()
            };
            at_once.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(delay).await;
            now.fetch_sub(1, Ordering::SeqCst);
            let body = format!(r#"{{"id":{id},"name":"x","categoryId":3}}"#);
            let _ = socket.write_all(&stub::json("201 Created", &body)).await;
        }
    })
    .await;
    (slow, arrived, most)
}

/// What each line came to, in the order of typing.
fn saved(state: &App) -> Vec<(String, i64)> {
    let lines = state.add.outbox.lines.iter();
    lines
        .filter_map(|line| if let Fate::Saved(id) = line.fate { Some((line.typed.pet.name.clone(), id)) } else { None })
        .collect()
}
