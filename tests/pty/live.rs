//! Several apps on one service: each shows at once what the others add, and as little as possible is written.

use crate::prelude::*;

use crate::adding::enter;
use crate::served::Served;

#[test]
fn two_apps_side_by_side_show_each_others_pets() {
    let served = Served::start();
    let states = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let mut apps = [&states[0], &states[1]].map(|state| served.app(state.path()));
    for app in &apps {
        app.shows(&["No pets yet.", "ok, live"]);
    }
    for (at, name) in ["Rex", "Mochi"].into_iter().enumerate() {
        enter(&mut apps[at]);
        apps[at].send(format!("{name}\r")).shows(&["1 saved"]);
        // Marked for the other one, and not for the one who has added it.
        let number = at + 1;
        apps[1 - at].shows(&[&format!("+{number} "), name, &format!("All {number}")]);
        apps[at].send("\x1b");
        let screen = apps[at].shows(&[&format!("{number} "), name, &format!("All {number}")]);
        assert!(!screen.contains(&format!("+{number} ")), "{screen}");
    }
    for app in &mut apps {
        app.quit();
    }
}

#[test]
fn a_terminal_without_focus_goes_on_showing_what_others_add_at_most_once_a_second() {
    let served = Served::start();
    let state = tempfile::tempdir().unwrap();
    let mut app = served.app(state.path());
    app.shows(&["ok, live"]);
    // The help shows that the loss of focus was seen before.
    app.send("\x1b[O?").shows(&["Help: "]);
    app.send("\x1b");
    app.wait_until("the list without the help", |screen, _| !screen.contents().contains("Help: "));
    let frames = || app.bytes().windows(8).filter(|bytes| *bytes == b"\x1b[?2026h").count();
    let (before, begin) = (frames(), Instant::now());
    for _ in 0..20 {
        served.add("Rex");
    }
    app.shows(&["All 20", "+18 "]);
    // The first may follow at once, and the list without the help may still be on its way.
    let most = 2 + begin.elapsed().as_secs();
    assert!((frames() - before) as u64 <= most, "{} frames of at most {most}", frames() - before);
}

#[test]
fn over_a_slow_line_other_peoples_pets_are_drawn_at_most_twice_a_second() {
    let served = Served::start();
    let state = tempfile::tempdir().unwrap();
    let app = served.app_with(state.path(), "[ui]\nlink = \"slow\"\n");
    app.shows(&["ok, live"]);
    let frames = || app.bytes().windows(8).filter(|bytes| *bytes == b"\x1b[?2026h").count();
    let (before, begin) = (frames(), Instant::now());
    for _ in 0..20 {
        served.add("Rex");
    }
    app.shows(&["All 20"]);
    let most = 2 + begin.elapsed().as_millis() / 500;
    assert!(((frames() - before) as u128) <= most, "{} frames of at most {most}", frames() - before);
}
