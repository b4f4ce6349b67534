//! Keys at one domain: its record, its current state, and the troubleshooting rules.

use crate::clock::Now;
use crate::domains::catalogue::Topic;
use crate::domains::finding::deciding;
use crate::domains::record_export::{Conflict, DnsRecord};
use crate::domains::reported::Event;
use crate::domains::stage::Stage as Step;
use crate::domains::troubleshooting::{self, Facts, Rule};
use crate::domains::{DnsName, Finding, report};
use crate::model::display_safe;
use crate::tui::command::{Command, Place, change, command, moves};
use crate::tui::effect::Effect;
use crate::tui::popups::{Contents, TextBox, WriteBox, copy};
use crate::tui::state::AppState;
use crate::tui::widgets::form::neighbour;

use super::popups::formats::{self, FormatsBox};
use super::popups::outside::{OUTSIDE, OUTSIDE_TYPED};
use super::state::{ConfirmTwice, PanelLocation, State};
use super::update::{around, go, line};
use super::{redirects, removal, scheduler, wizard};

/// What is shown if nothing is known of a domain yet.
const NOT_CHECKED: &str = "Not checked yet. r checks now.";

/// Back to the page before.
pub(super) const BACK: Command = change("back", "Esc F3 q", "back", "back", |app, _| app.domains.back());
const CHECK: Command =
    command("refresh", "r F5", "", "check now", |app, _| of_selected(app, check_now)).shell(|app| line(app, "check"));
const SAVED: Command = command("saved", "s", "saved it", "I saved it there", |app, now| {
    of_selected(app, |app, name| saved(app, name, now))
})
.shell(|app| line(app, "saved"));
const VERIFIED: Command = command("verified", "V", "I chose Verify", "I chose (Re-)Verify", |app, now| {
    of_selected(app, |app, name| verified(app, name, now))
})
.confirms()
.when(is_listed)
.shell(|app| line(app, "verified"));
const CORRECT: Command =
    command("correct", "c", "", "correct the value", |app, _| of_selected(app, correct)).when(is_listed);
const FORMATS: Command =
    change("formats", "f", "formats", "all formats", formats::open).shell(|app| line(app, "records"));
const DELETES: Command = command("copy-deletes", "D", "", "copy what to delete", copy_deletes);
const EVIDENCE: Command = change("evidence", "e down PgDn", "in full", "evidence, in full", |app, _| evidence(app));
const REPORT: Command =
    change("report", "S", "", "support report", |app, _| report(app)).shell(|app| line(app, "report"));

/// The record to enter.
static RECORD: &[Command] = &[
    SAVED,
    command("copy-part-type", "T", "", "copy Type", |app, now| copy_part(app, |record| record.kind().to_owned(), now)),
    command("copy-part-name", "n", "", "copy Name", |app, now| {
        copy_part(app, |record| record.name.relative_to(&record.zone).to_owned(), now)
    }),
    command("copy-part-value", "v", "copy", "copy Value", |app, now| {
        copy_part(app, |record| record.value.to_string(), now)
    })
    .called("T n v l"),
    command("copy-part-ttl", "l", "", "copy TTL", |app, now| copy_part(app, |record| record.ttl.to_string(), now)),
    command("copy-part-full-name", "N", "", "copy the full name", |app, now| {
        copy_part(app, |record| record.name.dotted(), now)
    }),
    FORMATS,
    command("write-file", "w", "write", "write to a file", |app, _| {
        of_selected(app, |app, name| {
            let text = FormatsBox::default().text(&app.domains);
            app.popups.show(WriteBox::new(format!("{name}.txt"), Contents::Text(text)));
        })
    }),
    CHECK,
    CORRECT,
    DELETES,
    EVIDENCE.at("e down PgDn", "", "evidence, in full"),
    OUTSIDE,
    command("back", "F3 left h", "step back", "name and value", |app, _| of_selected(app, correct)),
    change("leave", "Esc q", "back", "back", |app, _| app.domains.back()),
];

pub static RECORD_PLACE: Place = Place::new("record", "The DNS record", &[RECORD]).around(around);

/// One domain as it is now.
static DOMAIN: &[Command] = &[
    CHECK.at("r F5", "check", "check now"),
    VERIFIED,
    change("rules", "t", "troubles", "troubleshooting", |app, now| {
        let rule = likely_rule(&app.domains, now);
        app.domains.enter(PanelLocation::Rules(rule));
    }),
    EVIDENCE,
    REPORT,
    command("copy", "y", "", "copy the first cause", |app, now| {
        let seen = app.domains.selected.as_ref().and_then(|name| app.domains.seen(name));
        match seen.and_then(|seen| deciding(&seen.findings)).map(words) {
            Some(text) => copy(app, text, "the first problem and its fix", now),
            None => app.note(NOT_CHECKED),
        }
    }),
    DELETES,
    command("record", "d", "", "the DNS record again", |app, _| {
        of_selected(app, |app, name| {
            wizard::resume(&mut app.domains, name);
            app.domains.enter(PanelLocation::Record);
        })
    })
    .when(is_listed)
    .shell(|app| line(app, "records")),
    CORRECT,
    command("saved", "s", "", "I saved it again", |app, now| of_selected(app, |app, name| saved_again(app, name, now)))
        .confirms()
        .when(is_listed)
        .shell(|app| line(app, "saved")),
    FORMATS.at("f", "", "the record in formats"),
    command("redirects", "R", "", "primary and redirects", redirects::open).shell(redirects::line),
    command("removal", "U", "", "remove step by step", removal::open).when(is_listed).shell(|app| line(app, "remove")),
    OUTSIDE,
    moves("left h|right l", "", "previous, next domain", go),
    BACK,
];

pub static DOMAIN_PLACE: Place = Place::new("domain", "One domain", &[DOMAIN]).around(around);

/// A troubleshooting rule.
static RULES: &[Command] = &[
    command("next-tab", "right Tab", "next", "other rules", |app, _| step_rule(app, true)),
    command("previous-tab", "left S-Tab", "", "other rules", |app, _| step_rule(app, false)),
    command("rule-verification", "1", "", "a rule", |app, _| show_rule(app, Rule::Verification)),
    command("rule-certificate", "2", "", "a rule", |app, _| show_rule(app, Rule::Certificate)),
    command("rule-browser", "3", "", "a rule", |app, _| show_rule(app, Rule::Browser)),
    command("rule-redirects", "4", "", "a rule", |app, _| show_rule(app, Rule::Redirects)),
    CHECK_RULE,
    VERIFIED.at("V", "I chose Re-verify", "I chose (Re-)Verify"),
    command("copy", "y", "", "copy the first fix", copy_fix),
    EVIDENCE.at("e", "in full", "evidence, in full"),
    REPORT,
    OUTSIDE,
    LEAVE_RULES,
];

pub static RULES_PLACE: Place = Place::new("rules", "Troubleshooting", &[RULES]).around(around);

/// The field for what the browser says.
static BROWSER: &[Command] = &[
    command("next-tab", "Tab", "next rule", "next rule", |app, _| step_rule(app, true)),
    command("previous-tab", "S-Tab", "", "previous rule", |app, _| step_rule(app, false)),
    CHECK_RULE.at("F5", "check", "check now"),
    OUTSIDE_TYPED,
    LEAVE_RULES.at("Esc F3", "back", "to the domain"),
];

pub static BROWSER_PLACE: Place = Place::new("browser", "Troubleshooting", &[BROWSER]).text().around(around);

const CHECK_RULE: Command = command("refresh", "r F5", "check", "check now", |app, now| {
    if let Some(name) = app.domains.selected.clone() {
        scheduler::ask(&mut app.domains, &name);
    }
    if app.domains.place == PanelLocation::Rules(Rule::Redirects) { redirects::walk(app, now) } else { Vec::new() }
})
.shell(|app| line(app, "check"));

const LEAVE_RULES: Command = change("back", "Esc F3 q", "back", "to the domain", |app, _| {
    // Not to the other rules.
    app.domains.trail.retain(|place| !matches!(place, PanelLocation::Rules(_)));
    app.domains.back();
});

fn show_rule(app: &mut AppState, rule: Rule) -> Vec<Effect> {
    app.domains.place = PanelLocation::Rules(rule);
    Vec::new()
}

fn step_rule(app: &mut AppState, next: bool) -> Vec<Effect> {
    let PanelLocation::Rules(rule) = app.domains.place else { return Vec::new() };
    show_rule(app, neighbour(&Rule::ALL, rule, next))
}

/// Acts on the domain of the page; without one, the list is shown.
fn of_selected(app: &mut AppState, act: impl FnOnce(&mut AppState, &DnsName)) -> Vec<Effect> {
    match app.domains.selected.clone() {
        Some(name) => act(app, &name),
        None => app.domains.place = PanelLocation::List,
    }
    Vec::new()
}

/// Whether something can be recorded of the domain.
pub(super) fn is_listed(app: &AppState) -> bool {
    !app.domains.selected.as_ref().is_some_and(|name| app.domains.is_unlisted(name))
}

/// Records that the record was saved.
fn saved(app: &mut AppState, name: &DnsName, now: Now) {
    app.domains.record(name, Event::Saved, now);
    app.domains.trail.clear();
    app.domains.place = PanelLocation::Live;
    scheduler::ask_anew(&mut app.domains, name);
    app.say_done("Recorded. DNS changes can take up to 48 hours; petstore keeps checking.", now.mono);
}

/// Checks a domain, and says so if that is under way.
fn check_now(app: &mut AppState, name: &DnsName) {
    if app.domains.is_checking(name) {
        app.tell("It is being checked. Ctrl-C cancels.");
    }
    scheduler::ask(&mut app.domains, name);
}

/// Copies one part of the record.
fn copy_part(app: &mut AppState, part: fn(&DnsRecord) -> String, now: Now) -> Vec<Effect> {
    let Some(record) = app.domains.dns_record() else {
        return app.note("No value yet. F3 goes back to enter it.");
    };
    let text = part(&record);
    let shown = format!("\"{text}\"");
    copy(app, text, &shown, now)
}

/// Copies the records that must be deleted first, as lines of a zone file.
fn copy_deletes(app: &mut AppState, now: Now) -> Vec<Effect> {
    let seen = app.domains.selected.as_ref().and_then(|name| Some((name, app.domains.seen(name)?)));
    let Some((name, seen)) = seen else {
        return app.note(NOT_CHECKED);
    };
    let line = |conflict: &Conflict, value: &String| {
        format!("{} {} IN {} {}\n", name.dotted(), conflict.ttl, conflict.kind, display_safe(value))
    };
    let lines =
        seen.conflicts.iter().flat_map(|conflict| conflict.values.iter().map(move |value| line(conflict, value)));
    let lines: String = lines.collect();
    if lines.is_empty() {
        return app.note("Nothing has to be deleted at this name.");
    }
    copy(app, lines, "what to delete", now)
}

/// Records that the record was saved. If it was before, only on the second press: the 48 hours start again.
fn saved_again(app: &mut AppState, name: &DnsName, now: Now) {
    let panel = &mut app.domains;
    if panel.reported(name).saved.is_some() && panel.confirming.take() != Some(ConfirmTwice::Saved) {
        panel.confirming = Some(ConfirmTwice::Saved);
        return app.tell("Already recorded as saved. Press s again to restart the 48 hours.");
    }
    panel.confirming = None;
    panel.record(name, Event::Saved, now);
    scheduler::ask_anew(panel, name);
    app.tell("Recorded as saved now.");
}

/// Opens the form of a domain at its value.
fn correct(app: &mut AppState, name: &DnsName) {
    wizard::resume(&mut app.domains, name);
    app.domains.wizard.form.go_to(&wizard::VALUE);
    app.domains.enter(PanelLocation::Wizard);
}

/// Cause, proof and fix, for an email.
fn words(finding: &Finding) -> String {
    let Finding { title, code, seen, fix, .. } = finding;
    format!("{title} [{code}]\n{seen}\n{fix}\n")
}

/// Records that Verify was chosen. If it cannot succeed yet, only on the second press.
fn verified(app: &mut AppState, name: &DnsName, now: Now) {
    let panel = &mut app.domains;
    let state = panel.status(name, now).state;
    let fits = state.may_verify();
    if !fits && panel.confirming.take() != Some(ConfirmTwice::Verified) {
        panel.confirming = Some(ConfirmTwice::Verified);
        let text = "Verify would fail now, and attempts are limited. If you already chose it, press V again.";
        return app.complain(text);
    }
    let live = state == Step::Live;
    panel.confirming = None;
    panel.record(name, Event::Verified, now);
    scheduler::ask_anew(panel, name);
    app.say_done(
        match (fits, live) {
            (_, true) => "Recorded. The domain is already live.",
            (true, false) => "Recorded. The certificate usually follows within a couple of minutes.",
            (false, false) => "Recorded. It cannot succeed until the first problem is fixed.",
        },
        now.mono,
    );
}

/// The rule to show first at the current state.
fn likely_rule(state: &State, now: Now) -> Rule {
    let Some(name) = &state.selected else { return Rule::Verification };
    let decides = state.seen(name).and_then(|seen| deciding(&seen.findings));
    match state.status(name, now).state {
        Step::CertificatePending | Step::CertificateLate => Rule::Certificate,
        Step::Live | Step::Failing => match decides.map(|finding| finding.code.topic()) {
            Some(Topic::Redirect | Topic::Http) => Rule::Redirects,
            Some(Topic::Certificate) => Rule::Browser,
            Some(Topic::Caa) => Rule::Certificate,
            _ => Rule::Verification,
        },
        Step::Draft
        | Step::WaitingForDns
        | Step::Propagating
        | Step::ReadyToVerify
        | Step::RemovalPlanned
        | Step::Removed => Rule::Verification,
    }
}

/// Copies the first fix on a page.
fn copy_fix(app: &mut AppState, now: Now) -> Vec<Effect> {
    let PanelLocation::Rules(rule) = app.domains.place else { return Vec::new() };
    let answers = with_facts(&app.domains, now, |facts| troubleshooting::answers(rule, facts)).unwrap_or_default();
    match answers.into_iter().flat_map(|answer| answer.act).next() {
        Some(act) => copy(app, act, "what to do", now),
        None => app.note("Nothing to do here."),
    }
}

/// Calls `f` with everything that the rules use, for the selected domain.
pub(super) fn with_facts<T>(state: &State, now: Now, f: impl FnOnce(&Facts<'_>) -> T) -> Option<T> {
    let domain = state.domain()?;
    let reported = state.reported(&domain.name);
    let seen = state.seen(&domain.name);
    let written = state.redirect_from(&domain.name);
    let redirect = written.and_then(redirects::redirect);
    let walked = written.and_then(|written| state.walked(written));
    let facts = Facts {
        domain: &domain,
        reported: &reported,
        findings: seen.map_or(&[], |seen| &seen.findings),
        views: seen.map_or(&[], |seen| &seen.views),
        redirect: redirect.as_ref().map(|redirect| (redirect, walked.map_or(&[][..], |walked| &walked.findings))),
        now: state.wall(now),
    };
    Some(f(&facts))
}

/// Shows the findings with their evidence.
fn evidence(app: &mut AppState) {
    let Some(seen) = app.domains.selected.as_ref().and_then(|name| app.domains.seen(name)) else {
        return app.tell(NOT_CHECKED);
    };
    let columns = usize::from(app.size.columns).saturating_sub(6);
    let lines = seen.findings.iter().map(|finding| report::finding(finding, seen.at, Some(columns), true));
    let text = lines.collect::<Vec<_>>().join("\n");
    app.popups.show(TextBox::new("Evidence: questions and answers", text, "evidence"));
}

fn report(app: &mut AppState) {
    let panel = &app.domains;
    let Some(name) = panel.selected.clone() else { return };
    match panel.seen(&name).map(|seen| seen.report.clone()).filter(|report| !report.is_empty()) {
        Some(text) => app.popups.show(TextBox::new("Support report", text, &format!("{name}.report"))),
        None => app.tell("No report yet. Press r to check, then S again."),
    }
}
