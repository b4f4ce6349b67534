//! The requests screen: what follows from keys and records, and how each state looks.

use crate::tui::testing::prelude::*;

use crate::api::Exchange;
use crate::tui::msg::Recorded;
use crate::tui::state::REQUESTS_KEPT;

/// A list that was answered, asked for at this second.
fn listed(second: u64, query: &str) -> Exchange {
    Exchange {
        at: "2026-11-20T15:18:40Z".parse::<jiff::Timestamp>().unwrap() + Duration::from_secs(second),
        what: "list",
        method: "GET".into(),
        path_and_query: format!("/v1/pets?{query}"),
        status: Some(200),
        answer: "[]".into(),
        headers: vec![("content-type".into(), "application/json".into())],
        key_ending: Some("77d0".into()),
        size: 1_834,
        first_byte: Duration::from_millis(88),
        took: Duration::from_millis(91),
        ..Exchange::default()
    }
}

fn refused_addition() -> Exchange {
    Exchange {
        what: "add",
        method: "POST".into(),
        path_and_query: "/v1/pets".into(),
        sent: r#"{"name":"Biscuit","categoryId":9,"status":"available"}"#.into(),
        status: Some(400),
        answer: r#"{"code":"INVALID_CATEGORY","message":"categoryId 9 does not exist","status":400}"#.into(),
        headers: vec![("content-type".into(), "application/json".into()), ("x-request-id".into(), "7f3a91".into())],
        size: 81,
        ..listed(78, "")
    }
}

fn unanswered() -> Exchange {
    let failure = Some("no answer within 30 s".to_owned());
    let answer = String::new();
    let took = Duration::from_millis(30_012);
    let first_byte = Duration::ZERO;
    Exchange { status: None, headers: Vec::new(), answer, failure, size: 0, took, first_byte, ..refused_addition() }
}

fn send(app: &mut TestApp, exchange: Exchange) {
    app.send(Msg::Exchanged(Recorded { exchange: Box::new(exchange), missed: 0 }));
}

/// An app that has asked a few times, on the screen.
fn asked(columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39));
    send(&mut app, listed(0, "limit=20"));
    send(&mut app, listed(1, "limit=100&status=available"));
    send(&mut app, unanswered());
    send(&mut app, refused_addition());
    send(&mut app, listed(90, "limit=20"));
    app.keys("H");
    app
}

fn selected(app: &TestApp) -> &Exchange {
    app.state.requests.selected().unwrap()
}

fn paths(app: &TestApp) -> Vec<&str> {
    app.state.requests.rows.iter().map(|exchange| exchange.path_and_query.as_str()).collect()
}

// --- what follows from what ---

#[test]
fn the_newest_stands_first_and_esc_goes_back_to_where_it_was_opened() {
    let mut app = asked(80, 24);
    assert_eq!(paths(&app)[..2], ["/v1/pets?limit=20", "/v1/pets"]);
    assert_eq!((app.state.requests.total, app.state.requests.failed), (5, 2));
    app.keys("H Esc");
    assert_eq!(app.state.screen, Screen::Pets);
    app.keys("3 H q");
    assert_eq!((app.state.screen, app.state.quitting), (Screen::Domains, None));
}

#[test]
fn the_cursor_stays_on_its_exchange_until_that_is_too_old() {
    let mut app = asked(80, 24).after("Down");
    assert_eq!(selected(&app), &refused_addition());
    for second in 0..REQUESTS_KEPT as u64 - 2 {
        send(&mut app, listed(second, "x"));
        assert_eq!(selected(&app), &refused_addition(), "{second}");
    }
    assert_eq!((app.state.requests.cursor, app.state.requests.rows.len()), (REQUESTS_KEPT - 1, REQUESTS_KEPT));
    send(&mut app, listed(0, "newest"));
    let expected = ("/v1/pets?limit=20", REQUESTS_KEPT - 1);
    assert_eq!((selected(&app).path_and_query.as_str(), app.state.requests.cursor), expected);
    app.keys("Home");
    assert_eq!(selected(&app).path_and_query, "/v1/pets?newest");
    app.keys("End PgUp PgDn Up Down");
    assert_eq!(app.state.requests.cursor, REQUESTS_KEPT - 1);
    assert_eq!((app.state.requests.total, app.state.requests.failed), (REQUESTS_KEPT as u64 + 4, 2));
}

#[test]
fn the_whole_of_it_can_be_read_without_the_key() {
    let mut app = asked(80, 24).after("Down Enter");
    let text = app.state.popups.get::<TextBox>().unwrap();
    for part in ["POST /v1/pets", "authorization: Bearer ....77d0 (hidden)", "  \"categoryId\": 9,", "status 400"] {
        assert!(text.text.contains(part), "{part}: {}", text.text);
    }
    assert!(!text.text.contains("petk_"));
    app.keys("Esc Down Enter").shows("No answer: no answer within 30 s");
}

#[test]
fn a_request_is_copied_as_curl_where_curl_could_ask_it() {
    let app = asked(80, 24).after("Down c");
    let curl = refused_addition().as_curl(&"https://api.example.com/v1".parse().unwrap());
    assert!(curl.contains("$PETSTORE_API_KEY"));
    assert_eq!(app.asked().map(|CopyText { text, .. }| text), Some(curl));
    let mut app = TestApp::loaded(80, 24);
    send(&mut app, listed(0, "limit=20"));
    app.keys("H c");
    assert!(app.job(Slot::Copy).is_none());
    app.shows("curl cannot reach the service inside this program.");
}

#[test]
fn the_last_error_is_explained_and_leads_to_its_request() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    let fails = |app: &mut TestApp, why: &str| {
        app.keys("r").answer::<ListPets>(Err(Failure::NotSent { why: why.into() })).keys("e");
    };
    fails(&mut app, "invalid peer certificate: certificate expired: verification time 9 (UNIX)");
    for part in ["(invalid peer certificate", "certificate has expired", "clock", "Next retry in 2 s; Esc, then r"] {
        assert!(app.says(part), "{part}: {}", app.screen());
    }
    app.wait(Duration::from_secs(1)).shows("Next retry in 1 s").keys("H");
    assert_eq!((app.state.screen, app.state.popups.is_open()), (Screen::Requests, false));
    app.keys("Esc");
    assert_eq!(app.state.screen, Screen::Pets);
    app.wait(Duration::from_secs(2)).answer_lists(&animals(39)).keys("e").shows("There is no automatic retry.");
}

#[test]
fn where_nothing_was_asked_every_key_says_so() {
    let mut app = TestApp::loaded(80, 24).after("H");
    app.shows("No requests yet");
    for key in ["Enter", "c"] {
        app.keys(key);
        assert!(app.state.message.is_some(), "{key}");
    }
    app.keys("Up Down PgDn End");
    assert_eq!(app.state.requests.cursor, 0);
}

#[test]
fn what_came_too_fast_to_be_recorded_is_reported() {
    let mut app = asked(80, 24);
    app.send(Msg::Exchanged(Recorded { exchange: Box::new(listed(9, "x")), missed: 3 }));
    app.shows("3 came too fast to be recorded.");
}

#[test]
fn nothing_on_other_screens_depends_on_the_records() {
    let mut app = TestApp::loaded(80, 24);
    let before = app.buffer();
    send(&mut app, refused_addition());
    assert_eq!(app.buffer(), before);
}

// --- how it looks; updated by: INSTA_UPDATE=always cargo test ---

pub fn with_keys(columns: u16, rows: u16, keys: &str) -> TestApp {
    asked(columns, rows).after(keys)
}

#[test]
fn looks() {
    let mut looks = Looks::default();
    looks.state("empty", |columns, rows| TestApp::loaded_from(remote(), columns, rows, &animals(39)).after("H"));
    looks.state("list", |columns, rows| with_keys(columns, rows, "Down"));
    looks.state("whole", |columns, rows| with_keys(columns, rows, "Down Enter"));
    looks.state("long", |columns, rows| {
        let mut app = asked(columns, rows);
        let pets = serde_json::to_string(&animals(30)).unwrap();
        for second in 0..40 {
            send(&mut app, Exchange { answer: pets.clone(), size: 12_345, ..listed(second, &"x=y&".repeat(40)) });
        }
        app.after("Home Down")
    });
    for (columns, rows) in [(60, 16), (40, 8), (120, 40)] {
        looks.frame("list", &mut with_keys(columns, rows, "Down"));
    }
    let mut app = with_keys(80, 24, "Down").in_monochrome();
    app.appearance.ascii = false;
    looks.frame("mono_unicode", &mut app);
    insta::assert_snapshot!(looks);
}

#[test]
fn a_cancelled_request_is_no_failure() {
    let why = |why: &str| Exchange { status: None, failure: Some(why.into()), ..listed(0, "") };
    assert!(super::has_failed(&why("timeout")) && !super::has_failed(&why("cancelled")));
    assert!(super::has_failed(&Exchange { status: Some(503), ..why("cancelled") }), "it was refused before");
}
