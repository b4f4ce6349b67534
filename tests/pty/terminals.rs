//! Tasks of the README in other terminals: inside tmux and GNU screen, over mosh, on a serial line, on a VT100, in a small window.

use crate::prelude::*;

use std::os::unix::fs::DirBuilderExt as _;

use crate::skipped::skipped;

/// Browses, searches, adds a pet after a mistake, and leaves.
#[track_caller]
fn walk(app: &mut Terminal) {
    app.shows(&["> 1 ", "Rex"]);
    app.send("/whis").shows(&["/ whis", "Whiskers"]);
    app.send("\x1b").shows(&["type to search"]);
    app.send("a").shows(&["Add a pet"]);
    app.send("Biscuit\tthree").shows(&["[three_"]);
    app.send("\x1bOQ").shows(&["\"three\" is not a category."]);
    app.send("3").shows(&["[3_"]);
    app.send("\x1bOQ").shows(&["Added Biscuit, id 251"]);
    app.send("\x1b").shows(&["1 Pets]"]);
    app.send("?").shows(&["Help: Pets"]);
    app.send("\x1b");
    app.wait_until("the end of the help", |screen, _| !screen.contents().contains("Help:"));
    app.send("q");
}

/// Whether a program answers; says that the test is skipped if it does not.
pub fn is_there(program: &str) -> bool {
    let found = Command::new("which").arg(program).output().is_ok_and(|output| output.status.success());
    if !found {
        skipped(&format!("{program} is not installed (Debian: apt-get install {program})"));
    }
    found
}

/// A folder in the home directory that only its owner may use.
pub fn private_folder(start: &Start, name: &str) -> String {
    let folder = start.home().join(name);
    fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
    folder.display().to_string()
}

/// The client of mosh, with this command at the other end.
pub fn mosh_client(command: &[&str]) -> Terminal {
    let start = Start::program("mosh-client", &["127.0.0.1"]);
    // It goes to the background, and ends with its client.
    let server = Command::new("mosh-server")
        .args(["new", "-i", "127.0.0.1", "-c", "256", "--"])
        .args(command)
        .env_clear()
        .env("HOME", start.home())
        .env("LANG", "C.UTF-8")
        .env("TERM", "xterm-256color")
        .env("PATH", "/usr/bin:/bin")
        .current_dir(start.home())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&server.stdout).into_owned();
    let connect = text.lines().find_map(|line| line.strip_prefix("MOSH CONNECT ")).unwrap_or_else(|| {
        panic!("{text}{}", String::from_utf8_lossy(&server.stderr));
    });
    let (port, key) = connect.split_once(' ').unwrap();
    start.arguments(&[port]).env("MOSH_KEY", key).open()
}

#[test]
fn the_tasks_of_the_readme_in_tmux() {
    if !is_there("tmux") {
        return;
    }
    let start = Start::program("tmux", &["-f", "/dev/null"]);
    let socket = start.home().join("socket");
    let mut app = start.arguments(&["-S", socket.to_str().unwrap(), "new-session", PETSTORE, "--demo"]).open();
    walk(&mut app);
    let (status, bytes) = app.ended();
    assert_eq!(status, 0, "{}", String::from_utf8_lossy(&bytes));
}

#[test]
fn the_tasks_of_the_readme_in_gnu_screen() {
    if !is_there("screen") {
        return;
    }
    let start = Start::program("screen", &["-U", "-c", "/dev/null", "-m", PETSTORE, "--demo"]);
    let sockets = private_folder(&start, "sockets");
    let mut app = start.env("SCREENDIR", &sockets).open();
    walk(&mut app);
    let (status, bytes) = app.ended();
    assert_eq!(status, 0, "{}", String::from_utf8_lossy(&bytes));
}

#[test]
fn the_tasks_of_the_readme_over_mosh() {
    if !is_there("mosh-server") || !is_there("mosh-client") {
        return;
    }
    let mut app = mosh_client(&[PETSTORE, "--demo"]);
    walk(&mut app);
    assert_eq!(app.ended().0, 0);
}

#[test]
fn the_tasks_of_the_readme_on_a_serial_line_and_on_a_vt100() {
    let demo = || Start::petstore(&["--demo"]);
    for (name, start) in [
        ("serial", demo().serial()),
        ("serial VT100", demo().serial().env("TERM", "vt100").env("LANG", "C")),
        ("VT100", demo().env("TERM", "vt100")),
        ("60x16", demo().size(60, 16)),
        ("60x16 VT100", demo().size(60, 16).env("TERM", "vt100").env("LANG", "C")),
    ] {
        let mut app = start.open();
        walk(&mut app);
        let (status, bytes) = app.ended();
        assert_eq!(status, 0, "{name}");
        let coloured =
            [&b"\x1b[38;"[..], b"\x1b[48;"].iter().any(|colour| bytes.windows(5).any(|seen| seen == *colour));
        assert!(!(coloured && name.contains("VT100")), "{name} has no colours");
    }
}
