//! What is seen: the tour, an empty home, small and plain terminals.

use crate::prelude::*;

use crate::harness::restored;

const BROWSING: &[&str] = &["> 1 ", "Rex", "available 175", "pending 50", "sold 25", "No more rows."];

#[test]
fn a_fresh_home_says_what_to_do_and_keeps_what_is_added() {
    let data = tempfile::tempdir().unwrap();
    let path = data.path().to_str().unwrap();
    let open = || Start::petstore(&[]).env("XDG_DATA_HOME", path).open();
    let mut app = open();
    app.shows(&["No setup is needed", "> 1) Look around", "Writes to"]);
    assert_eq!(fs::read_dir(data.path()).unwrap().count(), 0, "a file was written before the choice");
    app.send("2").shows(&["No pets yet.", "add the first one", "load 25 samples", "petstore --base-url URL"]);
    app.send("S").shows(&["Add 25 samples to the embedded store?"]);
    app.send_until("y", &["> 1 ", "Rex"]);
    app.quit();
    open().shows(&["> 1 ", "Rex"]);
}

#[test]
fn a_first_start_starts_over_with_samples_or_ends() {
    let mut app = Start::petstore(&[]).open();
    app.shows(&["No setup is needed"]);
    app.send("\r").shows(BROWSING);
    app.send("q");
    let (status, bytes) = app.ended();
    assert_eq!((status, restored(&bytes)), (0, true));

    let mut app = Start::petstore(&[]).open();
    app.shows(&["No setup is needed"]);
    app.quit();
}

#[test]
fn the_demo_teaches_the_first_sale() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(BROWSING);
    app.shows(&["Press s and Enter to sell this pet; u undoes that."]);
    app.send("s").shows(&["Change the status", "Rex (#1)"]);
    app.send("\r").shows(&["Rex (#1): sold. u undoes it."]);
    app.send("u").shows(&["Rex (#1): undone, available.", "sold 25"]);
}

#[test]
fn the_demo_keeps_no_theme_and_the_next_start_is_still_the_first_one() {
    let home = tempfile::tempdir().unwrap();
    let start = |words: &[&str]| Start::petstore(words).env("HOME", home.path().to_str().unwrap());
    let mut app = start(&["--demo"]).open();
    app.shows(BROWSING);
    app.send("T").shows(&["Themes"]);
    app.send("\x1b[B\r").shows(&["Theme not saved, used until petstore exits: the demo keeps nothing."]);
    app.quit();
    assert!(!home.path().join(".config").exists());
    start(&[]).open().shows(&["No setup is needed"]);
}

#[test]
fn two_thousand_keys_at_once_all_arrive_in_order() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(BROWSING);
    let name: String = ('a'..='z').cycle().take(1995).collect();
    app.send(format!("a{name}\x01end")).shows(&["[endabcdefghijklm"]);
    app.send("\x05\x1bOQ").shows(&["Name has 1998 characters; the maximum is 255."]);
}

#[test]
fn without_colour_the_selection_is_still_seen() {
    let mut app = Start::petstore(&["--demo"]).env("NO_COLOR", "1").open();
    app.shows(BROWSING);
    app.send("jj").shows(&["> 3 "]);
    let bytes = app.bytes();
    let text = String::from_utf8_lossy(&bytes);
    for colour in ["\x1b[3", "\x1b[4", "\x1b[9"] {
        let coloured = text.split(colour).skip(1).any(|rest| {
            let digits: String = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ';').collect();
            rest[digits.len()..].starts_with('m') && !["9", ""].contains(&digits.as_str())
        });
        assert!(!coloured, "a colour after {colour:?}");
    }
    app.wait_until("a reversed row", |screen, _| screen.cell(6, 3).is_some_and(vt100::Cell::inverse));
}

#[test]
fn without_utf8_nothing_beyond_ascii_is_written() {
    let mut app = Start::petstore(&["--demo"]).env("LANG", "C").open();
    app.shows(&["o available 175", "~ pending 50"]);
    // The bottom line tells that the key was taken: Esc and the next key must not come in one read.
    for (key, shows) in [("L", "Enter use it"), ("?", "keys to a file"), ("/", "Enter keep"), ("a", "Tab next")] {
        app.send(key).shows(&[shows]);
        app.send("\x1b").shows(&["Enter detail"]);
    }
    assert!(app.bytes().is_ascii());
}

#[test]
fn small_sizes_say_what_they_need_and_come_back() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(BROWSING);
    let before = app.shows(&["ok, live"]);
    for (columns, rows) in [(1, 1), (0, 0), (20, 5), (60, 16), (200, 60)] {
        app.resize(columns, rows);
        app.send("\x0c");
    }
    app.resize(38, 7);
    app.shows(&["40x8 needed, 38x7 here."]);
    app.resize(80, 24);
    let letters = |screen: &str| screen.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    app.wait_until("the same screen", |screen, _| letters(&screen.contents()) == letters(&before));
    app.quit();
    Start::petstore(&["--demo"]).size(60, 16).open().shows(&["> 1 ", "available 175"]);
    Start::petstore(&["--demo"]).size(20, 5).open().shows(&["40x8 needed"]);
}

#[test]
fn a_size_that_no_screen_has_is_no_trouble() {
    const LARGEST: u16 = u16::MAX;
    let mut app = Start::petstore(&["--demo"]).size(LARGEST, LARGEST).open();
    app.shows(BROWSING);
    for (columns, rows) in [(80, 24), (LARGEST, 1), (1, LARGEST), (LARGEST, LARGEST), (80, 24)] {
        app.resize(columns, rows);
        app.send("\x0c");
    }
    app.shows(BROWSING);
    app.quit();
    for (columns, rows) in [(LARGEST, LARGEST), (1, 1), (0, 0)] {
        for arguments in [&["--demo", "pets", "list"][..], &["--demo", "domains", "list"], &["pets", "list", "--help"]]
        {
            for claimed in ["0", "65535", "99999999999999999999"] {
                let mut table = Start::petstore(arguments).size(columns, rows).env("COLUMNS", claimed).open();
                assert_eq!(table.ended().0, 0, "{arguments:?} at {columns}x{rows}, COLUMNS={claimed}");
            }
        }
    }
}

#[test]
fn moving_by_one_row_writes_at_most_120_bytes() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(BROWSING);
    app.send("j").shows(&["> 2 ", "Row 2 of 250."]);
    let before = app.bytes().len();
    app.send("j").shows(&["> 3 ", "Row 3 of 250."]);
    let written = app.bytes().len() - before;
    assert!(written <= 120, "{written} bytes for one row");
}

#[test]
fn the_first_rows_are_written_before_the_panes_beside_them() {
    let app = Start::petstore(&["--demo"]).size(120, 40).open();
    app.shows(&["Hazel-rah", "Pet 1", "Category, these rows"]);
    let bytes = String::from_utf8_lossy(&app.bytes()).into_owned();
    let first = |text: &str| bytes.find(text).unwrap();
    assert!(first("Hazel-rah") < first("Category, these rows"), "{bytes:?}");
    assert!(first("Hazel-rah") < first("Pet 1"), "{bytes:?}");
}

#[test]
fn the_app_opens_at_the_place_that_is_named() {
    for (place, shows) in [("domains", "[3 Domains]"), ("add", "[2 Add pet]"), ("pets", "[1 Pets]")] {
        let app = Start::petstore(&["--demo", "ui", place]).open();
        app.shows(&[shows]);
        if place == "domains" {
            app.shows(&["help.acme-pets.com", "Watching."]);
        }
    }
}
