//! Keys and replies in the panel.

use crate::tui::testing::prelude::*;

use jiff::SignedDuration;

use crate::app::domain_service::ResolverChoice;
use crate::config::Notify;
use crate::domains::{
    Checked, Code, DnsName, Event, Finding, FollowedRedirect, NextStep, Practice, PracticeStep, Registry,
    RegistryChange, Rule, Verdict, View, ViewVerdict,
};
use crate::tui::deadline::next_deadline;
use crate::tui::pending::LANES;
use crate::tui::screens::domains::scheduler::next_due;
use crate::tui::screens::domains::state::{Location, NAME, VALUE};
use crate::tui::testing::{job_of, of_kind};

use super::fixture::{self, followed};
use super::looks::{answer, chosen, listed, opened, panel, practice, unasked};

fn name(text: &str) -> DnsName {
    DnsName::new(text)
}

/// The panel with these domains on the list, each with value, record saved and check `which`.
fn pending(names: &[String], which: usize) -> TestApp {
    let mut list = Registry::default();
    for name in names {
        fixture::put(&mut list, name, &[(60, fixture::value()), (50, Event::Saved)], Some(which));
    }
    let mut app = listed(fixture::setup(), Ok(list), 80, 24);
    app.answer_lists(&[]);
    answer(&mut app, which, true);
    app.reply_kept();
    app.effects.clear();
    app
}

fn many(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("d{number:03}.acme-pets.com")).collect()
}

/// The changes in the last write.
fn kept(app: &TestApp) -> Vec<RegistryChange> {
    app.asked().map(|KeepRegistry(changes)| changes).unwrap_or_default()
}

/// The checks that are not answered yet.
fn checked(app: &TestApp) -> Vec<String> {
    let name = |CheckDomain { request, .. }: CheckDomain| request.entry.name.to_string();
    app.all_asked().into_iter().map(name).collect()
}

#[test]
fn domains_that_need_action_come_first() {
    let app = panel(80, 24);
    let rows = app.state.domains.rows(app.now);
    let order: Vec<_> =
        rows.iter().map(|row| (row.name.as_str(), row.progress.verdict, row.progress.needs_action)).collect();
    assert_eq!(order[0].1, Some(Verdict::Fail));
    let first_without_act = order.iter().position(|(.., needs)| !needs).unwrap();
    assert!(order[first_without_act..].iter().all(|(.., needs)| !needs), "{order:?}");
    assert_eq!(order.last().unwrap().0, "acme-pets.com", "domains that are fine come last");
}

#[test]
fn the_cursor_stays_on_its_domain_when_the_order_changes() {
    let mut app = chosen("news.acme-pets.com", 80, 24).after("r");
    answer(&mut app, 0, true);
    assert_eq!(app.state.domains.selected, Some(name("news.acme-pets.com")));
    assert!(app.screen().lines().any(|line| line.starts_with(" > news.acme-pets.com")), "{}", app.screen());
}

#[test]
fn only_a_few_checks_run_at_a_time_and_all_finish() {
    let mut app = pending(&many(50), 1);
    app.effects.clear();
    app.keys("r");
    assert_eq!(checked(&app).len(), LANES);
    let mut seen = Vec::new();
    while let Some(name) = checked(&app).first().cloned() {
        let is_check = |effect: &Effect| job_of(effect).and_then(of_kind::<CheckDomain>).is_some();
        let at = app.effects.iter().position(is_check).unwrap();
        let Effect::Job(check) = app.effects.remove(at) else { unreachable!() };
        app.answer_to::<CheckDomain>(check.id, Ok(fixture::seen(&DnsName::new(&name), 1)));
        seen.push(name);
    }
    seen.sort();
    assert_eq!(seen, many(50));
    app.shows("50 waiting.");
}

#[test]
fn nothing_is_checked_if_nothing_is_pending() {
    let mut list = Registry::default();
    fixture::put(&mut list, "acme-pets.com", &[(9000, fixture::value()), (8000, Event::Verified)], Some(4));
    fixture::put(&mut list, "new.acme-pets.com", &[], None);
    let mut app = listed(fixture::setup(), Ok(list), 80, 24);
    app.answer_lists(&[]);
    app.effects.clear();
    assert_eq!(next_deadline(&app.state, app.now), None, "nothing wakes the program");
    app.wait(Duration::from_secs(86_400));
    assert!(checked(&app).is_empty());
}

#[test]
fn pending_domains_are_checked_automatically_and_less_often_if_nothing_changes() {
    let mut app = pending(&many(1), 2);
    assert_eq!(pauses(&mut app, 2, 8), [60, 120, 240, 480, 600, 600, 600, 600]);
    // After another result, the next check comes soon.
    app.wait(Duration::from_secs(600));
    answer(&mut app, 3, true);
    assert_eq!((next_due(&app.state.domains).unwrap() - app.now.mono).as_secs(), 60);
}

/// The seconds before each of so many checks, which all give result `which`.
fn pauses(app: &mut TestApp, which: usize, looks: usize) -> Vec<u64> {
    let mut pause = || {
        let due = next_due(&app.state.domains).expect("it is pending");
        let pause = due - app.now.mono;
        app.wait(pause);
        assert_eq!(checked(app).len(), 1);
        answer(app, which, true);
        app.reply_kept();
        pause.as_secs()
    };
    (0..looks).map(|_| pause()).collect()
}

#[test]
fn an_expected_time_is_checked_when_it_comes_and_is_overdue_after_that() {
    let mut app = pending(&many(1), 1);
    // 21 minutes were expected, of which 15 are over after four checks.
    assert_eq!(pauses(&mut app, 1, 4), [60, 120, 240, 480]);
    app.shows("until 14:24").lacks("overdue");
    assert_eq!(pauses(&mut app, 1, 1), [361], "a second after the end");
    app.shows("overdue since 14:24: r checks");
    assert_eq!(pauses(&mut app, 1, 1), [60], "the next check comes soon");
    app.keys("Enter").shows("Expected by 14:24, now overdue: r checks.").lacks("less than a minute");
}

#[test]
fn an_expected_time_that_has_passed_is_checked_when_the_panel_opens() {
    let open = |seconds: u32| {
        let mut list = Registry::default();
        let reported = [(60, fixture::value()), (50, Event::Saved)];
        fixture::put(&mut list, "docs.acme-pets.com", &reported, Some(1));
        // Just checked by another program.
        let entry = list.get_mut(&name("docs.acme-pets.com")).unwrap();
        entry.measurements[0].at = fixture::start() + SignedDuration::from_secs(1230);
        let mut app = TestApp::started_with(Service::Demo, fixture::setup(), 80, 24);
        app.answer_lists(&[]);
        app.now.mono += Duration::from_secs(seconds.into());
        app.now.wall += SignedDuration::from_secs(seconds.into());
        app.keys("3").answer::<KeepRegistry>(Ok(list));
        app
    };
    let app = open(1230);
    assert!(checked(&app).is_empty());
    assert_eq!((next_due(&app.state.domains).unwrap() - app.now.mono).as_secs(), 31);
    assert_eq!(checked(&open(1262)), ["docs.acme-pets.com"]);
}

#[test]
fn the_list_does_not_change_while_results_are_the_same() {
    let mut app = pending(&many(200), 1);
    let shown = |app: &TestApp| app.state.domains.rows(app.now);
    let before = shown(&app);
    let end = app.now.mono + Duration::from_secs(19 * 60);
    while app.now.mono < end {
        let due = next_due(&app.state.domains).unwrap();
        // Then the wait is over.
        if due > end {
            break;
        }
        app.wait(due - app.now.mono);
        answer(&mut app, 1, true);
        app.reply_kept();
        assert_eq!(shown(&app), before);
    }
}

#[test]
fn a_next_step_is_notified_once_and_only_by_automatic_checks() {
    let notified = |app: &TestApp| {
        let notify = |effect: &&Effect| matches!(effect, Effect::Notify(Notify::Bell, _));
        app.effects.iter().filter(notify).count()
    };
    let mut app = pending(&many(1), 1).later(Duration::from_secs(700));
    answer(&mut app, 9, true);
    app.reply_kept();
    assert_eq!(notified(&app), 1, "ready to verify");
    app.shows("ready to verify. Choose Verify in the dashboard, then press V.");
    app.wait(Duration::from_secs(700));
    answer(&mut app, 15, true);
    app.reply_kept();
    assert_eq!(notified(&app), 1, "notified once");
    app.keys("r");
    answer(&mut app, 18, true);
    assert_eq!(notified(&app), 1, "a check by the operator needs no bell");
}

#[test]
fn a_live_domain_that_fails_is_checked_again_before_it_is_notified() {
    let mut list = Registry::default();
    fixture::put(&mut list, "acme-pets.com", &[(9000, fixture::value()), (8000, Event::Verified)], Some(4));
    let mut app = TestApp::started_with(Service::Demo, fixture::setup(), 80, 24);
    app.answer_lists(&[]);
    app.now.mono += Duration::from_secs(7200);
    app.now.wall += SignedDuration::from_hours(2);
    app.keys("3").answer::<KeepRegistry>(Ok(list));
    answer(&mut app, 6 * 121, true);
    app.reply_kept();
    let notified = |app: &TestApp| app.effects.iter().filter(|effect| matches!(effect, Effect::Notify(..))).count();
    assert_eq!(notified(&app), 0, "one failure may be chance");
    assert!(app.says("FAIL  An A record"), "the result is shown anyway\n{}", app.screen());
    let due = next_due(&app.state.domains).unwrap();
    assert_eq!((due - app.now.mono).as_secs(), 60);
    app.wait(due - app.now.mono);
    answer(&mut app, 6 * 122, true);
    assert_eq!(notified(&app), 1);
    app.shows("acme-pets.com: An A record blocks the CNAME.");
}

#[test]
fn a_step_that_becomes_due_with_time_is_notified_too() {
    let mut list = Registry::default();
    let reported = [(60, fixture::value()), (50, Event::Saved), (4, Event::Verified)];
    fixture::put(&mut list, "shop.acme-pets.com", &reported, Some(3));
    let mut app = listed(fixture::setup(), Ok(list), 80, 24);
    app.answer_lists(&[]);
    answer(&mut app, 9, true);
    app.reply_kept();
    app.effects.clear();
    app.wait(Duration::from_secs(27 * 60));
    answer(&mut app, 9, true);
    assert!(
        app.effects.iter().any(|effect| matches!(effect, Effect::Notify(_, text) if text.contains("no certificate")))
    );
}

#[test]
fn a_check_that_began_before_a_record_is_repeated() {
    let mut app = opened("news.acme-pets.com", 3, 80, 24);
    app.reply_kept();
    app.effects.clear();
    app.keys("r");
    let before = app.job(Slot::Check(0)).unwrap();
    app.keys("V");
    app.effects.clear();
    app.answer_to::<CheckDomain>(before.id, Ok(fixture::seen(&name("news.acme-pets.com"), 9)));
    assert_eq!(checked(&app), ["news.acme-pets.com"], "it is repeated");
    let CheckDomain { request, .. } = app.asked().unwrap();
    assert!(request.entry.reported().verified.is_some());
}

#[test]
fn a_toggles_watching() {
    let mut app = pending(&many(3), 1).after("A");
    assert_eq!(next_due(&app.state.domains), None);
    app.wait(Duration::from_secs(5000));
    assert_eq!(checked(&app).len(), 0);
    app.keys("A");
    assert_eq!(checked(&app).len(), 3);
}

#[test]
fn ctrl_c_cancels_all_checks_and_ignores_their_results() {
    let mut app = pending(&many(10), 1);
    app.effects.clear();
    app.keys("r");
    let job = app.job(Slot::Check(0)).unwrap();
    app.keys("C-c");
    assert!(app.effects.contains(&Effect::Cancel(Slot::Check(0))));
    assert!(app.state.domains.queue.is_empty() && app.state.domains.lanes.iter().all(Option::is_none));
    app.answer_to::<CheckDomain>(job.id, Ok(fixture::seen(&name("d000.acme-pets.com"), 0)));
    let seen = &app.state.domains.seen(&name("d000.acme-pets.com")).unwrap().findings;
    assert_eq!(*seen, fixture::findings(1));
    assert!(!app.screen().contains("checking") && app.says("Watching."), "{}", app.screen());
    assert!(next_deadline(&app.state, app.now).is_some(), "pending domains are checked again automatically");
}

#[test]
fn changes_are_written_in_order_one_write_at_a_time() {
    let mut app = panel(80, 24);
    app.effects.clear();
    app.keys("a \"pets.acme-pets.com\" F2");
    let first = kept(&app);
    assert!(
        matches!(&first[..], [RegistryChange::Reported(n, reported), ..] if *n == name("pets.acme-pets.com") && reported.event == Event::Added)
    );
    app.keys("\"sites.petplatform.net\" F2 s");
    assert_eq!(kept(&app), first, "the first write is not back yet");
    assert_eq!(app.state.domains.changes.len(), first.len() + 2);
    app.answer::<KeepRegistry>(Ok(list_with(&first)));
    let events: Vec<_> = kept(&app)
        .into_iter()
        .filter_map(|change| match change {
            RegistryChange::Reported(_, dated) => Some(dated.event),
            _ => None,
        })
        .collect();
    assert_eq!(events, [fixture::value(), Event::Saved]);
    assert!(app.state.domains.reported(&name("pets.acme-pets.com")).saved.is_some(), "here at once");
}

fn list_with(changes: &[RegistryChange]) -> Registry {
    let mut list = fixture::list();
    changes.iter().for_each(|change| change.apply(&mut list));
    list
}

#[test]
fn a_failed_write_is_shown_and_tried_again() {
    let mut app = opened("help.acme-pets.com", 0, 80, 24);
    app.reply_kept().keys("s s").answer::<KeepRegistry>(Err("the disk is full.".into())).keys("Esc");
    app.shows("The disk is full. Your changes are kept until you quit. r tries again.");
    assert_eq!(app.state.domains.changes.len(), 1);
    app.effects.clear();
    app.keys("r");
    assert_eq!(kept(&app).len(), 1);
}

#[test]
fn changes_by_another_program_are_not_lost() {
    let mut app = opened("help.acme-pets.com", 0, 80, 24);
    app.reply_kept().keys("s s");
    let mut list = list_with(&app.state.domains.changes.clone());
    fixture::put(&mut list, "other.acme-pets.com", &[(1, fixture::value())], None);
    app.answer::<KeepRegistry>(Ok(list)).keys("Esc");
    assert!(app.screen().contains("other.acme-pets.com"));
    assert!(app.state.domains.changes.is_empty());
}

#[test]
fn the_wizard_is_resumed_with_everything_that_was_typed() {
    let mut app = panel(80, 24).after("a \"https://pets.acme-pets.com:8080/x\" Esc");
    app.shows("pets.acme-pets.com saved as a draft.");
    assert_eq!(app.state.domains.reported(&name("pets.acme-pets.com")).value, None);
    app.state.domains.selected = Some(name("pets.acme-pets.com"));
    app.keys("Enter");
    assert_eq!(app.state.domains.place, Location::Wizard);
    assert!(app.screen().contains("Before you start: a paid plan"));
    app.keys("\"sites.petplatform.net\" F2");
    assert_eq!(app.state.domains.place, Location::Record);
    app.keys("Esc").keys("Enter");
    assert_eq!(app.state.domains.place, Location::Record, "the record waits to be saved");
}

#[test]
fn tab_wraps_around_the_form_and_space_presses_its_button() {
    let mut app = panel(80, 24).after("a S-Tab");
    assert_eq!(app.state.domains.wizard.form.focus().name, "next");
    app.keys("Space");
    assert_eq!(app.state.domains.wizard.form.focus().name, "name", "there is no name yet");
    app.keys("Tab Tab Tab");
    assert_eq!(app.state.domains.wizard.form.focus().name, "name");
}

#[test]
fn letters_on_the_button_do_nothing_and_the_bottom_line_is_about_it() {
    let mut app = panel(80, 24).after("a S-Tab");
    let screen = app.screen();
    let footer = screen.lines().last().unwrap();
    assert!(footer.contains("Enter the record"), "{footer}");
    let before = app.state.domains.wizard.draft();
    app.keys("q x 1 P \"shop\" :");
    assert_eq!((app.state.domains.wizard.draft(), app.state.quitting), (before, None));
    assert!(!app.state.popups.is_open() && app.state.domains.place == Location::Wizard);
}

#[test]
fn an_invalid_name_stays_as_typed_with_the_reason() {
    let mut app = panel(80, 24).after("a \"pets..acme\" F2");
    app.shows("A label is empty").keys("Esc a");
    assert_eq!(app.state.domains.wizard.form.value(&NAME), "pets..acme");
    app.keys("F8");
    assert!(app.state.domains.wizard.form.value(&NAME).is_empty());
    let app = panel(80, 24).after("a \"pets..acme\" F2 \"shop.example\"");
    assert_eq!(app.state.domains.wizard.form.value(&NAME), "shop.example", "typing replaces it");
}

#[test]
fn a_name_on_the_list_selects_its_entry() {
    let app = panel(80, 24).after("a \"docs.acme-pets.com\" F2");
    let expected = (Location::List, Some(name("docs.acme-pets.com")));
    assert_eq!((app.state.domains.place, app.state.domains.selected.clone()), expected);
}

#[test]
fn verify_before_everything_is_right_needs_a_second_key() {
    let mut app = opened("help.acme-pets.com", 0, 80, 24).after("V");
    assert_eq!(app.state.domains.reported(&name("help.acme-pets.com")).verified, None);
    app.keys("r V");
    assert_eq!(app.state.domains.reported(&name("help.acme-pets.com")).verified, None, "not in between");
    app.keys("V");
    assert!(app.state.domains.reported(&name("help.acme-pets.com")).verified.is_some());
    let app = opened("news.acme-pets.com", 3, 80, 24).after("V");
    assert!(app.state.domains.reported(&name("news.acme-pets.com")).verified.is_some(), "it is ready");
}

#[test]
fn each_part_of_the_record_is_copied_by_its_key() {
    let mut app = panel(80, 24).after("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
    for (key, text) in
        [("T", "CNAME"), ("n", "pets"), ("v", "sites.petplatform.net"), ("l", "3600"), ("N", "pets.acme-pets.com.")]
    {
        app.keys(key);
        assert_eq!(app.asked().map(|CopyText { text, .. }| text), Some(text.into()));
        app.answer::<CopyText>(Ok(Ok(ClipboardBackend::Terminal)));
        assert_eq!(app.effects.last(), Some(&Effect::Clipboard(text.into())));
    }
    app.keys("f Down y");
    let CopyText { text, .. } = app.asked().unwrap();
    assert_eq!(text, "pets.acme-pets.com. 3600 IN CNAME sites.petplatform.net.\n");
}

#[test]
fn an_existing_file_is_overwritten_only_on_the_second_enter() {
    let mut app = panel(80, 24).after("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2 w Enter");
    let write = |app: &TestApp| app.asked().map(|WriteFile { path, replace, .. }| (path, replace)).unwrap();
    assert_eq!(write(&app), ("pets.acme-pets.com.txt".into(), false));
    app.answer::<WriteFile>(Err(NotWritten::Exists("pets.acme-pets.com.txt".into()))).keys("Enter");
    assert!(write(&app).1);
    app.answer::<WriteFile>(Err(NotWritten::Exists("pets.acme-pets.com.txt".into()))).keys("BS x Enter");
    assert!(!write(&app).1, "another name needs its own confirmation");
}

#[test]
fn what_was_seen_before_the_page_was_opened_takes_no_domain_off_the_list() {
    let mut app = opened("docs.acme-pets.com", 4, 80, 24);
    let list = app.state.domains.list.as_mut().unwrap();
    let last = list.get_mut(&name("docs.acme-pets.com")).unwrap().measurements.last_mut().unwrap();
    (last.record, last.elsewhere, last.verdict) = (false, true, Verdict::Fail);
    app.keys("U \"docs.acme-pets.com\" Enter").shows("Not seen since this page was opened");
    answer(&mut app, 6, true);
    app.keys("Enter");
    assert!(app.state.domains.entry(&name("docs.acme-pets.com")).is_none(), "{}", app.screen());
}

#[test]
fn a_domain_that_is_not_removed_leaves_the_list_only_on_a_second_enter() {
    let mut app = chosen("shop.acme-pets.com", 80, 24).after("U Down Down \"shop.acme-pets.com\" Enter");
    app.shows("Not removed yet");
    assert!(app.state.domains.entry(&name("shop.acme-pets.com")).is_some());
    app.keys("Enter");
    assert!(app.state.domains.entry(&name("shop.acme-pets.com")).is_none());
}

#[test]
fn removal_goes_in_order_and_leaves_nothing_behind() {
    let mut app = chosen("old.acme-pets.com", 80, 24).after("U");
    answer(&mut app, 4, true);
    app.shows("1 [x]").shows("3 [ ]").shows("4 [ ]").keys("Space");
    assert!(!app.state.domains.reported(&name("old.acme-pets.com")).removal_planned, "called off");
    app.keys("Space");
    assert!(app.state.domains.reported(&name("old.acme-pets.com")).removal_planned, "begun again");
    answer(&mut app, 4, true);
    app.wait(Duration::from_secs(120)).keys("r");
    answer(&mut app, 10, true);
    app.keys("Tab \"old.acme-pets.com\" Enter").shows("Not removed yet");
    app.wait(Duration::from_secs(120)).keys("F5");
    answer(&mut app, 18, true);
    app.keys("C-u \"old\" Enter").shows("type the full name").keys("C-u \"old.acme-pets.com\" Enter");
    assert!(app.state.domains.entry(&name("old.acme-pets.com")).is_none());
    assert_eq!(app.state.domains.place, Location::List);
}

#[test]
fn the_sandbox_runs_on_a_fast_clock_and_is_checked_after_a_step() {
    let mut app = practice(80, 24);
    app.shows("SANDBOX o: simulate a step. 1 s is 1 min");
    let before = app.state.domains.wall(app.now);
    app.wait(Duration::from_secs(10));
    let after = app.state.domains.wall(app.now);
    assert_eq!(after.duration_since(before).as_secs(), 600);
    app.keys("o");
    let first = app.state.domains.setup.practice.clone();
    app.keys("Enter");
    assert_ne!(app.state.domains.setup.practice, first);
    let CheckDomain { request, .. } = app.asked().unwrap();
    assert!(request.practice.is_some());
}

#[test]
fn steps_are_simulated_only_in_the_demo() {
    let mut app = panel(80, 24).after("o");
    assert!(!app.state.popups.is_open());
    app.shows("Only in the demo: petstore --demo");
}

#[test]
fn keys_for_a_domain_say_if_the_list_is_empty() {
    for key in ["U", "Del"] {
        let mut app = listed(DomainSetup::default(), Ok(Registry::default()), 80, 24).after(key);
        assert!(app.says("No domains yet. a adds one."), "{key}");
    }
}

#[test]
fn a_list_that_cannot_be_read_is_reported_once_and_at_each_key() {
    let mut app = listed(DomainSetup::default(), Err("the list cannot be read.".into()), 80, 24);
    assert_eq!(app.screen().matches("list cannot be read").count(), 1);
    app.keys("a").shows("The list could not be read. r tries again.");
}

#[test]
fn a_missing_primary_is_reported_once() {
    let mut setup = fixture::setup();
    setup.configuration.primary = None;
    let mut app = listed(setup, Ok(fixture::list()), 80, 24).after("R");
    for marked in ["primary", "a redirect"] {
        let screen = app.screen();
        assert_eq!(screen.matches("There is no primary domain").count(), 1, "{marked}: {screen}");
        app.keys("Down");
    }
}

#[test]
fn the_list_counts_down_and_shows_the_days_of_the_certificate() {
    let mut app = panel(80, 24);
    app.shows("21 min      WAIT  propagating").shows("< 26 min");
    let tick = next_deadline(&app.state, app.now).unwrap() - app.now.mono;
    assert!(tick <= Duration::from_secs(60), "{tick:?}");
    app.wait(Duration::from_secs(60)).shows("20 min      WAIT  propagating");
    let mut list = fixture::list();
    let live = list.get_mut(&name("acme-pets.com")).unwrap();
    live.measurements[0].expires = Some(fixture::start() + SignedDuration::from_hours(61 * 24 + 5));
    app.state.domains.list = Some(list);
    app.shows("cert 61 d   OK    live");
}

#[test]
fn a_redirect_that_was_fixed_is_seen_with_the_next_check() {
    let mut app = opened("acme-pets.com", 4, 80, 24);
    let next = |app: &TestApp| app.state.domains.row(&name("acme-pets.com"), app.now).unwrap().progress.next;
    app.keys("R");
    let FollowRedirects { redirects, .. } = app.asked().unwrap();
    let loops =
        |redirect| FollowedRedirect { findings: vec![fixture::finding(Code::RdLoop)], ..followed(redirect, true) };
    app.answer::<FollowRedirects>(Ok(redirects.into_iter().map(loops).collect()));
    assert_eq!(next(&app), NextStep::FixRedirect);
    // It is live, and checked again all the same.
    app.state.domains.watching = true;
    app.wait(Duration::from_secs(61));
    answer(&mut app, 4, true);
    assert_eq!(next(&app), NextStep::Nothing);
}

#[test]
fn esc_leads_back_where_one_came_from() {
    for (way, places) in [
        ("d", vec![Location::Record, Location::Live, Location::List]),
        ("c", vec![Location::Wizard, Location::Live, Location::List]),
        ("U R", vec![Location::Redirects, Location::Removal, Location::Live, Location::List]),
        ("d c", vec![Location::Wizard, Location::Record, Location::Live, Location::List]),
        ("c F2", vec![Location::Record, Location::Live, Location::List]),
    ] {
        let mut app = opened("docs.acme-pets.com", 1, 80, 24).after(way);
        let seen: Vec<Location> = places
            .iter()
            .map(|_| {
                let place = app.state.domains.place;
                app.keys("Esc");
                place
            })
            .collect();
        assert_eq!(seen, places, "{way}");
    }
}

#[test]
fn up_and_down_never_change_the_domain() {
    let mut app = opened("docs.acme-pets.com", 1, 80, 24).after("Down");
    assert!(app.state.popups.is_open(), "everything in full");
    app.keys("Esc Up");
    assert_eq!(app.state.domains.selected, Some(name("docs.acme-pets.com")));
    app.keys("Right");
    assert_ne!(app.state.domains.selected, Some(name("docs.acme-pets.com")));
    app.keys("Left");
    assert_eq!(app.state.domains.selected, Some(name("docs.acme-pets.com")));
}

#[test]
fn what_to_delete_is_copied_from_the_page_itself() {
    for key in ["D", "d D"] {
        let app = opened("help.acme-pets.com", 0, 80, 24).after(key);
        let CopyText { text, .. } = app.asked().unwrap();
        assert_eq!(text, "help.acme-pets.com. 3600 IN A 192.0.2.10\n");
    }
    let mut app = opened("acme-pets.com", 4, 80, 24).after("D");
    app.shows("Nothing has to be deleted at this name.");
}

#[test]
fn a_domain_that_is_not_on_the_list_is_checked_without_adding_it() {
    let mut app = panel(80, 24).after("a \"other.acme-pets.com\" Tab \"sites.petplatform.net\" F5");
    assert_eq!(app.state.domains.place, Location::Live);
    answer(&mut app, 0, true);
    app.shows("other.acme-pets.com   FAIL An A record blocks the CNAME");
    assert!(!app.screen().contains("V I chose Verify"), "{}", app.screen());
    app.keys("?");
    for dead in ["I chose (Re-)Verify", "I saved it again", "correct the value", "remove step by step"] {
        assert!(!app.screen().contains(dead), "{dead}: {}", app.screen());
    }
    app.keys("Esc s").shows("Not on your list: F2 in its form adds it.");
    assert!(app.state.domains.entries().all(|entry| entry.name != name("other.acme-pets.com")));
    assert!(kept(&app).is_empty());
    app.keys("Esc");
    assert_eq!(app.state.domains.place, Location::Wizard);
    app.keys("Esc");
    assert!(app.state.domains.entries().any(|entry| entry.name == name("other.acme-pets.com")), "as a draft");
}

#[test]
fn equal_waits_are_one_line() {
    let mut app = opened("docs.acme-pets.com", 1, 80, 24);
    let check = app.state.domains.checks.get_mut(&name("docs.acme-pets.com")).unwrap();
    let views = &mut check.seen.as_mut().unwrap().views;
    let old = views.iter().find(|view| view.server.name == "8.8.8.8").unwrap().clone();
    let until = Some(fixture::start() + SignedDuration::from_mins(40));
    views.push(View { ttl: Some(2400), verdict: ViewVerdict::Old { until }, ..old });
    let shown = app.screen();
    assert!(shown.contains("8.8.8.8 and 1 more A 192.0.2.10") && shown.contains("WAIT until 14:43"), "{shown}");
}

#[test]
fn keys_of_the_sandbox_are_in_the_help_of_the_demo_only() {
    let mut app = panel(80, 24).after("?");
    app.shows("Help: Domains").lacks("outside");
}

#[test]
fn the_removal_page_notices_what_was_done_and_keeps_its_field_in_sight() {
    for (columns, rows) in [(60, 16), (80, 24)] {
        let mut app = opened("docs.acme-pets.com", 4, columns, rows).after("U");
        answer(&mut app, 4, true);
        app.shows("take it off this list").shows("[______");
        let list = app.state.domains.list.as_mut().unwrap();
        let last = list.get_mut(&name("docs.acme-pets.com")).unwrap().measurements.last_mut().unwrap();
        (last.record, last.elsewhere, last.verdict) = (false, true, Verdict::Fail);
        app.shows("4 [x] At your DNS provider delete").shows("[______");
    }
}

#[test]
fn no_name_is_sent_to_public_resolvers_before_the_operator_answers() {
    for (key, public) in [("y", true), ("n", false), ("Enter", false), ("Esc", false)] {
        let mut app = unasked(80, 24);
        app.shows("8.8.8.8 and 9.9.9.9").shows("Your answer is saved");
        assert_eq!(checked(&app), [""; 0], "{key}");
        app.wait(DEAF).keys(key);
        assert_eq!(checked(&app), [""; 0], "before it is settled");
        assert_eq!(app.asked(), Some(ChooseResolvers { public }));
        resolvers_chosen(&mut app, public, None);
        assert_eq!(app.says("No public resolver is asked. Saved"), !public);
        assert!(!checked(&app).is_empty(), "{key}");
    }
}

fn resolvers_chosen(app: &mut TestApp, public: bool, not_saved: Option<&str>) {
    let public = if public { vec!["1.1.1.1".to_owned()] } else { Vec::new() };
    let choice = ResolverChoice { public, ask_first: false };
    app.answer::<ChooseResolvers>(Ok((choice, not_saved.map(str::to_owned))));
}

#[test]
fn which_resolvers_are_asked_is_shown_and_can_be_changed() {
    let mut app = unasked(80, 24).later(DEAF).after("Enter");
    resolvers_chosen(&mut app, false, None);
    app.shows("Public resolvers: off (p).").keys("p").shows("n  Do not ask them (Enter, Esc)");
    app.wait(DEAF).keys("y");
    resolvers_chosen(&mut app, true, Some("no room."));
    app.shows("Only until you quit, since it was not saved: no room.").shows("Public resolvers: on (p).");
    app.effects.clear();
    app.keys("p");
    assert_eq!(app.asked(), Some(ChooseResolvers { public: false }));
}

#[test]
fn digits_show_the_rules_and_stay_on_their_page() {
    let mut app = opened("acme-pets.com", 0, 80, 24).after("t");
    for (key, rule) in [("4", Rule::Redirects), ("1", Rule::Verification), ("2", Rule::Certificate)] {
        app.keys(key);
        assert_eq!(app.state.domains.place, Location::Rules(rule));
    }
    // There they are text, and none is shown as a key.
    app.keys("3 4 1");
    let expected = (Location::Rules(Rule::Browser), "41");
    assert_eq!((app.state.domains.place, app.state.domains.browser.value()), expected);
    app.shows("[Browser]").lacks("4 Redirect").keys("Tab 1");
    assert_eq!(app.state.domains.place, Location::Rules(Rule::Verification));
}

#[test]
fn the_main_instruction_is_whole_on_a_small_screen() {
    for (columns, rows) in [(60, 16), (80, 24)] {
        for page in ["", "d"] {
            let mut app = opened("help.acme-pets.com", 0, columns, rows).after(page);
            answer(&mut app, 0, true);
            let shown = app.screen().split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(shown.contains("a CNAME must be the only record."), "{columns} {page}:\n{}", app.screen());
        }
        for name in ["old.acme-pets.com", "gone.acme-pets.com"] {
            let mut app = opened(name, 0, columns, rows).after("U");
            assert!(app.says("type the name:") && app.says("[______"), "{columns} {name}:\n{}", app.screen());
        }
    }
}

#[test]
fn a_problem_is_fixed_only_if_it_was_checked_again() {
    let domain = name("docs.acme-pets.com");
    let mut before = (0..6).map(|which| fixture::seen(&domain, which));
    let before = before.rfind(|seen| seen.findings.iter().any(|one| one.verdict > Verdict::Ok)).unwrap();
    let (mut unseen, mut right) = (before.clone(), before.clone());
    unseen.findings.clear();
    right.findings.iter_mut().for_each(|one| one.verdict = Verdict::Ok);
    // A loop that ends is a page that answers, under another topic.
    let about = |code, verdict| Finding { code, verdict, ..before.findings[0].clone() };
    let looping = Checked { findings: vec![about(Code::RdLoop, Verdict::Fail)], ..before.clone() };
    let answering = Checked { findings: vec![about(Code::HttpOk, Verdict::Ok)], ..before.clone() };
    assert!(super::super::scheduler::difference(&looping, &answering).is_some());
    let is_fixed = |after| super::super::scheduler::difference(&before, after).is_some();
    assert!(is_fixed(&right) && !is_fixed(&unseen));
}

#[test]
fn a_form_that_is_left_as_it_was_opened_saves_nothing() {
    let mut app = opened("help.acme-pets.com", 0, 80, 24).after("c Esc");
    assert!(!app.screen().contains("saved as a draft"), "{}", app.screen());
}

#[test]
fn no_command_line_is_offered_for_the_domains_of_the_sandbox() {
    let mut app = practice(80, 24);
    for _ in 0..2 {
        let lines: Vec<_> = app.state.keymap.of("domains").filter_map(|one| one.command.line(&app.state)).collect();
        assert_eq!(lines.is_empty(), app.state.domains.setup.practice.is_some(), "{lines:?}");
        app.state.domains.setup.practice = None;
    }
}

#[test]
fn the_step_that_adds_the_domain_in_the_dashboard_fills_the_value() {
    let mut app = practice(80, 24).after("a \"docs.acme-cats.com\" Tab C-o");
    app.shows("> dashboard add docs.acme-cats.com; the value: sites.petplatform.net").keys("Enter");
    assert_eq!(app.state.domains.wizard.form.value(&VALUE), "sites.petplatform.net");
    app.keys("\"other.petplatform.net\"");
    assert_eq!(app.state.domains.wizard.form.value(&VALUE), "other.petplatform.net", "typing replaces it");
}

#[test]
fn steps_for_the_domain_on_the_page_come_first_and_none_is_called_useful_while_only_time_helps() {
    let mut app = practice(80, 24);
    app.state.domains.selected = Some(name(Practice::REDIRECTED));
    app.keys("Enter o").shows("> dashboard redirect help.acme-pets.com to www.acme-pets.com");
    app.keys("Esc");
    for step in [PracticeStep::AddDomain, PracticeStep::DeleteA, PracticeStep::AddCname, PracticeStep::AddCaa] {
        let now = fixture::start();
        app.state.domains.setup.practice.as_mut().unwrap().act(step, now);
    }
    app.keys("o").shows("Wait ").shows("until resolvers have forgotten the old record.");
    app.lacks("choose Verify").lacks("Most useful first");
}
