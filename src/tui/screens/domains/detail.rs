//! Keys at one domain: its record, its current state, and the troubleshooting rules.

use crate::clock::Now;
use crate::domains::catalogue::Topic;
use crate::domains::finding::deciding;
use crate::domains::record_export::{Conflict, DnsRecord};
use crate::domains::reported::Event;
use crate::domains::stage::Stage as Step;
use crate::domains::troubleshooting::{self, Facts, Rule};
use crate::domains::{DnsName, Finding};
use crate::model::display_safe;
use crate::tui::effect::Effect;
use crate::tui::keymap::{DomainAction, RecordAction, RecordPart, RulesAction};
use crate::tui::popups::{Contents, FormatsBox, Popup, TextBox, TextKind, WriteBox, copy};
use crate::tui::state::{AppState, MessageKind};
use crate::tui::widgets::form::neighbour;

use super::state::{ConfirmTwice, PanelLocation, State};
use super::update::go;
use super::{labels, redirects, removal, scheduler, wizard};

/// What is shown if nothing is known of a domain yet.
const NOT_CHECKED: &str = "Not checked yet. r checks now.";

/// A key at the record to enter.
pub(super) fn at_record(app: &mut AppState, action: RecordAction, now: Now) -> Vec<Effect> {
    let Some(domain) = app.domains.domain() else {
        app.domains.place = PanelLocation::List;
        return Vec::new();
    };
    match action {
        RecordAction::Copy(part) => return copy_part(app, part, now),
        RecordAction::Formats => app.popup = Some(Popup::Formats(FormatsBox::default())),
        RecordAction::WriteFile => {
            let text = FormatsBox::default().text(&app.domains);
            app.popup = Some(Popup::Write(WriteBox::new(format!("{}.txt", domain.name), Contents::Text(text))));
        }
        RecordAction::Saved => {
            app.domains.record(&domain.name, Event::Saved, now);
            app.domains.trail.clear();
            app.domains.place = PanelLocation::Live;
            scheduler::ask_anew(&mut app.domains, &domain.name);
            app.say_done("Recorded. DNS changes can take up to 48 hours; petstore keeps checking.", now.mono);
        }
        RecordAction::Refresh => check_now(app, &domain.name),
        RecordAction::CopyDeletes => return copy_deletes(app, now),
        RecordAction::Correct | RecordAction::Back => correct(app, &domain.name),
        RecordAction::Evidence => evidence(app),
        RecordAction::Leave => app.domains.back(),
    }
    Vec::new()
}

/// Checks a domain, and says so if that is under way.
fn check_now(app: &mut AppState, name: &DnsName) {
    if app.domains.is_checking(name) {
        app.say(MessageKind::Note, "It is being checked. Ctrl-C cancels.");
    }
    scheduler::ask(&mut app.domains, name);
}

/// Copies one part of the record.
fn copy_part(app: &mut AppState, part: RecordPart, now: Now) -> Vec<Effect> {
    let panel = &app.domains;
    let Some(record) = panel.domain().and_then(|domain| labels::record(panel, &domain)) else {
        app.say(MessageKind::Note, "No value yet. F3 goes back to enter it.");
        return Vec::new();
    };
    let DnsRecord { name, zone, value, ttl, .. } = &record;
    let text = match part {
        RecordPart::Type => record.kind().to_owned(),
        RecordPart::Name => name.relative_to(zone).to_owned(),
        RecordPart::Value => value.to_string(),
        RecordPart::Ttl => ttl.to_string(),
        RecordPart::FullName => name.dotted(),
    };
    let shown = format!("\"{text}\"");
    copy(app, text, &shown, now)
}

/// Copies the records that must be deleted first, as lines of a zone file.
fn copy_deletes(app: &mut AppState, now: Now) -> Vec<Effect> {
    let seen = app.domains.selected.as_ref().and_then(|name| Some((name, app.domains.seen(name)?)));
    let Some((name, seen)) = seen else {
        app.say(MessageKind::Note, NOT_CHECKED);
        return Vec::new();
    };
    let line = |conflict: &Conflict, value: &String| {
        format!("{} {} IN {} {}\n", name.dotted(), conflict.ttl, conflict.kind, display_safe(value))
    };
    let lines =
        seen.conflicts.iter().flat_map(|conflict| conflict.values.iter().map(move |value| line(conflict, value)));
    let lines: String = lines.collect();
    if lines.is_empty() {
        app.say(MessageKind::Note, "Nothing has to be deleted at this name.");
        return Vec::new();
    }
    copy(app, lines, "what to delete", now)
}

/// A key at one domain.
pub(super) fn at_domain(app: &mut AppState, action: DomainAction, now: Now) -> Vec<Effect> {
    let Some(name) = app.domains.selected.clone() else {
        app.domains.place = PanelLocation::List;
        return Vec::new();
    };
    let records = matches!(
        action,
        DomainAction::Verified
            | DomainAction::Saved
            | DomainAction::Toggle
            | DomainAction::Correct
            | DomainAction::Record
            | DomainAction::Removal
    );
    if records && app.domains.is_unlisted(&name) {
        app.say(MessageKind::Note, format!("{name} is not on your list: Esc, then F2 adds it."));
        return Vec::new();
    }
    match action {
        DomainAction::Refresh => check_now(app, &name),
        DomainAction::Verified => verified(app, now),
        DomainAction::Saved => saved_again(app, now),
        DomainAction::Toggle => tick(app, &name),
        DomainAction::Correct => correct(app, &name),
        DomainAction::Rules => {
            let rule = likely_rule(&app.domains, now);
            app.domains.enter(PanelLocation::Rules(rule));
        }
        DomainAction::Evidence => evidence(app),
        DomainAction::Report => report(app),
        DomainAction::Copy => {
            let seen = app.domains.seen(&name);
            let cause = seen.and_then(|seen| deciding(&seen.findings)).map(words);
            match cause {
                Some(text) => return copy(app, text, "the first problem and its fix", now),
                None => app.say(MessageKind::Note, NOT_CHECKED),
            }
        }
        DomainAction::CopyDeletes => return copy_deletes(app, now),
        DomainAction::Formats => app.popup = Some(Popup::Formats(FormatsBox::default())),
        DomainAction::Record => {
            wizard::resume(&mut app.domains, &name);
            app.domains.enter(PanelLocation::Record);
        }
        DomainAction::Removal => return removal::open(app, now),
        DomainAction::Move(movement) => go(app, movement, now),
        DomainAction::Back => app.domains.back(),
    }
    Vec::new()
}

/// Records that the record was saved. If it was before, only on the second press: the 48 hours start again.
fn saved_again(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    if panel.reported(&name).saved.is_some() && panel.confirming.take() != Some(ConfirmTwice::Saved) {
        panel.confirming = Some(ConfirmTwice::Saved);
        return app.say(MessageKind::Note, "Already recorded as saved. Press s again to restart the 48 hours.");
    }
    panel.confirming = None;
    panel.record(&name, Event::Saved, now);
    scheduler::ask_anew(panel, &name);
    app.say(MessageKind::Note, "Recorded as saved now.");
}

/// Opens the form of a domain at its value.
fn correct(app: &mut AppState, name: &DnsName) {
    wizard::resume(&mut app.domains, name);
    app.domains.wizard.focus = wizard::Focus::Value;
    app.domains.enter(PanelLocation::Wizard);
}

/// Opens the form of a domain at what can be ticked.
fn tick(app: &mut AppState, name: &DnsName) {
    wizard::resume(&mut app.domains, name);
    app.domains.wizard.focus = wizard::Focus::Plan;
    app.domains.enter(PanelLocation::Wizard);
    app.say(MessageKind::Note, "Space ticks what applies. Esc saves and goes back.");
}

/// Cause, proof and fix, for an email.
fn words(finding: &Finding) -> String {
    let Finding { title, code, seen, fix, .. } = finding;
    format!("{title} [{code}]\n{seen}\n{fix}\n")
}

/// Records that Verify was chosen. If it cannot succeed yet, only on the second press.
fn verified(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let state = panel.status(&name, now).state;
    let fits = state.may_verify();
    if !fits && panel.confirming.take() != Some(ConfirmTwice::Verified) {
        panel.confirming = Some(ConfirmTwice::Verified);
        let text = "Verify would fail now, and attempts are limited. If you already chose it, press V again.";
        return app.say(MessageKind::Error, text);
    }
    let live = state == Step::Live;
    panel.confirming = None;
    panel.record(&name, Event::Verified, now);
    scheduler::ask_anew(panel, &name);
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

/// A key at a troubleshooting rule.
pub(super) fn in_rules(app: &mut AppState, action: RulesAction, now: Now) -> Vec<Effect> {
    let PanelLocation::Rules(rule) = app.domains.place else { return Vec::new() };
    let Some(name) = app.domains.selected.clone() else { return Vec::new() };
    match action {
        RulesAction::NextTab => app.domains.place = PanelLocation::Rules(neighbour(&Rule::ALL, rule, true)),
        RulesAction::PreviousTab => app.domains.place = PanelLocation::Rules(neighbour(&Rule::ALL, rule, false)),
        RulesAction::Tab(rule) => app.domains.place = PanelLocation::Rules(rule),
        RulesAction::Refresh => {
            scheduler::ask(&mut app.domains, &name);
            if rule == Rule::Redirects {
                return redirects::walk(app, now);
            }
        }
        RulesAction::Verified => verified(app, now),
        RulesAction::Toggle => tick(app, &name),
        RulesAction::Evidence => evidence(app),
        RulesAction::Report => report(app),
        RulesAction::Copy => return copy_fix(app, rule, now),
        RulesAction::Back => {
            // Not to the other rules.
            app.domains.trail.retain(|place| !matches!(place, PanelLocation::Rules(_)));
            app.domains.back();
        }
    }
    Vec::new()
}

/// Copies the first fix on a page.
fn copy_fix(app: &mut AppState, rule: Rule, now: Now) -> Vec<Effect> {
    let answers = with_facts(&app.domains, now, |facts| troubleshooting::answers(rule, facts)).unwrap_or_default();
    match answers.into_iter().flat_map(|answer| answer.act).next() {
        Some(act) => copy(app, act, "what to do", now),
        None => {
            app.say(MessageKind::Note, "Nothing to do here.");
            Vec::new()
        }
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

fn evidence(app: &mut AppState) {
    let Some(seen) = app.domains.selected.as_ref().and_then(|name| app.domains.seen(name)) else {
        return app.say(MessageKind::Note, NOT_CHECKED);
    };
    let text = labels::evidence(seen, usize::from(app.size.columns).saturating_sub(6));
    app.popup = Some(Popup::Text(TextBox::new(TextKind::Evidence, text, "evidence")));
}

fn report(app: &mut AppState) {
    let panel = &app.domains;
    let Some(name) = panel.selected.clone() else { return };
    match panel.seen(&name).map(|seen| seen.report.clone()).filter(|report| !report.is_empty()) {
        Some(text) => app.popup = Some(Popup::Text(TextBox::new(TextKind::Report, text, &format!("{name}.report")))),
        None => app.say(MessageKind::Note, "No report yet. Press r to check, then S again."),
    }
}
