//! Snapshots of each page of the panel in every state, at two sizes.

use std::time::Duration;

use crate::app::DomainSetup;
use crate::app::clipboard::ClipboardBackend;
use crate::app::domain_service::ResolverChoice;
use crate::config::Service;
use crate::domains::Sandbox;
use crate::tui::Effect;
use crate::tui::popups::text::CopyText;
use crate::tui::popups::write::{NotWritten, WriteFile};
use crate::tui::screens::domains::redirects::FollowRedirects;
use crate::tui::screens::domains::scheduler::CheckDomain;
use crate::tui::screens::domains::update::KeepRegistry;
use crate::tui::testing::loss::{snapshot_sizes, whole_at_every_size};
use crate::tui::testing::{App, job_of, of_kind};
use crate::tui::theme::Theme;

use super::fixture;

/// The panel with one domain in each state, before any check in this session.
pub fn panel(columns: u16, rows: u16) -> App {
    let mut app = App::started_with(Service::Demo, fixture::setup(), columns, rows);
    app.state.domains.watching = false;
    app.keys("3");
    app.answer::<KeepRegistry>(Ok(fixture::list()));
    app.screen();
    app
}

/// Answers every check with result `which`, and every redirect as `right` or not.
pub fn answer(app: &mut App, which: usize, right: bool) {
    let is_asked = |effect: &mut Effect| {
        let asked = job_of(effect);
        asked.is_some_and(|job| of_kind::<CheckDomain>(job).is_some() || of_kind::<FollowRedirects>(job).is_some())
    };
    loop {
        let Some(Effect::Job(job)) = app.effects.extract_if(.., is_asked).next() else { break };
        if let Some(CheckDomain { request, .. }) = of_kind(&job) {
            app.answer_to::<CheckDomain>(job.id, Ok(fixture::seen(&request.entry.name, which)));
        } else if let Some(FollowRedirects { redirects, .. }) = of_kind(&job) {
            let redirects = redirects.iter().cloned().enumerate();
            let walked = redirects.map(|(at, redirect)| fixture::walked(redirect, right || at != 1));
            app.answer_to::<FollowRedirects>(job.id, Ok(walked.collect()));
        }
    }
    app.screen();
}

/// Opens the domain of this name.
pub fn opened(name: &str, which: usize, columns: u16, rows: u16) -> App {
    let mut app = panel(columns, rows);
    app.state.domains.selected = Some(crate::domains::DnsName::new(name));
    app.keys("Enter");
    answer(&mut app, which, true);
    app
}

/// The panel of an operator who was not asked about public resolvers.
pub fn unasked(columns: u16, rows: u16) -> App {
    let public = ["1.1.1.1", "8.8.8.8", "9.9.9.9"].map(str::to_owned).to_vec();
    let setup = DomainSetup { resolvers: ResolverChoice { public, ask_first: true }, ..fixture::setup() };
    let mut app = App::started_with(Service::Demo, setup, columns, rows);
    app.keys("3");
    app.answer::<KeepRegistry>(Ok(fixture::list()));
    app
}

fn sandbox(columns: u16, rows: u16) -> App {
    let sandbox = Sandbox::new(fixture::start());
    let (list, configuration) = (sandbox.list(), sandbox.configuration());
    let setup = DomainSetup { sandbox: Some(sandbox), configuration, ..DomainSetup::default() };
    let mut app = App::started_with(Service::Demo, setup, columns, rows);
    app.keys("3");
    app.answer::<KeepRegistry>(Ok(list));
    app.screen();
    app
}

macro_rules! looks {
    ($($name:ident: $make:expr;)+) => {$(
        #[test]
        fn $name() {
            let make: fn(u16, u16) -> App = $make;
            whole_at_every_size(stringify!($name), make);
            for &(columns, rows) in snapshot_sizes(stringify!($name)) {
                let name = format!("{}_{columns}x{rows}", stringify!($name));
                insta::assert_snapshot!(name, make(columns, rows).snapshot());
            }
        }
    )+};
}

looks! {
    list: panel;
    question_about_public_resolvers: unasked;
    list_empty: |columns, rows| {
        let mut app = App::started_with(Service::Demo, DomainSetup::default(), columns, rows);
        app.keys("3");
        app.answer::<KeepRegistry>(Ok(Default::default()));
        app
    };
    list_while_reading: |columns, rows| {
        let mut app = App::started_with(Service::Demo, DomainSetup::default(), columns, rows);
        app.keys("3");
        app
    };
    list_that_cannot_be_read: |columns, rows| {
        let mut app = App::started_with(Service::Demo, DomainSetup::default(), columns, rows);
        app.keys("3");
        app.answer::<KeepRegistry>(Err("the list of domains /d/domains.json cannot be read.".into()));
        app
    };
    list_while_checking: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("r");
        app
    };
    list_in_the_sandbox: sandbox;
    wizard: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a");
        app
    };
    wizard_with_an_address: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a Space Tab Space Tab Tab \"https://pets.acme-pets.com/guide\" Tab \"sites.petplatform.net\"");
        app
    };
    wizard_with_an_apex: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a \"acme-cats.com\"");
        app
    };
    wizard_with_a_public_suffix: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a \"co.uk\" F2");
        app
    };
    record: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
        app
    };
    record_with_something_in_the_way: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
        answer(&mut app, 0, true);
        app.keys("v");
        app.answer::<CopyText>(Ok(Ok(ClipboardBackend::Terminal)));
        app
    };
    record_of_an_apex: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a \"acme-cats.com\" Tab \"sites.petplatform.net\" F2");
        answer(&mut app, 3, true);
        assert!(app.says("The record is there."), "{}", app.screen());
        app.keys("d");
        app
    };
    formats: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
        answer(&mut app, 0, true);
        app.keys("f Down Down Down d");
        app
    };
    write_box: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2 w Enter");
        app.answer::<WriteFile>(Err(NotWritten::Exists("pets.acme-pets.com.txt".into())));
        app
    };
    live_before_the_first_check: |columns, rows| {
        let mut app = panel(columns, rows);
        app.state.domains.selected = Some(crate::domains::DnsName::new("docs.acme-pets.com"));
        app.keys("Enter");
        app.wait(Duration::from_secs(1));
        app
    };
    live_while_checking: |columns, rows| {
        let mut app = panel(columns, rows);
        app.state.domains.selected = Some(crate::domains::DnsName::new("docs.acme-pets.com"));
        app.keys("Enter");
        app.say::<CheckDomain>(fixture::so_far());
        app
    };
    live_propagating: |columns, rows| opened("docs.acme-pets.com", 1, columns, rows);
    live_with_an_a_record_in_the_way: |columns, rows| opened("help.acme-pets.com", 0, columns, rows);
    live_with_caa_in_the_way: |columns, rows| opened("docs.acme-pets.com", 2, columns, rows);
    live_ready_to_verify: |columns, rows| opened("news.acme-pets.com", 3, columns, rows);
    live_waiting_for_the_certificate: |columns, rows| opened("shop.acme-pets.com", 3, columns, rows);
    live_without_a_certificate: |columns, rows| opened("late.acme-pets.com", 3, columns, rows);
    live_and_fine: |columns, rows| opened("acme-pets.com", 4, columns, rows);
    live_after_a_failed_check: |columns, rows| opened("acme-pets.com", 11, columns, rows);
    live_changed: |columns, rows| {
        let mut app = opened("docs.acme-pets.com", 1, columns, rows);
        app.keys("r");
        answer(&mut app, 9, true);
        app
    };
    rule_on_verification: |columns, rows| {
        let mut app = opened("help.acme-pets.com", 0, columns, rows);
        app.keys("t");
        app
    };
    rule_on_the_certificate: |columns, rows| {
        let mut app = opened("late.acme-pets.com", 3, columns, rows);
        app.keys("t");
        app
    };
    rule_on_the_browser: |columns, rows| {
        let mut app = opened("late.acme-pets.com", 3, columns, rows);
        app.keys("t Right \"ERR_CERT_COMMON_NAME_INVALID\"");
        app
    };
    rule_on_redirects: |columns, rows| {
        let mut app = opened("acme-pets.com", 4, columns, rows);
        app.keys("t Left");
        app
    };
    evidence: |columns, rows| {
        let mut app = opened("docs.acme-pets.com", 1, columns, rows);
        app.keys("e");
        app
    };
    redirects: |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("R");
        answer(&mut app, 0, false);
        app.keys("Down");
        app
    };
    redirects_empty: |columns, rows| {
        let mut app = App::started_with(Service::Demo, DomainSetup::default(), columns, rows);
        app.keys("3");
        app.answer::<KeepRegistry>(Ok(Default::default()));
        app.keys("R");
        app
    };
    removal: |columns, rows| {
        let mut app = opened("old.acme-pets.com", 4, columns, rows);
        app.keys("r");
        answer(&mut app, 4, true);
        app
    };
    removal_without_a_redirect: |columns, rows| {
        let mut app = panel(columns, rows);
        app.state.domains.selected = Some(crate::domains::DnsName::new("shop.acme-pets.com"));
        app.keys("U");
        answer(&mut app, 4, true);
        app.keys("Down Space");
        app
    };
    removal_with_the_record_left_behind: |columns, rows| opened("gone.acme-pets.com", 4, columns, rows);
    sandbox_steps: |columns, rows| {
        let mut app = sandbox(columns, rows);
        app.keys("o");
        app
    };
    help_for_one_domain: |columns, rows| {
        let mut app = opened("docs.acme-pets.com", 1, columns, rows);
        app.keys("?");
        app
    };
}

#[test]
fn without_colours_everything_is_readable() {
    let mut app = opened("docs.acme-pets.com", 1, 80, 24);
    app.state.theme = Theme::built_in("mono");
    let snapshot = app.snapshot();
    insta::assert_snapshot!("live_in_monochrome_80x24", snapshot);
    let mut app = panel(120, 40);
    app.state.theme = Theme::built_in("mono");
    insta::assert_snapshot!("list_in_monochrome_120x40", app.snapshot());
}

/// One domain, where the list at its left leaves little room.
fn app_at(columns: u16, rows: u16) {
    let mut app = opened("docs.acme-pets.com", 1, columns, rows);
    assert!(app.screen().contains("docs.acme-pets.com"));
}

#[test]
fn every_page_can_be_drawn_at_every_size() {
    for (columns, rows) in [(40, 8), (60, 16), (79, 23), (110, 24), (200, 60)] {
        app_at(columns, rows);
        for keys in ["", "a", "R", "R Enter", "Enter", "Enter t", "Enter t Right", "Enter e", "U", "Enter ?"] {
            let mut app = panel(columns, rows);
            app.keys(keys);
            answer(&mut app, 1, true);
            let screen = app.screen();
            assert!(screen.lines().all(|line| crate::model::text::width(line) <= usize::from(columns)), "{screen}");
        }
    }
}
