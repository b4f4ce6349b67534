//! Snapshots of each page of the panel in every state.

use crate::tui::testing::prelude::*;

use crate::app::domain_service::ResolverChoice;
use crate::domains::{DnsName, Practice, Registry};
use crate::tui::testing::{job_of, of_kind};

use super::fixture;

/// The panel once its list was read.
pub fn listed(setup: DomainSetup, list: Result<Registry, String>, columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::started_with(Service::Demo, setup, columns, rows).after("3").answered::<KeepRegistry>(list);
    app.screen();
    app
}

/// The panel with one domain in each state, before any check in this session.
pub fn panel(columns: u16, rows: u16) -> TestApp {
    let mut app = TestApp::started_with(Service::Demo, fixture::setup(), columns, rows);
    app.state.domains.watching = false;
    app.keys("3").answer::<KeepRegistry>(Ok(fixture::list()));
    app.screen();
    app
}

/// The same, with the domain of this name selected.
pub fn chosen(name: &str, columns: u16, rows: u16) -> TestApp {
    let mut app = panel(columns, rows);
    app.state.domains.selected = Some(DnsName::new(name));
    app
}

/// Answers every check with result `which`, and every redirect as `right` or not.
pub fn answer(app: &mut TestApp, which: usize, right: bool) {
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
            let followed = redirects.map(|(at, redirect)| fixture::followed(redirect, right || at != 1));
            app.answer_to::<FollowRedirects>(job.id, Ok(followed.collect()));
        }
    }
    app.screen();
}

/// Opens the domain of this name.
pub fn opened(name: &str, which: usize, columns: u16, rows: u16) -> TestApp {
    chosen(name, columns, rows).after("Enter").and(|app| answer(app, which, true))
}

/// The panel of an operator who was not asked about public resolvers.
pub fn unasked(columns: u16, rows: u16) -> TestApp {
    let public = ["1.1.1.1", "8.8.8.8", "9.9.9.9"].map(str::to_owned).to_vec();
    let setup = DomainSetup { resolvers: ResolverChoice { public, ask_first: true }, ..fixture::setup() };
    listed(setup, Ok(fixture::list()), columns, rows)
}

pub fn practice(columns: u16, rows: u16) -> TestApp {
    let practice = Practice::new(fixture::start());
    let (list, configuration) = (practice.list(), practice.configuration());
    let setup = DomainSetup { practice: Some(practice), configuration, ..DomainSetup::default() };
    listed(setup, Ok(list), columns, rows)
}

#[test]
fn looks_of_the_lists() {
    let mut looks = Looks::default();
    looks.wide_state("list", panel);
    looks.frame("list_in_monochrome", &mut panel(120, 40).in_monochrome());
    looks.state("question_about_public_resolvers", unasked);
    looks.state("list_empty", |columns, rows| listed(DomainSetup::default(), Ok(Default::default()), columns, rows));
    looks.state("list_while_reading", |columns, rows| {
        TestApp::started_with(Service::Demo, DomainSetup::default(), columns, rows).after("3")
    });
    looks.state("list_that_cannot_be_read", |columns, rows| {
        listed(DomainSetup::default(), Err("the list of domains /d/domains.json cannot be read.".into()), columns, rows)
    });
    looks.state("list_while_checking", |columns, rows| panel(columns, rows).after("r"));
    looks.state("list_in_the_sandbox", practice);
    looks.state("redirects", |columns, rows| {
        panel(columns, rows).after("R").and(|app| answer(app, 0, false)).after("Down")
    });
    looks.state("redirects_empty", |columns, rows| {
        listed(DomainSetup::default(), Ok(Default::default()), columns, rows).after("R")
    });
    looks.state("sandbox_steps", |columns, rows| practice(columns, rows).after("o"));
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_of_the_wizard_and_the_record() {
    let mut looks = Looks::default();
    looks.state("wizard", |columns, rows| panel(columns, rows).after("a"));
    looks.state("wizard_with_an_address", |columns, rows| {
        let mut app = panel(columns, rows);
        app.keys("a Space Tab Space Tab Tab \"https://pets.acme-pets.com/guide\" Tab \"sites.petplatform.net\"");
        app
    });
    looks.state("wizard_with_an_apex", |columns, rows| panel(columns, rows).after("a \"acme-cats.com\""));
    looks.state("wizard_with_a_public_suffix", |columns, rows| panel(columns, rows).after("a \"co.uk\" F2"));
    looks.state("record", |columns, rows| {
        panel(columns, rows).after("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2")
    });
    looks.state("record_with_something_in_the_way", |columns, rows| {
        let mut app = panel(columns, rows).after("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
        answer(&mut app, 0, true);
        app.keys("v").answer::<CopyText>(Ok(Ok(ClipboardBackend::Terminal)));
        app
    });
    looks.state("record_of_an_apex", |columns, rows| {
        let mut app = panel(columns, rows).after("a \"acme-cats.com\" Tab \"sites.petplatform.net\" F2");
        answer(&mut app, 3, true);
        app.shows("The record is there.").keys("d");
        app
    });
    looks.state("zone_file", |columns, rows| {
        let mut app = panel(columns, rows).after("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2");
        answer(&mut app, 0, true);
        app.keys("f");
        app
    });
    looks.state("write_box", |columns, rows| {
        let mut app = panel(columns, rows).after("a \"pets.acme-pets.com\" Tab \"sites.petplatform.net\" F2 w Enter");
        app.answer::<WriteFile>(Err(NotWritten::Exists("pets.acme-pets.com.txt".into())));
        app
    });
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_of_one_domain() {
    let mut looks = Looks::default();
    looks.state("live_before_the_first_check", |columns, rows| {
        chosen("docs.acme-pets.com", columns, rows).after("Enter").later(Duration::from_secs(1))
    });
    looks.state("live_while_checking", |columns, rows| {
        let mut app = chosen("docs.acme-pets.com", columns, rows).after("Enter");
        app.say::<CheckDomain>(fixture::so_far());
        app
    });
    looks.wide_state("live_propagating", |columns, rows| opened("docs.acme-pets.com", 1, columns, rows));
    looks.frame("live_in_monochrome", &mut opened("docs.acme-pets.com", 1, 80, 24).in_monochrome());
    looks.state("live_with_an_a_record_in_the_way", |columns, rows| opened("help.acme-pets.com", 0, columns, rows));
    looks.state("live_with_caa_in_the_way", |columns, rows| opened("docs.acme-pets.com", 2, columns, rows));
    looks.state("live_ready_to_verify", |columns, rows| opened("news.acme-pets.com", 3, columns, rows));
    looks.state("live_waiting_for_the_certificate", |columns, rows| opened("shop.acme-pets.com", 3, columns, rows));
    looks.state("live_without_a_certificate", |columns, rows| opened("late.acme-pets.com", 3, columns, rows));
    looks.state("live_and_fine", |columns, rows| opened("acme-pets.com", 4, columns, rows));
    looks.state("live_after_a_failed_check", |columns, rows| opened("acme-pets.com", 11, columns, rows));
    looks.state("live_changed", |columns, rows| {
        opened("docs.acme-pets.com", 1, columns, rows).after("r").and(|app| answer(app, 9, true))
    });
    looks.state("evidence", |columns, rows| opened("docs.acme-pets.com", 1, columns, rows).after("e"));
    whole_at_every_size("help_for_one_domain", |columns, rows| {
        opened("docs.acme-pets.com", 1, columns, rows).after("?")
    });
    insta::assert_snapshot!(looks);
}

#[test]
fn looks_of_the_rules_and_the_removal() {
    let mut looks = Looks::default();
    looks.state("rule_on_verification", |columns, rows| opened("help.acme-pets.com", 0, columns, rows).after("t"));
    looks.state("rule_on_the_certificate", |columns, rows| opened("late.acme-pets.com", 3, columns, rows).after("t"));
    looks.state("rule_on_the_browser", |columns, rows| {
        opened("late.acme-pets.com", 3, columns, rows).after("t Right \"ERR_CERT_COMMON_NAME_INVALID\"")
    });
    looks.state("rule_on_redirects", |columns, rows| opened("acme-pets.com", 4, columns, rows).after("t Left"));
    looks.state("removal", |columns, rows| {
        opened("old.acme-pets.com", 4, columns, rows).after("r").and(|app| answer(app, 4, true))
    });
    looks.state("removal_without_a_redirect", |columns, rows| {
        chosen("shop.acme-pets.com", columns, rows).after("U").and(|app| answer(app, 4, true)).after("Down Space")
    });
    looks.state("removal_with_the_record_left_behind", |columns, rows| opened("gone.acme-pets.com", 4, columns, rows));
    insta::assert_snapshot!(looks);
}

#[test]
fn one_domain_is_named_at_every_size() {
    for (columns, rows) in [(40, 8), (60, 16), (79, 23), (110, 24), (200, 60)] {
        // The list at its left leaves little room.
        assert!(opened("docs.acme-pets.com", 1, columns, rows).screen().contains("docs.acme-pets.com"));
    }
}
