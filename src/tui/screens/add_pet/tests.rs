//! Tests of the form: its keys, and how each state is painted.

use crate::tui::testing::prelude::*;

use crate::tui::screens::add_pet;

pub fn typed(columns: u16, rows: u16, keys: &str) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39));
    app.keys("a").keys(keys);
    app
}

fn taken(columns: u16, rows: u16) -> TestApp {
    typed(columns, rows, "\"Biscuit\" Tab \"9\" F2")
}

fn created(id: i64) -> Pet {
    Pet { id, name: "Biscuit".into(), category_id: 9, status: Some(PetStatus::Available.into()) }
}

/// The pets that were taken from the form, as they are written to the queue.
fn pets(app: &TestApp) -> Vec<Draft> {
    let records = app.all_asked().into_iter().flat_map(|WriteLines(records)| records);
    records.filter_map(|record| if let QueueRecord::Typed(typed) = record { Some(typed.pet) } else { None }).collect()
}

fn pet(name: &str, category: &str, status: Option<PetStatus>) -> Draft {
    Draft { name: name.into(), category_id: category.into(), status }
}

fn name(app: &TestApp) -> &str {
    app.state.add.form[&add_pet::NAME].value()
}

fn focus(app: &TestApp) -> &str {
    app.state.add.form.focus().name
}

// --- keys ---

#[test]
fn a_tab_adds_nothing_wherever_it_is_pressed() {
    let mut app = typed(80, 24, "\"Biscuit\" Tab \"3\"");
    for field in ["status", "name", "category"] {
        app.keys("Tab");
        assert_eq!((focus(&app), pets(&app)), (field, vec![]));
    }
    app.keys("Tab Tab Enter");
    assert_eq!(pets(&app), [pet("Biscuit", "3", Some(PetStatus::Available))]);
}

#[test]
fn alt_and_a_key_does_nothing_but_in_words() {
    let mut app = typed(80, 24, "\"Captain Fluff\"");
    for key in ["A-q", "A-1", "A-x", "A-?", "A-:", "A-Enter"] {
        app.keys(key);
        assert_eq!((app.state.place().name, focus(&app), name(&app)), ("form", "name", "Captain Fluff"), "{key}");
    }
    app.keys("A-b X C-Left C-Left Y A-d");
    assert_eq!(name(&app), "Y XFluff");
    app.keys("C-Right A-BS Z A-f A-f");
    assert_eq!(name(&app), "Y Z");
    for keys in ["Tab Tab", "Esc", "3", "P", "F9", "1 L", "Esc d"] {
        app.keys(keys);
        let before = (app.state.place().name, app.screen());
        app.keys("A-a A-p A-q A-d A-y A-S");
        assert_eq!((app.state.place().name, app.screen()), before, "{keys}");
    }
    assert!(app.state.quitting.is_none() && pets(&app).is_empty());
}

#[test]
fn an_invalid_form_is_not_sent_and_the_cursor_goes_to_the_error() {
    let mut app = typed(80, 24, "\"Biscuit\" Tab \"3rd\" F2");
    assert_eq!((pets(&app), focus(&app)), (vec![], "category"));
    assert!(app.screen().contains("Fix 1 field first. Nothing was sent."));
    app.shows("\"3rd\" is not a number").keys("\"3\" F2");
    assert_eq!(pets(&app), [pet("Biscuit", "3", Some(PetStatus::Available))]);
}

#[test]
fn errors_appear_once_a_field_was_left() {
    let mut app = typed(80, 24, "Tab \"x\"");
    assert!(!app.screen().contains("is not a number"));
    app.keys("S-Tab");
    assert!(app.screen().contains("\"x\" is not a number"));
    assert!(!app.says("Name is required"), "an empty field was only passed through: {}", app.screen());
    app.keys("Tab C-u Tab");
    assert!(app.says("Category is required"), "it was wrong before: {}", app.screen());
    app.keys("F2").shows("Name is required");
}

#[test]
fn enter_in_the_name_leads_to_the_category_and_with_one_adds_the_pet() {
    let mut app = typed(80, 24, "\"Biscuit\"").later(Duration::from_secs(1)).after("Enter");
    assert_eq!((pets(&app), focus(&app)), (vec![], "category"));
    app.keys("\"3\" Enter");
    assert_eq!((pets(&app), focus(&app)), (vec![], "name"));
    app.keys("Tab Tab Down Enter Enter");
    assert_eq!(pets(&app), [pet("Biscuit", "3", Some(PetStatus::Pending))]);
    assert_eq!((name(&app), app.state.add.draft()), ("", pet("", "3", Some(PetStatus::Pending))), "the rest stays");
    app.keys("\"Rex\" Enter").added(created(1));
    assert_eq!(pets(&app)[1], pet("Rex", "3", Some(PetStatus::Pending)));
}

#[test]
fn where_an_answer_shows_the_user_sees_it_also_on_another_screen() {
    let mut app = taken(80, 24).after("Esc");
    assert_eq!(app.state.screen, Screen::Pets);
    app.added(created(100_270)).shows("Added Biscuit, id 100270.");
    assert!(app.state.pending.is_running(Slot::List), "the list is asked for again");
    let mut app = taken(80, 24);
    app.added(created(100_270)).shows("Added Biscuit, id 100270.").shows("id 100270 ");
    assert!(!app.state.pending.is_running(Slot::List));
    app.keys("Esc");
    assert!(app.state.pending.is_running(Slot::List));
}

#[test]
fn letters_at_the_status_are_for_the_name() {
    let mut app = typed(80, 24, "\"Biscuit\" Tab \"3\" Tab p");
    assert_eq!((name(&app), focus(&app)), ("Biscuitp", "name"));
    app.keys("BS Tab Tab Right ?");
    assert_eq!((app.state.place().name, app.state.add.draft().status), ("help", Some(PetStatus::Pending)));
}

#[test]
fn f8_clears_and_brings_back() {
    let mut app = typed(80, 24, "\"Biscuit\" Tab \"3\" Tab Down Down F8");
    assert!(!app.state.add.is_typed());
    app.keys("F8");
    assert_eq!(app.state.add.draft(), pet("Biscuit", "3", Some(PetStatus::Sold)));
}

#[test]
fn the_two_halves_of_a_cr_lf_are_one_enter() {
    let mut app = typed(80, 24, "\"Biscuit\"").later(Duration::from_secs(1)).after("Enter LF");
    assert_eq!(focus(&app), "category");
    app.wait(Duration::from_millis(60)).keys("LF");
    assert_eq!(focus(&app), "name");
}

#[test]
fn a_kept_category_is_replaced_by_typing() {
    let mut app = taken(80, 24).after("\"Max\" Tab \"12\"");
    assert_eq!(app.state.add.form[&add_pet::CATEGORY].value(), "12");
    app.keys("S-Tab Tab \"4\"");
    assert_eq!(app.state.add.form[&add_pet::CATEGORY].value(), "124");
}

#[test]
fn a_paste_never_submits() {
    let mut app = typed(80, 24, "\"The \"");
    app.send(Msg::Paste("Rex\r\nMochi\n".into()));
    assert_eq!((name(&app), focus(&app)), ("The Rex Mochi", "name"));
    app.keys("Tab").send(Msg::Paste("3\n".into()));
    assert_eq!((pets(&app), app.state.add.form[&add_pet::CATEGORY].value()), (vec![], "3"));
}

#[test]
fn a_negative_category_is_allowed_and_pointed_out() {
    let mut app = typed(80, 24, "Tab \"-5\"");
    app.shows("negative: is it right?");
}

#[test]
fn the_form_begins_with_the_category_and_the_status_used_last_also_after_a_restart() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(12)).after("a");
    assert_eq!((app.state.add.draft().status, app.state.add.is_typed()), (Some(PetStatus::Available), false));
    app.keys("\"Biscuit\" Tab \"9\" Tab Down Down F8");
    assert_eq!(app.state.add.draft().status, Some(PetStatus::Available), "what was cleared was never used");
    app.keys("\"Biscuit\" Tab \"9\" Tab Up F2");
    assert_eq!((app.state.add.draft().status, app.state.add.is_typed()), (None, false), "not set is a choice, too");
    app.keys("\"Max\" Tab Tab Down Down Down F2").answer_lists(&animals(13)).keys("F8");
    assert_eq!(app.state.add.draft(), pet("", "9", Some(PetStatus::Sold)), "nothing is typed");
    let kept = SessionCache::at_the_end(&app.state).unwrap().text();
    let mut next = TestApp::started(remote(), 80, 24);
    SessionCache::read(&kept, app.state.link.identity.as_deref().unwrap()).unwrap().restore(&mut next.state, next.now);
    assert_eq!((next.state.add.draft(), next.state.add.is_typed()), (pet("", "9", Some(PetStatus::Sold)), false));
    assert_eq!(next.state.screen, Screen::Pets, "the next letter begins no pet");
    next.keys("a Tab \"12\"");
    assert_eq!(next.state.add.draft().category_id, "12", "typing replaces it");
    // A file may hold anything.
    let mut next = TestApp::started(remote(), 80, 24);
    let odd = kept.replace("\"category\":\"9\"", "\"category\":\"9\\u001b[2J\"");
    SessionCache::read(&odd, next.state.link.identity.as_deref().unwrap()).unwrap().restore(&mut next.state, next.now);
    assert_eq!(next.state.add.draft().category_id, "");
}

// --- painting; update with: INSTA_UPDATE=always cargo test ---

#[test]
fn looks() {
    let mut looks = Looks::default();
    looks.state("form", |columns, rows| typed(columns, rows, ""));
    looks.state("checked", |columns, rows| typed(columns, rows, "\"Biscuit\" Tab \"3rd\" F2"));
    looks.state("all_wrong", |columns, rows| typed(columns, rows, "F2"));
    looks.state("status", |columns, rows| typed(columns, rows, "\"Biscuit\" Tab \"3\" Tab Down"));
    whole_at_every_size("help", |columns, rows| typed(columns, rows, "F1"));
    looks.state("added", |columns, rows| {
        let mut app = taken(columns, rows);
        app.added(created(100_270));
        app
    });
    insta::assert_snapshot!(looks);
}
