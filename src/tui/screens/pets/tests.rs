//! The pets screen: what follows from keys and replies, and how each state looks.

mod live;
mod more;
mod moves;
mod views;

use std::time::Duration;

use super::ListSource;
use crate::api::Failure;
use crate::api::inventory::Coverage;
use crate::api::list::ListAnswer;
use crate::config::Service;
use crate::model::export::Column;
use crate::model::{ObservedStatus, Pet, PetStatus};
use crate::tui::effect::Effect;
use crate::tui::msg::{Msg, QuitReason, Size};
use crate::tui::pending::Slot;
use crate::tui::popups::DEAF;
use crate::tui::popups::KeyBox;
use crate::tui::popups::help::HelpBox;
use crate::tui::popups::key::TestKey;
use crate::tui::screens::pets::inventory::ReadInventory;
use crate::tui::screens::pets::lists::ListPets;
use crate::tui::screens::pets::lists::MorePets;
use crate::tui::screens::pets::popups::limit::LimitBox;
use crate::tui::screens::pets::update::AddSamples;
use crate::tui::session_cache::SessionCache;
use crate::tui::start::start;
use crate::tui::state::{Health, Screen};
use crate::tui::testing::listed;
use crate::tui::testing::loss::whole_at_every_size;
use crate::tui::testing::{self, App, animals, disk_full, ids_of, remote};
use crate::tui::theme::Theme;

fn refused() -> Failure {
    Failure::NotSent { why: "connection refused".into() }
}

fn unauthorized() -> Failure {
    let message = "API key is not valid".to_owned();
    Failure::Refused { status: 401, code: Some("unauthorized".into()), message, retry_after: None }
}

/// An app whose service has stopped answering after it was loaded.
fn offline(columns: u16, rows: u16) -> App {
    let mut app = App::loaded_from(remote(), columns, rows, &animals(39));
    app.keys("r");
    app.answer::<ListPets>(Err(refused()));
    app.wait(Duration::from_secs(75));
    app.keys("r");
    app.answer::<ListPets>(Err(refused()));
    app
}

fn ids(app: &App) -> Vec<i64> {
    app.state.pets.rows_from(0).map(|pet| pet.id).collect()
}

/// The pets of these rows that are marked as new or changed.
fn marked(app: &App) -> Vec<i64> {
    let pets = &app.state.pets;
    pets.pets().iter().map(|pet| pet.id).filter(|id| pets.changes.mark(*id).is_some()).collect()
}

fn selected(app: &App) -> i64 {
    app.state.pets.selected().unwrap().id
}

/// The next page that a service offers, as the client reads it from a `Link` header.
fn next_page() -> crate::api::NextPage {
    let asked = "http://127.0.0.1/v1/pets?limit=20".parse().unwrap();
    crate::api::NextPage::from_links(&asked, ["</v1/pets?limit=20&after=100250>; rel=\"next\""]).unwrap()
}

fn page(pets: Vec<Pet>, more: bool) -> Result<ListAnswer, Failure> {
    listed(pets, more.then(next_page))
}

// --- what follows from what ---

#[test]
fn the_list_is_asked_for_first_and_the_counts_after_it() {
    let mut app = App::started(Service::Demo, 80, 24);
    assert_eq!(app.effects.len(), 1);
    assert!(matches!(app.asked(), Some(ListPets { pages: 1, .. })));
    app.answer::<ListPets>(page(animals(20), false));
    assert_eq!(app.effects.len(), 1 + 3);
}

#[test]
fn counts_say_plus_when_they_cannot_know_more() {
    let mut app = App::started(Service::Demo, 80, 24);
    app.answer_lists(&animals(200));
    let counts = app.state.pets.counts.map(|count| count.unwrap().to_string());
    assert_eq!(counts, ["100+", "40", "40"]);
    assert_eq!(app.state.pets.total().unwrap().to_string(), "180+");
}

#[test]
fn a_short_list_of_all_is_the_exact_total() {
    let app = App::loaded_from(Service::Demo, 80, 24, &animals(12));
    assert_eq!(app.state.pets.total().unwrap().to_string(), "12");
}

#[test]
fn stale_list_reply_is_dropped() {
    let mut app = App::loaded(80, 24);
    app.keys("r");
    let old = app.job(Slot::List).unwrap();
    app.keys("Right");
    app.answer_to::<ListPets>(old.id, page(animals(1), false));
    assert!(app.state.pending.is_running(Slot::List));
    assert_ne!(app.state.pets.row_count(), 1);
}

#[test]
fn a_tab_shows_what_is_known_of_it_until_its_own_rows_come() {
    let mut app = App::loaded(80, 24);
    app.keys("Right Right");
    assert_eq!(app.state.pets.filter(), Some(PetStatus::Pending));
    assert!(app.state.pets.list().unwrap().source == ListSource::Picked);
    assert_eq!(app.state.pets.row_count(), 8);
    app.answer_lists(&animals(39));
    assert_eq!(app.state.pets.row_count(), 8);
    app.keys("0");
    assert_eq!(app.state.pets.filter(), None);
}

#[test]
fn limit_by_preset_by_number_and_never_beyond_the_description() {
    let mut app = App::loaded(80, 24);
    let limit = |app: &App| app.state.pets.limit.get();
    app.keys("+");
    assert_eq!(limit(&app), 50);
    app.keys("- - -");
    assert_eq!(limit(&app), 5);
    app.keys("- +");
    assert_eq!(limit(&app), 10);
    app.keys("L \"37\" Enter");
    assert_eq!(limit(&app), 37);
    for wrong in ["0", "101", "abc", "1e2"] {
        app.keys(&format!("L \"{wrong}\" Enter"));
        assert!(app.state.popups.get::<LimitBox>().is_some(), "{wrong}");
        app.keys("Esc");
    }
    assert_eq!(limit(&app), 37);
    app.keys("+");
    assert_eq!(limit(&app), 50);
    app.keys("+ +");
    assert_eq!(limit(&app), 100);
    assert!(app.screen().contains("100 rows is the maximum per request."));
}

#[test]
fn down_on_the_last_row_loads_the_next_page_and_goes_on_there() {
    let mut app = App::started(Service::Demo, 80, 24);
    let all = animals(39);
    app.answer::<ListPets>(page(all[..20].to_vec(), true));
    app.keys("End Down Down");
    assert_eq!(app.effects.iter().filter(|e| matches!(e, Effect::Job(job) if job.job.slot() == Slot::More)).count(), 1);
    // The page overlaps by one pet, as a service without a fixed order may do.
    app.answer::<MorePets>(listed(all[19..].to_vec(), None));
    assert_eq!(app.state.pets.row_count(), 39);
    assert_eq!(selected(&app), all[20].id);
    app.keys("r");
    assert!(matches!(app.asked(), Some(ListPets { pages: 2, .. })));
}

#[test]
fn without_a_next_page_the_end_of_the_list_says_what_to_do() {
    let mut app = App::loaded(80, 24);
    app.keys("End Down");
    assert!(app.screen().contains("There may be more: press + for more rows, L for another number."));
    let mut app = App::loaded_from(Service::Demo, 80, 24, &animals(12));
    app.keys("End Down");
    assert!(app.screen().contains("No more rows."));
}

#[test]
fn rows_are_sorted_by_each_column_and_the_cursor_stays_on_its_pet() {
    let mut app = App::loaded_from(Service::Demo, 80, 24, &animals(12));
    app.keys("Down Down");
    let pochi = selected(&app);
    let columns = [Column::Name, Column::CategoryId, Column::Status].map(Some);
    for by in columns.into_iter().chain([None, Some(Column::Id)]) {
        app.keys("o");
        assert_eq!((app.state.pets.sort.by, selected(&app)), (by, pochi));
        let up = ids(&app);
        app.keys("O");
        assert_eq!(selected(&app), pochi);
        let mut down = ids(&app);
        if !matches!(by, Some(Column::CategoryId | Column::Status)) {
            down.reverse();
            assert_eq!(up, down, "{by:?}");
        }
    }
}

#[test]
fn a_refresh_that_inserts_and_removes_keeps_the_cursor_or_goes_to_the_next() {
    let mut app = App::loaded_from(Service::Demo, 80, 24, &animals(12));
    app.keys("Down Down Down r");
    let here = selected(&app);
    let mut fewer = animals(12);
    fewer.remove(0);
    app.answer::<ListPets>(page(fewer.clone(), false));
    assert_eq!(selected(&app), here);
    fewer.retain(|pet| pet.id != here);
    app.keys("r");
    app.answer::<ListPets>(page(fewer, false));
    assert_eq!(selected(&app), here + 1);
}

#[test]
fn the_search_takes_letters_and_esc_clears_then_leaves() {
    let mut app = App::loaded(80, 24);
    app.keys("/ \"q 7\"");
    assert_eq!(app.state.quitting, None);
    assert_eq!(app.state.pets.row_count(), 0);
    app.keys("C-u \"WHISK pend\"");
    assert_eq!(ids(&app), [100_232]);
    app.keys("Enter Right");
    assert_eq!(app.state.pets.filter(), Some(PetStatus::Available));
    app.keys("0 Esc");
    assert_eq!((app.state.pets.row_count(), app.state.pets.searching), (20, false));
}

#[test]
fn a_lost_service_keeps_the_rows_and_is_asked_again_by_itself() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("r");
    app.answer::<ListPets>(Err(refused()));
    assert_eq!(app.state.pets.row_count(), 20);
    let mut pauses = Vec::new();
    for _ in 0..9 {
        let Health::Away { next_try: Some(at), .. } = app.state.link.health.clone() else { panic!() };
        pauses.push(at.duration_since(app.now.mono).as_secs());
        assert!(!app.state.pending.is_running(Slot::List));
        app.wait(at.duration_since(app.now.mono));
        app.answer::<ListPets>(Err(refused()));
    }
    assert_eq!(pauses, [2, 4, 8, 16, 32, 60, 300, 300, 300]);
    app.keys("r");
    app.answer_lists(&animals(39));
    assert!(app.screen().contains("Back: api.example.com answers again."));
}

#[test]
fn what_a_retry_cannot_fix_is_not_retried() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("r");
    let failure = Failure::Malformed { why: "expected a sequence".into(), excerpt: "<html>".into() };
    app.answer::<ListPets>(Err(failure));
    assert!(matches!(app.state.link.health, Health::Away { next_try: None, .. }));
    app.keys("e");
    assert!(app.screen().contains("<html>"));
}

#[test]
fn a_service_inside_that_did_not_start_says_so_and_is_not_asked_again() {
    let mut app = App::started(Service::Demo, 80, 24);
    let why = "the database cannot be opened".to_owned();
    app.fail(Slot::List, Failure::NotStarted { why });
    assert!(matches!(app.state.link.health, Health::Away { next_try: None, .. }));
    assert!(app.says("Not started: the database cannot be opened. Fix that, then restart petstore."));
    assert!(app.says("e: details   q: quit"));
}

#[test]
fn a_service_that_names_its_time_is_asked_then() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("r");
    let failure = Failure::Refused { status: 503, code: None, message: String::new(), retry_after: Some(40) };
    app.answer::<ListPets>(Err(failure));
    app.wait(Duration::from_secs(39));
    assert!(!app.state.pending.is_running(Slot::List));
    app.wait(Duration::from_secs(1));
    assert!(app.state.pending.is_running(Slot::List));
}

#[test]
fn a_refused_key_is_asked_for_and_the_app_goes_on_with_the_new_one() {
    let mut app = App::started(remote(), 80, 24);
    app.answer::<ListPets>(Err(unauthorized()));
    assert!(app.state.popups.get::<KeyBox>().is_some());
    app.keys("\"lost\"");
    app.wait(Duration::from_millis(300));
    app.send(Msg::Paste(" Bearer petk_new_key_0123456789abcd\n".into()));
    assert!(!app.screen().contains("petk_new"));
    app.keys("Enter");
    let TestKey(key) = app.asked().unwrap();
    assert_eq!(key, crate::model::ApiKey::new("petk_new_key_0123456789abcd").unwrap());
    app.answer::<TestKey>(Err(unauthorized()));
    assert!(app.screen().contains("This key was not accepted either."));
    // The next one replaces it.
    app.send(Msg::Paste("petk_other_key_0123456789abcd".into()));
    app.keys("Enter");
    let TestKey(key) = app.asked().unwrap();
    assert_eq!(key, crate::model::ApiKey::new("petk_other_key_0123456789abcd").unwrap());
    app.answer::<TestKey>(Ok(()));
    assert!(!app.state.popups.is_open());
    app.answer_lists(&animals(39));
    assert_eq!(app.state.pets.row_count(), 20);
}

#[test]
fn a_key_refused_in_the_background_takes_no_letters() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("r");
    app.answer::<ListPets>(Err(unauthorized()));
    assert!(!app.state.popups.is_open());
    assert!(app.says("The API key is missing or not accepted. F4 asks for one."), "{}", app.screen());
    app.wait(Duration::from_secs(1)).keys("j j Enter");
    assert!(app.job(Slot::TestKey).is_none());
    app.keys("F4");
    assert!(app.state.popups.get::<KeyBox>().is_some());
}

#[test]
fn without_a_key_nothing_is_asked_and_one_is_asked_for() {
    let Service::Remote(mut without) = remote() else { panic!() };
    (without.key, without.key_origin) = (None, crate::config::KeyOrigin::Absent);
    let mut app = App::started(Service::Remote(without), 80, 24);
    assert!(app.job(Slot::List).is_none() && app.state.popups.get::<KeyBox>().is_some());
    app.wait(Duration::from_secs(1)).keys("Esc");
    assert!(app.says("No API key is set for api.example.com. No request was sent. F4: enter one"));
    app.keys("F4 \"petk_0123456789\" Enter");
    assert!(app.job(Slot::TestKey).is_some());
    app.state.screen = Screen::Domains;
    app.effects = start(&mut app.state, app.now);
    assert!(app.job(Slot::Registry).is_some(), "domains need no key");
}

#[test]
fn a_refused_key_never_takes_the_cursor_out_of_a_field() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("r / \"whis\"");
    app.answer::<ListPets>(Err(unauthorized()));
    assert!(!app.state.popups.is_open());
    app.keys("\"k\" F4");
    assert_eq!(app.state.pets.search.value(), "whisk");
    assert!(app.state.popups.get::<KeyBox>().is_some());
}

#[test]
fn live_refresh_starts_after_the_last_one_ended_and_stops_when_the_service_is_away() {
    let mut app = App::loaded(80, 24);
    app.keys("A");
    app.wait(Duration::from_secs(29));
    assert!(!app.state.pending.is_running(Slot::List));
    app.wait(Duration::from_secs(1));
    assert!(app.state.pending.is_running(Slot::List));
    app.wait(Duration::from_secs(60));
    app.answer_lists(&animals(39));
    app.wait(Duration::from_secs(29));
    assert!(!app.state.pending.is_running(Slot::List));
}

#[test]
fn ctrl_c_cancels_first_and_quits_on_the_second_press() {
    let mut app = App::loaded(80, 24);
    app.keys("r C-c");
    assert!(app.effects.contains(&Effect::Cancel(Slot::List)));
    assert_eq!(app.state.quitting, None);
    app.wait(Duration::from_secs(3)).keys("C-c");
    assert_eq!(app.state.quitting, None);
    app.keys("C-c");
    assert_eq!(app.state.quitting, Some(QuitReason::User));
}

#[test]
fn samples_go_into_an_empty_store_only_and_only_after_a_question() {
    let mut app = App::loaded(80, 24);
    app.keys("S");
    assert!(app.job(Slot::Samples).is_none());
    let mut app = App::loaded_from(Service::Demo, 80, 24, &[]);
    app.keys("S");
    assert!(app.says("Add 25 samples to the embedded store?") && app.job(Slot::Samples).is_none(), "{}", app.screen());
    app.wait(DEAF).keys("y S");
    assert_eq!(
        app.effects.iter().filter(|e| matches!(e, Effect::Job(job) if job.job.slot() == Slot::Samples)).count(),
        1
    );
    app.answer::<AddSamples>(Ok((ids_of(&animals(25)), None)));
    app.answer_lists(&animals(25));
    assert!(app.screen().contains("25 samples added."));
}

#[test]
fn samples_that_stop_say_why_also_where_the_cache_cannot_be_written_either() {
    let mut app = App::loaded_from(remote(), 80, 24, &[]);
    app.keys("S").wait(DEAF).keys("y");
    app.answer::<AddSamples>(Ok((ids_of(&animals(14)), Some(disk_full()))));
    app.answer_lists(&animals(14));
    app.answer::<SessionCache>(Err("no space".into()));
    assert!(app.says("14 samples added, then it stopped: "), "{}", app.screen());
    assert!(app.says("the disk of the database is full"), "{}", app.screen());
}

#[test]
fn an_empty_store_names_what_works_there() {
    let mut app = App::loaded_from(remote(), 60, 16, &[]);
    assert!(app.says("I           import a file"), "{}", app.screen());
    assert!(!app.says("petstore pets"), "a command without options would go elsewhere: {}", app.screen());
    app.state.link.read_only = true;
    assert!(!app.says("add the first one") && !app.says("import"), "{}", app.screen());
}

#[test]
fn nothing_is_due_while_nothing_happens() {
    let mut app = App::loaded(80, 24);
    let deadline = |app: &App| crate::tui::deadline::next_deadline(&app.state, app.now);
    let stale = app.state.pets.read_at().unwrap().mono + Duration::from_secs(300);
    assert_eq!(deadline(&app), Some(stale));
    app.keys("A");
    app.wait(Duration::from_secs(6));
    let refresh = app.state.pets.read_at().unwrap().mono + Duration::from_secs(30);
    assert_eq!(deadline(&app), Some(refresh));
}

#[test]
fn a_hostile_name_cannot_move_colour_or_widen_anything() {
    let mut pets = animals(3);
    pets[1].name = format!("\u{1b}[2J\u{202e}{}\u{200b}ポチ👨‍👩‍👧", "x".repeat(400));
    pets[1].status = Some(ObservedStatus::Unknown("\u{1b}]0;owned\u{7}".into()));
    for ascii in [true, false] {
        let mut app = App::loaded_from(Service::Demo, 80, 24, &pets);
        app.appearance.ascii = ascii;
        app.keys("Enter Down");
        let screen = app.screen();
        assert!(!screen.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{screen}");
        let other = screen.lines().find(|line| line.contains("Pochi")).unwrap();
        assert!(other.ends_with("available"), "{other}");
        assert!(!ascii || screen.is_ascii());
    }
}

#[test]
fn tabs_first_column_and_bottom_line_never_move() {
    let states: [&dyn Fn() -> App; 4] = [
        &|| App::loaded_from(remote(), 80, 24, &animals(39)),
        &|| offline(80, 24),
        &|| App::started(remote(), 80, 24),
        &|| App::loaded_from(remote(), 80, 24, &[]),
    ];
    for state in states {
        let mut app = state();
        let screen = app.screen();
        let lines: Vec<&str> = screen.lines().collect();
        assert!(lines[0].starts_with(" [1 Pets] 2 Add pet"), "{screen}");
        assert!(lines[1].starts_with(" [All "), "{screen}");
        assert!(lines[2].starts_with(" / "), "{screen}");
        assert!(lines[23].starts_with(" Enter detail"), "{screen}");
        assert!(lines.iter().any(|line| line.starts_with("   ID        NAME")), "{screen}");
    }
}

#[test]
fn the_cursor_is_on_the_selected_row_or_in_the_field() {
    let mut app = App::loaded(80, 24);
    app.keys("Down Down");
    assert!(app.snapshot().contains("\n6: 3-3 reverse CURSOR\n"), "{}", app.snapshot());
    app.keys("/ \"ab\"");
    assert!(app.snapshot().contains("\n2: 5-5 CURSOR\n"), "{}", app.snapshot());
}

#[test]
fn every_size_down_to_nothing_is_drawn_without_a_panic() {
    for popup in ["", "Enter", "L", "?", "F4"] {
        let mut app = offline(120, 40);
        app.keys(popup);
        for columns in [0, 1, 2, 5, 10, 20, 39, 40, 44, 50, 60, 79, 80, 109, 110, 120, 250] {
            for rows in [0, 1, 2, 3, 7, 8, 9, 12, 16, 23, 24, 40, 80] {
                app.send(Msg::Resize(Size { columns, rows }));
                app.screen();
            }
        }
        app.send(Msg::Resize(Size { columns: 80, rows: 24 }));
        assert!(app.screen().contains("Biscuit") || ["?", "F4"].contains(&popup));
    }
}

// --- how it looks; updated by: INSTA_UPDATE=always cargo test ---

/// Each state at both sizes.
fn snapshot(name: &str, make: impl Fn(u16, u16) -> App) {
    whole_at_every_size(name, &make);
    for (columns, rows) in [(80, 24), (120, 40)] {
        insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), make(columns, rows).snapshot());
    }
}

fn with_keys(columns: u16, rows: u16, keys: &str) -> App {
    let mut app = App::loaded(columns, rows);
    app.keys(keys);
    app
}

#[test]
fn looks_browsing() {
    snapshot("browsing", |columns, rows| with_keys(columns, rows, ""));
    snapshot("detail", |columns, rows| with_keys(columns, rows, "Enter Down"));
    snapshot("search", |columns, rows| with_keys(columns, rows, "/ \"whis\""));
    snapshot("search_none", |columns, rows| with_keys(columns, rows, "/ \"zzz\" Enter"));
    snapshot("tab", |columns, rows| {
        let mut app = with_keys(columns, rows, "Right Right");
        app.answer_lists(&animals(39));
        app
    });
    snapshot("with_next_page", |columns, rows| {
        let mut app = App::started(Service::Demo, columns, rows);
        app.answer::<ListPets>(page(animals(20), true));
        app
    });
    snapshot("odd_statuses", |columns, rows| {
        let mut pets = animals(4);
        pets[1].status = None;
        pets[2].status = Some(ObservedStatus::Unknown("reserved".into()));
        pets[3].id = i64::MAX;
        pets[3].category_id = i64::MIN;
        App::loaded_from(Service::Demo, columns, rows, &pets)
    });
}

#[test]
fn looks_waiting_and_away() {
    snapshot("first_load", |columns, rows| {
        let mut app = App::started(remote(), columns, rows);
        app.wait(Duration::from_secs(3));
        app
    });
    snapshot("loading", |columns, rows| {
        let mut app = with_keys(columns, rows, "r");
        app.wait(Duration::from_secs(3));
        app
    });
    snapshot("old", |columns, rows| {
        let mut app = with_keys(columns, rows, "");
        app.wait(Duration::from_secs(400));
        app
    });
    snapshot("offline", offline);
    snapshot("empty_store", |columns, rows| App::loaded_from(Service::Demo, columns, rows, &[]));
    snapshot("empty_tab", |columns, rows| {
        let mut app = App::loaded_from(Service::Demo, columns, rows, &animals(1));
        app.keys("Left");
        app.answer_lists(&animals(1));
        app
    });
}

#[test]
fn looks_boxes() {
    snapshot("limit", |columns, rows| with_keys(columns, rows, "L"));
    snapshot("limit_wrong", |columns, rows| with_keys(columns, rows, "L \"150\" Enter"));
    snapshot("help", |columns, rows| with_keys(columns, rows, "?"));
    snapshot("key", |columns, rows| {
        let mut app = App::loaded_from(remote(), columns, rows, &animals(39));
        app.keys("r");
        app.answer::<ListPets>(Err(unauthorized()));
        app.keys("F4");
        app.wait(Duration::from_secs(1)).keys("\"petk_0123\"");
        app
    });
    snapshot("key_refused_again", |columns, rows| {
        let mut app = App::loaded_from(remote(), columns, rows, &animals(39));
        app.keys("r");
        app.answer::<ListPets>(Err(unauthorized()));
        app.keys("F4");
        app.wait(Duration::from_secs(1)).keys("\"petk_0123456789\" Enter");
        app.answer::<TestKey>(Err(unauthorized()));
        app
    });
    snapshot("key_closed", |columns, rows| {
        let mut app = App::loaded_from(remote(), columns, rows, &animals(39));
        app.keys("r");
        app.answer::<ListPets>(Err(unauthorized()));
        app.keys("F4");
        app.wait(Duration::from_secs(1)).keys("Esc");
        app
    });
    snapshot("error_details", |columns, rows| {
        let mut app = offline(columns, rows);
        app.keys("e");
        app
    });
}

#[test]
fn looks_small_plain_and_in_unicode() {
    for (columns, rows) in [(60, 16), (44, 10), (40, 8), (38, 7), (20, 5)] {
        let mut app = with_keys(columns, rows, "Down");
        insta::assert_snapshot!(format!("small_{columns}x{rows}"), app.screen());
    }
    let mut app = with_keys(80, 24, "Enter");
    app.state.theme = Theme::built_in("mono");
    insta::assert_snapshot!("mono", app.snapshot());
    app.appearance.ascii = false;
    insta::assert_snapshot!("mono_unicode", app.screen());
}

#[test]
fn an_exact_count_stays_until_a_list_shows_something_else() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
    let pets = animals(237);
    app.keys("=");
    app.say::<ReadInventory>(pets.clone());
    app.answer::<ReadInventory>(Ok(Coverage { requests: 3, complete: true, full: Vec::new() }));
    let total = |app: &App| app.state.pets.total().unwrap().to_string();
    assert_eq!(total(&app), "237");
    assert!(!app.state.pets.whole.open, "the lists stay");
    app.keys("r");
    app.answer_lists(&pets);
    assert_eq!(total(&app), "237");
    app.keys("=");
    assert!(app.says("These numbers are exact."), "{}", app.screen());
    app.keys("r");
    let mut changed = pets;
    changed[0].name = "Another".into();
    app.answer_lists(&changed);
    assert_ne!(total(&app), "237");
}

#[test]
fn a_search_goes_on_in_all_pets_with_one_key() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("/ \"whis\" Tab");
    assert!(app.job(Slot::Inventory).is_some());
    app.say::<ReadInventory>(animals(237));
    app.answer::<ReadInventory>(Ok(Coverage { requests: 3, complete: true, full: Vec::new() }));
    assert_eq!(app.state.pets.search.value(), "whis");
    assert!(app.state.pets.row_count() > 1 && app.state.pets.rows().of() == 237);
}

#[test]
fn a_key_without_an_action_says_so() {
    let mut app = App::loaded(80, 24);
    app.keys("z");
    assert!(app.says("No action on this key; ? lists the keys."), "{}", app.screen());
    app.keys("Down Del");
    assert!(app.says("Pets cannot be changed or deleted"), "{}", app.screen());
}

#[test]
fn help_opens_over_a_box_and_goes_back_to_it() {
    for (keys, help) in [("L", "F1"), ("T", "?"), ("x", "F1"), (":", "F1")] {
        let mut app = App::loaded(80, 24);
        let before = format!("{:?}", app.keys(keys).state.popups);
        app.keys(help);
        assert!(app.state.popups.get::<HelpBox>().is_some(), "{keys} {help}");
        app.keys("Esc");
        assert_eq!(format!("{:?}", app.state.popups), before, "{keys} {help}");
    }
}
