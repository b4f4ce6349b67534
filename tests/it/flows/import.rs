//! Files of pets through the real loop: looked at, sent, gone on with, mended, and written again.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use petstore::api::inventory::{Selection, inventory};

use super::*;

/// A file of so many pets, `pet-1` and so on; those of `bad` have no category.
fn file(directory: &Path, count: usize, bad: &[usize]) -> String {
    let rows = (1..=count).map(|number| match bad.contains(&number) {
        true => format!("pet-{number},,came Tuesday\n"),
        false => format!("pet-{number},3,came Tuesday\n"),
    });
    let path = directory.join("new-arrivals.csv");
    fs::write(&path, format!("pet_name,cat,notes\n{}", rows.collect::<String>())).unwrap();
    path.display().to_string()
}

/// Every name in the store, as often as it is there.
async fn names(real: &Real) -> Vec<String> {
    let client = Client::new(
        real.server.base_url().parse().unwrap(),
        Some(ApiKey::new(&real.key).unwrap()),
        Timeouts::default(),
    );
    let (pages, mut coming) = mpsc::channel(4);
    let client = client.unwrap();
    let read = inventory(&client, Selection::default(), pages);
    let collect = async {
        let mut names = Vec::new();
        while let Some(part) = coming.recv().await {
            names.extend(part.pets.into_iter().map(|pet| pet.name));
        }
        names
    };
    let (read, names) = tokio::join!(read, collect);
    read.unwrap();
    names
}

fn assert_each_once(names: &[String], count: usize) {
    let wanted: HashSet<String> = (1..=count).map(|number| format!("pet-{number}")).collect();
    assert_eq!(names.len(), count);
    assert_eq!(names.iter().cloned().collect::<HashSet<_>>(), wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_looked_at_sent_without_its_bad_rows_and_these_are_written_to_be_corrected() {
    let real = Real::with_samples(0).await;
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), 300, &[17, 200]);
    let mut app = real.open();
    app.shows(&["No pets yet."]).await;
    app.press(&format!("I \"{path}\" Enter"));
    app.shows(&["CSV, comma, UTF-8, 300 rows", "pet_name", "298 ok  2 empty", "Cannot be sent (2):", "cat is empty"])
        .await;
    app.press("F2");
    app.shows(&["2 rows cannot be sent."]).await;
    assert_eq!(names(&real).await, Vec::<String>::new());
    app.press("Space F2");
    app.shows(&["298 of 298   100%", "298 added, 2 invalid (f).", "new-arrivals.csv.petstore-import.ndjson"]).await;
    app.press("w Enter");
    app.shows(&["Written to", "2 rows to fix"]).await;
    let mend = fs::read_to_string(directory.path().join("new-arrivals-rejects.csv")).unwrap();
    let rows: Vec<&str> = mend.lines().collect();
    assert_eq!(rows[0], "why not added,name,categoryId,notes");
    assert!(rows[1].contains(",pet-17,,") && rows[2].contains(",pet-200,,") && rows.len() == 3, "{mend}");
    // Mended, it is imported as it is.
    fs::write(
        directory.path().join("mended.csv"),
        mend.replace("pet-17,,", "pet-17,3,").replace("pet-200,,", "pet-200,3,"),
    )
    .unwrap();
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    app.press(&format!("I \"{}\" Enter", directory.path().join("mended.csv").display()));
    app.shows(&["This adds 2 pets to test and cannot be undone."]).await;
    app.press("F2");
    app.shows(&["Import finished: 2 added."]).await;
    assert_each_once(&names(&real).await, 300);
    app.press("Esc");
    app.shows(&["[1 Pets]", "All 300"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_under_way_when_the_program_ended_is_gone_on_with() {
    let real = Real::with_samples(0).await;
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), 1_000, &[]);
    let mut app = real.open();
    app.shows(&["No pets yet."]).await;
    app.press(&format!("I \"{path}\" Enter"));
    app.shows(&["This adds 1000 pets"]).await;
    app.press("F2");
    app.shows(&["RESULT", " id "]).await;
    let state = app.quit().await;
    let before = state.add.import.running().unwrap().progress.clone();
    assert!(before.added > 0 && before.added < 1_000, "{before:?}");

    let mut app = real.open();
    app.shows(&["[1 Pets]"]).await;
    app.press(&format!("I \"{path}\" Enter"));
    app.shows(&["This import was started before. F2 continues it"]).await;
    app.press("F2");
    app.shows(&["1000 of 1000   100%", "added before"]).await;
    app.shows(&["Import finished: "]).await;
    assert_each_once(&names(&real).await, 1_000);
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_corrected_file_goes_on_and_the_next_one_of_its_name_starts_over() {
    let real = Real::with_samples(0).await;
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), 5, &[3]);
    let mut app = real.open();
    app.shows(&["No pets yet."]).await;
    app.press(&format!("I \"{path}\" Enter"));
    app.shows(&["Cannot be sent (1):"]).await;
    app.press("F2 Space F2");
    app.shows(&["4 added, 1 invalid (f). Fix the file, then press F2; or w:"]).await;
    file(directory.path(), 5, &[]);
    app.press("F2");
    app.shows(&["The file has changed since its import began", "4 of 5 rows were", "F2 sends the other 1 row."]).await;
    app.press("F2");
    app.shows(&["Import finished: 1 added, 4 added before.", "5 of 5   100%"]).await;
    assert_each_once(&names(&real).await, 5);
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    // Once more: it is done.
    app.press(&format!("I \"{path}\" Enter"));
    app.shows(&["every row was added.", "add all 5 again"]).await;
    app.press("F2");
    app.shows(&["Nothing was sent: every row was added before."]).await;
    // Next week's file of the same name.
    let next: String = (6..=7).map(|number| format!("pet-{number},3\n")).collect();
    fs::write(&path, format!("pet_name,cat\n{next}")).unwrap();
    app.press("F5");
    app.shows(&["was of another file. Its report is kept.", "This adds 2 pets to test and cannot be undone."]).await;
    app.press("F2");
    app.shows(&["Import finished: 2 added."]).await;
    assert_each_once(&names(&real).await, 7);
    // And one with an equal row.
    fs::write(&path, "pet_name,cat\npet-6,3\npet-8,3\n").unwrap();
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    app.press(&format!("I \"{path}\" Enter"));
    app.shows(&["1 of 2 rows match rows that the import of", "skip those 1", "add all 2"]).await;
    app.press("F2");
    app.shows(&["Choose what to do with the rows added before"]).await;
    app.press("Space F2");
    app.shows(&["Import finished: 1 added, 1 added before."]).await;
    assert_each_once(&names(&real).await, 8);
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_answers_add_no_row_twice() {
    let real = Real::with_samples(0).await;
    let lossy = stub::losing_answers(real.server.local_addr(), 7).await;
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), 50, &[]);
    let mut app = App::open(&lossy.base_url, &real.key, Timeouts::default());
    app.shows(&["No pets yet."]).await;
    app.press(&format!("I \"{path}\" Enter"));
    app.shows(&["This adds 50 pets"]).await;
    app.press("F2");
    app.shows(&["Import finished: 50 added."]).await;
    assert_each_once(&names(&real).await, 50);
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pasted_lines_are_imported_and_leave_no_file() {
    let real = Real::with_samples(0).await;
    let directory = tempfile::tempdir().unwrap();
    let client = Client::new(
        real.server.base_url().parse().unwrap(),
        Some(ApiKey::new(&real.key).unwrap()),
        Timeouts::default(),
    );
    install_tls_provider();
    let (setup, domains_context) = no_domains();
    let context = WorkerContext { pasted: Some(directory.path().join("imports")), ..context(domains_context) };
    let service = remote(&real.server.base_url(), &real.key);
    let mut app = App::start(service, client.unwrap(), setup, context, clock::now);
    app.shows(&["No pets yet."]).await;
    app.press("a");
    app.shows(&["> Name"]).await;
    app.event(Msg::Paste("pet-1\npet-2\npet-3\n".into()));
    app.shows(&["pasted text", "Category is required", "3 lines pasted"]).await;
    app.press("\"7\" Tab");
    app.shows(&["This adds 3 pets"]).await;
    app.press("F2");
    app.shows(&["Import finished: 3 added."]).await;
    assert_each_once(&names(&real).await, 3);
    assert_eq!(fs::read_dir(directory.path().join("imports")).unwrap().count(), 0);
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    app.press("a");
    app.shows(&["> Name"]).await;
    let objects = "{\"name\":\"pet-4\",\"categoryId\":1}\n{\"name\":\"pet-5\",\"categoryId\":1}\n";
    app.event(Msg::Paste(objects.into()));
    app.shows(&["NDJSON", "This adds 2 pets"]).await;
    app.press("F2");
    app.shows(&["Import finished: 2 added."]).await;
    assert_each_once(&names(&real).await, 5);
    app.press("Esc");
    app.shows(&["[1 Pets]"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_whole_inventory_is_written_and_read_back_the_same() {
    let real = Real::with_samples(250).await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("all.json");
    let mut app = real.open();
    app.shows(&["No more rows."]).await;
    app.press("Right x");
    app.shows(&["(*) 175 pets of available", "( ) 250 pets in all"]).await;
    app.press("Down");
    app.shows(&["(*) 250 pets in all"]).await;
    for _ in 0..20 {
        app.press("BS");
    }
    app.press(&format!("\"{}\" Enter", path.display()));
    app.shows(&["Written to", "250 pets in all."]).await;
    app.quit().await;
    let written: Vec<petstore::model::Pet> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(written.len(), 250);
    for pet in written.iter().step_by(50) {
        assert_eq!(real.store.get(pet.id).await.unwrap().as_ref(), Some(pet));
    }
}
