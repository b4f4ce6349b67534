//! Adding one pet after another in a terminal: what scanners send, and what is there after the program was killed.

use crate::prelude::*;

use std::collections::BTreeSet;

use crate::served::Served;

/// Into the form, with category 3.
pub fn enter(app: &mut Terminal) {
    app.send("a\t3\r").shows(&["> Name", "[3_"]);
}

#[test]
fn lines_pasted_without_brackets_are_looked_at_first_and_no_key_that_creates_nothing_elsewhere_creates_a_pet() {
    let served = Served::start();
    let state = tempfile::tempdir().unwrap();
    let mut app = served.app(state.path());
    app.shows(&["No pets yet."]);
    enter(&mut app);
    for pasted in ["Rex\rMochi\r", "Rex\r\nMochi", "Rex\n\nMochi\n"] {
        app.send(pasted).shows(&["2 lines pasted, one pet each.", "2 rows"]);
        app.send("\x1b").shows(&["Pasted and not added: 2 lines."]);
        app.send_until("y", &["> Name", "Mochi_", "no pets yet"]);
        app.send("\x15").shows(&["> Name *       [__"]);
    }
    // Tab only goes on.
    app.send("Rex\t").shows(&["> Category", "[Rex___", "no pets yet"]);
    app.send("\t\t").shows(&["> Name *       [Rex_"]);
    app.send("\r").shows(&["1 saved"]);
    // At the lines a question mark is help.
    app.send("\x1b[17~").shows(&["Esc form"]);
    app.send("?").shows(&["Help: ", "Esc close"]);
    app.send("\x1b").shows(&["Esc form"]);
    app.send("\x1b").shows(&["> Name *       [__"]);
    app.send("\x1b").shows(&["[1 Pets]", "All 1"]);
    app.quit();
    assert_eq!(served.names(), ["Rex"]);
}

#[test]
fn what_was_typed_for_one_service_is_never_added_to_another() {
    let (test, till) = (Served::start(), Served::start());
    let state = tempfile::tempdir().unwrap();
    let open = || Served::app_of(state.path(), "till", &[("test", &test, ""), ("till", &till, "protect = true\n")]);
    let to = |app: &mut Terminal, key: &str, name: &str| {
        app.send("P").shows(&["Profiles", "in use"]);
        app.send(format!("g{key}\r")).shows(&[&format!("Using {name}: 127.0.0.1")]);
    };
    let mut app = open();
    app.shows(&["No pets yet.", "till | ok"]);
    app.send("aBiscuit\t3\x1bOQ").shows(&["till is protected"]);
    app.send_until("y", &["Added Biscuit, id 1."]);
    app.send("\x1b").shows(&["[1 Pets]", "Enter detail"]);
    to(&mut app, "j", "test");
    app.send("aTest pet\t1").shows(&["[Test pet__", "[1_"]);
    app.send("\x1b").shows(&["[1 Pets]", "Enter detail"]);
    to(&mut app, "jj", "till");
    // One key sent it from here.
    app.send("2\x1bOQ").shows(&["[2 Add pet]", "> Name *", "Fix 1 field first. Nothing was sent."]);
    app.send("Rex\x1bOQ").shows(&["till is protected"]);
    app.send("n");
    app.signal("TERM");
    let said = String::from_utf8(app.ended().1).unwrap();
    let left = "Not sent for test, kept for the next start: Test pet (category 1, available)";
    assert!(
        said.contains("Not sent, kept for the next start: Rex (category 3, available)") && said.contains(left),
        "{said}"
    );
    assert_eq!((test.names(), till.names()), (vec![], vec!["Biscuit".to_owned()]));

    let mut app = open();
    app.shows(&["till | ok", "Rex_"]);
    app.send("\x1b").shows(&["[1 Pets]", "Enter detail"]);
    to(&mut app, "j", "test");
    app.shows(&["Test pet_"]);
    app.send("\x1bOQ").shows(&["Added Test pet, id 1."]);
    app.end_by("TERM");
    assert_eq!((test.names(), till.names()), (vec!["Test pet".to_owned()], vec!["Biscuit".to_owned()]));
}

/// What the files of the queue hold: every line that was taken.
pub fn taken(state: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for file in fs::read_dir(state.join("petstore/drafts")).into_iter().flatten() {
        let path = file.unwrap().path();
        if !path.to_str().unwrap().ends_with(".queue.ndjson") {
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        for line in whole.lines() {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            if let Some(name) = record["typed"]["pet"]["name"].as_str() {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn killed_at_any_moment_every_line_that_was_taken_is_there_exactly_once_and_in_order() {
    for round in 0..33_u64 {
        let served = Served::start();
        let state = tempfile::tempdir().unwrap();
        let mut app = served.app(state.path());
        app.shows(&["No pets yet."]);
        enter(&mut app);
        // What a scanner reads that never rests.
        let names: Vec<String> = (1..=50).map(|number| format!("40{round:02}{number:04}")).collect();
        // Somewhere among the fifty, another place each time, and at another moment after it.
        let stop = usize::try_from(1 + (round * 17 + 5) % 50).unwrap();
        for name in &names[..stop] {
            app.send(format!("{name}\r"));
        }
        std::thread::sleep(Duration::from_micros(round * 731 % 15_000));
        app.end_by("KILL");
        let taken = taken(state.path());
        let mut app = served.app(state.path());
        app.shows(&["| ok, "]);
        let deadline = Instant::now() + PATIENCE;
        // Those that were taken are sent, whatever had become of them before.
        let wanted: BTreeSet<&String> = taken.iter().collect();
        let there = loop {
            let there = served.names();
            if wanted.iter().all(|name| there.contains(name)) {
                break there;
            }
            assert!(Instant::now() < deadline, "round {round}: {taken:?} taken, {there:?} there");
            std::thread::sleep(Duration::from_millis(20));
        };
        // The first key takes away what is said of the session before; a line that was not taken is in the field again.
        app.send("j");
        app.wait_until("that nothing waits", |screen, _| !screen.contents().contains("waiting"));
        app.end_by("TERM");
        // Exactly once, in the order of typing, and nothing that was never typed.
        assert_eq!(there, names[..there.len()], "round {round}, killed after {stop}");
        assert_eq!(served.names(), there, "round {round}");
        let left = self::taken(state.path());
        assert_eq!(left, Vec::<String>::new(), "round {round}: the file is removed once all is settled");
    }
}

#[test]
fn pets_that_wait_for_another_profile_are_named_at_the_start_with_the_key_to_go_there() {
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config.toml");
    let profile = "profile = \"embedded\"\n[profiles.shop]\nbase_url = \"http://127.0.0.1:1/v1\"\n";
    fs::write(&config, profile).unwrap();
    let start = |words: &[&str]| {
        let start = Start::petstore(words).env("PETSTORE_CONFIG", config.to_str().unwrap());
        let start = start.env("XDG_STATE_HOME", home.path().to_str().unwrap());
        start.env("PETSTORE_API_KEY", "petk_0123456789abcdef").open()
    };
    let mut app = start(&["-p", "shop"]);
    app.shows(&["[1 Pets]"]);
    enter(&mut app);
    for (name, waiting) in [("Rex\r", "1 waiting"), ("Mochi\r", "2 waiting")] {
        app.send(name).shows(&[waiting]);
    }
    app.send("\x1b").shows(&["[1 Pets]"]);
    app.quit();
    let mut app = start(&[]);
    app.shows(&["No pets yet.", "Waiting to be sent: 2 pets for shop. P switches profiles."]);
    app.send("P").shows(&["[Profiles]", "> embedded"]);
    app.send("\x1b[B\r").shows(&["2 waiting"]);
    app.quit();
}
