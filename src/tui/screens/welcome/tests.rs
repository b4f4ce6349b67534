//! The first start: what follows from keys, and how each state looks.

use crate::app::first_run::StartChoice;
use crate::tui::Screen;
use crate::tui::msg::QuitReason;
use crate::tui::testing::App;
use crate::tui::testing::loss::{snapshot_sizes, whole_at_every_size};
use crate::tui::theme::Theme;

fn chosen(app: &App) -> (Option<QuitReason>, Option<&StartChoice>) {
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
        let mut app = App::first_start(80, 24);
        assert_eq!(chosen(&app), (None, None));
        app.keys(keys);
        assert_eq!(chosen(&app), began_with(&with), "{keys}");
        assert_eq!(app.effects, []);
    }
}

#[test]
fn leaving_chooses_nothing() {
    let mut app = App::first_start(80, 24);
    app.keys("q");
    assert_eq!(chosen(&app), (Some(QuitReason::User), None));
    let mut app = App::first_start(80, 24);
    app.keys("C-c C-c");
    assert_eq!(chosen(&app), (Some(QuitReason::User), None));
}

#[test]
fn keys_of_other_screens_do_nothing_here() {
    let mut app = App::first_start(80, 24);
    app.keys("H P T e : F9 F4 F5 a r Esc S");
    assert_eq!((app.state.screen, app.state.popups.is_open(), app.effects.len()), (Screen::Welcome, false, 0));
    app.keys("? Esc");
    assert_eq!(app.state.place().name, "welcome");
}

// --- how it looks; updated by: INSTA_UPDATE=always cargo test ---

fn snapshot(name: &str, make: impl Fn(u16, u16) -> App) {
    whole_at_every_size(name, &make);
    for &(columns, rows) in snapshot_sizes(name) {
        insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), make(columns, rows).snapshot());
    }
}

#[test]
fn looks_first_start() {
    snapshot("ways", App::first_start);
}

#[test]
fn looks_small_plain_and_in_unicode() {
    for (columns, rows) in [(60, 16), (40, 8)] {
        insta::assert_snapshot!(format!("small_{columns}x{rows}"), App::first_start(columns, rows).screen());
    }
    let mut app = App::first_start(80, 24);
    app.state.theme = Theme::built_in("mono");
    app.appearance.ascii = false;
    insta::assert_snapshot!("mono_unicode", app.snapshot());
}

#[test]
fn the_help_of_the_first_start_lists_only_keys_that_work_there() {
    let mut app = App::first_start(80, 24);
    app.keys("?");
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
