//! Browsing beyond the first rows: the whole inventory, one pet by its id, changes, what is written and kept.

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_pet_is_found_in_the_rows_in_a_list_and_by_the_operation_that_goes_away() {
    let real = Real::with_samples(1_000).await;
    let mut app = real.open();
    app.shows(&["Row 1 of 1000. No more rows.", "available 700"]).await;
    app.press("#").shows(&["Find a pet"]).await;
    app.shows(&["be removed on 5 December 2030"]).await;
    app.press("\"3\" Enter").shows(&["Pet 3 found in the loaded rows.", "Pet 3 "]).await;
    app.press("# \"990\" Enter").shows(&["Pet 990 found in the loaded rows.", "Pet 990 "]).await;
    app.press("# \"5000\" Enter").shows(&["This pet does not exist (404)."]).await;
    app.press("Esc Esc").shows(&["Row 990 of 1000."]).await;
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
    app.press("Down y").shows(&["This terminal has no clipboard: wrote id 2 to", "copied.txt"]).await;
    assert_eq!(fs::read_to_string(&copied).unwrap(), "2");
    app.press("Right Right Right").shows(&["[x sold 3]", "Row 1 of 3."]).await;
    app.press("x").shows(&["Write to file", "pets-sold.csv"]).await;
    for _ in 0..13 {
        app.press("BS");
    }
    app.press("\"~/mine.csv\" Enter").shows(&["Written to"]).await;
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
    app.press(": \"themes\" Enter").shows(&["colour-blind"]).await;
    app.press("Down Down Down Enter").shows(&["Theme high-contrast saved in"]).await;
    let text = fs::read_to_string(&config).unwrap();
    assert!(
        text.starts_with("# mine\n[ui]\nglyphs = \"ascii\"\n") && text.contains("theme = \"high-contrast\""),
        "{text}"
    );
    app.quit().await;
}
