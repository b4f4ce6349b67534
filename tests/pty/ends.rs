//! How it ends: signals, lost lines, a paused job, a hanging request, a wrong key.

use crate::prelude::*;
use crate::served::Served;

use petstore::tui::effect::Effect;
use petstore::tui::terminal::writer_thread::TerminalWriter;
use petstore::tui::terminal::{enter, tell};

use crate::harness::{restored, signal, switched_off};

const ROWS: &[&str] = &["> 1 ", "Rex", "sold 25"];

#[test]
fn signals_end_it_with_their_status_and_the_terminal_restored() {
    for (name, expected) in
        [("TERM", 143), ("HUP", 129), ("INT", 130), ("QUIT", 131), ("USR1", 143), ("USR2", 143), ("ALRM", 143)]
    {
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
    for how in ["plain", "ignored"] {
        let mut terminal = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "ends::a_terminal_that_goes", "--nocapture"])
            .env("PETSTORE_TEST_HANGUP", how)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(terminal.stdout.take().unwrap());
        let pid =
            said.lines().map_while(Result::ok).find_map(|line| Some(line.split_once("pid=")?.1.to_owned())).unwrap();
        assert_eq!(terminal.wait().unwrap().code(), Some(0));
        let gone = || match fs::read_to_string(format!("/proc/{pid}/stat")) {
            Ok(stat) => stat.contains(") Z "),
            Err(_) => true,
        };
        let start = Instant::now();
        while !gone() {
            assert!(start.elapsed() < PATIENCE, "{how}: still running without a terminal");
            std::thread::yield_now();
        }
    }
}

/// Run only by the test above: a terminal of its own, whose end closes every handle of the other side.
#[test]
fn a_terminal_that_goes() {
    let Some(how) = std::env::var_os("PETSTORE_TEST_HANGUP") else { return };
    let script = format!("trap '' HUP; exec {PETSTORE} --demo");
    let start = if how == "plain" { Start::petstore(&["--demo"]) } else { Start::program("/bin/sh", &["-c", &script]) };
    let app = start.open();
    app.shows(ROWS);
    println!("pid={}", app.process_id());
    std::process::exit(0);
}

const PROMPT: &str = "ready> ";

/// A shell with jobs, in which the app runs.
fn app_in_a_shell() -> Terminal {
    let mut shell = Start::program("/bin/bash", &["--norc", "--noprofile", "-i"]).env("PS1", PROMPT).open();
    shell.answer(PROMPT, format!("{PETSTORE} --demo\n"));
    shell.shows(ROWS);
    shell
}

/// Ends the app, and the shell after it.
fn leave(mut shell: Terminal) {
    shell.send("q");
    shell.answer(PROMPT, "exit\n");
    shell.ended();
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_fg_paints_it_again() {
    let mut shell = app_in_a_shell();
    shell.send("\x1a").shows(&["Stopped"]);
    // The shell switches bracketed paste on for itself.
    assert!(switched_off(&shell.bytes(), "?1049"));
    shell.answer(PROMPT, "fg\n");
    shell.shows(&["> 1 ", "Resumed."]);
    shell.send("j").shows(&["> 2 "]);
    leave(shell);
}

/// Only SIGTSTP can be answered before the stop.
#[test]
fn a_stop_from_outside_gives_the_terminal_back_and_whatever_stopped_it_fg_paints_it_again() {
    for (name, is_given_back) in [("TSTP", true), ("STOP", false)] {
        let mut shell = app_in_a_shell();
        let children = format!("/proc/{0}/task/{0}/children", shell.process_id());
        signal(fs::read_to_string(children).unwrap().trim(), name);
        shell.shows(&["Stopped"]);
        assert_eq!(switched_off(&shell.bytes(), "?1049"), is_given_back, "{name}");
        shell.answer(PROMPT, "fg\n");
        shell.shows(&["> 1 ", "Resumed."]);
        shell.send("j").shows(&["> 2 "]);
        leave(shell);
    }
}

#[test]
fn where_no_shell_could_continue_it_nothing_stops_it() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(ROWS);
    app.signal("TSTP");
    app.shows(&["> 1 ", "Resumed."]);
    app.send("j").shows(&["> 2 "]);
    app.send("q");
    let (status, bytes) = app.ended();
    assert!(status == 0 && restored(&bytes));
}

#[test]
fn the_mouse_is_given_back_when_it_stops_and_at_the_end() {
    let modes = ["?1000", "?1006"];
    let is_off = |bytes: &[u8]| modes.iter().all(|mode| switched_off(bytes, mode));
    let mut shell = app_in_a_shell();
    shell.send("M").shows(&["hold Shift to select text"]);
    // The second row, as a terminal reports a click.
    shell.send("\x1b[<0;9;6M\x1b[<0;9;6m").shows(&["> 2 "]);
    shell.send("\x1a").shows(&["Stopped"]);
    assert!(is_off(&shell.bytes()));
    shell.answer(PROMPT, "fg\n");
    shell.wait_until("the mouse is on again", |_, bytes| !is_off(bytes));
    shell.send("\x1b[<65;9;6M").shows(&["> 5 "]);
    shell.send("q");
    shell.wait_until("the mouse is off", |_, bytes| is_off(bytes));
    shell.answer(PROMPT, "exit\n");
    shell.ended();
}

#[test]
fn no_sequence_that_is_cut_or_unknown_keeps_a_key_from_arriving() {
    let mut app = Start::petstore(&["--demo"]).open();
    app.shows(ROWS);
    for sequence in [
        "\x1b[?2026;2$y",
        "\x1b[?997;1n",
        "\x1b[?2026;2$",
        "\x1b[<0;9",
        "\x1b[M ",
        "\x1b[1;",
        "\x1b]11;rgb:ffff/ffff/ffff\x07",
        "\x1b]11;rgb:ff",
        "\x1bP>|XTerm",
        "\x1b_G",
    ] {
        app.send(sequence);
        app.send_until("G", &["Row 250 of 250."]);
        app.send("g").shows(&["Row 1 of 250."]);
    }
    app.send("\x1b[<0;9\x03").shows(&["Press Ctrl-C again to quit."]);
    // A paste without its end: its text counts, and so do the keys after it.
    app.send("a").shows(&["Add a pet"]);
    app.send("\x1b[200~Rex").shows(&["[Rex_"]);
    app.send("\t3").shows(&["[3_"]);
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

#[test]
fn a_wrong_key_is_asked_for_and_no_key_is_ever_on_screen() {
    let served = Served::with_samples(30);
    let key = served.key();
    let wrong = "petk_wrong_wrong_wrong_0123";
    let mut app = Start::petstore(&["--base-url", served.url()]).env("PETSTORE_API_KEY", wrong).open();
    app.shows(&["The service needs another API key", "ends in 0123"]);
    app.send(format!("\x1b[200~Bearer {key}\n\x1b[201~")).shows(&["[*****"]);
    // The box takes no keys at first, so that none that was under way is taken for an answer.
    app.send_until("\r", &["> 1 ", "Rex", "pending 6"]);
    let written = String::from_utf8_lossy(&app.bytes()).into_owned();
    assert!(!written.contains(key) && !written.contains(wrong));
    app.quit();
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
    assert!(restored(&bytes) && switched_off(&bytes, "?1000"));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let left = text.rfind("\x1b[?1049l").unwrap();
    assert!(text[left..].contains("on purpose"), "the report comes after the screen is given back");
    assert!(text[..left].contains("still there") && !text.contains("elsewhere"));
    assert_eq!(text.matches("\x1b[?1049l").count(), 1, "{text:?}");
}

/// Run only by the test above, in a terminal of its own.
#[test]
fn panics_when_asked() {
    if std::env::var_os("PETSTORE_TEST_PANIC").is_some() {
        let outlet = TerminalWriter::to_stdout().unwrap();
        let _screen = enter(&outlet, false).unwrap();
        // Whoever waits for the work of another thread hears of it, and the app goes on.
        std::thread::spawn(|| panic!("elsewhere")).join().unwrap_err();
        outlet.clone().write_all(b"still there").unwrap();
        tell(&outlet, &Effect::Mouse(true)).unwrap();
        panic!("on purpose");
    }
}

#[test]
fn a_terminal_that_stands_still_holds_up_neither_the_end_nor_what_is_typed() {
    for (signal, status) in [("TERM", 143), ("HUP", 129)] {
        let state = tempfile::tempdir().unwrap();
        let start = Start::petstore(&[]).env("XDG_STATE_HOME", state.path().to_str().unwrap()).size(200, 60);
        let config = state.path().join("config.toml");
        fs::write(&config, "profile = \"embedded\"\n[profiles.embedded]\nembedded = true\n").unwrap();
        let mut app = start.env("PETSTORE_CONFIG", config.to_str().unwrap()).open();
        app.shows(&["No pets yet."]);
        app.freeze(true);
        app.send("2Captain Fluff");
        let typed = |name: &str| {
            let files = fs::read_dir(state.path().join("petstore/drafts")).into_iter().flatten();
            files.filter_map(|file| fs::read_to_string(file.unwrap().path()).ok()).any(|text| text.contains(name))
        };
        let deadline = Instant::now() + PATIENCE;
        while !typed("Captain Fluff") {
            assert!(Instant::now() < deadline, "the keys were never taken");
            std::thread::yield_now();
        }
        app.signal(signal);
        assert_eq!(app.exit_status(), status);
        app.freeze(false);
        assert!(typed("Captain Fluff"));
    }
}
