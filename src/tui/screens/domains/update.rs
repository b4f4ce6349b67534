//! What follows from a key or a reply in the domains panel.

use crate::clock::Now;
use crate::domains::code::Topic;
use crate::domains::finding::deciding;
use crate::domains::list::List;
use crate::domains::records::Record;
use crate::domains::report::sentence;
use crate::domains::rules::{self, Facts, Rule};
use crate::domains::state::State as Step;
use crate::domains::told::Event;
use crate::domains::{DnsName, Finding};
use crate::tui::effect::{DomainTask, Effect, Job, Task};
use crate::tui::inflight::Slot;
use crate::tui::keymap::{Action, DomainAction, Part};
use crate::tui::popups::{Contents, Popup, TextBox, TextKind, WriteBox, copy};
use crate::tui::state::{AppState, MessageKind, Screen};

use super::boxes::{FormatsBox, open_outside};
use super::state::{Change, Doubt, Place, State};
use super::{redirects, removal, texts, watch, wizard};

/// Shows the panel. Its list is read each time: another program may have changed it.
pub fn show(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.screen = Screen::Domains;
    app.pets.searching = false;
    read(app, now)
}

/// Reads the list.
fn read(app: &mut AppState, now: Now) -> Vec<Effect> {
    app.domains.blocked = false;
    // A write that is under way, or due, brings the list back, too.
    if app.inflight.is_running(Slot::Keep) || !app.domains.changes.is_empty() {
        return watch::work(app, now);
    }
    let id = app.inflight.begin(Slot::Keep, now.mono);
    vec![Effect::Job(Job { slot: Slot::Keep, id, task: Task::Domains(DomainTask::Keep(Vec::new())) })]
}

/// A key on the panel.
pub fn on_action(app: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    if action == Action::Domain(DomainAction::Outside) {
        open_outside(app, now);
        return Vec::new();
    }
    if app.domains.list.is_none() && !matches!(action, Action::Refresh | Action::Back) {
        return Vec::new();
    }
    let may_confirm = matches!(
        action,
        Action::Domain(DomainAction::Verified | DomainAction::Saved)
            | Action::Toggle
            | Action::Confirm
            | Action::Delete
    );
    if !may_confirm {
        app.domains.doubted = None;
    }
    let (place, message) = (app.domains.place, app.message.clone());
    let mut effects = match app.domains.place {
        Place::List => in_list(app, action, now),
        Place::Wizard => wizard::on_action(app, action, now),
        Place::Record => at_record(app, action, now),
        Place::Live => in_live(app, action, now),
        Place::Rules(rule) => in_rules(app, rule, action, now),
        Place::Redirects => redirects::on_action(app, action, now),
        Place::Removal => removal::on_action(app, action, now),
    };
    // What was said of one page is no news on the next.
    if app.domains.place != place && app.message == message {
        app.message = None;
    }
    effects.extend(watch::work(app, now));
    effects
}

/// Text typed or pasted into the field that has the cursor.
pub fn on_text(app: &mut AppState, text: &str) {
    match app.domains.place {
        Place::Redirects => app.domains.redirects.insert(text),
        _ => {
            if let Some(input) = app.domains.input() {
                input.insert(text);
            }
        }
    }
}

fn in_list(app: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    match action {
        Action::Up => step(app, now, |at, _| at.saturating_sub(1)),
        Action::Down => step(app, now, |at, last| (at + 1).min(last)),
        Action::PageUp => step(app, now, |at, last| at.saturating_sub(10).min(last)),
        Action::PageDown => step(app, now, |at, last| (at + 10).min(last)),
        Action::First => step(app, now, |_, _| 0),
        Action::Last => step(app, now, |_, last| last),
        Action::Open => return open(app, now),
        Action::Domain(DomainAction::Add) => wizard::open(&mut app.domains),
        Action::Domain(DomainAction::Redirects) => return redirects::open(app, now),
        Action::Domain(DomainAction::Removal) => {
            settle_selection(app, now);
            return removal::open(app, now);
        }
        Action::Refresh => {
            watch::ask_all(&mut app.domains, now);
            app.say_done("Looking at all of them. Ctrl-C cancels.", now.mono);
            let mut effects = read(app, now);
            effects.extend(redirects::walk(app, now));
            return effects;
        }
        Action::Delete => drop_draft(app, now),
        Action::Live => {
            app.domains.watching = !app.domains.watching;
            let on = "Watching: what is pending is looked at by itself, and an act that is due makes itself heard.";
            let off = "Not watching: r looks.";
            app.say(MessageKind::Note, if app.domains.watching { on } else { off });
            watch::due(&mut app.domains, now);
        }
        Action::Back => {
            app.screen = Screen::Pets;
        }
        _ => {}
    }
    Vec::new()
}

/// Takes a draft off the list, on the second press.
fn drop_draft(app: &mut AppState, now: Now) {
    settle_selection(app, now);
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let told = panel.told(&name);
    if told.saved.is_some() || told.verified.is_some() {
        return app.say(MessageKind::Note, "Only a draft is dropped so. U takes a domain out of service, in order.");
    }
    if panel.doubted.take() != Some(Doubt::Forgotten) {
        panel.doubted = Some(Doubt::Forgotten);
        return app.say(MessageKind::Note, format!("Del again drops the draft {name}."));
    }
    panel.change(Change::Forgotten(name.clone()));
    panel.looks.remove(&name);
    panel.selected = None;
    app.say(MessageKind::Done, format!("The draft {name} is off the list."));
}

/// Moves the cursor in the list.
fn step(app: &mut AppState, now: Now, to: impl Fn(usize, usize) -> usize) {
    let rows = app.domains.rows(now);
    let Some(last) = rows.len().checked_sub(1) else { return };
    let here = cursor(&app.domains, &rows).unwrap_or(0);
    app.domains.selected = Some(rows[to(here, last).min(last)].name.clone());
}

/// The row that has the cursor: the selected domain, or the first.
#[must_use]
pub fn cursor(state: &State, rows: &[super::row::Row]) -> Option<usize> {
    let selected = state.selected.as_ref();
    selected.and_then(|name| rows.iter().position(|row| row.name == *name)).or((!rows.is_empty()).then_some(0))
}

/// The domain under the cursor becomes the one that is shown.
fn settle_selection(app: &mut AppState, now: Now) {
    let rows = app.domains.rows(now);
    app.domains.selected = cursor(&app.domains, &rows).map(|at| rows[at].name.clone());
}

/// Opens the domain under the cursor where its way goes on.
fn open(app: &mut AppState, now: Now) -> Vec<Effect> {
    settle_selection(app, now);
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else {
        wizard::open(panel);
        return Vec::new();
    };
    match panel.standing(&name, now).state {
        Step::Draft => {
            wizard::resume(panel, &name);
            panel.place = Place::Wizard;
        }
        Step::WaitingForDns if panel.told(&name).saved.is_none() => {
            wizard::resume(panel, &name);
            panel.place = Place::Record;
            watch::ask_if_old(panel, &name, now);
        }
        Step::RemovalPlanned | Step::Removed => return removal::open(app, now),
        Step::WaitingForDns
        | Step::Propagating
        | Step::ReadyToVerify
        | Step::CertificatePending
        | Step::CertificateLate
        | Step::Live
        | Step::Failing => {
            panel.place = Place::Live;
            watch::ask_if_old(panel, &name, now);
        }
    }
    Vec::new()
}

fn at_record(app: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    let domain = match (action, app.domains.domain()) {
        (Action::Domain(DomainAction::Leave), _) | (_, None) => {
            app.domains.place = Place::List;
            return Vec::new();
        }
        (_, Some(domain)) => domain,
    };
    match action {
        Action::Domain(DomainAction::CopyPart(part)) => return copy_part(app, part, now),
        Action::Domain(DomainAction::Formats) => app.popup = Some(Popup::Formats(FormatsBox::default())),
        Action::WriteFile => {
            let text = FormatsBox::default().text(&app.domains);
            app.popup = Some(Popup::Write(WriteBox::new(format!("{}.txt", domain.name), Contents::Text(text))));
        }
        Action::Domain(DomainAction::Saved) | Action::Save => {
            app.domains.tell(&domain.name, Event::Saved, now);
            app.domains.place = Place::Live;
            watch::ask_anew(&mut app.domains, &domain.name);
            app.say_done("Noted. DNS changes may take up to 48 hours; this is looked at until you leave.", now.mono);
        }
        Action::Refresh => watch::ask(&mut app.domains, &domain.name),
        Action::Domain(DomainAction::Evidence) => evidence(app),
        Action::Back => {
            wizard::resume(&mut app.domains, &domain.name);
            app.domains.place = Place::Wizard;
        }
        _ => {}
    }
    Vec::new()
}

/// Copies one part of the record.
fn copy_part(app: &mut AppState, part: Part, now: Now) -> Vec<Effect> {
    let panel = &app.domains;
    let Some(record) = panel.domain().and_then(|domain| texts::record(panel, &domain)) else {
        app.say(MessageKind::Note, "The value is not known yet: F3 goes back to it.");
        return Vec::new();
    };
    let Record { name, zone, value, ttl } = &record;
    let text = match part {
        Part::Type => record.kind().to_owned(),
        Part::Name => name.relative_to(zone).to_owned(),
        Part::Value => value.to_string(),
        Part::Ttl => ttl.to_string(),
        Part::FullName => name.dotted(),
    };
    let shown = format!("\"{text}\"");
    copy(app, text, &shown, now)
}

fn in_live(app: &mut AppState, action: Action, now: Now) -> Vec<Effect> {
    let Some(name) = app.domains.selected.clone() else {
        app.domains.place = Place::List;
        return Vec::new();
    };
    match action {
        Action::Refresh => watch::ask(&mut app.domains, &name),
        Action::Domain(DomainAction::Verified) => verified(app, now),
        Action::Domain(DomainAction::Saved) => saved_again(app, now),
        Action::Toggle => tick(app, &name),
        Action::Domain(DomainAction::Rules) => app.domains.place = Place::Rules(likely_rule(&app.domains, now)),
        Action::Domain(DomainAction::Evidence) => evidence(app),
        Action::Domain(DomainAction::Report) => report(app),
        Action::Copy => {
            let seen = app.domains.seen(&name);
            let cause = seen.and_then(|seen| deciding(&seen.findings)).map(words);
            match cause {
                Some(text) => return copy(app, text, "the first cause and what to do", now),
                None => app.say(MessageKind::Note, "Nothing was seen yet: r looks."),
            }
        }
        Action::Domain(DomainAction::Formats) => app.popup = Some(Popup::Formats(FormatsBox::default())),
        Action::Domain(DomainAction::Record) => {
            wizard::resume(&mut app.domains, &name);
            app.domains.place = Place::Record;
        }
        Action::Domain(DomainAction::Removal) => return removal::open(app, now),
        Action::Up | Action::Down => {
            step(app, now, |at, last| if action == Action::Up { at.saturating_sub(1) } else { (at + 1).min(last) })
        }
        Action::Back => app.domains.place = Place::List,
        _ => {}
    }
    Vec::new()
}

/// Notes that the record was saved; where it was so before, only on the second press, since the 48 hours begin anew.
fn saved_again(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    if panel.told(&name).saved.is_some() && panel.doubted.take() != Some(Doubt::Saved) {
        panel.doubted = Some(Doubt::Saved);
        return app
            .say(MessageKind::Note, "It was saved before. s again, if you saved it anew: the 48 hours begin then.");
    }
    panel.doubted = None;
    panel.tell(&name, Event::Saved, now);
    watch::ask_anew(panel, &name);
    app.say(MessageKind::Note, "Noted: saved now.");
}

/// Opens the form of a domain at what can be ticked.
fn tick(app: &mut AppState, name: &DnsName) {
    wizard::resume(&mut app.domains, name);
    app.domains.wizard.focus = wizard::Focus::Plan;
    app.domains.place = Place::Wizard;
    app.say(MessageKind::Note, "Space ticks what is so; Esc goes to the list, and keeps it.");
}

/// Cause, proof and act, for a mail.
fn words(finding: &Finding) -> String {
    let Finding { title, code, seen, fix, .. } = finding;
    format!("{title} [{code}]\n{seen}\n{fix}\n")
}

/// Notes that Verify was chosen; where it cannot succeed yet, only on the second press.
fn verified(app: &mut AppState, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.selected.clone() else { return };
    let fits = matches!(
        panel.standing(&name, now).state,
        Step::ReadyToVerify | Step::CertificateLate | Step::CertificatePending | Step::Live
    );
    if !fits && panel.doubted.take() != Some(Doubt::Verified) {
        panel.doubted = Some(Doubt::Verified);
        let text =
            "Not everything that Verify looks at is right yet, and tries are limited. V again, if it was chosen.";
        return app.say(MessageKind::Error, text);
    }
    let live = panel.standing(&name, now).state == Step::Live;
    panel.doubted = None;
    panel.tell(&name, Event::Verified, now);
    watch::ask_anew(panel, &name);
    app.say_done(
        match (fits, live) {
            (_, true) => "Noted. It is live already.",
            (true, false) => "Noted. The certificate follows by itself, usually within a couple of minutes.",
            (false, false) => "Noted. It cannot succeed before the first cause is mended.",
        },
        now.mono,
    );
}

/// The page that the state calls for.
fn likely_rule(state: &State, now: Now) -> Rule {
    let Some(name) = &state.selected else { return Rule::Verification };
    let decides = state.seen(name).and_then(|seen| deciding(&seen.findings));
    match state.standing(name, now).state {
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

fn in_rules(app: &mut AppState, rule: Rule, action: Action, now: Now) -> Vec<Effect> {
    let Some(name) = app.domains.selected.clone() else { return Vec::new() };
    let at = Rule::ALL.iter().position(|other| *other == rule).unwrap_or(0);
    match action {
        Action::NextTab => app.domains.place = Place::Rules(Rule::ALL[(at + 1) % Rule::ALL.len()]),
        Action::PreviousTab => {
            app.domains.place = Place::Rules(Rule::ALL[(at + Rule::ALL.len() - 1) % Rule::ALL.len()]);
        }
        Action::Refresh => {
            watch::ask(&mut app.domains, &name);
            if rule == Rule::Redirects {
                return redirects::walk(app, now);
            }
        }
        Action::Domain(DomainAction::Verified) => verified(app, now),
        Action::Toggle => tick(app, &name),
        Action::Domain(DomainAction::Evidence) => evidence(app),
        Action::Domain(DomainAction::Report) => report(app),
        Action::Copy => return copy_act(app, rule, now),
        Action::Edit(edit) => {
            if let Some(input) = app.domains.input() {
                input.edit(edit);
            }
        }
        Action::Back => app.domains.place = Place::Live,
        _ => {}
    }
    Vec::new()
}

/// Copies what is to be done on a page: the first act on it.
fn copy_act(app: &mut AppState, rule: Rule, now: Now) -> Vec<Effect> {
    let answers = with_facts(&app.domains, now, |facts| rules::answers(rule, facts)).unwrap_or_default();
    match answers.into_iter().flat_map(|answer| answer.act).next() {
        Some(act) => copy(app, act, "what is to be done", now),
        None => {
            app.say(MessageKind::Note, "Nothing is to be done here.");
            Vec::new()
        }
    }
}

/// Gives `f` everything that the rules rest on, for the domain that is shown.
pub fn with_facts<T>(state: &State, now: Now, f: impl FnOnce(&Facts<'_>) -> T) -> Option<T> {
    let domain = state.domain()?;
    let told = state.told(&domain.name);
    let seen = state.seen(&domain.name);
    let configured = state.redirects.edited.redirects.iter();
    let line = configured.clone().position(|redirect| DnsName::new(&redirect.from) == domain.name);
    let redirect = line.and_then(|line| redirects::redirect(&state.redirects.edited.redirects[line]));
    let walked = line.and_then(|line| state.redirects.walked_at(line + 1));
    let facts = Facts {
        domain: &domain,
        told: &told,
        findings: seen.map_or(&[], |seen| &seen.findings),
        views: seen.map_or(&[], |seen| &seen.views),
        redirect: redirect.as_ref().map(|redirect| (redirect, walked.map_or(&[][..], |walked| &walked.findings))),
        now: state.wall(now),
    };
    Some(f(&facts))
}

fn evidence(app: &mut AppState) {
    let Some(seen) = app.domains.selected.as_ref().and_then(|name| app.domains.seen(name)) else {
        return app.say(MessageKind::Note, "Nothing was seen yet: r looks.");
    };
    let text = texts::evidence(seen, usize::from(app.size.columns).saturating_sub(4));
    app.popup = Some(Popup::Text(TextBox::new(TextKind::Evidence, text, "evidence")));
}

fn report(app: &mut AppState) {
    let panel = &app.domains;
    let Some(name) = panel.selected.clone() else { return };
    match panel.seen(&name).map(|seen| seen.report.clone()).filter(|report| !report.is_empty()) {
        Some(text) => app.popup = Some(Popup::Text(TextBox::new(TextKind::Report, text, &format!("{name}.report")))),
        None => app.say(MessageKind::Note, "There is no report yet: r looks, then S again."),
    }
}

/// The list was read or written.
pub fn on_kept(app: &mut AppState, result: Result<List, String>, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    match result {
        Ok(mut list) => {
            panel.changes.drain(..std::mem::take(&mut panel.writing));
            // What another program measured counts, and what was measured here since.
            for change in &panel.changes {
                change.apply(&mut list);
            }
            panel.list = Some(list);
            panel.list_error = None;
            watch::begin(panel, now);
        }
        Err(why) => {
            // Nothing is lost: it is tried again with what is told next, or by r in the list.
            panel.writing = 0;
            panel.blocked = true;
            panel.list_error = Some(sentence(&why));
            app.say(MessageKind::Error, format!("{} r in the list tries again.", sentence(&why)));
            return Vec::new();
        }
    }
    watch::work(app, now)
}

/// A check has found something, and goes on.
pub fn on_so_far(app: &mut AppState, lane: usize, findings: Vec<Finding>) {
    let name = app.domains.lanes[lane].clone();
    if let Some(look) = name.and_then(|name| app.domains.looks.get_mut(&name)) {
        look.so_far = Some(findings);
    }
}

/// A check could not be made.
pub fn on_not_seen(app: &mut AppState, lane: usize, why: &str, now: Now) -> Vec<Effect> {
    if let Some(name) = watch::on_failed(&mut app.domains, lane, now) {
        app.say(MessageKind::Error, format!("{name} could not be looked at: {why} r tries again."));
    }
    watch::work(app, now)
}
