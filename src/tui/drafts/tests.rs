//! Tests of drafts: when they are written, and what is restored.

use super::*;
use crate::app::Fate;
use crate::config::{File, View};
use crate::domains::DnsName;
use crate::tui::TextInput;
use crate::tui::screens::add_pet;
use crate::tui::screens::add_pet::lines;
use crate::tui::screens::domains::state::{NAME, VALUE, Wizard};
use crate::tui::screens::pets;
use crate::tui::start::start;
use crate::tui::testing::prelude::*;
use crate::tui::testing::{profiles, settings};

fn drafts_of(state: &App, ended: Option<Ending>, now: Now) -> Option<Drafts> {
    write_of(state, TypedText::of(state), ended, now).map(|write| *write.drafts)
}

const IDENTITY: &str = "production https://api.example.com/v1";

/// An app with nothing open but the form.
fn form(keys: &str) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    app.keys("a").keys(keys);
    app
}

/// Every requested write.
fn writes(app: &TestApp) -> Vec<WriteDrafts> {
    app.all_asked()
}

/// The name in the form of each write; empty if none is typed.
fn names(app: &TestApp) -> Vec<String> {
    let name = |write: &WriteDrafts| write.drafts.typed.form.as_ref().map(|form| form["name"].value().to_owned());
    writes(app).iter().map(|write| name(write).unwrap_or_default()).collect()
}

fn written(app: &mut TestApp, result: Result<(), &str>) {
    app.answer::<WriteDrafts>(result.map_err(ToOwned::to_owned));
}

fn millis(app: &mut TestApp, millis: u64) {
    app.wait(Duration::from_millis(millis));
}

/// The drafts of a session that ended like this, read by the next one, which begins `after` that.
fn next_session(app: &TestApp, ended: Option<Ending>, service: Service, after: Duration) -> TestApp {
    next_with(app, ended, settings(service), after)
}

fn next_with(app: &TestApp, ended: Option<Ending>, settings: Settings, after: Duration) -> TestApp {
    let text = drafts_of(&app.state, ended, app.now).unwrap().text();
    let mut now = app.now;
    now.mono += after;
    now.wall += after;
    let keys = IdempotencyKeys::new(uuid::Uuid::max());
    let mut state = App::new(&settings, DomainSetup::default(), Size { columns: 80, rows: 24 }, keys);
    let identity = state.link.identity.clone().unwrap();
    on_opened(&mut state, Ok(Drafts::read(&text, &identity)));
    TestApp::of(state, now)
}

#[test]
fn text_is_written_a_moment_after_the_first_key() {
    let mut app = form("\"B\"");
    millis(&mut app, 40);
    app.keys("\"i\"");
    millis(&mut app, 9);
    assert_eq!(names(&app), [""; 0]);
    millis(&mut app, 1);
    assert_eq!(names(&app), ["Bi"]);
    app.keys("\"s\"");
    written(&mut app, Ok(()));
    millis(&mut app, 49);
    assert_eq!(names(&app), ["Bi"]);
    millis(&mut app, 1);
    assert_eq!(names(&app), ["Bi", "Bis"]);
    written(&mut app, Ok(()));
    millis(&mut app, 60_000);
    assert_eq!(names(&app).len(), 2, "nothing new is typed");
    assert_eq!(next_due(&app.state), None);
    app.shows("draft saved 14:03:07");
}

#[test]
fn a_crash_loses_the_last_key_at_most() {
    let mut app = form("");
    let name = "Captain Fluff";
    for typed in 1..=name.len() {
        app.keys(&format!("\"{}\"", &name[typed - 1..typed]));
        let on_disk = names(&app).last().map_or(0, String::len);
        assert!(on_disk + 1 >= typed, "{on_disk} of {typed}");
        // As fast as people type.
        millis(&mut app, 80);
        if app.state.pending.is_running(Slot::Drafts) {
            written(&mut app, Ok(()));
        }
    }
}

#[test]
fn only_one_write_runs_at_a_time_and_newer_text_follows() {
    let mut app = form("\"B\"");
    millis(&mut app, 500);
    app.keys("\"i\"");
    millis(&mut app, 5_000);
    assert_eq!((names(&app).len(), next_due(&app.state)), (1, None));
    written(&mut app, Ok(()));
    assert_eq!(names(&app), ["B", "Bi"]);
    assert_eq!(writes(&app).iter().map(|write| write.number).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_failure_to_write_drafts_is_shown_until_it_is_fixed() {
    let mut app = form("\"B\"");
    millis(&mut app, 500);
    written(&mut app, Err("no space left on device"));
    let message = "Cannot save drafts: no space left on device. What you type is kept only while petstore runs.";
    app.shows(message).keys("\"i\"").shows(message);
    millis(&mut app, 4_999);
    assert_eq!(names(&app).len(), 1);
    millis(&mut app, 1);
    assert_eq!(names(&app), ["B", "Bi"]);
    written(&mut app, Ok(()));
    app.lacks(message);
}

#[test]
fn samples_and_the_first_start_have_no_drafts() {
    let mut demo = TestApp::loaded(80, 24).after("a \"Biscuit\"");
    millis(&mut demo, 10_000);
    assert_eq!(writes(&demo), []);
    let mut first = TestApp::first_start(80, 24);
    millis(first.keys("c \"x\""), 10_000);
    assert_eq!((writes(&first), last(&first.state, Ending::Quit, first.now)), (vec![], vec![]));
}

#[test]
fn all_typed_text_is_restored_in_place() {
    let mut app = form("\"Biscuit\" Tab \"3\" Tab Down S-Tab Left Esc / \"mo\" Enter P");
    app.answer::<ReadProfiles>(Ok(profiles())).keys("n \"shop\" Tab \"https://shop.example/v1\" Esc Esc");
    let panel = &mut app.state.domains;
    panel.wizard.form.set(&NAME, "shop.example");
    panel.browser = TextInput::new("not secure");
    let mut left = Wizard { entry: Some(DnsName::new("old.example")), ..Wizard::default() };
    left.form.set(&VALUE, "cname.host.example");
    left.form.go_to(&VALUE);
    panel.left.push(left);
    let before = TypedText::of(&app.state);
    let mut next = next_session(&app, None, remote(), Duration::from_secs(60));
    assert_eq!(TypedText::of(&next.state), before);
    assert_eq!((next.state.place().name, next.state.add.form.focus().name), ("form", "category"));
    assert_eq!(
        (before.wizards.len(), before.search.value(), before.browser.value(), before.profile.is_some()),
        (2, "mo", "not secure", true)
    );
    let message = "The last session ended unexpectedly at 14:03. Your text for production is restored. \
                None of it was sent.";
    next.shows(message);
    assert_eq!(writes(&next), [], "it is on disk");
    next.keys("Right");
    assert!(!next.says("ended unexpectedly"), "the sentence goes with the first key");
}

#[test]
fn a_search_in_use_stays_and_that_of_a_view_is_not_typed() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("/ \"mo\" Enter");
    let text = drafts_of(&app.state, None, app.now).unwrap().text();
    app.keys("/ C-u \"rex\" Enter");
    let drafts = Drafts::read(&text, app.state.link.identity.as_deref().unwrap());
    on_opened(&mut app.state, Ok(drafts));
    assert_eq!(app.state.pets.search.value(), "rex");
    let cats = View { name: "cats".into(), search: "cat:3".into(), ..View::default() };
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39));
    app.state.pets =
        pets::State::new(&Settings { config: File { views: vec![cats], ..File::default() }, ..settings(remote()) });
    app.keys("Left");
    assert_eq!((app.state.pets.search.value(), TypedText::of(&app.state).is_empty()), ("cat:3", true));
    app.keys("/ \"mo\" Enter");
    assert_eq!(TypedText::of(&app.state).search.value(), "cat:3 mo");
}

#[test]
fn a_form_of_a_pet_of_an_earlier_version_is_restored() {
    for (status, focus, kept) in
        [("\"pending\"", "Category", (Some(PetStatus::Pending), "category")), ("null", "Save", (None, "name"))]
    {
        let form = format!(
            r#"{{"name":{{"value":"Biscuit ","cursor":3}},"category":{{"value":"3","cursor":1}},"status":{status},"focus":"{focus}"}}"#
        );
        let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(3));
        serde_json::from_str::<TypedText>(&format!(r#"{{"form":{form}}}"#)).unwrap().restore(&mut app.state);
        let draft = app.state.add.draft();
        assert_eq!((draft.name.as_str(), draft.category_id.as_str()), ("Biscuit ", "3"));
        assert_eq!((draft.status, app.state.add.form.focus().name), kept);
        assert_eq!(app.state.screen, Screen::AddPet);
        app.state.add.form.go_to(&add_pet::NAME);
        app.keys("\"!\"");
        assert_eq!(app.state.add.draft().name, "Bis!cuit ", "the cursor is where it was");
    }
}

#[test]
fn a_form_of_a_domain_that_an_earlier_version_left_at_its_ticks_is_restored() {
    let wizard = |entry: &str| {
        let ticked = r#""ticked":["paid-plan"],"focus":"Plan""#;
        let text = |value: &str| format!(r#"{{"value":"{value}","cursor":0}}"#);
        let (name, value) = (text("docs.acme.com"), text("sites.acme.net"));
        let typed = format!(r#"{{{ticked},"name":{name},"value":{value},"entry":{entry}}}"#);
        serde_json::from_str::<TypedText>(&format!(r#"{{"wizards":[{typed}]}}"#)).unwrap()
    };
    let mut app = form("");
    wizard("null").restore(&mut app.state);
    assert_eq!(app.state.domains.wizard.form.focus().name, "name");
    wizard("\"docs.acme.com\"").restore(&mut app.state);
    assert!(app.state.domains.left.is_empty(), "another one is open");
    let mut app = form("");
    wizard("\"docs.acme.com\"").restore(&mut app.state);
    assert_eq!(app.state.domains.left[0].form.focus().name, "value", "its name is fixed");
}

#[test]
fn the_end_of_the_last_session_is_reported() {
    let app = form("\"Biscuit\"");
    for (ended, message) in [
        (Ending::Quit, "Your text for production from 14:03 is restored. None of it was sent."),
        (Ending::Hangup, "The last session lost its terminal at 14:03. Your text"),
        (Ending::Signal, "The last session was stopped by a signal at 14:03. Your text"),
        (Ending::Fault, "The last session crashed at 14:03. Your text"),
    ] {
        let mut next = next_session(&app, Some(ended), remote(), Duration::from_secs(60));
        next.shows(message);
    }
}

#[test]
fn quitting_without_text_leaves_no_draft() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("/ \"mo\" Enter");
    let left = |app: &TestApp, ended| last(&app.state, ended, app.now)[0].drafts.typed.is_empty();
    assert!(left(&app, Ending::Quit));
    assert!(!left(&app, Ending::Hangup), "after a lost connection the search is as it was");
    app.keys("a \"x\"");
    assert!(!left(&app, Ending::Quit));
    app.keys("F8");
    assert!(left(&app, Ending::Quit));
}

#[test]
fn drafts_of_long_ago_come_back_with_their_date() {
    let app = form("\"Biscuit\"");
    let month = Duration::from_secs(31 * 24 * 60 * 60);
    let mut next = next_session(&app, Some(Ending::Quit), remote(), month);
    assert_eq!((next.state.screen, next.state.add.form[&add_pet::NAME].value()), (Screen::AddPet, "Biscuit"));
    next.shows("Your text for production from Fri 20 Nov 14:03 is restored. None of it was sent.");
}

#[test]
fn no_key_is_in_a_draft() {
    let secret = "petk_0123456789abcdef77d0";
    let mut app =
        TestApp::loaded_from(remote(), 80, 24, &animals(3)).after("P").answered::<ReadProfiles>(Ok(profiles()));
    app.keys("n").send(Msg::Paste(format!("https://me:{secret}@shop.example/v1"))).keys("Tab Tab");
    app.send(Msg::Paste(secret.into())).keys("Tab \"shop\"");
    assert_eq!(app.state.profiles.form.value(&profiles::KEY), secret);
    millis(&mut app, 500);
    let drafts = &writes(&app)[0].drafts;
    assert!(drafts.text().contains("shop") && !drafts.text().contains(secret), "{}", drafts.text());
    assert!(!format!("{drafts:?}").contains(secret));
}

/// Switches to another service, for which an earlier session left this.
fn change(app: &mut TestApp, service: Service, drafts: Option<Drafts>) {
    app.state.screen = Screen::Pets;
    app.keys("P").answer::<ReadProfiles>(Ok(profiles())).keys("Home Enter");
    let left = Ok(Unfinished::default());
    let used = Used { settings: Arc::new(settings(service)), kept: None, left, drafts: Ok(drafts) };
    app.answer::<UseProfile>(Ok(used));
}

fn inside() -> Service {
    Service::Embedded { database: "/d/embedded.db".into() }
}

/// What an earlier session left for the embedded store.
fn left(name: &str) -> Option<Drafts> {
    let mut other = form(&format!("\"{name}\""));
    other.state.link.identity = Some("/d/embedded.db".into());
    drafts_of(&other.state, Some(Ending::Quit), other.now)
}

#[test]
fn each_service_has_its_own_drafts() {
    let mut app = form("\"Biscuit\"");
    change(&mut app, inside(), left("Rex"));
    let write = writes(&app).pop().unwrap();
    assert_eq!((write.drafts.identity.as_str(), write.drafts.ended), (IDENTITY, Some(Ending::Quit)));
    assert_eq!(names(&app), ["Biscuit"]);
    assert_eq!((app.state.screen, app.state.add.form[&add_pet::NAME].value()), (Screen::AddPet, "Rex"));
    written(&mut app, Ok(()));
    app.keys("\"!\"");
    millis(&mut app, 1_000);
    assert_eq!(writes(&app).pop().unwrap().drafts.identity, "/d/embedded.db");
    // At the end everything is there, the newest last.
    let last = last(&app.state, Ending::Quit, app.now);
    let kept = last.iter().map(|write| write.drafts.typed.form.as_ref().unwrap()["name"].value());
    assert_eq!(kept.collect::<Vec<_>>(), ["Biscuit", "Rex!"]);
    assert!(last[0].number < last[1].number);
}

#[test]
fn text_put_aside_in_this_session_comes_back_instead_of_what_is_on_disk() {
    let mut app = form("\"Biscuit\"");
    change(&mut app, inside(), None);
    app.effects.clear();
    change(&mut app, remote(), left("older"));
    assert_eq!(app.state.add.form[&add_pet::NAME].value(), "Biscuit");
    written(&mut app, Ok(()));
    millis(&mut app, 5_000);
    assert_eq!(names(&app), [""], "it is on disk, and the form of the other is empty");
    app.keys("\"!\"");
    millis(&mut app, 1_000);
    assert_eq!(names(&app).pop().unwrap(), "Biscuit!");
}

#[test]
fn text_for_no_service_survives_a_switch_and_is_kept_once() {
    let mut app = form("\"Biscuit\"");
    app.state.domains.browser = TextInput::new("not secure");
    let mut other = left("Rex").unwrap();
    other.typed.browser = TextInput::new("of an earlier session");
    change(&mut app, inside(), Some(other));
    let write = writes(&app).pop().unwrap();
    assert!(write.drafts.typed.form.is_some() && write.drafts.typed.browser.is_empty());
    assert_eq!((app.state.add.form[&add_pet::NAME].value(), app.state.domains.browser.value()), ("Rex", "not secure"));
    written(&mut app, Ok(()));
    millis(&mut app, 1_000);
    let write = writes(&app).pop().unwrap();
    assert_eq!((write.drafts.identity.as_str(), write.drafts.typed.browser.value()), ("/d/embedded.db", "not secure"));
}

#[test]
fn only_drafts_of_this_service_and_this_program_are_read() {
    let app = form("\"Biscuit\"");
    let drafts = drafts_of(&app.state, None, app.now).unwrap();
    assert_eq!(Drafts::read(&drafts.text(), IDENTITY), Some(drafts.clone()));
    assert_eq!(Drafts::read(&drafts.text(), "https://other.example/v1"), None);
    for text in ["", "{", "{}", &drafts.text().replace("\"typed\":{", "\"typed\":{\"new\":1,")] {
        assert_eq!(Drafts::read(text, IDENTITY), None, "{text}");
    }
    for redirects in ["null", "{\"was\":{\"primary\":null,\"redirects\":[]},\"selected\":1}"] {
        let earlier = drafts.text().replace("\"typed\":{", &format!("\"typed\":{{\"redirects\":{redirects},"));
        assert_eq!(Drafts::read(&earlier, IDENTITY), Some(drafts.clone()), "written by an earlier version");
    }
}

#[test]
fn a_pet_that_was_taken_is_a_line_and_no_draft() {
    let mut app = form("\"Biscuit\" Tab \"3\"");
    millis(&mut app, 500);
    written(&mut app, Ok(()));
    app.keys("F2");
    millis(&mut app, 500);
    assert!(writes(&app)[1].drafts.typed.is_empty());
    assert_eq!(app.state.add.form[&add_pet::CATEGORY].value(), "3", "what stays for the next one is not typed");
}

/// The drafts of an earlier version, with these members of what was typed.
fn earlier(typed: &str) -> Drafts {
    let text = drafts_of(&form("").state, None, form("").now).unwrap().text();
    let text = text.replace("\"form\":null,", "").replace("\"typed\":{", &format!("\"typed\":{{{typed},"));
    Drafts::read(&text.replace("\"sent\":null,", ""), IDENTITY).expect("not read")
}

/// The next session with such drafts.
fn after(drafts: Drafts, settings: Settings) -> TestApp {
    let now = form("").now;
    let keys = IdempotencyKeys::new(uuid::Uuid::max());
    let mut state = App::new(&settings, DomainSetup::default(), Size { columns: 80, rows: 24 }, keys);
    on_opened(&mut state, Ok(Some(drafts)));
    TestApp::of(state, now)
}

const BISCUIT: &str = r#""form":{"name":{"value":"Biscuit","cursor":7},"category":{"value":"3","cursor":1},"status":"Available","focus":"Name"},
    "sent":{"new":{"name":"Biscuit","categoryId":3,"status":"available"},"key":"6f1c-1","at":"2026-11-19T08:00:00Z","known":[1,2],"api_key":"77d0"}"#;

#[test]
fn what_an_earlier_version_sent_without_an_answer_becomes_a_line() {
    let mut app = after(earlier(&format!("{BISCUIT},\"ahead\":\"Max 4\"")), settings(remote()));
    app.shows("Biscuit was sent to api.example.com without an answer.");
    assert_eq!((app.state.screen, app.state.add.form[&add_pet::NAME].value()), (Screen::AddPet, "Max 4"));
    app.wait(Duration::from_millis(1));
    assert!(TypedText::of(&app.state).sent.is_some(), "it is kept until it is in the queue");
    let WriteLines(records) = app.asked().expect("it is not written");
    assert!(
        matches!(&records[..], [QueueRecord::Typed(_), QueueRecord::Sent { by, .. }] if by == "77d0"),
        "{records:?}"
    );
    app.answer::<WriteLines>(Ok(()));
    assert!(TypedText::of(&app.state).sent.is_none());
    let SendLine { line, .. } = app.asked().expect("it is not sent");
    let at = SentAt { here: "2026-11-19T08:00:00Z".parse().unwrap(), there: None };
    assert_eq!((line.new.name.as_str(), line.key.as_str(), line.again), ("Biscuit", "6f1c-1", Some(at)));
    // The service keeps keys for each API key, and that of the embedded one is new each time.
    let Service::Remote(mut other) = remote() else { panic!() };
    other.key = Some(ApiKey::new("petk_another_key_0000").unwrap());
    for service in [Service::Remote(other), inside()] {
        let mut app = after(earlier(BISCUIT), settings(service));
        app.wait(Duration::from_millis(1)).answer::<WriteLines>(Ok(()));
        assert!(app.asked::<SendLine>().is_none());
        assert_eq!(app.state.add.outbox.lines[0].fate, Fate::Unknown(None));
    }
}

#[test]
fn a_name_that_was_taken_before_a_kill_does_not_come_back_beside_its_line() {
    let app = form("\"Rex\" Tab \"3\"");
    let drafts = drafts_of(&app.state, None, app.now).unwrap();
    let pet = Draft { name: "Rex".into(), category_id: "3".into(), status: Some(PetStatus::Available) };
    for (after, name) in [(1, ""), (-1, "Rex")] {
        let key = IdempotencyKeys::new(uuid::Uuid::max()).make();
        let at = app.now.wall + jiff::SignedDuration::from_secs(after);
        let added = QueuedPet { line: 1, at, key, pet: pet.clone(), known: 0, change: None };
        let mut next = TestApp::loaded_from(remote(), 80, 24, &animals(39));
        lines::restore(&mut next.state, Ok(Unfinished { saved: vec![added], ..Unfinished::default() }));
        on_opened(&mut next.state, Ok(Some(drafts.clone())));
        start(&mut next.state, next.now);
        assert_eq!((next.state.add.draft().name.as_str(), next.says("is restored")), (name, !name.is_empty()));
    }
}

#[test]
fn what_is_a_line_already_is_not_taken_over_twice() {
    let mut app = after(earlier(BISCUIT), settings(remote()));
    app.wait(Duration::from_millis(1)).answer::<WriteLines>(Ok(()));
    app.state.add.sent = earlier(BISCUIT).typed.sent;
    start(&mut app.state, app.now);
    assert_eq!(app.state.add.outbox.lines.len(), 1);
}

#[test]
fn an_unfinished_name_of_rapid_entry_in_an_earlier_version_is_restored() {
    let rapid = |name: &str| {
        earlier(&format!(
            r#""rapid":{{"name":{{"value":"{name}","cursor":0}},"category":{{"value":"3","cursor":1}},"status":"sold"}}"#
        ))
    };
    let app = after(rapid("Bisc"), settings(remote()));
    let bisc = Draft { name: "Bisc".into(), category_id: "3".into(), status: Some(PetStatus::Sold) };
    assert_eq!((app.state.screen, app.state.add.draft()), (Screen::AddPet, bisc));
    let expected = Screen::Pets;
    assert_eq!(after(rapid(""), settings(remote())).state.screen, expected, "a category alone is not text for a pet");
}

#[test]
fn a_start_leads_to_the_form_only_with_a_name_left_there() {
    let mut app = form("\"Bisc\"");
    let next = next_session(&app, Some(Ending::Quit), remote(), Duration::from_secs(60));
    assert_eq!((next.state.screen, next.state.place().name), (Screen::AddPet, "form"));
    app.keys("C-u Tab \"3\" Tab Down");
    let next = next_session(&app, None, remote(), Duration::from_secs(60));
    assert_eq!((next.state.screen, next.state.add.draft()), (Screen::Pets, app.state.add.draft()));
}

#[test]
fn an_unfinished_import_is_shown_at_every_start_until_it_is_finished_or_dropped() {
    let mut app = form("F7 \"new-arrivals.csv\"");
    let next = next_session(&app, None, remote(), Duration::from_secs(60));
    assert_eq!((next.state.add.import.on, next.state.add.import.path.value()), (false, "new-arrivals.csv"));
    app.keys("Enter");
    let input = Input::stream("a", std::io::Cursor::new("name,cat\nRex,3\n")).unwrap();
    let reading = ColumnMapping::default();
    let preview = preview(input, &reading, |_, _| true).unwrap();
    let seen = CheckedFile { path: Some("/tmp/new-arrivals.csv".into()), preview, before: None, reading };
    app.answer::<CheckFile>(Ok(seen)).keys("F2");
    let report = "/tmp/new-arrivals.csv.petstore-import.ndjson";
    app.say::<RunImport>(ImportPart::Started("/tmp/new-arrivals.csv".into(), report.into()));
    let (mut next, mut ended) = (app, None);
    let path = "/tmp/new-arrivals.csv";
    // It is named at every start, whatever was pressed before.
    for keys in ["1", "Esc Esc", "1 2", "x"] {
        next = next_session(&next, ended, remote(), Duration::from_secs(60));
        let message = "The import of new-arrivals.csv is not finished: F2 continues it, F8 drops it.";
        assert!(next.says(message), "{keys}: {}", next.screen());
        assert!(next.job(Slot::CheckFile).is_some(), "{keys}");
        next.keys(keys);
        let expected = (path, Some(path));
        assert_eq!((next.state.add.import.path.value(), next.state.add.import.unfinished.as_deref()), expected);
        ended = Some(Ending::Quit);
    }
    next.keys("Esc F8");
    let next = next_session(&next, ended, remote(), Duration::from_secs(60));
    assert_eq!((next.state.add.import.on, next.state.add.import.path.value()), (false, ""));
}

#[test]
fn pasted_lines_that_were_not_sent_are_previewed_again_as_they_were_read() {
    let mut app = form("Tab \"3\" S-Tab");
    app.send(Msg::Paste("Gus\nHal\n".into())).keys("Tab BS \"5\"");
    let asked = |app: &TestApp| app.asked().map(|CheckFile { source, reading }| (source, reading));
    for ended in [None, Some(Ending::Signal), Some(Ending::Quit)] {
        let mut next = next_session(&app, ended, remote(), Duration::from_secs(60));
        assert_eq!((next.state.screen, next.state.place().name), (Screen::AddPet, "import-preview"), "{ended:?}");
        next.shows("None of it was sent.");
        let (source, reading) = asked(&next).expect("not checked");
        assert_eq!(source, *app.state.add.import.source().unwrap());
        assert_eq!(reading.set, [None, Some("5".into()), Some("available".into())]);
        let drafts = writes(&next).len();
        next.wait(Duration::from_secs(1));
        assert_eq!(writes(&next).len(), drafts, "it is on disk as it is");
    }
    // A line is as pasted, not as it is read.
    let text = drafts_of(&app.state, None, app.now).unwrap().text();
    assert!(text.contains(r#""text":"Gus\nHal\n""#), "{text}");
}

#[test]
fn looks() {
    let make = |columns, rows| {
        let app = form("\"Captain Fluff the Se\" Tab \"1\" Tab Down");
        let mut next = next_session(&app, None, remote(), Duration::from_secs(60));
        next.send(Msg::Resize(Size { columns, rows }));
        next
    };
    let mut looks = Looks::after("form", |columns, rows| add_pet::tests::typed(columns, rows, ""));
    looks.state("back", make);
    insta::assert_snapshot!(looks);
}
