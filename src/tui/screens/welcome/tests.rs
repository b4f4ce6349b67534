//! The first start: what follows from keys, and how each state looks.

use crate::app::first_run::StartChoice;
use crate::tui::testing::prelude::*;

fn chosen(app: &TestApp) -> (Option<QuitReason>, Option<&StartChoice>) {
    (app.state.quitting, app.state.welcome.chosen.as_ref())
}

fn began_with(with: &StartChoice) -> (Option<QuitReason>, Option<&StartChoice>) {
    (Some(QuitReason::User), Some(with))
}

// --- what follows from what ---

#[test]
fn a_number_or_the_marked_way_begins_and_nothing_is_asked_before() {
    for (keys, with) in [
        ("1", StartChoice::Samples),
        ("Enter", StartChoice::Samples),
        ("2", StartChoice::Embedded),
        ("Up Down Enter", StartChoice::Embedded),
    ] {
        let mut app = TestApp::first_start(80, 24);
        assert_eq!(chosen(&app), (None, None));
        app.keys(keys);
        assert_eq!(chosen(&app), began_with(&with), "{keys}");
        assert_eq!(app.effects, []);
    }
}

#[test]
fn leaving_chooses_nothing() {
    let app = TestApp::first_start(80, 24).after("q");
    assert_eq!(chosen(&app), (Some(QuitReason::User), None));
    let app = TestApp::first_start(80, 24).after("C-c C-c");
    assert_eq!(chosen(&app), (Some(QuitReason::User), None));
}

#[test]
fn keys_of_other_screens_do_nothing_here() {
    let mut app = TestApp::first_start(80, 24).after("H P T e : F9 F4 F5 a r Esc S");
    assert_eq!((app.state.screen, app.state.popups.is_open(), app.effects.len()), (Screen::Welcome, false, 0));
    app.keys("? Esc");
    assert_eq!(app.state.place().name, "welcome");
}

// --- how it looks; updated by: INSTA_UPDATE=always cargo test ---

#[test]
fn looks() {
    let mut looks = Looks::default();
    looks.state("ways", TestApp::first_start);
    for (columns, rows) in [(60, 16), (40, 8)] {
        looks.frame("ways", &mut TestApp::first_start(columns, rows));
    }
    let mut app = TestApp::first_start(80, 24).in_monochrome();
    app.appearance.ascii = false;
    looks.frame("mono_unicode", &mut app);
    insta::assert_snapshot!(looks);
}

#[test]
fn the_help_of_the_first_start_lists_only_keys_that_work_there() {
    let mut app = TestApp::first_start(80, 24).after("?");
    let help = app.screen();
    for dead in ["profiles", "requests", "themes", "explain last error", "enter another API key", "all commands"] {
        assert!(!help.contains(dead), "{dead}: {help}");
    }
    app.keys("Esc");
    for dead in ["P", "T", "H", "e", ":", "F4"] {
        app.keys("Down Up").keys(dead);
        assert!(app.says("Choose how to start first."), "{dead}: {}", app.screen());
    }
}
