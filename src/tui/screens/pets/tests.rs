//! The pets screen: what follows from keys and replies, and how each state looks.

mod changes;
mod live;
mod more;
mod moves;
mod views;

use crate::tui::testing::prelude::*;

use crate::model::export::Column;
use crate::tui::Health;
use crate::tui::popups::help::HelpBox;
use crate::tui::screens::pets::popups::LimitBox;
use crate::tui::start::start;
use crate::tui::testing::{self, disk_full, ids_of, listed, unauthorized};

fn refused() -> Failure {
    Failure::NotSent { why: "connection refused".into() }
}

/// An app whose service has stopped answering after it was loaded.
fn offline(columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39)).after("r");
    app.answer::<ListPets>(Err(refused())).wait(Duration::from_secs(75)).keys("r");
    app.answer::<ListPets>(Err(refused()));
    app
}

fn ids(app: &TestApp) -> Vec<i64> {
    app.state.pets.rows_from(0).map(|pet| pet.id).collect()
}

/// The pets of these rows that are marked as new or changed.
fn marked(app: &TestApp) -> Vec<i64> {
    let pets = &app.state.pets;
    pets.store.pets().iter().map(|pet| pet.id).filter(|id| pets.store.mark(*id).is_some()).collect()
}

/// How many pets there are, in all or with a status.
fn count(app: &TestApp, status: Option<PetStatus>) -> String {
    app.state.pets.store.count(status).unwrap().to_string()
}

fn selected(app: &TestApp) -> i64 {
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
fn the_list_is_asked_for_first_and_all_pets_after_it() {
    let mut app = TestApp::started(Service::Demo, 80, 24);
    assert_eq!(app.effects.len(), 1);
    assert!(app.asked::<ListPets>().is_some());
    app.answer::<ListPets>(page(animals(20), false));
    assert!(app.effects.len() == 2 && app.asked::<ReadInventory>().is_some());
    let app = TestApp::loaded_from(Service::Demo, 80, 24, &animals(12));
    assert!(app.job(Slot::Inventory).is_none(), "these are all");
}

#[test]
fn stale_list_reply_is_dropped() {
    let mut app = TestApp::loaded(80, 24).after("r");
    let old = app.job(Slot::List).unwrap();
    app.keys("Right");
    app.answer_to::<ListPets>(old.id, page(animals(1), false));
    assert!(app.state.pending.is_running(Slot::List));
    assert_ne!(app.state.pets.row_count(), 1);
}

#[test]
fn a_tab_shows_what_is_known_and_asks_where_that_is_not_all_or_not_new() {
    let mut app = TestApp::loaded(80, 24);
    let asked = app.effects.len();
    app.keys("Right Right");
    assert_eq!((app.state.pets.filter(), app.state.pets.row_count()), (Some(PetStatus::Pending), 8));
    assert_eq!(app.effects.len(), asked);
    app.wait(Duration::from_secs(61)).keys("0");
    assert!(app.state.pets.filter().is_none() && app.job(Slot::List).is_some());
    let mut app = TestApp::started(Service::Demo, 80, 24);
    app.answer_limited(&animals(200), 100).keys("Right");
    let ListPets { query, .. } = app.asked().unwrap();
    assert_eq!((query.status, app.state.pets.row_count()), (Some(PetStatus::Available), 100));
}

#[test]
fn how_many_rows_a_request_asks_for_is_chosen_and_never_beyond_the_description() {
    let mut app = TestApp::loaded(80, 24).after("L \"37\" Enter");
    let ListPets { query, .. } = app.asked().unwrap();
    assert!(query.limit.get() == 37 && app.says("limit 37 (max 100)"), "{}", app.screen());
    for wrong in ["0", "101", "abc", "1e2"] {
        app.keys(&format!("L \"{wrong}\" Enter"));
        assert!(app.state.popups.get::<LimitBox>().is_some(), "{wrong}");
        app.keys("Esc");
    }
    assert_eq!(app.state.pets.limit.get(), 37);
}

#[test]
fn the_rest_is_read_by_itself_while_the_cursor_stays_and_a_refresh_reads_it_again() {
    let mut app = TestApp::started(Service::Demo, 80, 24);
    let all = animals(39);
    app.answer::<ListPets>(page(all[..20].to_vec(), true)).keys("End Down");
    assert!(app.says("Row 20 of 20.") || app.says("Loading more ..."), "{}", app.screen());
    // What comes overlaps, as a service without a fixed order may do.
    app.say::<ReadInventory>(all[19..].to_vec());
    assert_eq!((app.state.pets.row_count(), selected(&app)), (39, all[19].id));
    app.answer::<ReadInventory>(Ok(Coverage::ALL));
    assert_eq!(app.state.pets.row_count(), 20, "the others did not come");
    app.keys("r").answer_lists(&all).keys("Up").shows("of 39. No more rows.").shows("[All 39]");
}

#[test]
fn newest_first_is_one_key_and_begins_with_the_newest_of_all() {
    let mut app = TestApp::loaded(80, 24).after("Down N");
    let all = animals(39);
    assert_eq!((selected(&app), app.state.pets.cursor()), (all[38].id, 0));
    app.shows("newest first");
}

#[test]
fn rows_are_sorted_by_each_column_and_the_cursor_stays_on_its_pet() {
    let mut app = TestApp::loaded_from(Service::Demo, 80, 24, &animals(12)).after("Down Down");
    let pochi = selected(&app);
    for by in [Column::Name, Column::CategoryId, Column::Status, Column::Id] {
        app.keys("o");
        assert_eq!((app.state.pets.sort.column, selected(&app)), (by, pochi));
        let up = ids(&app);
        app.keys("O");
        assert_eq!(selected(&app), pochi);
        let mut down = ids(&app);
        if !matches!(by, Column::CategoryId | Column::Status) {
            down.reverse();
            assert_eq!(up, down, "{by:?}");
        }
    }
}

#[test]
fn a_refresh_that_inserts_and_removes_keeps_the_cursor_or_goes_to_the_next() {
    let mut app = TestApp::loaded_from(Service::Demo, 80, 24, &animals(12)).after("Down Down Down r");
    let here = selected(&app);
    let mut fewer = animals(12);
    fewer.remove(0);
    app.answer::<ListPets>(page(fewer.clone(), false));
    assert_eq!(selected(&app), here);
    fewer.retain(|pet| pet.id != here);
    app.keys("r").answer::<ListPets>(page(fewer, false));
    assert_eq!(selected(&app), here + 1);
}

#[test]
fn the_search_takes_letters_and_esc_clears_then_leaves() {
    let mut app = TestApp::loaded(80, 24).after("/ \"q 7\"");
    assert_eq!(app.state.quitting, None);
    assert_eq!(app.state.pets.row_count(), 0);
    app.keys("C-u \"WHISK pend\"");
    assert_eq!(ids(&app), [100_232]);
    app.keys("Enter Right");
    assert_eq!(app.state.pets.filter(), Some(PetStatus::Available));
    app.keys("0 Esc");
    assert_eq!((app.state.pets.row_count(), app.state.pets.searching), (39, false));
}

#[test]
fn a_lost_service_keeps_the_rows_and_is_asked_again_by_itself() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("r").answered::<ListPets>(Err(refused()));
    assert_eq!(app.state.pets.row_count(), 39);
    let mut pauses = Vec::new();
    for _ in 0..9 {
        let Health::Away { next_try: Some(at), .. } = app.state.link.health.clone() else { panic!() };
        pauses.push(at.duration_since(app.now.mono).as_secs());
        assert!(!app.state.pending.is_running(Slot::List));
        app.wait(at.duration_since(app.now.mono)).answer::<ListPets>(Err(refused()));
    }
    assert_eq!(pauses, [2, 4, 8, 16, 32, 60, 300, 300, 300]);
    app.keys("r").answer_lists(&animals(39));
    assert!(app.screen().contains("Back: api.example.com answers again."));
}

#[test]
fn what_a_retry_cannot_fix_is_not_retried() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("r");
    let failure = Failure::Malformed { why: "expected a sequence".into(), excerpt: "<html>".into() };
    app.answer::<ListPets>(Err(failure));
    assert!(matches!(app.state.link.health, Health::Away { next_try: None, .. }));
    app.keys("e");
    assert!(app.screen().contains("<html>"));
}

#[test]
fn a_service_inside_that_did_not_start_says_so_and_is_not_asked_again() {
    let mut app = TestApp::started(Service::Demo, 80, 24);
    let why = "the database cannot be opened".to_owned();
    app.fail(Slot::List, Failure::NotStarted { why });
    assert!(matches!(app.state.link.health, Health::Away { next_try: None, .. }));
    app.shows("Not started: the database cannot be opened. Fix that, then restart petstore.");
    app.shows("e: details   q: quit");
}

#[test]
fn a_service_that_names_its_time_is_asked_then() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("r");
    app.answer::<ListPets>(Err(Failure::refused(503, Err(""), Some(RetryAfter::Seconds(40)))));
    app.wait(Duration::from_secs(39));
    assert!(!app.state.pending.is_running(Slot::List));
    app.wait(Duration::from_secs(1));
    assert!(app.state.pending.is_running(Slot::List));
}

#[test]
fn a_refused_key_is_asked_for_and_the_app_goes_on_with_the_new_one() {
    let mut app = TestApp::started(remote(), 80, 24).answered::<ListPets>(Err(unauthorized()));
    assert!(app.state.popups.get::<KeyBox>().is_some());
    app.keys("\"lost\"").wait(Duration::from_millis(300));
    app.send(Msg::Paste(" Bearer petk_new_key_0123456789abcd\n".into()));
    assert!(!app.screen().contains("petk_new"));
    app.keys("Enter");
    let TestKey(key) = app.asked().unwrap();
    assert_eq!(key, ApiKey::new("petk_new_key_0123456789abcd").unwrap());
    app.answer::<TestKey>(Err(unauthorized()));
    assert!(app.screen().contains("This key was not accepted either."));
    // The next one replaces it.
    app.send(Msg::Paste("petk_other_key_0123456789abcd".into())).keys("Enter");
    let TestKey(key) = app.asked().unwrap();
    assert_eq!(key, ApiKey::new("petk_other_key_0123456789abcd").unwrap());
    app.answer::<TestKey>(Ok(()));
    assert!(!app.state.popups.is_open());
    app.answer_lists(&animals(39));
    assert_eq!(app.state.pets.row_count(), 39);
}

#[test]
fn a_refused_key_is_one_more_only_if_the_one_in_use_was_refused_too() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("F4");
    app.send(Msg::Paste("petk_new_key_0123456789abcd".into())).keys("Enter");
    app.answer::<TestKey>(Err(unauthorized()));
    assert!(app.screen().contains("This key was not accepted. Nothing has changed."), "{}", app.screen());
}

#[test]
fn a_key_refused_in_the_background_takes_no_letters() {
    let mut app =
        TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("r").answered::<ListPets>(Err(unauthorized()));
    assert!(!app.state.popups.is_open());
    app.shows("The API key is missing or not accepted. F4 asks for one.");
    app.wait(Duration::from_secs(1)).keys("j j Enter");
    assert!(app.job(Slot::TestKey).is_none());
    app.keys("F4");
    assert!(app.state.popups.get::<KeyBox>().is_some());
}

#[test]
fn without_a_key_nothing_is_asked_and_one_is_asked_for() {
    let Service::Remote(mut without) = remote() else { panic!() };
    (without.key, without.key_origin) = (None, KeyOrigin::Absent);
    let mut app = TestApp::started(Service::Remote(without), 80, 24);
    assert!(app.job(Slot::List).is_none() && app.state.popups.get::<KeyBox>().is_some());
    app.wait(Duration::from_secs(1)).keys("Esc");
    app.shows("No API key is set for api.example.com. No request was sent. F4: enter one");
    app.keys("F4 \"petk_0123456789\" Enter");
    assert!(app.job(Slot::TestKey).is_some());
    app.state.screen = Screen::Domains;
    start(&mut app.state, app.now);
    app.effects = app.state.take_effects();
    assert!(app.job(Slot::Registry).is_some(), "domains need no key");
}

#[test]
fn a_refused_key_never_takes_the_cursor_out_of_a_field() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("r / \"whis\"");
    app.answer::<ListPets>(Err(unauthorized()));
    assert!(!app.state.popups.is_open());
    app.keys("\"k\" F4");
    assert_eq!(app.state.pets.search.value(), "whisk");
    assert!(app.state.popups.get::<KeyBox>().is_some());
}

#[test]
fn live_refresh_starts_after_the_last_one_ended_and_stops_when_the_service_is_away() {
    let mut app = TestApp::loaded(80, 24).after("A").later(Duration::from_secs(29));
    assert!(!app.state.pending.is_running(Slot::List));
    app.wait(Duration::from_secs(1));
    assert!(app.state.pending.is_running(Slot::List));
    app.wait(Duration::from_secs(60)).answer_lists(&animals(39)).wait(Duration::from_secs(29));
    assert!(!app.state.pending.is_running(Slot::List));
}

#[test]
fn ctrl_c_cancels_first_and_quits_on_the_second_press() {
    let mut app = TestApp::loaded(80, 24).after("r C-c");
    assert!(app.effects.contains(&Effect::Cancel(Slot::List)));
    assert_eq!(app.state.quitting, None);
    app.wait(Duration::from_secs(3)).keys("C-c");
    assert_eq!(app.state.quitting, None);
    app.keys("C-c");
    assert_eq!(app.state.quitting, Some(QuitReason::User));
}

#[test]
fn samples_go_into_an_empty_store_only_and_only_after_a_question() {
    let app = TestApp::loaded(80, 24).after("S");
    assert!(app.job(Slot::Samples).is_none());
    let mut app = TestApp::loaded_from(Service::Demo, 80, 24, &[]).after("S");
    assert!(app.says("Add 25 samples to the embedded store?") && app.job(Slot::Samples).is_none(), "{}", app.screen());
    app.wait(DEAF).keys("y S");
    assert_eq!(
        app.effects.iter().filter(|e| matches!(e, Effect::Job(job) if job.job.slot() == Slot::Samples)).count(),
        1
    );
    app.answer::<AddSamples>(Ok((ids_of(&animals(25)), None))).answer_lists(&animals(25));
    assert!(app.screen().contains("25 samples added."));
}

#[test]
fn samples_that_stop_say_why_also_where_the_cache_cannot_be_written_either() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &[]);
    app.keys("S").wait(DEAF).keys("y").answer::<AddSamples>(Ok((ids_of(&animals(14)), Some(disk_full()))));
    app.answer_lists(&animals(14)).answer::<SessionCache>(Err("no space".into()));
    app.shows("14 samples added, then it stopped: ").shows("the disk of the database is full");
}

#[test]
fn an_empty_store_names_what_works_there() {
    let mut app = TestApp::loaded_from(remote(), 60, 16, &[]);
    app.shows("I           import a file");
    assert!(!app.says("petstore pets"), "a command without options would go elsewhere: {}", app.screen());
    app.state.link.read_only = true;
    app.lacks("add the first one").lacks("import");
}

#[test]
fn nothing_is_due_while_nothing_happens() {
    let mut app = TestApp::loaded(80, 24);
    let deadline = |app: &TestApp| crate::tui::deadline::next_deadline(&app.state, app.now);
    let stale = app.state.pets.store.read().unwrap().mono + Duration::from_secs(300);
    assert_eq!(deadline(&app), Some(stale));
    app.keys("A").wait(Duration::from_secs(6));
    let refresh = app.state.pets.store.read().unwrap().mono + Duration::from_secs(30);
    assert_eq!(deadline(&app), Some(refresh));
}

#[test]
fn a_hostile_name_cannot_move_colour_or_widen_anything() {
    let mut pets = animals(3);
    pets[1].name = format!("\u{1b}[2J\u{202e}{}\u{200b}ポチ👨‍👩‍👧", "x".repeat(400));
    pets[1].status = Some(ObservedStatus::Unknown("\u{1b}]0;owned\u{7}".into()));
    for ascii in [true, false] {
        let mut app = TestApp::loaded_from(Service::Demo, 80, 24, &pets);
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
    let states: [&dyn Fn() -> TestApp; 4] = [
        &|| TestApp::loaded_from(remote(), 80, 24, &animals(39)),
        &|| offline(80, 24),
        &|| TestApp::started(remote(), 80, 24),
        &|| TestApp::loaded_from(remote(), 80, 24, &[]),
    ];
    for state in states {
        let mut app = state();
        let screen = app.screen();
        let lines: Vec<&str> = screen.lines().collect();
        assert!(lines[0].starts_with(" [1 Pets] 2 Add pet"), "{screen}");
        assert!(lines[1].starts_with(" [All "), "{screen}");
        assert!(lines[2].starts_with(" / "), "{screen}");
        assert!(lines[23].starts_with(" s sell  a add  / search"), "{screen}");
        assert!(lines.iter().any(|line| line.starts_with("   ID        NAME")), "{screen}");
    }
}

// --- how it looks; updated by: INSTA_UPDATE=always cargo test ---

fn with_keys(columns: u16, rows: u16, keys: &str) -> TestApp {
    TestApp::loaded(columns, rows).after(keys)
}

#[test]
fn looks_browsing() {
    let mut looks = Looks::default();
    looks.wide_state("browsing", |columns, rows| with_keys(columns, rows, ""));
    looks.wide_state("detail", |columns, rows| with_keys(columns, rows, "Enter Down"));
    looks.state("search", |columns, rows| with_keys(columns, rows, "/ \"whis\""));
    looks.state("search_none", |columns, rows| with_keys(columns, rows, "/ \"zzz\" Enter"));
    looks.state("tab", |columns, rows| {
        with_keys(columns, rows, "Right Right").and(|app| _ = app.answer_lists(&animals(39)))
    });
    looks.state("with_next_page", |columns, rows| {
        TestApp::started(Service::Demo, columns, rows).answered::<ListPets>(page(animals(20), true))
    });
    looks.state("odd_statuses", |columns, rows| {
        let mut pets = animals(4);
        pets[1].status = None;
        pets[2].status = Some(ObservedStatus::Unknown("reserved".into()));
        pets[3].id = i64::MAX;
        pets[3].category_id = i64::MIN;
        TestApp::loaded_from(Service::Demo, columns, rows, &pets)
    });
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_waiting_and_away() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.state("first_load", |columns, rows| TestApp::started(remote(), columns, rows).later(Duration::from_secs(3)));
    looks.state("loading", |columns, rows| with_keys(columns, rows, "r").later(Duration::from_secs(3)));
    looks.state("old", |columns, rows| with_keys(columns, rows, "").later(Duration::from_secs(400)));
    looks.state("offline", offline);
    looks.wide_state("empty_store", |columns, rows| TestApp::loaded_from(Service::Demo, columns, rows, &[]));
    looks.state("empty_tab", |columns, rows| {
        let mut app = TestApp::loaded_from(Service::Demo, columns, rows, &animals(1)).after("Left");
        app.answer_lists(&animals(1));
        app
    });
    looks.state("error_details", |columns, rows| offline(columns, rows).after("e"));
    let refused = |columns, rows, keys: &str| {
        let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39)).after("r");
        app.answer::<ListPets>(Err(unauthorized())).keys("F4").wait(Duration::from_secs(1)).keys(keys);
        app
    };
    looks.state("key_closed", |columns, rows| refused(columns, rows, "Esc"));
    looks.state("key", |columns, rows| refused(columns, rows, "\"petk_0123\""));
    looks.state("key_refused_again", |columns, rows| {
        refused(columns, rows, "\"petk_0123456789\" Enter").answered::<TestKey>(Err(unauthorized()))
    });
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_boxes() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.state("limit", |columns, rows| with_keys(columns, rows, "L"));
    looks.state("limit_wrong", |columns, rows| with_keys(columns, rows, "L \"150\" Enter"));
    looks.state("help", |columns, rows| with_keys(columns, rows, "?"));
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_small_plain_and_in_unicode() {
    let mut looks = Looks::after("detail", |columns, rows| with_keys(columns, rows, "Enter Down"));
    for (columns, rows) in [(60, 16), (44, 10), (40, 8), (38, 7), (20, 5)] {
        looks.frame("small", &mut with_keys(columns, rows, "Down"));
    }
    let mut app = with_keys(80, 24, "Enter").in_monochrome();
    looks.frame("mono", &mut app);
    app.appearance.ascii = false;
    looks.frame("mono_unicode", &mut app);
    insta::assert_snapshot!(looks);
}

#[test]
fn a_search_is_over_all_pets_and_goes_on_while_they_come() {
    let mut app = TestApp::started(remote(), 80, 24).answered::<ListPets>(page(animals(20), true)).after("/ \"whis\"");
    let found = app.state.pets.row_count();
    app.say::<ReadInventory>(animals(237));
    assert!(app.state.pets.row_count() > found && app.state.pets.rows.order.len() == 237);
}

#[test]
fn a_key_without_an_action_says_so() {
    let mut app = TestApp::loaded(80, 24).after("z");
    app.shows("No action on this key; ? lists the keys.");
    app.keys("Down Del").shows("Pets cannot be deleted");
}

#[test]
fn help_opens_over_a_box_and_goes_back_to_it() {
    for (keys, help) in [("L", "F1"), ("T", "?"), ("x", "F1"), (":", "F1")] {
        let mut app = TestApp::loaded(80, 24);
        let before = format!("{:?}", app.keys(keys).state.popups);
        app.keys(help);
        assert!(app.state.popups.get::<HelpBox>().is_some(), "{keys} {help}");
        app.keys("Esc");
        assert_eq!(format!("{:?}", app.state.popups), before, "{keys} {help}");
    }
}
