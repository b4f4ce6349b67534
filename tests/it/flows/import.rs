//! Files of pets through the real loop: looked at, sent, gone on with, mended, and written again.

use std::collections::HashSet;

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
    let (pages, mut coming) = mpsc::channel(4);
    let client = real.client();
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
    app.press("F2").shows(&["2 rows cannot be sent."]).await;
    assert_eq!(names(&real).await, Vec::<String>::new());
    app.press("Space F2");
    app.shows(&[
        "298 of 298   100%",
        "298 added, 2 not sent (f shows them).",
        "new-arrivals.csv.petstore-import.ndjson",
    ])
    .await;
    app.press("w Enter").shows(&["Written to", "2 rows to fix"]).await;
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
    app.press("Esc").shows(&["[1 Pets]"]).await;
    app.press(&format!("I \"{}\" Enter", directory.path().join("mended.csv").display()));
    app.shows(&["This adds 2 pets to test and cannot be undone."]).await;
    app.press("F2").shows(&["Import finished: 2 added."]).await;
    assert_each_once(&names(&real).await, 300);
    app.press("Esc").shows(&["[1 Pets]", "All 300"]).await;
    app.quit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pasted_lines_are_imported_and_leave_no_file() {
    let real = Real::with_samples(0).await;
    let directory = tempfile::tempdir().unwrap();
    let pasted = Some(directory.path().join("imports"));
    let mut app = real.open_in(WorkerContext { pasted, ..context(no_domains()) });
    app.shows(&["No pets yet."]).await;
    app.press("a").shows(&["> Name"]).await;
    app.event(Msg::Paste("pet-1\npet-2\npet-3\n".into()));
    app.shows(&["pasted text", "Category is required", "3 lines pasted"]).await;
    app.press("\"7\" Tab").shows(&["This adds 3 pets"]).await;
    app.press("F2").shows(&["Import finished: 3 added."]).await;
    assert_each_once(&names(&real).await, 3);
    assert_eq!(fs::read_dir(directory.path().join("imports")).unwrap().count(), 0);
    app.press("Esc").shows(&["[1 Pets]"]).await;
    app.press("a").shows(&["> Name"]).await;
    let objects = "{\"name\":\"pet-4\",\"categoryId\":1}\n{\"name\":\"pet-5\",\"categoryId\":1}\n";
    app.event(Msg::Paste(objects.into()));
    app.shows(&["NDJSON", "This adds 2 pets"]).await;
    app.press("F2").shows(&["Import finished: 2 added."]).await;
    assert_each_once(&names(&real).await, 5);
    app.press("Esc").shows(&["[1 Pets]"]).await;
    app.quit().await;
}
