//! Browsing beyond the first rows: the whole inventory, one pet by its id, changes, what is written and kept.

use super::*;

/// A service that gives at most a hundred of 300 pets, a hundred of each status, and no further page.
async fn without_pages() -> stub::Stub {
    use tokio::io::AsyncWriteExt as _;
    serve(|_, request, mut socket| async move {
        let status = |id: i64| ["available", "pending", "sold"][usize::try_from(id % 3).unwrap()];
        let wanted = |id: &i64| match request.split_once("status=") {
            Some((_, rest)) => rest.starts_with(status(*id)),
            None => true,
        };
        let rows = (1..=300_i64).filter(wanted).take(100);
        let rows =
            rows.map(|id| format!(r#"{{"id":{id},"name":"Pet {id}","categoryId":1,"status":"{}"}}"#, status(id)));
        let body = format!("[{}]", rows.collect::<Vec<_>>().join(","));
        let _ = socket.write_all(&json("200 OK", &body)).await;
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_pets_come_page_by_page_behind_the_first_rows() {
    let real = Real::with_samples(1_234).await;
    let mut app = real.open();
    app.shows(&["Row 1 of 1234. No more rows.", "[All 1234]"]).await;
    app.press("End");
    app.shows(&["> 1234 "]).await;
    app.press("/ \"id:777\"");
    app.shows(&["1 of 1234 rows", "> 777 "]).await;
    app.press("Esc Right");
    app.shows(&["[o available 8"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_more_pets_than_are_loaded_the_newest_are_there() {
    let real = Real::with_samples(450).await;
    let service = remote(&real.server.base_url(), &real.key);
    let mut app = TestApp::start_with(service, real.client(), DomainSetup::default(), context(no_domains()), |state| {
        state.pets.store = PetStore::new(LoadLimit::try_from(200).unwrap());
    });
    app.shows(&["> 251 ", "Row 1 of 200. There are more: only the newest 200 are loaded.", "[All 200+]"]).await;
    real.store.insert_samples(1, clock::now()).await.unwrap();
    app.shows(&["Added: Rex (#451). n goes there.", "[All 201+]"]).await;
    app.press("N");
    app.shows(&["+451 ", " 450 "]).await;
    app.press("r");
    app.shows(&[" 451 ", " 450 ", " of 200. There are more: only the newest 200 are loaded."]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_pages_three_lists_are_merged_and_what_may_be_missing_is_reported() {
    let service = without_pages().await;
    let mut app = TestApp::open(&service.base_url, "petk_0123456789abcdef77d0", Timeouts::default());
    app.shows(&["available 100+", "Row 1 of 300. There may be more: the service lists only 100", "[All 300+]"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_pet_is_found_in_the_rows_in_a_list_and_by_the_operation_that_goes_away() {
    let real = Real::with_samples(1_000).await;
    let mut app = real.open();
    app.shows(&["Row 1 of 1000. No more rows.", "available 700"]).await;
    app.press("#");
    app.shows(&["Find a pet"]).await;
    app.shows(&["be removed on 5 December 2030"]).await;
    app.press("\"3\" Enter");
    app.shows(&["Pet 3 found in the loaded rows.", "Pet 3 "]).await;
    app.press("# \"990\" Enter");
    app.shows(&["Pet 990 found in the loaded rows.", "Pet 990 "]).await;
    app.press("# \"5000\" Enter");
    app.shows(&["This pet does not exist (404)."]).await;
    app.press("Esc Esc");
    app.shows(&["Row 990 of 1000."]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_somebody_else_added_is_marked_and_an_unchanged_list_comes_without_rows() {
    let real = Real::with_samples(12).await;
    let mut app = real.open();
    app.shows(&["Row 1 of 12. No more rows.", "[All 12]", "sold 1"]).await;
    real.store.insert_samples(1, clock::now()).await.unwrap();
    app.shows(&["+13 "]).await;
    app.press("r");
    let is_seen = |screen: &String| screen.contains(" 13 ") && !screen.contains("+13 ");
    timeout(PATIENCE, app.screen.wait_for(is_seen)).await.unwrap().unwrap();
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_are_written_to_a_file_and_ids_copied_into_one_where_there_is_no_clipboard() {
    let real = Real::with_samples(30).await;
    let home = tempfile::tempdir().unwrap();
    let copied = home.path().join("state/copied.txt");
    let context = WorkerContext {
        copying: vec![ClipboardBackend::File(copied.clone())],
        home: Some(home.path().to_owned()),
        ..context(no_domains())
    };
    let mut app = real.open_in(context);
    app.shows(&["Row 1 of 30.", "sold 3"]).await;
    app.press("Down y");
    app.shows(&["This terminal has no clipboard: wrote id 2 to", "copied.txt"]).await;
    assert_eq!(fs::read_to_string(&copied).unwrap(), "2");
    app.press("Right Right Right");
    app.shows(&["[x sold 3]", "Row 1 of 3."]).await;
    app.press("x");
    app.shows(&["Write to file", "pets-sold.csv"]).await;
    for _ in 0..13 {
        app.press("BS");
    }
    app.press("\"~/mine.csv\" Enter");
    app.shows(&["Written to"]).await;
    let text = fs::read_to_string(home.path().join("mine.csv")).unwrap();
    assert_eq!((text.lines().next(), text.lines().count()), (Some("id,name,categoryId,status"), 4));
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_is_found_by_its_name_and_a_theme_is_kept_in_the_configuration() {
    let real = Real::with_samples(5).await;
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config.toml");
    fs::write(&config, "# mine\n[ui]\nglyphs = \"ascii\"\n").unwrap();
    let context = WorkerContext { config: Ok(config.clone()), ..context(no_domains()) };
    let mut app = real.open_in(context);
    app.shows(&["Row 1 of 5."]).await;
    app.press(": \"themes\" Enter");
    app.shows(&["colour-blind"]).await;
    app.press("Down Down Down Enter");
    app.shows(&["Theme high-contrast saved in"]).await;
    let text = fs::read_to_string(&config).unwrap();
    assert!(
        text.starts_with("# mine\n[ui]\nglyphs = \"ascii\"\n") && text.contains("theme = \"high-contrast\""),
        "{text}"
    );
    app.quit().await;
}
