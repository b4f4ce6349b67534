//! Browsing, searching, adding, and one by its id.

use crate::prelude::*;

use petstore::dialogue::prompt::Leave;
use tokio::io::BufReader;

use super::{Person, said};
use crate::service::fixture::Service;
use crate::stub::{always, impatient, json, losing_answers, read_request, serve};

/// Nothing listens there.
const UNUSED: &str = "http://127.0.0.1:9/v1";

#[tokio::test]
async fn browse_by_status_and_number_page_by_page() {
    let service = Service::start().await;
    service.store.insert_samples(8, clock::now()).await.unwrap();
    let lines = ["1", "of none", "available", "150", "3", "", "back", "browse", "", "", "quit"];
    insta::assert_snapshot!(Person::of(&service).says(&lines).await);
}

#[tokio::test]
async fn help_back_and_quit_are_understood_at_every_question() {
    let service = Service::start().await;
    let lines = ["?", "back", "1", "help", "back", "3", "HELP", "\"Quit\"", "?", "back", "12", "quit"];
    insta::assert_snapshot!(Person::of(&service).says_in_full(&lines).await);
    assert!(Person::of(&service).says(&[]).await.ends_with("Main menu, 1 to 11: \nGoodbye.\n"));
}

#[tokio::test]
async fn an_empty_store_says_how_to_add_the_first() {
    let service = Service::start().await;
    insta::assert_snapshot!(Person::of(&service).says(&["1", "", "", "2", "rex", "", "quit"]).await);
}

#[tokio::test]
async fn add_one_after_another_and_correct_what_is_wrong() {
    let service = Service::start().await;
    let lines = ["3", "Biscuit", "3rd", "3", "2", "Waffle", "", "", " ", "4", "1", "", "10", "", "quit"];
    insta::assert_snapshot!(Person::of(&service).says(&lines).await);
}

#[tokio::test]
async fn a_refused_pet_keeps_its_answers() {
    let refused = r#"{"code":"INVALID_CATEGORY","message":"There is no category 99.","status":400}"#;
    let stub = always(json("400 Bad Request", refused)).await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    insta::assert_snapshot!(person.says(&["3", "Biscuit", "99", "sold", "", "98", "", "back", "quit"]).await);
}

#[tokio::test]
async fn a_lost_answer_is_settled_by_sending_again_safely() {
    let service = Service::start().await;
    // More than are repeated unasked.
    let stub = losing_answers(service.server.local_addr(), 4).await;
    let mut person = Person::at(&stub.base_url, service.key(), Timeouts::default(), "");
    // How long ago it was sent is compared with the clock of the service.
    person.setup.clock = clock::now;
    let transcript = person.says(&["3", "Biscuit", "3", "", "send it again twice", "1", "", "quit"]).await;
    insta::assert_snapshot!(transcript);
    assert_eq!(service.get("/v1/pets").await.json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_lost_answer_without_idempotency_keys_is_looked_for() {
    let stub = serve(|_, request, mut socket| async move {
        let list = r#"[{"id":7,"name":"Biscuit","categoryId":3}]"#;
        if request.starts_with("GET") {
            let _ = AsyncWriteExt::write_all(&mut socket, &json("200 OK", list)).await;
        }
    })
    .await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    insta::assert_snapshot!(person.says(&["3", "Biscuit", "3", "", "search", "1", "", "quit"]).await);
}

#[tokio::test]
async fn a_service_that_is_away_says_what_to_do_and_loses_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let person = Person::at(&base_url, "petk_0123456789abcdef77d0", impatient(), "");
    let lines = ["1", "", "", "2", "rex", "4", "7", "", "3", "Biscuit", "3", "", "1", "2", "", "", "", "3", "", "quit"];
    insta::assert_snapshot!(person.says(&lines).await);
}

/// How many files of waiting pets there are.
fn queues(state: &Path) -> usize {
    let files = fs::read_dir(state.join("drafts")).unwrap().map(|file| file.unwrap().file_name());
    files.filter(|name| name.to_str().unwrap().ends_with(".queue.ndjson")).count()
}

#[tokio::test]
async fn a_pet_that_could_not_be_sent_is_sent_in_the_next_session() {
    let state = tempfile::tempdir().unwrap();
    let key = "petk_0123456789abcdef77d0";
    let away = Person::at(UNUSED, key, impatient(), "").keeping(state.path());
    let before = away.says(&["3", "Biscuit", "3", "", "keep", "Rex", "", "", "keep", "", "quit"]).await;
    let kept = "Kept for the next start: Biscuit, category 3.\nKept for the next start: Rex, category 3.\nGoodbye.\n";
    assert!(before.ends_with(kept), "{before}");
    assert_eq!(queues(state.path()), 1);
    let service = Service::start().await;
    let after = Person::of(&service).keeping(state.path()).says(&["3", "", "quit"]).await;
    insta::assert_snapshot!(after);
    assert_eq!(service.get("/v1/pets").await.json().as_array().unwrap().len(), 2);
    assert_eq!(queues(state.path()), 0);
}

/// The program is killed while a pet is being sent, and its answer is lost.
#[tokio::test]
async fn a_pet_that_was_being_sent_when_the_program_was_killed_is_added_once() {
    let state = tempfile::tempdir().unwrap();
    let service = Service::start().await;
    let (asked, mut was_asked) = mpsc::channel(1);
    let address = service.server.local_addr();
    let stub = serve(move |_, request, _socket| {
        let asked = asked.clone();
        async move {
            if request.starts_with("POST") {
                let mut service = TcpStream::connect(address).await.unwrap();
                AsyncWriteExt::write_all(&mut service, request.as_bytes()).await.unwrap();
                read_request(&mut service).await.unwrap();
                let _ = asked.send(()).await;
            }
            std::future::pending::<()>().await;
        }
    })
    .await;
    let (key, kept, address) = (service.key().to_owned(), state.path().to_owned(), stub.base_url.clone());
    // With a runtime of its own, so that nothing of it goes on.
    let killed = tokio::task::spawn_blocking(move || {
        let mut person = Person::at(&address, &key, Timeouts::default(), "").keeping(&kept);
        person.setup.clock = clock::now;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut keyboard, lines) = tokio::io::duplex(256);
            AsyncWriteExt::write_all(&mut keyboard, &said(&["3", "Biscuit", "3", ""])).await.unwrap();
            tokio::select! {
                ended = person.talks(BufReader::new(lines)) => panic!("{ended:?}"),
                _ = was_asked.recv() => {}
            }
        });
    });
    killed.await.unwrap();
    let mut person = Person::of(&service).keeping(state.path());
    person.setup.clock = clock::now;
    let after = person.says(&["3", "", "quit"]).await;
    assert!(after.contains("Waiting: Biscuit, category 3.\n"), "{after}");
    assert!(after.contains("Added: Biscuit, category 3, available, id 1.\n"), "{after}");
    assert_eq!(service.get("/v1/pets").await.json().as_array().unwrap().len(), 1);
    assert_eq!(queues(state.path()), 0);
}

/// Its changes are answered as not made; everything else is passed on.
#[tokio::test]
async fn a_change_that_could_not_be_made_is_taken_back_or_made_once_by_the_next_session() {
    let state = tempfile::tempdir().unwrap();
    let service = Service::start().await;
    service.post("{\"name\":\"Rex\",\"categoryId\":1}").await;
    let address = service.server.local_addr();
    let stub = serve(move |_, request, mut socket| async move {
        let mut answer = json("503 Service Unavailable", r#"{"code":"not_changed","message":"Later.","status":503}"#);
        if !request.starts_with("PATCH") {
            let mut service = TcpStream::connect(address).await.unwrap();
            service.write_all(request.as_bytes()).await.unwrap();
            answer = read_request(&mut service).await.unwrap().into_bytes();
        }
        let _ = socket.write_all(&answer).await;
    })
    .await;
    let person = Person::at(&stub.base_url, service.key(), Timeouts::default(), "").keeping(state.path());
    let lines = ["1", "", "", "sell", "1", "", "keep", "undo", "undo", "1", "", "keep", "", "quit"];
    let before = person.says(&lines).await;
    let told = ["Not changed: Rex, category 1, available, id 1.\n", "Taken back: Rex, category 1, sold, id 1.\n"];
    assert!(told.iter().all(|told| before.contains(told)) && before.contains("Nothing to undo"), "{before}");
    assert!(before.ends_with("Kept for the next start: Rex, category 1, sold, id 1.\nGoodbye.\n"), "{before}");
    assert_eq!(queues(state.path()), 1);
    // Where the profile is protected by now, it is asked first.
    let config = "profile = \"live\"\n[profiles.live]\nbase_url = \"ADDRESS\"\nprotect = true\n";
    let protected = Person::at(&service.server.base_url(), service.key(), Timeouts::default(), config);
    let no = protected.keeping(state.path()).says(&["sell", "id 1", "no", "", "quit"]).await;
    assert!(no.contains("Waiting: Rex") && no.contains("Nothing was sent."), "{no}");
    assert_eq!(service.get("/v1/pets/1").await.json()["status"].as_str(), Some("available"));
    let after = Person::of(&service).keeping(state.path()).says(&["3", "", "quit"]).await;
    let told = ["Waiting: Rex, category 1, sold, id 1.\n", "Changed: Rex, category 1, sold, id 1.\n"];
    assert!(told.iter().all(|told| after.contains(told)), "{after}");
    assert_eq!((service.get("/v1/pets/1").await.json()["status"].as_str(), queues(state.path())), (Some("sold"), 0));
}

#[tokio::test]
async fn a_status_is_asked_of_the_service_so_that_few_pets_are_found_among_many() {
    let stub = serve(|_, request, mut socket| async move {
        let is_sold = request.starts_with("GET /v1/pets?status=sold&") || request.contains("&status=sold ");
        let pet = if is_sold { r#"{"id":90000,"name":"Rex","categoryId":1,"status":"sold"}"# } else { "" };
        let _ = socket.write_all(&json("200 OK", &format!("[{pet}]"))).await;
    })
    .await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    let transcript = person.says(&["1", "sold", "", "quit"]).await;
    assert!(
        transcript.contains("Sold pet 1 of 1:\n1: Rex, category 1, sold, id 90000\nThat is all.\n"),
        "{transcript}"
    );
}

#[tokio::test]
async fn a_list_without_pages_tells_that_there_may_be_more() {
    let pets: Vec<_> = (1..=100).map(|id| format!(r#"{{"id":{id},"name":"Rex","categoryId":1}}"#)).collect();
    let stub = always(json("200 OK", &format!("[{}]", pets.join(",")))).await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    let transcript = person.says(&["1", "", "100", "2", "id:7", "", "quit"]).await;
    let more = "100: Rex, category 1, no status, id 100\n100 pets from 4 requests. There may be more: \
                only 100 of each status are listed, and pets without a status may be missing.\n";
    assert!(transcript.contains(more), "{transcript}");
    assert_eq!(transcript.matches("100 pets from 4 requests. There may be more:").count(), 2, "{transcript}");
}

#[tokio::test]
async fn pets_are_counted_and_a_view_is_read_and_exported() {
    let service = Service::start().await;
    service.store.insert_samples(30, clock::now()).await.unwrap();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("sold.ndjson");
    let view = "[[views]]\nname = \"gone\"\nsearch = \"is:sold\"\nsort = \"-id\"\n";
    let person = Person::at(&service.server.base_url(), service.key(), Timeouts::default(), view);
    let path = file.to_str().unwrap();
    let lines = ["count", "1", "gone", "export", "gone", "sold.txt", path, "export", "sold", path, "", "quit"];
    let transcript = person.says(&lines).await.replace(home.path().to_str().unwrap(), "HOME");
    insta::assert_snapshot!(transcript);
    let pets = fs::read_to_string(&file).unwrap();
    assert!(pets.lines().count() > 1 && pets.lines().all(|line| line.contains("\"sold\"")), "{pets}");
    let stub = always(json("200 OK", r#"[{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]"#)).await;
    let other = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    let counted = other.says(&["count", "quit"]).await;
    assert!(counted.contains("There may be more") || counted.contains("all that the service lists"), "{counted}");
}

#[tokio::test]
async fn a_protected_profile_is_asked_about_once_and_enter_means_no() {
    let service = Service::start().await;
    let config = "profile = \"live\"\n[profiles.live]\nbase_url = \"ADDRESS\"\nlabel = \"LIVE\"\nprotect = true\n";
    let person = Person::at(&service.server.base_url(), service.key(), Timeouts::default(), config);
    let lines = ["3", "Rex", "1", "", "", "", "", "", "yes", "Max", "", "", "", "quit"];
    insta::assert_snapshot!(person.says(&lines).await);
}

#[tokio::test]
async fn search_all_pages_and_again() {
    let service = Service::start().await;
    service.store.insert_samples(120, clock::now()).await.unwrap();
    insta::assert_snapshot!(Person::of(&service).says(&["2", "", "whis is:sold", "cat:99", "", "quit"]).await);
}

#[tokio::test]
async fn search_by_who_added_a_pet_where_that_is_reported() {
    let service = Service::start().await;
    service.store.insert_samples(3, clock::now()).await.unwrap();
    service.post("{\"name\":\"Moss\",\"categoryId\":1}").await;
    let found = Person::of(&service).says(&["2", "by:app", "", "quit"]).await;
    assert!(found.contains("1 found:") && found.contains("Moss"), "{found}");
    let stub = always(json("200 OK", "[{\"id\":1,\"name\":\"Rex\",\"categoryId\":1}]")).await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    let none = person.says(&["2", "by:app", "", "quit"]).await;
    assert!(none.contains("by: finds nothing: the service does not report who added pets."), "{none}");
}

#[tokio::test]
async fn one_by_its_id() {
    let service = Service::start().await;
    service.store.insert_samples(3, clock::now()).await.unwrap();
    insta::assert_snapshot!(Person::of(&service).says(&["4", "two", "2", "99", "yes", "", "quit"]).await);
}

#[tokio::test]
async fn a_pet_is_sold_by_its_number_in_the_list_or_by_its_id_and_the_last_change_is_undone() {
    let service = Service::start().await;
    service.store.insert_samples(8, clock::now()).await.unwrap();
    let before = ["5", "undo", "2", "rex", "help", "id 99", "no", "id 1", "", ""];
    let by_number =
        ["1", "available", "", "sell", "9", "3", "pending", "undo", "undo", "#2", "", "id 2", "sold", "", "quit"];
    let lines = [&before[..], &by_number].concat();
    insta::assert_snapshot!(Person::of(&service).says(&lines).await);
    let statuses = service.get("/v1/pets").await.json();
    let statuses: Vec<_> = statuses.as_array().unwrap().iter().map(|pet| pet["status"].as_str().unwrap()).collect();
    assert_eq!(statuses[..4], ["sold", "sold", "available", "available"]);
}

/// Somebody else sells the pet while it is asked what becomes of it.
#[tokio::test]
async fn whoever_comes_second_is_told_what_the_pet_is_and_overwrites_nothing() {
    let service = Service::start().await;
    service.post("{\"name\":\"Rex\",\"categoryId\":1}").await;
    let person = Person::of(&service);
    let (mut keyboard, lines) = tokio::io::duplex(256);
    let selling = async {
        keyboard.write_all(&said(&["1", "", "", "sell", "1"])).await.unwrap();
        // What it is was read before.
        let sold = r#"[{"op":"replace","path":"/status","value":"pending"}]"#;
        while service.get("/v1/pets/1").await.json()["status"] != "pending" {
            let json = [("Content-Type", "application/json-patch+json")];
            service.call("PATCH", "/v1/pets/1", &json, sold).await;
        }
        keyboard.write_all(&said(&["sold", "", "quit"])).await.unwrap();
        keyboard
    };
    let ((leave, transcript), _keyboard) = tokio::join!(person.talks(BufReader::new(lines)), selling);
    assert!(matches!(leave, Leave::Quit), "{leave:?}");
    let told = "Somebody was faster: Rex, category 1, pending, id 1. Nothing was changed.\n";
    assert!(transcript.contains(told), "{transcript}");
    assert_eq!(service.get("/v1/pets/1").await.json()["status"], "pending");
}

#[tokio::test]
async fn a_service_without_changes_a_protected_and_a_read_only_profile_are_respected() {
    let stub = always(json("200 OK", r#"[{"id":1,"name":"Rex","categoryId":1,"status":"sold"}]"#)).await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    let transcript = person.says(&["1", "", "", "sell", "1", "", "quit"]).await;
    assert!(transcript.contains("HOST does not offer to change pets: this one stays as it is.\n"), "{transcript}");
    let service = Service::start().await;
    service.post("{\"name\":\"Rex\",\"categoryId\":1}").await;
    let with = |line: &str| {
        let config = format!("profile = \"live\"\n[profiles.live]\nbase_url = \"ADDRESS\"\n{line}\n");
        Person::at(&service.server.base_url(), service.key(), Timeouts::default(), &config)
    };
    let no = with("protect = true").says(&["sell", "id 1", "", "", "", "quit"]).await;
    assert!(
        no.contains("This profile is protected. Continue? Yes or no, press Enter for no: \nNothing was sent."),
        "{no}"
    );
    assert_eq!(service.get("/v1/pets/1").await.json()["status"], "available");
    let yes = with("protect = true").says(&["sell", "id 1", "", "yes", "undo", "", "quit"]).await;
    let told = ["Changed: Rex, category 1, sold, id 1.\n", "Undone: Rex, category 1, available, id 1.\n"];
    assert!(told.iter().all(|told| yes.contains(told)), "{yes}");
    assert!(!with("read_only = true").says(&["quit"]).await.contains("sell, reserve"));
}

#[tokio::test]
async fn names_from_outside_cannot_move_anything() {
    let stub = always(json("200 OK", r#"[{"id":1,"name":"\u001b[2J\u202eRex","categoryId":1,"status":"lost"}]"#)).await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", impatient(), "");
    let transcript = person.says(&["1", "", "", "quit"]).await;
    assert!(transcript.contains("1: ⟨U+001B⟩[2J⟨U+202E⟩Rex, category 1, unknown status lost, id 1"));
}

/// Ctrl-C at a request that never ends, and once more.
#[tokio::test]
async fn ctrl_c_stops_what_runs_and_twice_ends() {
    let (asked, mut was_asked) = mpsc::channel(1);
    let stub = serve(move |_, _, _socket| {
        let asked = asked.clone();
        async move {
            let _ = asked.send(()).await;
            std::future::pending::<()>().await;
        }
    })
    .await;
    let person = Person::at(&stub.base_url, "petk_0123456789abcdef77d0", Timeouts::default(), "");
    let interrupt = person.interrupt.clone();
    let (mut keyboard, lines) = tokio::io::duplex(256);
    let talking = person.talks(BufReader::new(lines));
    let pressing = async move {
        AsyncWriteExt::write_all(&mut keyboard, &said(&["1", "", ""])).await.unwrap();
        was_asked.recv().await.unwrap();
        interrupt.send(()).await.unwrap();
        interrupt.send(()).await.unwrap();
        keyboard
    };
    let ((exit, transcript), _keyboard) = tokio::join!(talking, pressing);
    assert!(matches!(exit, Leave::Interrupted), "{exit:?}");
    assert!(transcript.ends_with("Stopped. Ctrl-C again ends petstore.\nMain menu, 1 to 11: \n"), "{transcript}");
}
