//! Tests of the lines: how they are taken, sent and settled, and how each state is painted.

use crate::tui::testing::prelude::*;
use crate::tui::testing::refused_with;

use super::{SendLine, WriteLines};
use crate::app::outbox::queue::{Attempt, LineToSend};
use crate::app::{Fate, Line};
use crate::tui::screens::add_pet;
use crate::tui::screens::add_pet::MOST_WAITING;

/// Why a blank name of an earlier session is refused.
const BLANK: &str = "blank: Name is required: 1 to 255 characters, not all blank.";

/// The form with category 3, status available, and the cursor in the name.
fn opened(columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39));
    app.effects.clear();
    app.keys("a Tab \"3\" Enter");
    app
}

fn name(app: &TestApp) -> &str {
    app.state.add.form[&add_pet::NAME].value()
}

/// Which field has the cursor.
fn focus(app: &TestApp) -> &str {
    if app.state.add.marked.is_some() { "lines" } else { app.state.add.form.focus().name }
}

/// Types names, each with Enter, and confirms the writes.
fn typed(app: &mut TestApp, names: &[&str]) {
    for name in names {
        app.keys(&format!("\"{name}\" Enter"));
        written(app);
    }
}

/// The form after these names.
fn with_lines(names: &[&str]) -> TestApp {
    opened(80, 24).and(|app| typed(app, names))
}

/// Confirms the writes, and returns the records.
fn written(app: &mut TestApp) -> Vec<QueueRecord> {
    let mut all = Vec::new();
    while app.state.pending.is_running(Slot::Queue) {
        if let Some(WriteLines(records)) = app.asked() {
            all.extend(records);
        }
        app.answer::<WriteLines>(Ok(()));
    }
    all
}

/// Every line that was sent so far, in order.
fn sent(app: &TestApp) -> Vec<LineToSend> {
    app.all_asked().into_iter().map(|SendLine { line, .. }| *line).collect()
}

fn names_sent(app: &TestApp) -> Vec<String> {
    sent(app).into_iter().map(|line| line.new.name).collect()
}

fn bells(app: &TestApp) -> usize {
    app.effects.iter().filter(|effect| matches!(effect, Effect::Notify(..))).count()
}

fn fates(app: &TestApp) -> Vec<(&str, &Fate)> {
    app.state.add.outbox.lines.iter().map(|line| (line.typed.pet.name.as_str(), &line.fate)).collect()
}

/// The names of the lines that were taken.
fn taken(app: &TestApp) -> Vec<&str> {
    fates(app).into_iter().map(|(name, _)| name).collect()
}

fn answer(app: &mut TestApp, lane: usize, outcome: LineSent) {
    app.answer_in::<SendLine>(Slot::Line(lane), Ok(outcome));
    written(app);
}

fn saved(id: i64) -> LineSent {
    LineSent::Saved(Pet { id, name: "x".into(), category_id: 3, status: Some(PetStatus::Available.into()) })
}

fn refused(status: u16, retry_after: Option<u64>) -> LineSent {
    LineSent::Failed(Failure::refused(status, Err("no"), retry_after.map(RetryAfter::Seconds)))
}

fn no_answer() -> LineSent {
    LineSent::Failed(Failure::NoAnswer { after: Duration::from_secs(30) })
}

// --- taking ---

#[test]
fn enter_takes_the_line_and_the_field_is_empty_in_the_same_frame() {
    let mut app = opened(80, 24).after("\"Biscuit\" Enter");
    app.shows("So far: 1 waiting");
    assert!(app.screen().contains("Biscuit"));
    assert_eq!((name(&app), focus(&app)), ("", "name"));
    assert_eq!(sent(&app), [], "nothing is sent before it is in the file");
    let records = written(&mut app);
    assert!(matches!(&records[..], [QueueRecord::Typed(QueuedPet { line: 1, .. })]), "{records:?}");
    let line = &sent(&app)[0];
    assert_eq!((line.line, line.new.name.as_str(), line.new.category_id, line.again), (1, "Biscuit", 3, None));
    assert_eq!((line.new.status, line.attempt.by.as_str()), (Some(PetStatus::Available), "77d0"));
    app.keys("\"Mochi\"");
    answer(&mut app, 0, saved(100_251));
    assert_eq!(name(&app), "Mochi");
    app.shows("So far: 1 saved");
    assert!(app.screen().contains("id 100251"));
}

#[test]
fn every_line_has_its_own_key_and_lines_are_sent_in_order() {
    let mut app = opened(80, 24);
    app.state.add.setup.concurrency = 1;
    // More would be sent at once where answers take so long.
    app.state.add.pacing.took = Duration::from_secs(3);
    typed(&mut app, &["Rex"]);
    for _ in 0..2 {
        app.wait(Duration::from_secs(11));
        typed(&mut app, &["Rex"]);
    }
    assert_eq!(sent(&app).len(), 1);
    answer(&mut app, 0, saved(1));
    answer(&mut app, 0, saved(2));
    answer(&mut app, 0, saved(3));
    let keys: Vec<_> = sent(&app).into_iter().map(|line| line.key).collect();
    assert!(keys.len() == 3 && keys[0] != keys[1] && keys[1] != keys[2] && keys[0] != keys[2]);
    assert_eq!(app.state.added, [1, 2, 3]);
}

#[test]
fn with_slow_answers_several_lines_are_sent_and_each_gets_its_own_answer() {
    let mut app = with_lines(&["one"]).later(Duration::from_millis(300));
    answer(&mut app, 0, saved(1));
    let names: Vec<String> = (2..=20).map(|number| format!("no {number}")).collect();
    typed(&mut app, &names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(sent(&app).len(), 9, "eight at once after the first");
    // The answers arrive in another order.
    app.wait(Duration::from_millis(300));
    for lane in [5, 0, 7] {
        answer(&mut app, lane, saved(100 + i64::try_from(lane).unwrap()));
    }
    let fate = |at: usize| app.state.add.outbox.lines[at].fate.clone();
    assert_eq!((fate(6), fate(1), fate(8)), (Fate::Saved(105), Fate::Saved(100), Fate::Saved(107)));
    assert_eq!(names_sent(&app)[1..], names[..11]);
    let shown: Vec<&str> = fates(&app).into_iter().map(|(name, _)| name).collect();
    assert_eq!(shown[1..], names[..]);
}

#[test]
fn every_suffix_of_a_scanner_ends_one_line() {
    for suffix in ["Enter", "LF", "Enter LF", "Tab"] {
        let mut app = opened(80, 24);
        app.state.add.setup.scan_tab = suffix == "Tab";
        for name in ["4006381333931", "96385074", "Rex"] {
            app.keys(&format!("\"{name}\" {suffix}"));
            app.now.mono += Duration::from_millis(5);
        }
        assert_eq!((taken(&app), bells(&app)), (vec!["4006381333931", "96385074", "Rex"], 0), "{suffix}");
        assert_eq!(focus(&app), "name", "{suffix}");
    }
}

#[test]
fn a_fast_tab_takes_a_line_only_if_the_scanner_is_configured_for_it() {
    let mut app = opened(80, 24).after("\"Rex\" Tab");
    assert_eq!((fates(&app), focus(&app)), (vec![], "category"));
    assert_eq!(name(&app), "Rex");
    app.keys("Tab Tab Tab");
    assert_eq!((fates(&app), name(&app)), (vec![], "Rex"));
}

#[test]
fn a_typed_tab_goes_to_the_next_field_and_keeps_the_text() {
    let mut app = opened(80, 24);
    app.state.add.setup.scan_tab = true;
    for letter in ["R", "e", "x", "Tab"] {
        app.keys(letter).wait(Duration::from_millis(90));
    }
    assert_eq!((fates(&app), focus(&app)), (vec![], "category"));
    app.keys("Tab Tab Enter");
    assert_eq!(fates(&app), [("Rex", &Fate::Unwritten)]);
}

#[test]
fn an_invalid_category_is_refused_at_its_field() {
    let mut app = opened(80, 24).after("\"Rex\" Tab C-u \"abc\" Enter");
    assert_eq!((focus(&app), bells(&app)), ("category", 1));
    app.shows("\"abc\" is not a number").wait(Duration::from_secs(1)).keys("S-Tab Enter");
    assert_eq!((focus(&app), bells(&app), fates(&app)), ("category", 2, vec![]));
    app.keys("\"4\" Enter");
    assert_eq!((focus(&app), name(&app)), ("name", "Rex"));
    assert!(!app.says("is not a number"), "the error goes with its cause");
}

#[test]
fn spaces_are_trimmed_and_enter_in_a_blank_name_does_nothing() {
    let mut app = opened(80, 24).after("\"  Rex \" Enter Space Space Enter Enter");
    assert_eq!((fates(&app), bells(&app), focus(&app)), (vec![("Rex", &Fate::Unwritten)], 0, "name"));
    written(&mut app);
    assert_eq!(names_sent(&app), ["Rex"]);
}

#[test]
fn a_name_that_was_added_a_moment_ago_is_asked_about() {
    let mut app = opened(80, 24).after("\"4006381333931\" Enter \"4006381333931\" Enter");
    app.shows("4006381333931 was added a moment ago. Enter again adds another one");
    assert_eq!((fates(&app).len(), bells(&app)), (1, 1));
    // The next scan takes its place; only Enter adds it once more, not a third scan.
    app.keys("\"96385074\" Enter \"96385074\" Enter \"96385074\" Enter");
    assert_eq!(fates(&app).len(), 2);
    app.keys("Enter");
    let expected = ["4006381333931", "96385074", "96385074"];
    assert_eq!(taken(&app), expected);
    for keys in ["\"Rex\" F2 \"Rex\" F2 F2", "Tab \"4\" Enter \"Rex\" Enter"] {
        let before = fates(&app).len();
        app.keys(keys);
        assert_eq!(fates(&app).len(), before + if keys.contains("F2") { 2 } else { 1 }, "{keys}");
    }
    app.wait(Duration::from_secs(11)).keys("\"Rex\" Enter");
    assert_eq!(fates(&app).len(), 7, "that was a while ago");
}

#[test]
fn text_is_never_lost_wherever_the_cursor_is() {
    let mut app = opened(80, 24).after("\"Rex\" Enter F6");
    assert_eq!(focus(&app), "lines");
    app.keys("\"Mochi\" Enter S-Tab");
    assert_eq!(focus(&app), "status");
    app.keys("\"pepper\" Enter");
    assert_eq!(taken(&app), ["Rex", "Mochi", "pepper"]);
}

#[test]
fn several_pasted_lines_are_previewed_and_one_line_is_only_typed() {
    // In one piece; and as keys, whose first line is in the field by then.
    for (typed, pasted) in [("", "Rex\r\nMochi\r\n\r\nTank"), ("\"Rex\"", "\rMochi\r\rTank\r")] {
        let mut app = opened(80, 24).after(typed);
        app.send(Msg::Paste(pasted.into()));
        assert_eq!((fates(&app), app.state.place().name), (vec![], "import-preview"), "{pasted:?}");
        let CheckFile { source: ImportSource::Pasted(text), reading } = app.asked().expect("not checked") else {
            panic!("a file is checked")
        };
        assert_eq!(&*text, "name\n\"Rex\"\n\"Mochi\"\n\n\"Tank\"\n");
        assert_eq!(reading.set, [None, Some("3".into()), Some("available".into())]);
        app.shows("3 lines pasted, one pet each.").keys("Esc").wait(DEAF).keys("y");
        assert_eq!(app.state.place().name, "form");
        let words: Vec<&str> = name(&app).split_whitespace().collect();
        assert_eq!((words, fates(&app)), (vec!["Rex", "Mochi", "Tank"], vec![]), "nothing is lost");
    }
    let mut app = opened(80, 24);
    app.send(Msg::Paste("Luna\n".into()));
    assert_eq!((name(&app), fates(&app)), ("Luna", vec![]));
    app.send(Msg::Paste("Rex\nMochi".into()));
    assert_eq!((name(&app), fates(&app)), ("LunaRex Mochi", vec![]));
}

#[test]
fn several_codes_at_once_come_from_a_fast_scanner() {
    let mut app = opened(80, 24);
    app.state.add.setup.scan_strip = "]E0".into();
    app.keys("\"]E04006381\"").send(Msg::Paste("333931\r\n96385074\r\n12345678\r\n".into()));
    assert_eq!(taken(&app), ["4006381333931", "96385074", "12345678"]);
    app.shows("3 codes pasted, one line each.");
    assert_eq!((bells(&app), app.state.place().name), (0, "form"));
    app.send(Msg::Paste("96385074\nRex\n".into()));
    assert_eq!((fates(&app).len(), app.state.place().name), (3, "import-preview"), "not all of them are codes");
    app.keys("Esc").wait(DEAF).keys("y F8 Tab C-u Enter").send(Msg::Paste("96385074\n96385081".into()));
    assert_eq!((fates(&app).len(), app.state.place().name), (3, "import-preview"), "they have no category");
}

#[test]
fn keys_for_the_lines_or_the_status_need_a_second_enter_to_become_a_pet() {
    let slowly = |app: &mut TestApp, keys: &str| {
        for key in keys.split(' ') {
            app.wait(Duration::from_millis(120)).keys(key);
        }
    };
    for focus in ["F6", "S-Tab"] {
        let mut app = with_lines(&["Rex"]);
        slowly(&mut app, &format!("{focus} j j Enter"));
        assert_eq!(fates(&app).len(), 1, "{focus}");
        let message = "Your keys went into the name field. Enter again adds \"jj\"; F8 clears it.";
        assert!(app.says(message) && bells(&app) == 1, "{}", app.screen());
        slowly(&mut app, "Enter");
        assert_eq!(fates(&app)[1].0, "jj", "{focus}");
        // A name that was cleared or started in its field needs no second Enter.
        slowly(&mut app, &format!("{focus} j BS M a x Enter"));
        slowly(&mut app, &format!("{focus} j F8 T o m Enter"));
        assert_eq!(taken(&app)[2..], ["Max", "Tom"], "{focus}");
    }
}

#[test]
fn the_question_mark_is_help_at_the_lines_and_the_status_and_text_in_the_name() {
    for focus in ["F6", "S-Tab"] {
        let mut app = with_lines(&["Rex"]);
        app.keys(focus).keys("?");
        assert_eq!((app.state.place().name, name(&app)), ("help", ""), "{focus}");
        app.keys("Esc Enter");
        assert_eq!(fates(&app).len(), 1, "{focus}");
    }
    let app = opened(80, 24).after("\"Rex?\"");
    assert_eq!(name(&app), "Rex?");
}

#[test]
fn how_long_a_pet_has_been_sent_is_counted() {
    let mut app = with_lines(&["Rex"]);
    app.wait(Duration::from_secs(3)).shows("sending 3 s");
    assert!(crate::tui::deadline::next_deadline(&app.state, app.now).is_some(), "it goes on counting");
}

#[test]
fn f2_adds_from_the_lines_too_and_shows_there_what_is_missing() {
    let mut app = with_lines(&["Rex"]).after("F6 F2");
    assert_eq!((focus(&app), fates(&app).len()), ("name", 1));
    app.shows("Name is required").keys("\"Max\" F6 F2");
    assert_eq!((focus(&app), fates(&app)[1].0), ("name", "Max"));
}

#[test]
fn text_and_cursor_stay_while_other_screens_are_shown() {
    let mut app = with_lines(&["Rex"]).after("\"Moc\" F6 F6 Esc");
    answer(&mut app, 0, saved(1));
    assert_eq!(app.state.added.len(), 1, "lines go on being sent");
    app.keys("a");
    assert_eq!((app.state.place().name, name(&app)), ("form", "Moc"));
    app.keys("F7 \"a.csv\" Enter 1 a");
    assert_eq!(app.state.place().name, "form");
    app.keys("F7");
    assert_eq!(app.state.place().name, "import-preview", "an import stays behind its key");
}

#[test]
fn no_more_lines_wait_than_fit_and_the_text_is_kept() {
    let mut app = opened(80, 24);
    let names: Vec<String> = (0..MOST_WAITING).map(|number| format!("{number:08}")).collect();
    app.send(Msg::Paste(names.join("\n"))).keys("\"Rex\" Enter");
    app.shows("1000 lines are waiting, the maximum. Your text is kept.");
    assert_eq!((name(&app), app.state.add.outbox.lines.len()), ("Rex", MOST_WAITING));
    app.keys("C-u").send(Msg::Paste("96385074\n96385081".into()));
    app.shows("0 lines were taken, 2 were not. Paste again from \"96385074\".").keys("\"Rex\"");
    written(&mut app);
    answer(&mut app, 0, saved(1));
    app.keys("Enter");
    assert_eq!(app.state.add.outbox.lines.last().unwrap().typed.pet.name, "Rex");
}

// --- replies ---

#[test]
fn an_attempt_that_has_certainly_failed_does_not_stay_in_the_file() {
    let mut app = with_lines(&["Rex"]);
    let not_sent = LineSent::Failed(Failure::NotSent { why: "connection refused".into() });
    app.answer_in::<SendLine>(Slot::Line(0), Ok(not_sent));
    let records = written(&mut app);
    assert!(matches!(&records[..], [QueueRecord::Typed(QueuedPet { line: 1, .. })]), "{records:?}");
    assert_eq!(fates(&app), [("Rex", &Fate::Waiting)]);
    // One without an answer stays there.
    app.wait(Duration::from_secs(2));
    answer(&mut app, 0, no_answer());
    app.wait(Duration::from_secs(4)).answer_in::<SendLine>(Slot::Line(0), Ok(refused(503, None)));
    assert_eq!(written(&mut app), []);
}

#[test]
fn a_refused_line_is_edited_in_place_while_others_are_sent() {
    let mut app = with_lines(&["Rex", "Mochi"]);
    answer(&mut app, 0, refused(400, None));
    assert_eq!((bells(&app), names_sent(&app)), (1, vec!["Rex".to_owned(), "Mochi".into()]));
    app.shows("Rex was refused").keys("F6 Enter");
    assert_eq!((name(&app), focus(&app)), ("Rex", "name"));
    app.keys("\" II\" Tab BS \"7\" Enter Enter");
    written(&mut app);
    let Draft { name, category_id, .. } = &app.state.add.outbox.lines[0].typed.pet;
    assert_eq!((name.as_str(), category_id.as_str()), ("Rex II", "7"));
    assert_eq!(app.state.add.form[&add_pet::CATEGORY].value(), "3");
    answer(&mut app, 0, saved(1));
    let lines = sent(&app);
    assert!(lines[2].new.name == "Rex II" && lines[2].key != lines[0].key && lines[2].line == 3);
}

#[test]
fn why_a_line_was_refused_stays_readable_until_it_is_fixed() {
    let mut app = with_lines(&["Rex"]);
    let failure = refused_with(400, "invalid_category", "categoryId 3 does not exist");
    answer(&mut app, 0, LineSent::Failed(failure));
    let why = "\"categoryId 3 does not exist\"";
    app.shows(why).keys("\"Mochi\" F8");
    assert!(!app.says(why), "it is about another line");
    app.keys("F6").shows(why).shows("refused (400)").keys("Enter");
    assert_eq!((name(&app), focus(&app)), ("Rex", "category"), "the answer names it");
    app.keys("S-Tab \"x\" BS Tab").shows(why).keys("BS \"4\" Enter Enter").lacks(why);
}

#[test]
fn an_answer_that_names_no_field_or_several_leads_to_the_name() {
    for (code, message, field) in [
        ("bad", "nothing is right", "name"),
        ("bad", "status and categoryId do not fit", "name"),
        ("invalid_name", "no", "name"),
        ("bad", "the status must be one of ...", "status"),
    ] {
        let mut app = with_lines(&["Rex"]);
        answer(&mut app, 0, LineSent::Failed(refused_with(400, code, message)));
        app.keys("F6 Enter");
        assert_eq!(focus(&app), field);
    }
}

#[test]
fn the_bottom_line_belongs_to_the_part_with_the_cursor() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    let bottom = |app: &mut TestApp| app.screen().lines().last().unwrap().to_owned();
    app.keys("a");
    let first = bottom(&mut app);
    assert!(first.contains("Tab next") && !first.contains("Enter") && !first.contains("F6"), "{first}");
    app.keys("\"Rex\"");
    assert!(bottom(&mut app).contains("Enter add"), "{}", bottom(&mut app));
    app.keys("Tab");
    assert!(bottom(&mut app).contains("Enter accept") && bottom(&mut app).contains("F2 add"), "{}", bottom(&mut app));
    app.keys("\"3\" Tab");
    let status = bottom(&mut app);
    assert!(status.contains("up/down choose") && !status.contains("Del drop"), "{status}");
    app.keys("F2 F6");
    let under_way = bottom(&mut app);
    assert!(under_way.contains("up/down move") && !under_way.contains("drop"), "{under_way}");
    written(&mut app);
    answer(&mut app, 0, refused(400, None));
    let refused = bottom(&mut app);
    assert!(refused.contains("Enter fix, search") && refused.contains("Del drop"), "{refused}");
    assert!(!refused.contains("F5"), "{refused}");
}

#[test]
fn esc_leaves_an_edited_line_unchanged() {
    let mut app = with_lines(&["Rex"]);
    answer(&mut app, 0, refused(400, None));
    app.keys("F6 Enter \"x\" Esc");
    assert_eq!((name(&app), app.state.screen), ("", Screen::AddPet));
    assert_eq!(app.state.add.outbox.lines[0].typed.pet.name, "Rex");
    app.keys("F6 Del");
    assert_eq!(fates(&app), []);
    assert_eq!(focus(&app), "name");
}

#[test]
fn without_an_answer_the_line_is_sent_again_with_its_key_and_growing_pauses() {
    let mut app = with_lines(&["Rex", "Mochi"]);
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let before = sent(&app).len();
        answer(&mut app, 0, no_answer());
        let mut waited = 0;
        while sent(&app).len() == before {
            app.wait(Duration::from_secs(1));
            waited += 1;
        }
        pauses.push(waited);
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    let lines = sent(&app);
    assert!(lines.iter().all(|line| line.key == lines[0].key && line.line == 1));
    let expected = (None, Some(SentAt { here: app.state.add.outbox.lines[0].typed.at, there: None }));
    assert_eq!((lines[0].again, lines[1].again), expected);
    answer(&mut app, 0, saved(1));
    assert_eq!(names_sent(&app).last().unwrap(), "Mochi");
}

#[test]
fn a_line_is_as_old_as_the_clock_of_the_service_says_of_its_first_attempt() {
    let mut app = opened(80, 24);
    let there = "2026-11-19T08:00:00Z".parse().unwrap();
    app.state.link.dated = Some((there, app.now.mono));
    app.wait(Duration::from_secs(60));
    typed(&mut app, &["Rex"]);
    let first = there + Duration::from_secs(60);
    assert_eq!(sent(&app)[0].attempt.there, Some(first));
    for tries in 1..=2 {
        answer(&mut app, 0, no_answer());
        app.wait(Duration::from_secs(30));
        let again = sent(&app)[tries].again;
        assert_eq!(again, Some(SentAt { here: app.state.add.outbox.lines[0].typed.at, there: Some(first) }));
    }
}

#[test]
fn if_the_service_keeps_no_keys_the_user_decides_and_later_lines_are_sent() {
    let mut app = with_lines(&["Rex", "Mochi"]);
    answer(&mut app, 0, no_answer());
    app.shows("2 waiting").wait(Duration::from_secs(1));
    answer(&mut app, 0, LineSent::NotRepeatable);
    assert_eq!(fates(&app)[0], ("Rex", &Fate::Unknown(None)));
    assert_eq!(names_sent(&app).last().unwrap(), "Mochi");
    answer(&mut app, 0, saved(5));
    // Enter searches for it, and accepts what was found.
    app.keys("F6 Enter");
    let pet = |id| Pet { id, name: "Rex".into(), category_id: 3, status: None };
    app.answer::<SearchForLine>(Ok(SearchedPets { matches: vec![pet(4), pet(5)], complete: true }));
    app.shows("Pet 4 has this name and category.").keys("Enter");
    assert_eq!(fates(&app)[0], ("Rex", &Fate::Saved(4)));
    assert_eq!(written(&mut app), [QueueRecord::Saved { line: 1, id: 4 }]);
}

#[test]
fn a_line_with_an_unknown_outcome_is_sent_again_or_dropped_only_by_the_user() {
    let mut app = with_lines(&["Rex"]);
    answer(&mut app, 0, LineSent::NotRepeatable);
    app.wait(Duration::from_secs(3600));
    assert_eq!(sent(&app).len(), 1);
    app.keys("F6 F5");
    assert_eq!((sent(&app).len(), sent(&app)[1].again), (2, None));
    answer(&mut app, 0, LineSent::NotRepeatable);
    app.keys("Del");
    assert_eq!(written(&mut app), [QueueRecord::Dropped { line: 1 }]);
    assert_eq!(fates(&app), []);
}

#[test]
fn with_another_api_key_a_line_with_an_unknown_outcome_is_not_repeated() {
    let mut app = with_lines(&["Rex"]);
    answer(&mut app, 0, no_answer());
    app.state.link.key.0 = "ffff".into();
    app.wait(Duration::from_secs(1));
    assert_eq!((fates(&app)[0].1, sent(&app).len()), (&Fate::Unknown(None), 1));
}

#[test]
fn with_a_refused_api_key_everything_waits_for_another() {
    let mut app = with_lines(&["Rex", "Mochi"]);
    answer(&mut app, 0, refused(401, None));
    typed(&mut app, &["Tank"]);
    app.wait(Duration::from_secs(3600));
    assert_eq!(sent(&app).len(), 1);
    assert!(app.screen().contains("3 waiting, 401"), "{}", app.screen());
    app.keys("F6 F6").shows("Lines wait for an API key: F4 enters one.");
    app.state.link.health = crate::tui::state::Health::Unknown;
    app.wait(Duration::from_secs(1));
    assert_eq!((sent(&app).len(), sent(&app)[1].again), (2, None));
}

#[test]
fn the_pause_that_a_service_asks_for_is_kept() {
    for status in [429, 503] {
        let mut app = with_lines(&["Rex"]);
        answer(&mut app, 0, refused(status, Some(20)));
        app.wait(Duration::from_secs(19));
        assert_eq!(sent(&app).len(), 1, "{status}");
        app.wait(Duration::from_secs(1));
        assert_eq!((sent(&app).len(), sent(&app)[1].again.is_some()), (2, status == 503), "{status}");
    }
}

#[test]
fn pets_that_cannot_be_written_are_sent_all_the_same_with_a_warning() {
    let mut app = opened(80, 24).after("\"Rex\" Enter").answered::<WriteLines>(Err("no room".into()));
    app.shows("cannot be saved to disk, and is kept only while petstore runs: no room");
    assert_eq!(sent(&app).iter().map(|line| line.is_kept).collect::<Vec<_>>(), [false]);
    let why = super::why_not_switch(&app.state);
    assert!(why.unwrap().contains("cannot be saved to disk"), "not that it is being sent");
    let rest: Vec<_> = app.state.add.outbox.not_in_file().collect();
    assert!(matches!(rest[..], [QueueRecord::Typed(_), QueueRecord::Sent { line: 1, .. }]), "{rest:?}");
    app.answer_in::<SendLine>(Slot::Line(0), Ok(saved(1)));
    let rest: Vec<_> = app.state.add.outbox.not_in_file().collect();
    assert!(matches!(rest[..], [QueueRecord::Saved { line: 1, id: 1 }]), "{rest:?}");
}

#[test]
fn a_retry_that_fails_after_the_answer_does_not_bring_the_line_back() {
    let mut app = opened(80, 24).after("\"Rex\" Enter").answered::<WriteLines>(Err("no room".into()));
    app.wait(Duration::from_secs(2));
    assert!(app.state.pending.is_running(Slot::Queue));
    app.answer_in::<SendLine>(Slot::Line(0), Ok(saved(1))).answer::<WriteLines>(Err("no room".into()));
    let rest: Vec<_> = app.state.add.outbox.not_in_file().collect();
    assert!(matches!(rest[..], [QueueRecord::Saved { line: 1, id: 1 }]), "{rest:?}");
}

#[test]
fn a_line_whose_sending_cannot_be_recorded_is_sent_all_the_same_with_a_warning() {
    let mut app = with_lines(&["Rex"]);
    app.answer_in::<SendLine>(Slot::Line(0), Ok(LineSent::NotWritten));
    app.answer::<WriteLines>(Err("no room".into())).shows("cannot be saved to disk");
    assert_eq!(sent(&app).iter().map(|line| line.is_kept).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_code_is_no_category_without_a_second_enter() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("a Tab \"96385074\" Enter");
    assert_eq!((focus(&app), bells(&app)), ("category", 1));
    app.shows("Is 96385074 a category, and not a code? Enter again takes it.").keys("Enter");
    assert_eq!((focus(&app), app.state.add.form[&add_pet::CATEGORY].value()), ("name", "96385074"));
}

#[test]
fn without_a_category_each_scan_is_kept_as_a_line_to_fix() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("a \"4006381333931\" Enter \"96385074\" Enter");
    let names: Vec<_> = fates(&app).into_iter().map(|(name, fate)| (name.to_owned(), fate.is_saved())).collect();
    assert_eq!(names, [("4006381333931".to_owned(), false), ("96385074".to_owned(), false)]);
    assert_eq!((app.state.add.outbox.counts().refused, focus(&app), bells(&app)), (2, "name", 2));
    app.shows("a category is missing. F6 shows the line, Enter there fixes it.").keys("F6 Enter");
    assert_eq!((name(&app), focus(&app)), ("96385074", "category"));
    app.send(Msg::Paste("12345678\n12345679".into()));
    assert_eq!((fates(&app).len(), app.state.place().name), (2, "form"), "a line that is being fixed is not added");
}

#[test]
fn what_is_wrong_with_a_line_is_shown_until_it_is_corrected_and_its_category_stays() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("a \"4006381333931\" Enter \"96385074\" Enter").shows("So far: 2 to fix").lacks("refused");
    app.keys("F6 Enter Esc F6 Enter").wait(Duration::from_secs(9)).keys("S-Tab Tab");
    app.shows("Category is required").keys("\"5\" Enter").lacks("Category is required").keys("F2");
    assert_eq!(app.state.add.draft().category_id, "5");
    // The next one has it, too: no category is typed.
    app.keys("F6 Enter F2");
    let pets: Vec<_> = app.state.add.outbox.lines.iter().map(|line| line.typed.pet.category_id.as_str()).collect();
    assert_eq!((pets, app.state.add.outbox.counts().refused), (vec!["5", "5"], 0));
    app.keys("\"12345678\" Enter");
    assert_eq!(fates(&app)[2], ("12345678", &Fate::Unwritten));
}

#[test]
fn a_saved_line_has_the_status_of_the_answer() {
    let mut app = opened(80, 24).after("Tab Tab Up Enter");
    typed(&mut app, &["Rex"]);
    app.shows("Rex 3 not set");
    answer(&mut app, 0, saved(1));
    app.shows("Rex 3 available id 1");
}

#[test]
fn what_cannot_be_written_is_written_later() {
    let mut app = opened(80, 24).after("\"Rex\" Enter \"Mochi\" Enter").answered::<WriteLines>(Err("no room".into()));
    app.wait(Duration::from_secs(2));
    let lines: Vec<_> = written(&mut app)
        .into_iter()
        .filter_map(|record| if let QueueRecord::Typed(typed) = record { Some(typed.line) } else { None })
        .collect();
    assert_eq!((lines, names_sent(&app)), (vec![1, 2], vec!["Rex".to_owned()]));
}

#[test]
fn lines_typed_during_an_outage_are_written() {
    let mut app = with_lines(&["Rex"]);
    answer(&mut app, 0, LineSent::NotSent(Failure::NotSent { why: "connection refused".into() }));
    app.keys("\"Mochi\" Enter");
    let records = written(&mut app);
    assert!(matches!(&records[..], [QueueRecord::Typed(QueuedPet { line: 2, .. })]), "{records:?}");
    assert_eq!(sent(&app).len(), 1);
}

#[test]
fn lines_are_sent_on_other_screens_too_and_the_list_is_read_at_the_end() {
    let mut app = with_lines(&["Rex", "Mochi"]).after("Esc");
    assert!(app.state.screen == Screen::Pets && app.screen().contains("2 waiting"), "{}", app.screen());
    answer(&mut app, 0, saved(1));
    assert!(!app.state.pending.is_running(Slot::List));
    answer(&mut app, 0, saved(2));
    assert!(app.state.pending.is_running(Slot::List), "the list is asked for again");
}

// --- the next start ---

fn left(names: &[(&str, Option<&str>)]) -> Unfinished {
    let mut keys = IdempotencyKeys::new(uuid::Uuid::from_u128(7));
    let open: Vec<_> = (1..)
        .zip(names)
        .map(|(line, (name, sent))| {
            let pet = Draft { name: (*name).into(), category_id: "3".into(), status: None };
            let at = "2026-11-20T14:00:00Z".parse().unwrap();
            let typed = QueuedPet { line, at, key: keys.make(), pet, known: 0, change: None };
            Line { sent: sent.map(|by| Attempt { by: by.to_owned(), there: None }), ..typed.into() }
        })
        .collect();
    let saved = QueuedPet {
        known: 0,
        line: 9,
        at: "2026-11-20T14:00:00Z".parse().unwrap(),
        key: keys.make(),
        pet: Draft::default(),
        change: None,
    };
    Unfinished { open, saved: vec![saved; 14] }
}

fn restored(service: Service, left: Unfinished) -> TestApp {
    let mut app = TestApp::started(service, 80, 24);
    super::restore(&mut app.state, Ok(left));
    app.wait(Duration::from_millis(1));
    app
}

#[test]
fn lines_of_an_earlier_session_are_sent_in_order_with_their_keys() {
    let left = left(&[("Rex", Some("77d0")), ("Mochi", None), ("", None), ("Tank", Some("0000"))]);
    let keys: Vec<_> = left.open.iter().map(|open| open.typed.key.clone()).collect();
    let mut app = restored(remote(), left);
    app.shows("4 pets from your last session are being sent now where that adds no pet twice.");
    answer(&mut app, 0, saved(1));
    answer(&mut app, 0, saved(2));
    let lines: Vec<_> = sent(&app).into_iter().map(|line| (line.new.name, line.key, line.again.is_some())).collect();
    assert_eq!(lines, [("Rex".into(), keys[0].clone(), true), ("Mochi".into(), keys[1].clone(), false)]);
    // The outcome of a line sent with another API key is unknown, and an invalid line is not sent.
    assert_eq!(fates(&app)[2..], [("", &Fate::Refused(BLANK.into())), ("Tank", &Fate::Unknown(None))]);
    app.keys("a Tab \"3\" Enter");
    typed(&mut app, &["Luna"]);
    assert_eq!(app.state.add.outbox.lines.last().unwrap().typed.line, 5);
}

#[test]
fn lines_that_were_left_for_a_profile_that_is_read_only_now_wait() {
    let mut app = TestApp::started(remote(), 80, 24);
    app.state.link.read_only = true;
    super::restore(&mut app.state, Ok(left(&[("Rex", None)])));
    app.shows("1 pet from your last session is not sent: production is read-only");
    app.wait(Duration::from_secs(60));
    assert_eq!((sent(&app).len(), app.state.add.outbox.counts().waiting), (0, 1));
}

#[test]
fn a_refused_line_can_be_edited_later_and_is_then_removed_from_the_file() {
    let mut refused = left(&[("Rex", None), ("40063813", None)]);
    refused.open[0].fate = Fate::Refused("refused (400)".into());
    refused.open[1].fate = Fate::Refused(String::new());
    let mut app = restored(remote(), refused);
    app.shows("From your last session: 2 pets to fix (2, F6).");
    let unknown = "unknown code: Its pet is not known. Enter edits it.";
    let expected = [("Rex", &Fate::Refused("refused (400)".into())), ("40063813", &Fate::Refused(unknown.into()))];
    assert_eq!(fates(&app), expected);
    assert_eq!(sent(&app).len(), 0);
    app.keys("a F6 Down Enter C-u \"Max\" Enter");
    let records = written(&mut app);
    assert!(
        matches!(&records[..], [QueueRecord::Typed(QueuedPet { line: 3, .. }), QueueRecord::Dropped { line: 1 }]),
        "{records:?}"
    );
}

#[test]
fn another_service_gets_none_of_the_lines() {
    let mut app = opened(80, 24).after("\"Rex\" Enter");
    assert!(super::why_not_switch(&app.state).unwrap().contains("Pets are being sent"));
    written(&mut app);
    answer(&mut app, 0, refused(429, Some(60)));
    assert_eq!(super::why_not_switch(&app.state), None);
    super::restore(&mut app.state, Ok(Unfinished::default()));
    app.wait(Duration::from_secs(60));
    assert_eq!((fates(&app), sent(&app).len()), (vec![], 1));
}

#[test]
fn a_late_answer_of_the_previous_service_changes_nothing() {
    let mut app = with_lines(&["Rex"]);
    let job = app.job(Slot::Line(0)).unwrap();
    super::restore(&mut app.state, Ok(Unfinished::default()));
    app.answer_to::<SendLine>(job.id, Ok(saved(1)));
    assert_eq!((app.state.add.outbox.saved, app.state.added.len()), (0, 0));
}

#[test]
fn a_protected_service_is_asked_about_once_and_until_then_nothing_is_sent() {
    let protected = || {
        let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(3));
        app.state.link.protect = true;
        super::restore(&mut app.state, Ok(left(&[("Rex", None), ("Mochi", None)])));
        app.shows("2 pets from your last session are waiting. To send them, press 2, F6 and Enter.");
        app
    };
    for (keys, question, no) in [
        ("a F6 Enter", "Send 2 lines to", "rapid-choice"),
        ("a \"Max\" Tab \"3\" F2", "Add this pet, and send 2 lines that wait, to", "form"),
    ] {
        let mut app = protected();
        app.keys(keys).wait(Duration::from_secs(5)).shows(question).keys("Esc");
        assert_eq!((app.state.place().name, sent(&app).len()), (no, 0));
        app.keys(keys.rsplit(' ').next().unwrap()).wait(Duration::from_secs(5)).keys("y");
        assert_eq!(sent(&app).len(), 1, "{keys}");
        app.keys("Esc a \"Luna\" Enter");
        assert!(!app.state.popups.is_open());
    }
}

// --- painting ---

pub fn busy(columns: u16, rows: u16) -> TestApp {
    let mut app = opened(columns, rows);
    for (id, name) in (100_246..).zip(["Luna", "Tank", "Pepper"]) {
        typed(&mut app, &[name]);
        answer(&mut app, 0, saved(id));
        app.wait(Duration::from_secs(3));
    }
    typed(&mut app, &["9", "Gordon"]);
    answer(&mut app, 0, refused(400, None));
    answer(&mut app, 0, no_answer());
    app.wait(Duration::from_secs(1));
    answer(&mut app, 0, LineSent::NotRepeatable);
    typed(&mut app, &["4006381333931", "12345678", "Mochi"]);
    app.keys("\"Bis\"");
    app
}

#[test]
fn looks() {
    let mut looks = Looks::after("form", |columns, rows| add_pet::tests::typed(columns, rows, ""));
    looks.state("empty", opened);
    looks.state("busy", busy);
    looks.state("lines", |columns, rows| busy(columns, rows).after("C-u F6 Down Down"));
    looks.state("waiting", |columns, rows| {
        let mut app = opened(columns, rows);
        typed(&mut app, &["Rex", "Mochi"]);
        answer(&mut app, 0, LineSent::NotSent(Failure::NotSent { why: "connection refused".into() }));
        app
    });
    looks.state("status", |columns, rows| opened(columns, rows).after("S-Tab"));
    let mut app = busy(80, 24).in_monochrome();
    looks.frame("busy_mono", &mut app);
    app.send(Msg::Resize(Size { columns: 60, rows: 16 }));
    looks.frame("busy", &mut app);
    insta::assert_snapshot!(looks);
}
