//! How it ends: signals, lost lines, a paused job, a hanging request, a wrong key.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use crate::harness::{PETSTORE, Start, restored};

const ROWS: &[&str] = &["> 1 ", "Rex", "sold 25"];

#[test]
fn signals_end_it_with_their_status_and_the_terminal_restored() {
    for (name, expected) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        let mut app = Start::petstore(&["--demo"]).open();
        app.shows(ROWS);
        app.signal(name);
        let (status, bytes) = app.ended();
        assert_eq!(status, expected, "{name}");
        assert!(restored(&bytes), "{name}");
    }
}

#[test]
fn a_lost_line_ends_it_also_when_the_hangup_is_ignored() {
    let script = format!("trap '' HUP; exec {PETSTORE} --demo");
    for mut app in [Start::petstore(&["--demo"]).open(), Start::program("/bin/sh", &["-c", &script]).open()] {
        app.shows(ROWS);
        app.hang_up();
        app.ended();
    }
}

#[test]
fn ctrl_c_twice_quits_and_once_does_not() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(ROWS);
    app.send("\x03");
    app.shows(&["Press Ctrl-C again to quit."]);
    app.send("\x03");
    assert_eq!(app.ended().0, 0);
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_paints_it_again() {
    let mut shell = Start::program("/bin/bash", &["--norc", "--noprofile", "-i"]).env("PS1", "ready> ").open();
    shell.shows(&["ready> "]);
    shell.send(format!("{PETSTORE} --demo\n"));
    shell.shows(ROWS);
    shell.send("\x1a");
    shell.shows(&["Stopped", "ready> "]);
    assert!(restored(&shell.bytes()));
    shell.send("fg\n");
    shell.shows(&["> 1 ", "Welcome back."]);
    shell.send("j");
    shell.shows(&["> 2 "]);
    shell.send("q");
    shell.shows(&["ready> "]);
    shell.send("exit\n");
    shell.ended();
}

#[test]
fn q_ends_it_while_a_request_hangs() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", silent.local_addr().unwrap());
    let mut app = Start::petstore(&["--base-url", &url]).env("PETSTORE_API_KEY", "petk_0123456789abcdef").open();
    app.shows(&["Loading pets from 127.0.0.1"]);
    app.send("q");
    let (status, bytes) = app.ended();
    assert_eq!(status, 0);
    assert!(restored(&bytes));
}

struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_wrong_key_is_asked_for_and_no_key_is_ever_on_screen() {
    let directory = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", directory.path().join("store.db").display());
    let made =
        Command::new(PETSTORE).args(["keys", "create", "--database", &database, "--name", "t"]).output().unwrap();
    let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--sample", "30", "--database", &database];
    let mut served = Served(Command::new(PETSTORE).args(serve).stderr(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(served.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("listening on ").unwrap();
    let wrong = "petk_wrong_wrong_wrong_0123";
    let mut app = Start::petstore(&["--base-url", url]).env("PETSTORE_API_KEY", wrong).open();
    app.shows(&["The service needs another API key", "ends in 0123"]);
    app.send("\x1b");
    app.wait_until("the box to close", |screen, _| {
        !screen.contents().contains("New key") || screen.contents().contains("F4: enter another key")
    });
    // Esc may have come while the box was not listening yet; F4 opens it in either case.
    app.send("\x1bOS\x1bOS");
    app.shows(&["New key"]);
    app.send(format!("\x1b[200~Bearer {key}\n\x1b[201~"));
    app.wait_until("what was pasted", |screen, _| {
        let text = screen.contents();
        text.contains("*****") || text.contains("Bearer petk_")
    });
    app.send("\r");
    app.shows(&["> 1 ", "Rex", "Row 1 of 20."]);
    app.send("q");
    assert_eq!(app.ended().0, 0);
}

#[test]
fn a_panic_gives_the_terminal_back_before_its_report() {
    let mut test = Start::program(
        std::env::current_exe().unwrap().to_str().unwrap(),
        &["--exact", "ends::panics_when_asked", "--nocapture", "--include-ignored"],
    )
    .env("PETSTORE_TEST_PANIC", "1")
    .open();
    let (_, bytes) = test.ended();
    assert!(restored(&bytes));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let left = text.rfind("\x1b[?1049l").unwrap();
    assert!(text[left..].contains("on purpose"), "the report comes after the screen is given back");
}

/// Run only by the test above, in a terminal of its own.
#[test]
fn panics_when_asked() {
    if std::env::var_os("PETSTORE_TEST_PANIC").is_some() {
        let _screen = petstore::tui::terminal::enter().unwrap();
        panic!("on purpose");
    }
}
