//! Tests of the add form: keys, replies, and how each state is painted.

use std::time::Duration;

use super::fields;
use crate::api::Failure;
use crate::app::outbox::send::NotCreated;
use crate::app::outbox::unknown_outcome::{SearchedPets, UnknownOutcome};
use crate::config::Service;
use crate::model::{Field, IdempotencyKey, NewPet, Pet, PetStatus};
use crate::tui::effect::Effect;
use crate::tui::msg::{Key, Msg, Size};
use crate::tui::pending::Slot;
use crate::tui::popups::DEAF;
use crate::tui::popups::key::TestKey;
use crate::tui::screens::add_pet::rapid::dispatch::WriteLines;
use crate::tui::screens::add_pet::update::CreatePet;
use crate::tui::screens::add_pet::update::MAX_HELD;
use crate::tui::screens::add_pet::update::SearchForPet;
use crate::tui::session_cache::SessionCache;
use crate::tui::state::Screen;
use crate::tui::testing::loss::whole_at_every_size;
use crate::tui::testing::{App, animals, disk_full, remote};
use crate::tui::theme::Theme;

pub fn typed(columns: u16, rows: u16, keys: &str) -> App {
    let mut app = App::loaded_from(remote(), columns, rows, &animals(39));
    app.keys("a").keys(keys);
    app
}

fn sent(columns: u16, rows: u16) -> App {
    typed(columns, rows, "\"Biscuit\" Tab \"9\" Tab a F2")
}

fn refused() -> Failure {
    Failure::Refused {
        status: 400,
        code: Some("INVALID_CATEGORY".into()),
        message: "categoryId 9 does not exist".into(),
        retry_after: None,
    }
}

fn no_answer() -> Failure {
    Failure::NoAnswer { after: Duration::from_secs(30) }
}

fn created(id: i64) -> Pet {
    Pet { id, name: "Biscuit".into(), category_id: 9, status: Some(PetStatus::Available.into()) }
}

pub fn outcome_unknown(columns: u16, rows: u16) -> App {
    let mut app = sent(columns, rows);
    app.wait(Duration::from_secs(30));
    app.answer::<CreatePet>(Err(no_answer().into()));
    app
}

fn in_doubt_with_keys(columns: u16, rows: u16) -> App {
    let mut app = sent(columns, rows);
    app.wait(Duration::from_secs(30));
    app.answer::<CreatePet>(Err(NotCreated { failure: no_answer(), repeatable: true }));
    app
}

fn looked_up(columns: u16, rows: u16, matches: Vec<Pet>, complete: bool) -> App {
    let mut app = outcome_unknown(columns, rows);
    app.keys("1");
    app.answer::<SearchForPet>(Ok(SearchedPets { matches, complete }));
    app
}

fn creations(app: &App) -> Vec<NewPet> {
    app.all_asked().into_iter().map(|CreatePet { new, .. }| new).collect()
}

fn name(app: &App) -> &str {
    app.state.add.form[&fields::NAME].value()
}

// --- keys and replies ---

#[test]
fn a_tab_saves_nothing_wherever_it_is_pressed() {
    let mut app = typed(80, 24, "\"Biscuit\" Tab \"3\"");
    for focus in ["status", "save", "name", "category"] {
        app.keys("Tab");
        assert_eq!((app.state.add.form.focus().name, app.job(Slot::Create)), (focus, None));
    }
    app.keys("Tab Tab Enter");
    assert!(app.job(Slot::Create).is_some());
}

#[test]
fn alt_and_a_key_does_nothing_but_in_words() {
    let mut app = typed(80, 24, "\"Captain Fluff\"");
    for key in ["A-q", "A-1", "A-x", "A-?", "A-:", "A-Enter"] {
        app.keys(key);
        let name = app.state.add.form[&fields::NAME].value();
        assert_eq!(
            (app.state.place().name, app.state.add.form.focus().name, name),
            ("form", "name", "Captain Fluff"),
            "{key}"
        );
    }
    app.keys("A-b X C-Left C-Left Y A-d");
    assert_eq!(app.state.add.form[&fields::NAME].value(), "Y XFluff");
    app.keys("C-Right A-BS Z A-f A-f");
    assert_eq!(app.state.add.form[&fields::NAME].value(), "Y Z");
    for keys in ["Tab Tab", "Esc", "3", "P", "F9", "1 L", "Esc d"] {
        app.keys(keys);
        let before = (app.state.place().name, app.screen());
        app.keys("A-a A-p A-q A-d A-y A-S");
        assert_eq!((app.state.place().name, app.screen()), before, "{keys}");
    }
    assert!(app.state.quitting.is_none() && app.job(Slot::Create).is_none());
}

#[test]
fn an_invalid_form_is_not_sent_and_the_cursor_goes_to_the_error() {
    let mut app = typed(80, 24, "\"Biscuit\" Tab \"3rd\" F2");
    assert_eq!(creations(&app), []);
    assert_eq!(app.state.add.form.focus().name, "category");
    assert!(app.screen().contains("Fix 1 field first. Nothing was sent."));
    assert!(app.says("\"3rd\" is not a number"), "{}", app.screen());
    app.keys("\"3\" F2");
    let status = Some(PetStatus::Available);
    assert_eq!(creations(&app), [NewPet { name: "Biscuit".into(), category_id: 3, status }]);
}

#[test]
fn errors_appear_once_a_field_was_left() {
    let mut app = typed(80, 24, "Tab \"x\"");
    assert!(app.screen().contains("Name is required"));
    assert!(!app.screen().contains("is not a number"));
    app.keys("S-Tab");
    assert!(app.screen().contains("\"x\" is not a number"));
}

#[test]
fn enter_walks_through_the_fields_and_saves_on_the_button() {
    let app = typed(80, 24, "\"Biscuit\" Enter \"3\" Enter Down Enter Enter Enter");
    assert_eq!(creations(&app), [NewPet { name: "Biscuit".into(), category_id: 3, status: Some(PetStatus::Pending) }]);
}

#[test]
fn after_success_the_next_pet_can_be_typed() {
    let mut app = sent(80, 24);
    app.answer::<CreatePet>(Ok(created(100_270)));
    assert!(app.screen().contains("Added Biscuit, id 100270. Type the next one, or Esc for the list."));
    assert_eq!(
        (name(&app), app.state.add.form[&fields::CATEGORY].value(), app.state.add.form.focus().name),
        ("", "9", "name")
    );
    assert!(app.state.pending.is_running(Slot::List), "the list is asked for again");
    app.keys("\"Rex\" F2");
    assert_eq!(creations(&app)[1], NewPet { name: "Rex".into(), category_id: 9, status: Some(PetStatus::Available) });
}

#[test]
fn a_refusal_keeps_the_text_and_marks_the_field_that_the_answer_names() {
    let mut app = sent(80, 24);
    app.answer::<CreatePet>(Err(refused().into()));
    assert_eq!(
        (name(&app), app.state.add.form[&fields::CATEGORY].value(), app.state.add.draft().status),
        ("Biscuit", "9", Some(PetStatus::Available))
    );
    assert_eq!(app.state.add.form.focus().name, "category");
    app.keys("BS \"3\" F2");
    assert_eq!(creations(&app).len(), 2);
}

#[test]
fn an_answer_that_names_no_field_or_several_marks_none() {
    for (code, message, field) in [
        ("bad", "nothing is right", None),
        ("bad", "name and status do not fit", None),
        ("invalid_name", "status would be fine", Some(Field::Name)),
        ("bad", "the status must be one of ...", Some(Field::Status)),
    ] {
        let mut app = sent(80, 24);
        let (code, message) = (Some(code.to_owned()), message.to_owned());
        app.answer::<CreatePet>(Err(Failure::Refused { status: 400, code, message, retry_after: None }.into()));
        assert_eq!(app.state.add.refusal.as_ref().unwrap().field, field);
    }
}

#[test]
fn a_service_that_cannot_add_does_not_refuse_the_pet() {
    let mut app = sent(80, 24);
    app.answer::<CreatePet>(Err(disk_full().into()));
    assert!(app.says("the disk of the database is full"), "{}", app.screen());
    assert!(!app.says("refused this pet"), "{}", app.screen());
}

#[test]
fn a_missing_answer_is_never_retried_automatically() {
    let mut app = outcome_unknown(80, 24);
    app.wait(Duration::from_secs(3600));
    assert_eq!(creations(&app).len(), 1);
    app.keys("\"x\" F2 C-o");
    assert_eq!(creations(&app).len(), 1);
    app.keys("2");
    assert_eq!(creations(&app).len(), 2);
}

#[test]
fn a_refused_value_is_replaced_by_typing_and_its_explanation_stays_until_it_is_sent_again() {
    let mut app = sent(80, 24);
    app.answer::<CreatePet>(Err(refused().into()));
    app.keys("\"7\"");
    assert_eq!(app.state.add.form[&fields::CATEGORY].value(), "7");
    assert!(app.says("The service refused this field: \"categoryId 9 does not exist\""), "{}", app.screen());
    app.keys("F2");
    assert!(!app.says("The service refused this field"));
}

#[test]
fn the_bottom_line_belongs_to_the_part_with_the_cursor() {
    let footer = |keys: &str| typed(80, 24, keys).screen().lines().last().unwrap().to_owned();
    assert!(footer("Tab Tab").contains("up/down choose"));
    let button = footer("S-Tab");
    assert!(button.contains("Enter save") && !button.contains("choose"), "{button}");
    let status = footer("F6 Tab");
    assert!(status.contains("up/down choose") && !status.contains("Del drop"), "{status}");
}

#[test]
fn letters_on_a_button_or_a_choice_do_nothing_else() {
    for focus in ["Tab Tab", "Tab Tab Tab"] {
        let mut app = typed(80, 24, "\"Biscuit\"");
        app.keys(focus);
        let before = (app.state.add.draft(), app.state.add.form.focus().name);
        app.keys("q P 1 3 : e H \"xyz\" a T");
        assert_eq!((app.state.add.draft(), app.state.add.form.focus().name), before, "{focus}");
        assert_eq!((app.state.screen, app.state.popups.is_open(), app.state.quitting), (Screen::AddPet, false, None));
        app.keys("?");
        assert_eq!(app.state.place().name, "help");
    }
}

fn without_connection(columns: u16, rows: u16) -> App {
    let mut app = sent(columns, rows);
    app.answer::<CreatePet>(Err(Failure::NotSent { why: "connection refused".into() }.into()));
    app
}

#[test]
fn an_add_without_a_connection_can_be_queued_and_the_header_tells_the_truth_at_once() {
    let mut app = without_connection(80, 24);
    let header = app.screen().lines().next().unwrap().to_owned();
    assert!(!header.contains("ok"), "{header}");
    assert!(app.says("F2 sends it again, Ctrl-O queues it until the service answers."), "{}", app.screen());
    app.keys("C-o");
    assert!(app.says("Biscuit is queued, and sent once api.example.com answers. F6 shows the queue."));
    assert_eq!((name(&app), app.state.add.rapid.counts().waiting), ("", 1));
    assert!(app.screen().lines().next().unwrap().contains("1 waiting"), "{}", app.screen());
    app.answer::<WriteLines>(Ok(()));
    assert!(app.job(Slot::Line(0)).is_some());
    // Nothing else is queued by that key.
    app.keys("\"Rex\" C-o");
    assert_eq!((name(&app), app.state.add.rapid.counts().waiting), ("Rex", 1));
}

#[test]
fn ctrl_c_in_a_hanging_add_offers_to_stop_waiting_with_what_is_known() {
    let mut app = sent(80, 24);
    app.state.link.keeps_keys = true;
    app.wait(Duration::from_secs(12)).keys("C-c");
    let screen = app.screen();
    for text in ["Biscuit was sent 12 s ago.", "It may or may not have been added."] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    app.wait(DEAF).keys("n");
    assert!(app.state.add.is_sending() && app.says("Still waiting for the answer."));
    app.wait(Duration::from_secs(3)).keys("C-c").wait(DEAF).keys("y");
    assert!(app.effects.contains(&Effect::Cancel(Slot::Create)));
    assert!(app.says("Sending it again is safe: it is added only once."), "{}", app.screen());
    assert_eq!((app.state.place().name, name(&app)), ("unknown-outcome", "Biscuit"));
    app.keys("1");
    assert_eq!(keys_sent(&app)[0], keys_sent(&app)[1]);
    // An answer closes the question.
    app.wait(Duration::from_secs(3)).keys("C-c F1");
    assert!(app.state.popups.is_open());
    app.answer::<CreatePet>(Ok(created(100_270)));
    assert!(app.says("Added Biscuit, id 100270."), "{}", app.screen());
    app.keys("Esc");
    assert!(!app.state.popups.is_open());
}

#[test]
fn more_typed_while_sending_than_is_kept_is_reported() {
    let mut app = sent(80, 24);
    for _ in 0..MAX_HELD {
        app.send(Msg::Key(Key::Char('x').into()));
    }
    assert!(!app.says("Too much was typed while sending"), "{}", app.screen());
    app.keys("x");
    assert!(app.says("Too much was typed while sending: the rest is ignored"), "{}", app.screen());
}

#[test]
fn a_request_that_was_not_sent_has_a_known_outcome() {
    let mut app = sent(80, 24);
    app.answer::<CreatePet>(Err(Failure::NotSent { why: "connection refused".into() }.into()));
    assert_eq!(app.state.add.unknown_outcome, None);
    assert!(app.says("Nothing was sent. F2 tries again, Ctrl-O queues it."));
    assert_eq!(name(&app), "Biscuit");
}

/// The keys of the creations that were sent.
fn keys_sent(app: &App) -> Vec<IdempotencyKey> {
    app.all_asked().into_iter().map(|CreatePet { key, .. }| key).collect()
}

#[test]
fn if_the_service_keeps_keys_it_is_sent_again_as_the_same_creation() {
    let mut app = in_doubt_with_keys(80, 24);
    app.keys("Enter");
    assert_eq!(keys_sent(&app)[0], keys_sent(&app)[1]);
    app.answer::<CreatePet>(Ok(created(100_270)));
    app.keys("\"Rex\" F2");
    assert_ne!(keys_sent(&app)[1], keys_sent(&app)[2], "the next pet is another creation");
}

#[test]
fn a_definite_failure_of_a_second_try_leaves_the_first_unknown() {
    let mut app = in_doubt_with_keys(80, 24);
    app.keys("1");
    let refused = Failure::NotSent { why: "connection refused".into() };
    app.answer::<CreatePet>(Err(NotCreated { failure: refused, repeatable: true }));
    assert!(app.screen().contains("Sending it again is safe"), "{}", app.screen());
    app.keys("1");
    assert_eq!(keys_sent(&app)[0], keys_sent(&app)[2]);
}

#[test]
fn with_another_api_key_a_repeat_is_not_safe() {
    let mut app = in_doubt_with_keys(80, 24);
    app.keys("1");
    let (code, message) = (Some("unauthorized".into()), "revoked".into());
    let failure = Failure::Refused { status: 401, code, message, retry_after: None };
    app.answer::<CreatePet>(Err(NotCreated { failure, repeatable: true }));
    app.keys("F4");
    app.wait(Duration::from_secs(1));
    app.keys("\"petk_other\" Enter");
    app.answer::<TestKey>(Ok(()));
    assert!(app.screen().contains("Sending it again could add it twice."), "{}", app.screen());
    app.keys("1");
    assert!(app.state.pending.is_running(Slot::SearchFor));
}

#[test]
fn the_search_finds_only_pets_that_were_not_known_before() {
    let old = animals(39)[0].id;
    let mut app = looked_up(80, 24, vec![created(old), created(100_300)], true);
    assert!(app.screen().contains("A new pet, id 100300, has this name and category. Is it this one?"));
    app.keys("Enter");
    assert_eq!((name(&app), app.state.added.len()), ("", 1));
    let mut app = looked_up(80, 24, vec![created(old)], false);
    assert!(app.says("the list may be incomplete"), "{}", app.screen());
    app.keys("F8 \"!\"");
    assert_eq!((&app.state.add.unknown_outcome, name(&app)), (&None::<UnknownOutcome>, "Biscuit!"));
}

#[test]
fn keys_typed_while_sending_are_for_the_next_pet() {
    let mut app = sent(80, 24);
    app.keys("\"Rex\" Tab C-u \"7\" F2");
    app.send(Msg::Paste("later".into()));
    assert_eq!((name(&app), creations(&app).len()), ("Biscuit", 1));
    app.answer::<CreatePet>(Ok(created(100_270)));
    assert_eq!(creations(&app)[1], NewPet { name: "Rex".into(), category_id: 7, status: Some(PetStatus::Available) });
    app.answer::<CreatePet>(Ok(created(100_271)));
    assert_eq!(name(&app), "later");
}

#[test]
fn esc_leaves_while_sending_and_the_answer_comes_as_a_message() {
    let mut app = sent(80, 24);
    app.keys("Esc");
    assert_eq!(app.state.screen, Screen::Pets);
    app.answer::<CreatePet>(Ok(created(100_270)));
    assert!(app.screen().contains("Added Biscuit, id 100270. a adds another."));
}

#[test]
fn f8_clears_and_brings_back() {
    let mut app = typed(80, 24, "\"Biscuit\" Tab \"3\" Tab s F8");
    assert!(!app.state.add.is_typed());
    app.keys("F8");
    let draft = app.state.add.draft();
    assert_eq!(
        (draft.name.as_str(), draft.category_id.as_str(), draft.status),
        ("Biscuit", "3", Some(PetStatus::Sold))
    );
}

#[test]
fn text_stays_while_other_screens_are_shown() {
    let mut app = typed(80, 24, "\"Biscuit\" Esc Down Down a");
    assert_eq!(name(&app), "Biscuit");
    app.keys("\" II\"");
    assert_eq!(name(&app), "Biscuit II");
}

#[test]
fn the_two_halves_of_a_cr_lf_are_one_enter() {
    let mut app = typed(80, 24, "\"Biscuit\" Enter LF");
    assert_eq!(app.state.add.form.focus().name, "category");
    app.wait(Duration::from_millis(60)).keys("LF");
    assert_eq!(app.state.add.form.focus().name, "status");
}

#[test]
fn a_kept_category_is_replaced_by_typing() {
    let mut app = sent(80, 24);
    let pet = Pet { id: 7, name: "Biscuit".into(), category_id: 3, status: None };
    app.answer::<CreatePet>(Ok(pet));
    app.keys("\"Max\" Tab \"12\"");
    assert_eq!(app.state.add.form[&fields::CATEGORY].value(), "12");
    app.keys("S-Tab Tab \"4\"");
    assert_eq!(app.state.add.form[&fields::CATEGORY].value(), "124");
}

#[test]
fn a_paste_never_submits() {
    let mut app = typed(80, 24, "\"The \"");
    app.send(Msg::Paste("Rex\r\nMochi\n".into()));
    assert_eq!((name(&app), app.state.add.form.focus().name), ("The Rex Mochi", "name"));
    app.keys("Tab Tab");
    app.send(Msg::Paste("s".into()));
    assert_eq!((creations(&app).len(), app.state.add.draft().status), (0, Some(PetStatus::Available)));
}

#[test]
fn a_refused_key_keeps_the_form_and_says_how_to_go_on() {
    let mut app = sent(80, 24);
    app.keys("Esc a");
    let message = "no".to_owned();
    let failure = Failure::Refused { status: 401, code: Some("unauthorized".into()), message, retry_after: None };
    app.answer::<CreatePet>(Err(failure.into()));
    assert_eq!(name(&app), "Biscuit");
    assert!(app.screen().contains("F4"), "{}", app.screen());
}

#[test]
fn every_size_down_to_nothing_is_drawn_without_a_panic() {
    for mut app in
        [typed(80, 24, "F2"), sent(80, 24), outcome_unknown(80, 24), looked_up(80, 24, vec![created(1)], true)]
    {
        for columns in [0, 1, 2, 10, 18, 19, 20, 39, 40, 60, 80, 110, 120, 250] {
            for rows in [0, 1, 2, 3, 7, 8, 9, 12, 16, 24, 40] {
                app.send(Msg::Resize(Size { columns, rows }));
                app.screen();
            }
        }
    }
}

// --- painting; update with: INSTA_UPDATE=always cargo test ---

fn snapshot(name: &str, make: impl Fn(u16, u16) -> App) {
    whole_at_every_size(name, &make);
    for (columns, rows) in [(80, 24), (120, 40)] {
        insta::assert_snapshot!(format!("{name}_{columns}x{rows}"), make(columns, rows).snapshot());
    }
}

#[test]
fn looks_typing() {
    snapshot("empty", |columns, rows| typed(columns, rows, ""));
    snapshot("checked", |columns, rows| typed(columns, rows, "\"Biscuit\" Tab \"3rd\" F2"));
    snapshot("all_wrong", |columns, rows| typed(columns, rows, "F2"));
    snapshot("status", |columns, rows| typed(columns, rows, "\"Biscuit\" Tab \"3\" Tab p"));
    snapshot("help", |columns, rows| typed(columns, rows, "F1"));
}

#[test]
fn looks_sent() {
    snapshot("sending", |columns, rows| {
        let mut app = sent(columns, rows);
        app.wait(Duration::from_secs(3));
        app
    });
    snapshot("refused", |columns, rows| {
        let mut app = sent(columns, rows);
        app.answer::<CreatePet>(Err(refused().into()));
        app
    });
    snapshot("not_sent", without_connection);
    snapshot("stop_waiting", |columns, rows| {
        let mut app = sent(columns, rows);
        app.wait(Duration::from_secs(12)).keys("C-c");
        app
    });
    snapshot("added", |columns, rows| {
        let mut app = sent(columns, rows);
        app.answer::<CreatePet>(Ok(created(100_270)));
        app
    });
}

#[test]
fn looks_unknown() {
    snapshot("doubt", outcome_unknown);
    snapshot("doubt_with_keys", in_doubt_with_keys);
    snapshot("doubt_found", |columns, rows| looked_up(columns, rows, vec![created(100_300)], true));
    snapshot("doubt_none", |columns, rows| looked_up(columns, rows, Vec::new(), false));
    let mut app = outcome_unknown(60, 16);
    insta::assert_snapshot!("doubt_60x16", app.screen());
    app.state.theme = Theme::built_in("mono");
    app.send(Msg::Resize(Size { columns: 80, rows: 24 }));
    insta::assert_snapshot!("doubt_mono", app.snapshot());
}

#[test]
fn the_form_of_the_embedded_service_is_the_same() {
    let mut app = App::loaded_from(Service::Demo, 80, 24, &animals(3));
    app.keys("a");
    assert!(app.screen().contains("Add a pet"));
}

#[test]
fn the_form_begins_with_the_status_used_last_also_after_a_restart() {
    let mut app = App::loaded_from(remote(), 80, 24, &animals(12));
    app.keys("a");
    assert_eq!((app.state.add.draft().status, app.state.add.is_typed()), (Some(PetStatus::Available), false));
    app.keys("\"Biscuit\" Tab \"9\" Tab s F8");
    assert_eq!(app.state.add.draft().status, Some(PetStatus::Available), "what was cleared was never used");
    app.keys("\"Biscuit\" Tab \"9\" Tab n F2");
    app.answer::<CreatePet>(Ok(created(12)));
    assert_eq!((app.state.add.draft().status, app.state.add.is_typed()), (None, false), "not set is a choice, too");
    app.keys("\"Max\" Tab Tab s F2");
    app.answer::<CreatePet>(Ok(created(13)));
    app.answer_lists(&animals(13));
    app.keys("F8");
    assert_eq!(app.state.add.draft().category_id, "");
    assert_eq!(app.state.add.draft().status, Some(PetStatus::Sold));
    let kept = SessionCache::at_the_end(&app.state).unwrap().text();
    let mut next = App::started(remote(), 80, 24);
    SessionCache::read(&kept, app.state.link.identity.as_deref().unwrap()).unwrap().restore(&mut next.state, next.now);
    assert_eq!((next.state.add.draft().status, next.state.add.is_typed()), (Some(PetStatus::Sold), false));
    next.keys("a F6");
    assert_eq!(next.state.add.rapid.status, Some(PetStatus::Sold));
}
