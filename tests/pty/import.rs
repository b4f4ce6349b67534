//! The import of a file in a terminal: killed at any moment, and stopped by a signal.

use crate::prelude::*;

use crate::adding::enter;
use crate::served::Served;

const ROWS: usize = 60;

/// A file of pets whose names are those of this round.
fn file(directory: &Path, round: u64) -> (String, Vec<String>) {
    let names: Vec<String> = (1..=ROWS).map(|number| format!("pet-{round}-{number:02}")).collect();
    let rows: String = names.iter().map(|name| format!("{name},3\n")).collect();
    let path = directory.join("new-arrivals.csv");
    fs::write(&path, format!("name,categoryId\n{rows}")).unwrap();
    (path.display().to_string(), names)
}

/// From wherever the app begins to the file that was looked at.
fn look(app: &mut Terminal, path: &str) {
    // An unfinished import is shown at the start. What is highlighted is painted last.
    let screen = app.shows(&["| ok, ", "? help"]);
    if !screen.contains("[2 Add pet: import]") {
        app.send("I").shows(&["[2 Add pet: import]", "> File"]);
        app.send(format!("\x15{path}\r"));
    }
    // The row of keys is painted last: with it, the whole frame is there.
    app.shows(&["60 rows", "F2 start"]);
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn killed_at_any_moment_every_row_is_there_exactly_once_after_it_was_gone_on_with() {
    let mut begun_before = 0;
    for round in 0..34_u64 {
        let served = Served::start();
        let state = tempfile::tempdir().unwrap();
        let (path, names) = file(state.path(), round);
        // Now and then it is killed more than once.
        for kill in 0..=round % 3 {
            let mut app = served.app(state.path());
            look(&mut app, &path);
            app.send("\x1bOQ");
            std::thread::sleep(Duration::from_micros((round * 7 + kill * 3) * 731 % 40_000));
            app.end_by("KILL");
        }
        let mut app = served.app(state.path());
        look(&mut app, &path);
        begun_before += u64::from(app.screen().contains("This import was started before."));
        app.send("\x1bOQ");
        let ended = app.wait_until("the end of the import", |screen, _| {
            let text = screen.contents();
            text.contains("Nothing was sent: every row was added before.")
                || ["Import finished:", "100%"].iter().all(|part| text.contains(part))
        });
        if ended.contains("Nothing was sent") {
            // It was killed after its last row.
            assert_eq!(sorted(served.names()), names, "round {round}");
            app.end_by("TERM");
            continue;
        }
        assert_eq!(sorted(served.names()), names, "round {round}");
        app.send("\x1b").shows(&["[1 Pets]"]);
        app.send("q");
        app.ended();
    }
    // Otherwise this would say nothing.
    assert!(begun_before >= 5, "{begun_before}");
}

#[test]
fn pasted_rows_are_there_exactly_once_after_their_import_was_killed_and_gone_on_with() {
    for round in 0..12_u64 {
        let served = Served::start();
        let state = tempfile::tempdir().unwrap();
        let names: Vec<String> = (1..=ROWS).map(|number| format!("pet-{round}-{number:02}")).collect();
        let mut app = served.app(state.path());
        app.shows(&["No pets yet."]);
        enter(&mut app);
        app.send(format!("\x1b[200~{}\x1b[201~", names.join("\r"))).shows(&["60 rows", "F2 start"]);
        // Its draft is written a moment later.
        std::thread::sleep(Duration::from_millis(200));
        app.send("\x1bOQ");
        std::thread::sleep(Duration::from_micros(round * 3_373 % 40_000));
        app.end_by("KILL");
        let mut app = served.app(state.path());
        app.shows(&["| ok, "]);
        let deadline = Instant::now() + PATIENCE;
        while served.names().len() < ROWS {
            assert!(Instant::now() < deadline, "round {round}: {}", app.screen());
            app.send("\x1bOQ");
            std::thread::sleep(Duration::from_millis(300));
        }
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(sorted(served.names()), names, "round {round}");
        app.end_by("TERM");
    }
}

#[test]
fn a_signal_stops_it_and_the_next_start_offers_to_go_on() {
    let served = Served::start();
    let state = tempfile::tempdir().unwrap();
    let (path, names) = file(state.path(), 1);
    let mut app = served.app(state.path());
    look(&mut app, &path);
    app.send("\x1bOQ");
    // Before that nothing is there to continue.
    app.shows(&["RESULT", "(written row by row)"]);
    app.signal("TERM");
    let (status, written) = app.ended();
    assert_eq!(status, 143);
    let said = String::from_utf8_lossy(&written);
    assert!(said.contains("The import is not finished") && said.contains("--resume"), "{said}");

    let mut app = served.app(state.path());
    app.shows(&["new-arrivals.csv is not finished: F2 continues it", "This import was started before."]);
    app.send("\x1bOQ").shows(&["Import finished:", "100%"]);
    assert_eq!(sorted(served.names()), names);
}
