//! Tests of the profiles screen: keys, replies, and how each state is painted.

use crate::tui::testing::prelude::*;
use std::sync::Arc;

use super::*;
use crate::config::{Accent, Origin, ProfileEntry, Sourced};
use crate::tui::drafts::{Drafts, TypedText};
use crate::tui::popups::help::CommandsBox;
use crate::tui::screens::add_pet::{self, import};
use crate::tui::testing::{self, of_kind, profiles, settings, unauthorized};
use crate::tui::{Health, TextInput};

impl TestApp {
    /// How many jobs that create or change a profile were requested.
    fn writes(&self) -> usize {
        let writes = |effect: &&Effect| matches!(effect, Effect::Job(job) if job.job.slot() == Slot::WriteProfile);
        self.effects.iter().filter(writes).count()
    }
}

pub fn listed(columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39));
    app.state.link.origins = origins();
    app.keys("P").answer::<ReadProfiles>(Ok(profiles()));
    app
}

fn origins() -> Vec<Sourced> {
    let file = |line| Origin::File { path: "/home/ada/.config/petstore/config.toml".into(), line };
    let setting = |name: &str, value: &str, origin| Sourced { name: name.into(), value: value.to_owned(), origin };
    vec![
        setting("profile", "production", file(3)),
        setting("address", "https://api.example.com/v1", file(14)),
        setting("key", "from environment PETSTORE_API_KEY", Origin::Environment("PETSTORE_API_KEY")),
        setting("rows", "20", Origin::Default),
        setting("status", "all", Origin::Default),
        setting("live", "off", Origin::Default),
        setting("theme", "default", Origin::Default),
        setting("glyphs", "ascii", Origin::Flag("--ascii")),
        setting("clipboard", "auto", Origin::Default),
    ]
}

/// The settings after a switch to `staging`, whose key comes from there.
fn staging(key: Origin) -> Settings {
    let mut staging = settings(Service::Remote(crate::config::Remote {
        base_url: "https://staging.api.example.com/v1".parse().unwrap(),
        key: Some(ApiKey::new("petk_0123456789abcdefa91c").unwrap()),
        key_origin: KeyOrigin::File("/home/ada/.config/petstore/keys/staging".into()),
        ca_file: None,
    }));
    staging.name = "staging".into();
    staging.label = "STAGING".into();
    staging.accent = Accent::Yellow;
    let origin = |name: &str, origin| Sourced { name: name.into(), value: String::new(), origin };
    staging.origins = vec![origin("profile", Origin::ByHand), origin("key", key)];
    staging
}

fn in_file() -> Origin {
    Origin::File { path: "config.toml".into(), line: 10 }
}

fn used(settings: Settings) -> Used {
    used_with(settings, None)
}

/// The same with what an earlier session left.
fn used_with(settings: Settings, drafts: Option<Drafts>) -> Used {
    Used { settings: Arc::new(settings), kept: None, left: Ok(Unfinished::default()), drafts: Ok(drafts) }
}

const SHOP: &str = "n \"https://shop.example/v1\" Tab Tab \"petk_0123456789abcdef\" Tab";

/// The form, filled.
fn typed(columns: u16, rows: u16) -> TestApp {
    listed(columns, rows).after(SHOP)
}

fn tried(columns: u16, rows: u16, tested: Tested) -> TestApp {
    typed(columns, rows).after("F2").answered::<TryProfile>(Ok(tested))
}

// --- the list ---

#[test]
fn the_screen_opens_on_the_profile_in_use_and_returns_to_the_previous_screen() {
    let mut app =
        TestApp::loaded_from(remote(), 80, 24, &animals(3)).after("3 P").answered::<ReadProfiles>(Ok(profiles()));
    assert_eq!((app.state.screen, app.state.place().name), (Screen::Profiles, "profiles"));
    assert_eq!(app.state.profiles.entry().unwrap().name, "production");
    app.keys("Down Down Down");
    assert_eq!(app.state.profiles.entry().unwrap().name, "staging");
    app.keys("P").answer::<ReadProfiles>(Ok(profiles()));
    assert_eq!(app.state.profiles.entry().unwrap().name, "staging", "reading again moves nothing");
    app.keys("Esc");
    assert_eq!(app.state.screen, Screen::Domains);
}

#[test]
fn a_failed_read_says_why_and_keeps_the_list() {
    let mut app = listed(80, 24).after("r").answered::<ReadProfiles>(Err("config.toml:3:1: unknown field `x`".into()));
    app.shows("Cannot read the profiles: config.toml:3:1: unknown field");
    assert_eq!(app.state.profiles.entries().len(), 3);
}

#[test]
fn a_test_asks_once_and_its_result_stays() {
    let mut app = listed(80, 24).after("Down t");
    assert_eq!(app.asked(), Some(TestProfile { name: "staging".into(), in_use: false }));
    app.answer::<TestProfile>(Ok(Tested::Failed(unauthorized())));
    app.shows("staging.api.example.com did not accept the API key: \"API key is not valid\"");
    app.keys("Up t");
    assert_eq!(app.asked(), Some(TestProfile { name: "production".into(), in_use: true }));
    app.answer::<TestProfile>(Ok(Tested::Answered(Duration::from_millis(142))));
    app.shows("OK 142 ms").shows("! ERROR 401");
}

#[test]
fn without_a_key_no_service_is_blamed_for_not_accepting_it() {
    let Service::Remote(keyless) = remote() else { panic!() };
    let keyless = crate::config::Remote { key: None, key_origin: KeyOrigin::Absent, ..keyless };
    let mut app = TestApp::started(Service::Remote(keyless), 80, 24).later(DEAF).after("Esc P");
    app.answer::<ReadProfiles>(Ok(profiles())).shows("| no key").lacks("did not accept").lacks("401");
}

#[test]
fn only_a_permanent_address_is_copied() {
    let mut app = listed(80, 24).after("y");
    let CopyText { text, .. } = app.asked().unwrap();
    assert_eq!(text, "https://api.example.com/v1");
    app.keys("g y").shows("has a new address each time");
}

// --- switching services ---

#[test]
fn after_a_switch_nothing_of_the_previous_service_is_left() {
    let mut app =
        TestApp::loaded_from(remote(), 80, 24, &animals(39)).after("/ \"rex\" Enter C-l A a \"Biscuit\" Esc r");
    let late = app.job(Slot::List).unwrap();
    app.keys("2 Esc 1 P").answer::<ReadProfiles>(Ok(profiles())).keys("Down Enter");
    assert_eq!(app.asked(), Some(UseProfile("staging".into())));
    assert_eq!(app.state.link.name, "production", "until it is known that the other one can be used");
    app.answer::<UseProfile>(Ok(used(staging(in_file()))));

    assert_eq!((app.state.screen, app.state.link.name.as_str()), (Screen::Pets, "staging"));
    assert_eq!((app.state.pets.row_count(), app.state.pets.store.get(100_231)), (0, None));
    assert!(app.state.pets.search.is_empty() && app.state.pets.live.is_none());
    assert_eq!(app.state.pets.store.count(Some(PetStatus::Sold)), None);
    assert_eq!(app.state.add.form[&add_pet::NAME].value(), "");
    assert!(app.effects.contains(&Effect::Cancel(Slot::List)));
    let asks_anew = app.job(Slot::List).filter(|job| job.id != late.id).expect("the list is asked for");
    assert!(matches!(of_kind(&asks_anew), Some(ListPets { known: None, .. })));
    let message = "Using staging: staging.api.example.com. Your text for production stays there.";
    app.shows("STAGING |").shows(message);

    app.answer_to::<ListPets>(late.id, testing::listed(animals(5), None));
    assert_eq!(app.state.pets.row_count(), 0, "late rows of the other service are dropped");
    app.answer::<ListPets>(testing::listed(animals(2), None));
    assert_eq!(app.state.pets.row_count(), 2);
}

#[test]
fn the_cached_list_of_the_other_service_is_shown_immediately() {
    let mut other = TestApp::loaded_from(staging(in_file()).service, 80, 24, &animals(7)).after("r");
    other.answer::<ListPets>(testing::listed(animals(7), None));
    let kept: SessionCache = other.asked().expect("nothing is kept");
    let mut app = listed(80, 24).after("Down Enter");
    app.answer::<UseProfile>(Ok(Used { kept: Some(kept), ..used(staging(in_file())) }));
    assert_eq!(app.state.pets.row_count(), 7);
    assert!(app.state.pending.is_running(Slot::List));
}

#[test]
fn a_failed_switch_keeps_the_previous_service_and_says_why() {
    type Answer = fn(&mut TestApp) -> &mut TestApp;
    let answers: [(Answer, &str); 2] = [
        (|app| app.answer::<UseProfile>(Err("cannot read the API key from keys/staging: gone".into())), "gone"),
        (|app| app.fail(Slot::UseProfile, Failure::Busy), "is busy"),
    ];
    for (answer, why) in answers {
        let mut app = listed(80, 24).after("Down Enter");
        answer(&mut app);
        app.shows("Cannot use staging; still using production:").shows(why);
        assert_eq!((app.state.link.name.as_str(), app.state.pets.row_count()), ("production", 39));
    }
}

#[test]
fn no_switch_begins_while_a_pet_is_being_sent() {
    let mut app = listed(80, 24).after("2 \"Biscuit\" Tab \"3\" F2 Esc P Down Enter");
    app.shows("Pets are being sent to api.example.com. Wait a moment, then switch.");
    assert!(app.job(Slot::UseProfile).is_none());
    app.answer::<WriteLines>(Ok(()));
    let failure = Failure::NoAnswer { after: Duration::from_secs(30) };
    app.answer_in::<SendLine>(Slot::Line(0), Ok(LineSent::Failed(failure))).keys("Enter");
    assert!(app.job(Slot::UseProfile).is_some(), "it waits on disk");
}

#[test]
fn nothing_is_sent_during_a_switch_and_there_is_one_at_a_time() {
    let mut app = listed(80, 24).after("Down Enter");
    let first = app.job(Slot::UseProfile);
    app.keys("Up Enter").shows("Still switching to staging.");
    assert_eq!(app.job(Slot::UseProfile), first);
    app.keys("C-c");
    assert!(app.state.pending.is_running(Slot::UseProfile), "nobody would know which one is in use");
    app.keys("2 \"Biscuit\" Tab \"3\" F2").shows("Switching to staging; nothing was sent.");
    assert!(app.state.add.outbox.lines.is_empty());
    app.answer::<UseProfile>(Ok(used(staging(in_file())))).keys("F2");
    assert!(app.state.add.outbox.lines.is_empty(), "it was typed for production");
    change(&mut app, production());
    app.keys("F2");
    assert_eq!(app.state.add.outbox.lines.len(), 1);
}

fn production() -> Settings {
    settings(remote())
}

/// Switches to another service, which can be used immediately.
fn change(app: &mut TestApp, to: Settings) {
    app.state.screen = Screen::Pets;
    app.keys("P").answer::<ReadProfiles>(Ok(profiles()));
    app.state.profiles.selected.clone_from(&to.name);
    app.keys("Enter").answer::<UseProfile>(Ok(used(to)));
}

#[test]
fn text_stays_with_its_service_and_is_restored_with_it() {
    let pasted = || Msg::Paste("Rex\nMax".into());
    for (keys, paste) in [
        ("a \"Biscuit\" Tab \"3\" Tab Down", None),
        ("I \"new-arrivals.csv\"", None),
        ("I \"new-arrivals.csv\" Enter", None),
        ("a", Some(pasted())),
    ] {
        let mut app = listed(80, 24);
        app.keys("Esc").keys(keys);
        paste.into_iter().for_each(|paste| _ = app.send(paste));
        let (context, typed) = (app.state.place().name, TypedText::of(&app.state).for_service());
        change(&mut app, staging(in_file()));
        assert!(TypedText::of(&app.state).is_empty(), "{keys}");
        assert_eq!(app.state.screen, Screen::Pets, "{keys}");
        app.effects.clear();
        app.keys("a F8");
        assert!(app.says("Nothing is typed."), "{keys}: {}", app.screen());
        app.keys("F2 Esc 2");
        assert_eq!(app.state.place().name, "form", "{keys}");
        let sends = |slot| app.job(slot).is_some();
        assert!(!sends(Slot::Import) && !sends(Slot::Line(0)), "{keys}");
        app.keys("\"Other\"");

        change(&mut app, production());
        assert_eq!(TypedText::of(&app.state).for_service(), typed, "{keys}");
        assert_eq!((app.state.screen, app.state.place().name), (Screen::AddPet, context), "{keys}");
        let looks_again = context == "import-preview";
        assert_eq!(app.state.pending.is_running(Slot::CheckFile), looks_again, "{keys}");
        change(&mut app, staging(in_file()));
        assert_eq!(app.state.add.form[&add_pet::NAME].value(), "Other", "{keys}");
        app.shows("Your text here is restored.");
    }
}

#[test]
fn text_for_no_service_survives_a_switch() {
    let mut app = listed(80, 24).after("n \"https://shop.example/v1\" Tab Esc Esc");
    app.state.domains.browser = TextInput::new("not secure");
    change(&mut app, staging(in_file()));
    assert_eq!(app.state.profiles.form.value(&NAME), "shop");
    assert_eq!(app.state.domains.browser.value(), "not secure");
}

#[test]
fn a_protected_service_asks_again_after_each_switch() {
    let protected = || Settings { protect: true, ..production() };
    let mut app = listed(80, 24);
    change(&mut app, protected());
    app.keys("a \"Biscuit\" Tab \"3\" F2").wait(Duration::from_millis(300)).keys("y");
    let pet = Pet { id: 7, name: "Biscuit".into(), category_id: 3, status: None };
    app.added(pet).keys("\"Rex\" Esc");
    change(&mut app, staging(in_file()));
    app.keys("a \"Test pet\" Tab \"1\" Esc");
    change(&mut app, protected());
    app.effects.clear();
    assert_eq!(app.state.add.form[&add_pet::NAME].value(), "Rex");
    app.keys("F2");
    assert_eq!((app.state.place().name, app.job(Slot::Line(0))), ("confirm", None));
}

#[test]
fn with_a_read_only_profile_no_key_leads_to_adding() {
    let mut app = listed(80, 24).after("Esc a \"Biscuit\"");
    change(&mut app, Settings { read_only: true, ..staging(in_file()) });
    assert_eq!(app.state.screen, Screen::Pets);
    app.answer::<ListPets>(testing::listed(Vec::new(), None));
    let screen = app.screen();
    assert!(screen.contains("STAGING, read-only") && !screen.contains("2 Add pet"), "{screen}");
    app.effects.clear();
    for key in ["a", "2", "I", "F7", "S"] {
        app.keys(key);
        assert!(
            app.says("Nothing can be added or changed: STAGING is read-only (read_only = true in its profile)."),
            "{key}"
        );
        let expected = (Screen::Pets, false, 0);
        assert_eq!((app.state.screen, app.state.popups.is_open(), app.effects.len()), expected, "{key}");
    }
    app.keys(":");
    let commands = app.state.popups.get::<CommandsBox>().unwrap();
    let adds = ["show-add", "rapid-entry", "import", "samples"];
    assert!(commands.found.iter().all(|found| !adds.contains(&found.command.name) && !found.title.contains("Add pet")));
    app.keys("Esc");
    change(&mut app, production());
    assert_eq!(app.state.add.form[&add_pet::NAME].value(), "Biscuit");
}

#[test]
fn an_ended_import_continues_only_at_its_service_and_a_protected_one_asks_again() {
    let mut app = import::tests::running(80, 24);
    let progress = app.state.add.import.running().unwrap().progress.clone();
    let end = Summary { progress, left: Some(9), ended: ImportEnded::Stopped, report: None };
    app.answer::<RunImport>(Ok(Ok(end)));
    app.effects.clear();
    change(&mut app, staging(in_file()));
    app.keys("2 F2");
    assert_eq!((app.state.place().name, app.job(Slot::Import)), ("form", None));
    change(&mut app, Settings { protect: true, ..production() });
    app.keys("2 F2");
    assert_eq!((app.state.place().name, app.job(Slot::Import)), ("confirm", None));
    app.wait(Duration::from_millis(300)).keys("y");
    let run: RunImport = app.asked().unwrap();
    assert_eq!(run.run.start, Start::GoOn);
}

#[test]
fn during_a_switch_no_key_is_asked_for_and_no_line_changes() {
    let mut app = listed(80, 24).after("Esc a \"12345678\" Tab \"3\" F2").answered::<WriteLines>(Ok(()));
    app.answer_in::<SendLine>(Slot::Line(0), Ok(LineSent::Failed(Failure::refused(400, Err("no"), None))));
    app.answer::<WriteLines>(Ok(())).keys("Esc P").answer::<ReadProfiles>(Ok(profiles())).keys("Down Enter");
    assert!(app.state.pending.is_running(Slot::UseProfile));
    app.effects.clear();
    app.keys("g Down K");
    assert!(!app.state.popups.is_open() && app.says("Switching to staging: a key can be entered after that."));
    app.keys("2 F6");
    for key in ["Enter", "F5", "Del"] {
        app.keys(key);
        assert!(app.says("Switching to staging; the line was not changed."), "{key}: {}", app.screen());
    }
    assert_eq!((app.state.add.outbox.lines.len(), app.job(Slot::Queue)), (1, None));
}

#[test]
fn no_switch_begins_while_samples_are_being_sent() {
    let mut app = TestApp::loaded_from(remote(), 80, 24, &[]);
    app.keys("S").wait(DEAF).keys("y P").answer::<ReadProfiles>(Ok(profiles())).keys("Down Enter");
    app.shows("Samples are being sent to api.example.com. Wait for the answer, then switch.");
    assert!(app.job(Slot::UseProfile).is_none() && app.state.pending.is_running(Slot::Samples));
}

#[test]
fn an_environment_key_that_goes_to_another_host_is_reported() {
    let is_reported = |origin: Origin| {
        let mut app = listed(80, 24).after("Down Enter").answered::<UseProfile>(Ok(used(staging(origin))));
        app.says("The API key from PETSTORE_API_KEY is now sent to staging.api.example.com.")
    };
    assert!(is_reported(Origin::Environment("PETSTORE_API_KEY")));
    assert!(!is_reported(in_file()));
}

#[test]
fn a_profile_without_a_key_asks_for_one_before_anything_is_sent() {
    let mut app = listed(80, 24).after("Down Enter");
    let mut keyless = staging(Origin::Default);
    let Service::Remote(remote) = &mut keyless.service else { panic!("not remote") };
    (remote.key, remote.key_origin) = (None, KeyOrigin::Absent);
    app.answer::<UseProfile>(Ok(used(keyless)));
    assert!(app.state.popups.get::<KeyBox>().is_some());
    assert!(!app.state.pending.is_running(Slot::List));
    assert_eq!(app.asked(), Some(FindKeyFile("staging".into())));
}

#[test]
fn a_box_about_the_service_before_closes_with_it_though_the_help_lies_over_it() {
    let mut app = listed(80, 24).after("Esc # 7 F1");
    app.begin(UseProfile("staging".into())).answer::<UseProfile>(Ok(used(staging(in_file())))).keys("Esc");
    assert!(!app.state.popups.is_open());
}

// --- the key box ---

fn key_box(app: &TestApp) -> &KeyBox {
    match app.state.popups.get() {
        Some(key_box) => key_box,
        other => panic!("no key box: {other:?}"),
    }
}

/// The box on a service that refused the key.
fn refused(columns: u16, rows: u16, file: Option<String>) -> TestApp {
    let mut app = TestApp::loaded_from(remote(), columns, rows, &animals(39)).after("r");
    app.answer::<ListPets>(Err(unauthorized())).keys("F4").wait(Duration::from_millis(300));
    app.answer::<FindKeyFile>(Ok(file));
    app
}

fn key_file() -> Option<String> {
    Some("~/.config/petstore/keys/production".into())
}

#[test]
fn the_key_file_is_asked_for_once_for_each_box() {
    let app = refused(80, 24, key_file());
    let asked = |app: &TestApp| {
        app.effects.iter().filter(|e| matches!(e, Effect::Job(j) if j.job.slot() == Slot::KeyFile)).count()
    };
    assert_eq!(asked(&app), 1);
    let mut app = app;
    app.keys("x x Esc F4");
    assert_eq!(asked(&app), 2);
}

#[test]
fn the_choice_cycles_through_the_options_and_letters_go_to_the_field() {
    let steps = |file: Option<String>, keys: &str| {
        let app = refused(80, 24, file).after(keys);
        let key_box = key_box(&app);
        (key_box.choosing, key_box.store)
    };
    assert_eq!(steps(key_file(), "Tab"), (true, false));
    assert_eq!(steps(key_file(), "Tab Down"), (true, true));
    assert_eq!(steps(key_file(), "Tab Tab Tab"), (false, true));
    assert_eq!(steps(key_file(), "Tab Tab Tab Up"), (true, true));
    assert_eq!(steps(key_file(), "Tab Down Up"), (true, false));
    assert_eq!(steps(key_file(), "Tab Up"), (false, false));
    assert_eq!(steps(key_file(), "Tab Down x"), (false, true));
    assert_eq!(steps(None, "Tab Tab"), (false, false));
}

#[test]
fn a_key_is_stored_only_after_it_was_accepted() {
    let mut app = refused(80, 24, key_file()).after("\"petk_fedcba9876543210\" Tab Down Enter");
    app.answer::<TestKey>(Err(unauthorized()));
    assert!(app.says("This key was not accepted either.") && app.writes() == 0);
    app.keys("Enter").answer::<TestKey>(Ok(()));
    let task = KeepKey { profile: "production".into(), key: ApiKey::new("petk_fedcba9876543210").unwrap() };
    assert_eq!(app.asked(), Some(task));
    let origin = KeyOrigin::File("~/.config/petstore/keys/production".into());
    app.answer::<KeepKey>(Ok(origin.clone()));
    assert_eq!(app.state.link.key, ("3210".into(), origin));
    app.shows("It is stored in ~/.config/petstore/keys/production, readable only by you.");
}

#[test]
fn the_key_that_was_tested_is_stored_whatever_is_typed_meanwhile() {
    let mut app = refused(80, 24, key_file()).after("\"petk_fedcba9876543210\" Tab Down Enter \"9\"");
    app.answer::<TestKey>(Ok(()));
    let KeepKey { key, .. } = app.asked().unwrap();
    assert_eq!(key, ApiKey::new("petk_fedcba9876543210").unwrap());
    app.state.link.name = "staging".into();
    let origin = app.state.link.key.1.clone();
    app.answer::<KeepKey>(Ok(KeyOrigin::File("~/.config/petstore/keys/production".into())));
    assert_eq!(app.state.link.key.1, origin, "it is of the profile before");
}

#[test]
fn a_key_that_cannot_be_stored_is_used_anyway() {
    let mut app = refused(80, 24, key_file()).after("\"petk_fedcba9876543210\" Tab Down Enter");
    app.answer::<TestKey>(Ok(())).answer::<KeepKey>(Err("no room.".into()));
    app.shows("for this session, but it was not stored: no room.");
    assert_eq!(app.state.link.key, ("3210".into(), KeyOrigin::Typed));
}

#[test]
fn ctrl_o_leads_from_the_box_to_the_other_profiles_and_no_key_is_tried_any_more() {
    let mut app = refused(80, 24, key_file()).after("\"petk_fedcba9876543210\" Enter C-o");
    assert_eq!((app.state.screen, app.state.popups.is_open()), (Screen::Profiles, false));
    assert!(app.effects.contains(&Effect::Cancel(Slot::TestKey)));
    app.keys("Esc");
    assert_eq!(app.state.screen, Screen::Pets);
}

#[test]
fn another_key_is_entered_for_the_profile_in_use_only() {
    let mut app = listed(80, 24).after("Down K");
    app.shows("K sets the API key of the profile in use. Press Enter to use staging first.");
    app.keys("Up K").shows("Another API key").keys("Esc");
    let expected = (Screen::Profiles, false, None);
    assert_eq!((app.state.screen, app.state.popups.is_open(), app.state.message.clone()), expected);
    assert!(matches!(app.state.link.health, Health::Ok { .. }));
}

// --- a new profile ---

#[test]
fn an_invalid_profile_is_not_tested_and_the_cursor_goes_to_the_error() {
    let mut app = listed(80, 24).after("n F2");
    app.shows("Fix 3 fields first. Nothing was saved.");
    assert_eq!(app.state.profiles.form.focus().name, "address");
    app.keys("\"https://staging.example/v1\" Tab Down Tab \"1X\" F2");
    app.shows("There is already a profile with this name.");
    let form = &app.state.profiles.form;
    assert_eq!((form.focus().name, form.value(&SOURCE)), ("variable", "variable"));
    app.keys("\"SHOP_KEY\" F2");
    assert_eq!(app.state.profiles.form.focus().name, "name");
    assert!(app.job(Slot::TryProfile).is_none() && app.writes() == 0);
}

#[test]
fn a_profile_that_answers_is_saved_immediately_and_selected() {
    let mut app = tried(80, 24, Tested::Answered(Duration::from_millis(31)));
    let AddProfile(new) = app.asked().unwrap();
    let key = ApiKey::new("petk_0123456789abcdef").unwrap();
    assert_eq!((new.name.as_str(), new.typed), ("shop", Some(key)));
    app.answer::<AddProfile>(Ok(AddedProfile { file: "config.toml".into(), is_default: false, key_lost: None }));
    app.shows("Added shop to config.toml. It answered in 31 ms. Enter uses it.");
    let mut more = profiles();
    more.entries.push(ProfileEntry { name: "shop".into(), ..more.entries[1].clone() });
    app.answer::<ReadProfiles>(Ok(more));
    assert_eq!(app.state.profiles.entry().unwrap().name, "shop");
    app.keys("n");
    let form = &app.state.profiles.form;
    assert_eq!([&NAME, &KEY].map(|field| form.value(field)), [""; 2]);
}

#[test]
fn a_profile_that_does_not_answer_is_saved_only_by_an_unchanged_second_try() {
    let mut app = tried(80, 24, Tested::Failed(unauthorized()));
    assert!(app.writes() == 0 && app.says("or press F2 to save it anyway."), "{}", app.screen());
    app.keys("\"0\" F2");
    assert!(app.writes() == 0 && app.state.pending.is_running(Slot::TryProfile), "another key is another try");
    app.answer::<TryProfile>(Ok(Tested::Unusable("no".into()))).keys("F2");
    assert_eq!(app.writes(), 1);
}

#[test]
fn a_form_changed_during_the_test_is_not_saved() {
    let mut app = typed(80, 24).after("F2 \"x\"");
    app.answer::<TryProfile>(Ok(Tested::Answered(Duration::from_millis(31))));
    assert!(app.writes() == 0 && app.says("F2 tests it as it is now."));
}

#[test]
fn the_form_keeps_its_text_when_left() {
    let mut app = typed(80, 24).after("F2 Esc Esc");
    assert_eq!(app.state.screen, Screen::Pets);
    assert!(app.effects.contains(&Effect::Cancel(Slot::TryProfile)));
    app.keys("P n");
    let form = &app.state.profiles.form;
    assert_eq!((form.value(&NAME), form.value(&KEY)), ("shop", "petk_0123456789abcdef"));
    assert_eq!(app.state.place().name, "profile-text");
}

#[test]
fn at_the_first_start_the_form_leads_to_a_service_and_esc_back_to_the_choice() {
    let mut app = TestApp::first_start(80, 24).after("3").answered::<ReadProfiles>(Ok(profiles()));
    app.keys(SHOP.strip_prefix("n ").unwrap()).keys("F2");
    app.answer::<TryProfile>(Ok(Tested::Answered(Duration::from_millis(31))));
    assert!(app.asked::<AddProfile>().is_some());
    app.answer::<AddProfile>(Ok(AddedProfile { file: "config.toml".into(), is_default: true, key_lost: None }));
    app.keys("1 2 : H Esc");
    assert_eq!((app.state.screen, app.state.popups.is_open()), (Screen::Welcome, false), "no service yet");
    assert!(app.job(Slot::List).is_none());
    assert_eq!(app.asked(), Some(UseProfile("shop".into())), "without another key");
    app.answer::<UseProfile>(Ok(used(staging(in_file()))));
    assert_eq!(app.state.screen, Screen::Pets);
    assert!(app.job(Slot::List).is_some());
}

#[test]
fn two_screens_opened_from_each_other_can_be_left() {
    let app = listed(80, 24).after("H P H P Esc Esc Esc");
    assert_eq!(app.state.screen, Screen::Pets);
}

#[test]
fn a_key_is_never_on_the_screen_unless_it_is_asked_for_and_hidden_when_the_form_is_opened_again() {
    let mut app = typed(80, 24);
    for (keys, is_seen) in [("", false), ("C-r", true), ("Esc n", false)] {
        assert_eq!(app.keys(keys).screen().contains("petk_0123456789abcdef"), is_seen, "{keys}");
        assert_eq!(app.screen().contains("petk_"), is_seen, "{keys}");
    }
}

#[test]
fn the_button_and_the_bottom_line_name_the_same_save() {
    let named = |mut app: TestApp| {
        let screen = app.screen();
        let (body, bottom) = screen.trim_end().rsplit_once('\n').unwrap();
        ["est and save", "ave anyway"].map(|word| (body.contains(word), bottom.contains(word)))
    };
    assert_eq!(named(typed(80, 24)), [(true, true), (false, false)]);
    assert_eq!(named(tried(80, 24, Tested::Failed(unauthorized()))), [(false, false), (true, true)]);
}

#[test]
fn a_value_that_the_service_refused_is_replaced_by_typing() {
    let app = tried(80, 24, Tested::Failed(unauthorized())).after("\"petk_another_key\"");
    assert_eq!(app.state.profiles.form.value(&KEY), "petk_another_key");
    let nobody = Failure::NotSent { why: "connection refused".into() };
    let app = tried(80, 24, Tested::Failed(nobody)).after("\"https://other.example/v1\"");
    assert_eq!(app.state.profiles.form.value(&ADDRESS), "https://other.example/v1");
}

#[test]
fn the_address_proposes_a_name_unless_one_was_typed() {
    for (address, name) in [
        ("https://api.shop.example/v1", "shop"),
        ("https://petstore.example:8443/v1", "petstore"),
        ("http://localhost:8080/v1", "localhost"),
        ("http://127.0.0.1:8080/v1", "service"),
        ("http://[::1]:8080/v1", "service"),
        ("shop.example", ""),
    ] {
        let mut app = listed(80, 24);
        app.keys(&format!("n \"{address}\" Tab"));
        assert_eq!(app.state.profiles.form.value(&NAME), name, "{address}");
        app.keys("S-Tab \"2\" Tab");
        assert_eq!(app.state.profiles.form.value(&NAME), name, "{address}");
        app.keys("Tab Tab \"mine\"");
        assert_eq!(app.state.profiles.form.value(&NAME), "mine", "{address}");
    }
}

#[test]
fn an_address_without_a_scheme_is_refused_with_the_remedy() {
    for address in ["shop.example/v1", "127.0.0.1:8080/v1", "localhost:8080/v1"] {
        let mut app = listed(80, 24);
        app.keys(&format!("n \"{address}\" Tab"));
        app.shows("The address must start with https:// (or http:// for this machine)");
    }
}

#[test]
fn a_key_typed_for_the_session_is_never_dropped_silently() {
    let mut app = listed(80, 24).after("K \"petk_of_this_session\" Enter").answered::<TestKey>(Ok(())).after("Enter");
    assert!(app.job(Slot::UseProfile).is_none() && app.state.link.key.1 == KeyOrigin::Typed);
    app.shows("production is in use, with the key that you typed for this session.");
    app.keys("P Down Enter").answer::<UseProfile>(Ok(used(staging(in_file()))));
    app.shows("The key typed for production was for this session and is forgotten.");
}

#[test]
fn a_new_profile_that_becomes_the_default_says_so() {
    for (is_default, key_lost) in [(true, None), (false, None), (true, Some("no room".into()))] {
        let mut app = tried(80, 24, Tested::Answered(Duration::from_millis(31)));
        let added = AddedProfile { file: "config.toml".into(), is_default, key_lost };
        app.answer::<AddProfile>(Ok(added));
        assert_eq!(app.says("It is the default from the next start."), is_default, "{}", app.screen());
    }
}

#[test]
fn tab_completes_the_path_of_a_key_file() {
    let mut app = listed(80, 24).after("n \"https://shop.example/v1\" Tab Down Down Tab \"~/ke\" Tab");
    assert_eq!(app.state.profiles.form.value(&SOURCE), "file");
    assert_eq!(app.asked(), Some(CompletePath("~/ke".into())));
    let completion = Completion { more: "ys/".into(), names: vec!["keys/".into()] };
    app.answer::<CompletePath>(Ok(completion));
    assert_eq!(app.state.profiles.form.value(&FILE), "~/keys/");
    app.keys("Enter");
    assert_eq!(app.state.profiles.form.focus().name, "name");
}

#[test]
fn a_key_refused_elsewhere_opens_no_box_over_the_form() {
    let mut app = listed(80, 24).after("1 r P n").answered::<ListPets>(Err(unauthorized()));
    assert!(app.state.key_refused() && !app.state.popups.is_open());
    app.keys("C-r");
    assert!(!app.state.popups.is_open() && app.state.profiles.form.shown);
}

// --- painting ---

fn tested(columns: u16, rows: u16) -> TestApp {
    let mut app = listed(columns, rows).after("t");
    app.answer::<TestProfile>(Ok(Tested::Answered(Duration::from_millis(142)))).keys("Down t");
    app.answer::<TestProfile>(Ok(Tested::Failed(unauthorized())));
    app
}

#[test]
fn looks() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.state("reading", |columns, rows| TestApp::loaded_from(remote(), columns, rows, &animals(39)).after("P"));
    looks.state("listed", listed);
    looks.state("tested", tested);
    looks.state("switching", |columns, rows| listed(columns, rows).after("Down Enter").later(Duration::from_secs(3)));
    looks.state("not_used", |columns, rows| {
        let mut app = listed(columns, rows).after("Down Enter");
        let why = "cannot read the API key from /home/ada/.config/petstore/keys/staging: No such file or directory";
        app.answer::<UseProfile>(Err(why.into()));
        app
    });
    looks.state("used", |columns, rows| {
        let mut app = listed(columns, rows).after("Down Enter").answered::<UseProfile>(Ok(used(staging(in_file()))));
        app.answer_lists(&animals(3));
        app
    });
    looks.state("form", |columns, rows| listed(columns, rows).after("n"));
    looks.state("form_wrong", |columns, rows| {
        listed(columns, rows).after("n \"http://shop.example/v1\" Tab Tab Tab \"my shop\" F2")
    });
    looks.state("form_tried", |columns, rows| tried(columns, rows, Tested::Failed(unauthorized())));
    let mut red = listed(60, 16);
    red.state.link.label = "PRODUCTION".into();
    red.state.link.accent = Accent::Red;
    looks.frame("listed", &mut red);
    red.send(Msg::Resize(Size { columns: 40, rows: 8 }));
    looks.frame("listed", &mut red);
    looks.frame("form", red.keys("n Tab Tab Tab Tab"));
    let mut red = red.after("Esc").in_monochrome();
    red.send(Msg::Resize(Size { columns: 80, rows: 24 }));
    looks.frame("listed_mono", &mut red);
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_of_the_key_box() {
    let mut looks = Looks::after("browsing", TestApp::loaded);
    looks.state("key_session_only", |columns, rows| refused(columns, rows, None));
    looks.state("key_choice", |columns, rows| {
        refused(columns, rows, key_file()).after("\"petk_fedcba9876543210\" Tab Down")
    });
    insta::assert_snapshot!(looks);
}

#[test]
fn a_command_is_split_at_spaces_outside_quotes() {
    let split = |words: &[&str]| Ok(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
    assert_eq!(words("op read  'op://my shop/key' "), split(&["op", "read", "op://my shop/key"]));
    assert_eq!(words("a\"b c\"d ''"), split(&["ab cd", ""]));
    assert_eq!(words("op 'x"), Err("The closing ' is missing.".to_owned()));
    for none in ["", "  ", "'' x"] {
        assert!(words(none).unwrap_err().starts_with("Type a command"), "{none:?}");
    }
}

#[test]
fn every_part_of_the_form_is_checked() {
    let app = TestApp::loaded(80, 24);
    let filled = |name: &str, address: &str, source: &str, value: &str| {
        let values = [("name", name), ("address", address), ("source", source)];
        let values = values.into_iter().chain(["key", "variable", "file", "command"].map(|of| (of, value)));
        let mut form = new_form();
        form.restore(&values.map(|(of, value)| (of.to_owned(), TextInput::new(value))).collect());
        form
    };
    let mut state = app.state;
    state.profiles.list = Some(profiles());
    let good = "https://shop.example/v1";
    for (form, wrong) in [
        (filled("", "", "none", ""), vec!["address", "name"]),
        (filled("staging", good, "none", ""), vec!["name"]),
        (filled("my shop", good, "typed", "two words"), vec!["key", "name"]),
        (filled("shop", "http://shop.example/v1", "variable", "1X"), vec!["address", "variable"]),
        (filled("shop", "https://me:petk_secret@shop.example/v1", "file", " "), vec!["address", "file"]),
        (filled("shop", good, "command", "op '"), vec!["command"]),
    ] {
        assert_eq!(
            form.wrong(&state.known()).into_iter().map(|field| field.name).collect::<Vec<_>>(),
            wrong,
            "{form:?}"
        );
    }
    let made = |source, value| {
        let form = filled(" shop ", good, source, value);
        assert!(form.wrong(&state.known()).is_empty(), "{form:?}");
        made(&form)
    };
    assert_eq!(made("variable", "SHOP_KEY").profile.key, Some(KeySource::Env("SHOP_KEY".into())));
    assert_eq!(made("none", "x").profile.key, None);
    let typed = made("typed", "Bearer petk_0123456789");
    let key = ApiKey::new("petk_0123456789").unwrap();
    assert_eq!((typed.name.as_str(), typed.profile.key, typed.typed), ("shop", None, Some(key)));
}

#[test]
fn a_draft_of_an_earlier_version_is_read() {
    let read = |source: &str| {
        let text = |value: &str| format!(r#"{{"value":"{value}","cursor":1}}"#);
        let texts = ["name", "address", "variable", "file", "command"].map(|of| format!(r#""{of}":{}"#, text(of)));
        let rest = format!(r#""source":"{source}","protect":true,"focus":"Address""#);
        let mut form = new_form();
        form.restore(&serde_json::from_str(&format!("{{{},{rest}}}", texts.join(","))).unwrap());
        form
    };
    let form = read("Variable");
    assert_eq!((form.focus().name, made(&form).profile.protect), ("address", true));
    assert_eq!([&NAME, &SOURCE, &VARIABLE].map(|field| form.value(field)), ["name", "variable", "variable"]);
    assert_eq!(["TypedForFile", "TypedForKeyring"].map(|source| read(source).value(&SOURCE).to_owned()), ["typed"; 2]);
}

#[test]
fn an_address_without_a_version_has_a_hint() {
    let hint = |address: &str| {
        let mut app = listed(80, 24);
        app.keys(&format!("n \"{address}\""));
        app.says("It usually ends in /v1.")
    };
    assert!(!hint("https://shop.example/v1/"));
    assert!(hint("https://shop.example/"));
    assert!(!hint("shop"), "an invalid address has an error instead");
}
