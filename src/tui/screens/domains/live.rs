//! One domain as it is now: what each server sees, what is wrong, what to do and what comes next.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a default")]

use super::list::go;
use super::rules::likely_rule;
use super::{
    ConfirmTwice, DomainSummary, Location, PRACTICE, State, VALUE, act, act_of, around, line, redirects, removal,
    scheduler, verdict_role, verdict_word, wizard,
};
use crate::domains::record_export::zone_file;
use crate::domains::{
    Checked, Code, Complete, DnsName, Event, Finding, NextStep, Practice, Stage, Topic, Verdict, View, ViewVerdict,
    deciding, full_sentence, observation, report, sentence,
};
use crate::model::words::duration;
use crate::model::{cut, width};
use crate::tui::{App, Command, Now, Page, Place, StyleRole, TextBox, command, copy, moves};
use jiff::SignedDuration;

/// What is shown if nothing is known of a domain yet.
const NOT_CHECKED: &str = "Not checked yet. r checks now.";

/// Back to the page before.
pub(super) const BACK: Command = command("back", "Esc F3 q", "back", "back", |app, _| app.domains.back());
pub const CHECK: Command = command("refresh", "r F5", "", "check now", |app, now| of_selected(app, now, check_now))
    .shell(|app| line(app, "check"));
pub const VERIFIED: Command =
    command("verified", "V", "I chose Verify", "I chose (Re-)Verify", |app, now| of_selected(app, now, verified))
        .confirms()
        .when(is_listed)
        .shell(|app| line(app, "verified"));
pub const CORRECT: Command =
    command("correct", "c", "", "correct the value", |app, now| of_selected(app, now, correct)).when(is_listed);
pub const ZONE_FILE: Command = command("zone-file", "f", "zone file", "as a line of a zone file", |app, _| {
    if let Some(record) = app.domains.dns_record() {
        let text = zone_file(&record, app.domains.seen(&record.name).map_or(&[][..], |seen| &seen.conflicts));
        app.popups.show(TextBox::new("The record in a zone file", text, &format!("{}.zone", record.name)));
    }
})
.shell(|app| line(app, "records"));
pub const DELETES: Command = command("copy-deletes", "D", "", "copy what to delete", copy_deletes);
pub const EVIDENCE: Command = command("evidence", "e down PgDn", "in full", "evidence, in full", evidence);
pub const REPORT: Command = command("report", "S", "", "support report", report).shell(|app| line(app, "report"));

/// One domain as it is now.
static DOMAIN: &[Command] = &[
    CHECK.at("r F5", "check", "check now"),
    VERIFIED,
    command("rules", "t", "troubles", "troubleshooting", |app, now| {
        app.domains.enter(Location::Rules(likely_rule(&app.domains, now)));
    }),
    EVIDENCE,
    REPORT,
    command("copy", "y", "", "copy the first cause", |app, now| {
        match app.domains.shown().and_then(|seen| deciding(&seen.findings)).map(words) {
            Some(text) => copy(app, text, "the first problem and its fix", now),
            None => app.tell(NOT_CHECKED),
        }
    }),
    DELETES,
    command("record", "d", "", "the DNS record again", |app, now| {
        of_selected(app, now, |app, name, _| {
            wizard::resume(&mut app.domains, name);
            app.domains.enter(Location::Record);
        })
    })
    .when(is_listed)
    .shell(|app| line(app, "records")),
    CORRECT,
    command("saved", "s", "", "I saved it again", |app, now| of_selected(app, now, saved_again))
        .confirms()
        .when(is_listed)
        .shell(|app| line(app, "saved")),
    ZONE_FILE.at("f", "", "the record as zone file"),
    command("redirects", "R", "", "primary and redirects", redirects::open).shell(redirects::line),
    command("removal", "U", "", "remove step by step", removal::open).when(is_listed).shell(|app| line(app, "remove")),
    PRACTICE,
    moves("left h|right l", "", "previous, next domain", go),
    BACK,
];

pub static DOMAIN_PLACE: Place = Place::new("domain", "One domain", &[DOMAIN]).around(around);

/// Acts on the domain of the page; without one, the list is shown.
pub fn of_selected(app: &mut App, now: Now, act: fn(&mut App, &DnsName, Now)) {
    match app.domains.selected.clone() {
        Some(name) => act(app, &name, now),
        None => app.domains.place = Location::List,
    }
}

/// Whether something can be recorded of the domain.
pub(super) fn is_listed(app: &App) -> bool {
    !app.domains.selected.as_ref().is_some_and(|name| app.domains.is_unlisted(name))
}

/// Checks a domain, and says so if that is under way.
fn check_now(app: &mut App, name: &DnsName, _: Now) {
    if app.domains.is_checking(name) {
        app.tell("It is being checked. Ctrl-C cancels.");
    }
    scheduler::ask(&mut app.domains, name);
}

/// Copies the records that must be deleted first, as lines of a zone file.
fn copy_deletes(app: &mut App, now: Now) {
    let Some(seen) = app.domains.shown() else { return app.tell(NOT_CHECKED) };
    let lines = seen.conflicts.iter().flat_map(|conflict| conflict.zone_lines(&seen.domain.name));
    let lines: String = lines.map(|line| line + "\n").collect();
    if lines.is_empty() {
        return app.tell("Nothing has to be deleted at this name.");
    }
    copy(app, lines, "what to delete", now);
}

/// Records that the record was saved. If it was before, only on the second press: the 48 hours start again.
fn saved_again(app: &mut App, name: &DnsName, now: Now) {
    let panel = &mut app.domains;
    if panel.reported(name).saved.is_some() && !panel.is_confirmed(ConfirmTwice::Saved) {
        return app.tell("Already recorded as saved. Press s again to restart the 48 hours.");
    }
    panel.confirming = None;
    panel.record(name, Event::Saved, now);
    scheduler::ask_anew(panel, name);
    app.tell("Recorded as saved now.");
}

/// Opens the form of a domain at its value.
pub fn correct(app: &mut App, name: &DnsName, _: Now) {
    wizard::resume(&mut app.domains, name);
    app.domains.wizard.form.go_to(&VALUE);
    app.domains.enter(Location::Wizard);
}

/// Cause, proof and fix, for an email.
fn words(finding: &Finding) -> String {
    let Finding { title, code, seen, fix, .. } = finding;
    format!("{title} [{code}]\n{seen}\n{fix}\n")
}

/// Records that Verify was chosen. If it cannot succeed yet, only on the second press.
fn verified(app: &mut App, name: &DnsName, now: Now) {
    let panel = &mut app.domains;
    let stage = panel.stage(name, now);
    let fits = stage.may_verify();
    if !fits && !panel.is_confirmed(ConfirmTwice::Verified) {
        let text = "Verify would fail now, and attempts are limited. If you already chose it, press V again.";
        return app.complain(text);
    }
    let live = stage == Stage::Live;
    panel.confirming = None;
    panel.record(name, Event::Verified, now);
    scheduler::ask_anew(panel, name);
    let text = match (fits, live) {
        (_, true) => "Recorded. The domain is already live.",
        (true, false) => "Recorded. The certificate usually follows within a couple of minutes.",
        (false, false) => "Recorded. It cannot succeed until the first problem is fixed.",
    };
    app.say_done(text, now.mono);
}

/// Shows the findings with their evidence.
fn evidence(app: &mut App, _: Now) {
    let Some(seen) = app.domains.shown() else { return app.tell(NOT_CHECKED) };
    let columns = usize::from(app.size.columns).saturating_sub(6);
    let lines = seen.findings.iter().map(|finding| report::finding(finding, seen.at, Some(columns), true));
    app.popups.show(TextBox::new("Evidence: questions and answers", lines.collect::<Vec<_>>().join("\n"), "evidence"));
}

fn report(app: &mut App, _: Now) {
    let panel = &app.domains;
    let Some(name) = panel.selected.clone() else { return };
    match panel.seen(&name).map(|seen| seen.report.clone()).filter(|report| !report.is_empty()) {
        Some(text) => app.popups.show(TextBox::new("Support report", text, &format!("{name}.report"))),
        None => app.tell("No report yet. Press r to check, then S again."),
    }
}

/// The least rows for everything.
const SMALL: u16 = 18;

/// The most rows of a sentence on what comes later; what to do now is shown whole.
const LATER_ROWS: usize = 3;
/// What to do now.
const NOW: &str = "Do now: ";

/// Paints the domain.
pub fn draw(panel: &State, page: &mut Page<'_>) {
    let Some(name) = &panel.selected else { return };
    page.point(2);
    headline(panel, page, name);
    reported(panel, page, name);
    page.gap();
    let Some(seen) = panel.seen(name) else { return so_far(panel, page, name) };
    let about = facts(panel, page, name, seen);
    if page.area.height < SMALL {
        // Not everything fits: what to do comes first.
        page.y = page.y.saturating_sub(1);
        write_facts(page, &about);
        topics(page, seen, 1);
        let room = usize::from(page.left()).saturating_sub(2);
        return matrix(panel, page, name, seen, room);
    }
    // What to do stays in sight, however many servers there are.
    let rows: usize = about.iter().map(|(label, text)| page.rows(label.len() + 3, text).min(most_rows(label))).sum();
    let room = usize::from(page.left()).saturating_sub(2 + 3 + 1 + rows + 1).max(2);
    matrix(panel, page, name, seen, room);
    let spare = usize::from(page.left()).saturating_sub(3 + 1 + rows + 1);
    topics(page, seen, if spare > 3 { 2 } else { 1 });
    page.gap();
    write_facts(page, &about);
    let changed = panel.checks.get(name).and_then(|check| check.changed.as_ref());
    if let Some(text) = changed.filter(|_| page.left() > 1) {
        let rows = page.rows(12, text).min(3).min(usize::from(page.left()) - 1);
        page.down_to(u16::try_from(rows).unwrap_or(1) + 1);
        page.labelled("   Changed: ", &sentence(text), rows);
    }
    page.down_to(1);
    page.text(&format!("   {}", checked(panel, page, name, seen)));
}

pub fn headline(panel: &State, page: &mut Page<'_>, name: &DnsName) {
    let (shown, verdict, stale, what) = match panel.row(name, page.now) {
        Some(DomainSummary { shown, progress, .. }) => (shown, progress.verdict, progress.stale, progress.summary),
        None => (name.to_string(), None, None, String::new()),
    };
    let shown = cut(&page.appearance.text(&shown), page.room(30).max(20));
    let room = page.room(width(&shown) + 6 + verdict_word(verdict).len());
    let stale = stale.map_or_else(String::new, |age| format!(" (check failed; this is {} old)", span(age)));
    page.line(vec![
        page.appearance.span(format!("   {shown}   "), StyleRole::Heading),
        page.appearance.span(verdict_word(verdict), verdict_role(verdict)),
        cut(&format!(" {}{stale}", page.appearance.text(&what)), room).into(),
    ]);
}

/// What the operator recorded, and the limit that counts from it.
fn reported(panel: &State, page: &mut Page<'_>, name: &DnsName) {
    let reported = panel.reported(name);
    let wall = panel.wall(page.now);
    let saved = reported.saved.map(|at| format!("Record saved {}", panel.moment(page, at)));
    let limit = match (reported.verified, reported.record_due()) {
        (Some(verified), _) => {
            let times = reported.verified_times;
            let times = if times > 1 { format!(", {times} times so far") } else { String::new() };
            let ago = span(wall.duration_since(verified).max(SignedDuration::ZERO));
            Some(format!("Verify chosen {}, {ago} ago{times}", panel.moment(page, verified)))
        }
        (None, Some(end)) if panel.stage(name, page.now) == Stage::Propagating => {
            Some(format!("caches may need until {}", panel.moment(page, end)))
        }
        _ => None,
    };
    let lines: Vec<String> = saved.into_iter().chain(limit).collect();
    if !lines.is_empty() {
        page.wrapped(3, &sentence(&lines.join("; ")), 2);
    }
}

/// How long ago, or how long until then.
fn span(time: SignedDuration) -> String {
    if time.as_mins() < 1 { "less than a minute".to_owned() } else { duration(time) }
}

/// Who sees what at the name, over at most `room` rows.
fn matrix(panel: &State, page: &mut Page<'_>, name: &DnsName, seen: &Checked, room: usize) {
    if let Some(record) = panel.dns_record().filter(|_| !seen.reported.is_being_removed()) {
        page.text(&format!("   {} {name} should be {}", record.kind(), record.value));
    }
    if room == 0 && !seen.views.is_empty() {
        return page.text("   e shows who sees what.");
    }
    let (narrow, wide) = (page.columns() < 70, page.columns() > 100);
    let who = if wide { 34 } else { 19 };
    let (ttl, time) = (if narrow { "" } else { "    TTL  " }, if wide { "TIME     " } else { "" });
    let verdict = if narrow { 17 } else { 20 };
    let sees = page.room(3 + who + ttl.len() + time.len() + verdict).max(12);
    page.heading(format!("     {:<who$}{:<sees$}{ttl}{time}VERDICT", "WHO", "SEES"));
    let views = grouped(&seen.views, wide);
    let hidden = views.len().saturating_sub(room);
    for (view, others) in views.iter().take(if hidden > 0 { room.saturating_sub(1) } else { room }) {
        let label = match others {
            _ if wide => view.server.label(),
            0 => view.server.name.clone(),
            others => format!("{} and {others} more", view.server.name),
        };
        let ttl = view.ttl.map_or_else(|| "-".to_owned(), |ttl| ttl.to_string());
        let ttl = if narrow { String::new() } else { format!("{ttl:>7}  ") };
        let took = if wide { format!("{:<9}", format!("{} ms", view.took.as_millis())) } else { String::new() };
        page.line(vec![
            format!("     {}{}{ttl}{took}", page.column(&label, who), page.column(&view.sees, sees)).into(),
            page.appearance.span(view.verdict.word(), verdict_role(Some(view.verdict.verdict()))),
            cut(&remark(panel, page, view, narrow), (verdict - 2).saturating_sub(view.verdict.word().len())).into(),
        ]);
    }
    if hidden > 0 && page.left() > 0 {
        page.text(&format!("     and {} more (e)", hidden + usize::from(room > 0)));
    }
}

/// The views; unless each is shown, those that wait with the same old answer as one, which ends with the last of them,
/// and how many others it stands for.
fn grouped(views: &[View], each: bool) -> Vec<(View, usize)> {
    let is_old = |view: &View| matches!(view.verdict, ViewVerdict::Old { until: Some(_) });
    let mut shown: Vec<(View, usize)> = Vec::new();
    for view in views {
        let same = shown.iter_mut().find(|(one, _)| !each && is_old(one) && is_old(view) && one.sees == view.sees);
        let Some((first, others)) = same else {
            shown.push((view.clone(), 0));
            continue;
        };
        *others += 1;
        if let (ViewVerdict::Old { until: old }, ViewVerdict::Old { until: new }) = (first.verdict, view.verdict)
            && new > old
        {
            (first.verdict, first.ttl) = (view.verdict, view.ttl);
        }
    }
    shown
}

/// What goes with the verdict on a view.
fn remark(panel: &State, page: &Page<'_>, view: &View, narrow: bool) -> String {
    match view.verdict {
        ViewVerdict::Right | ViewVerdict::Wrong if view.server.role == observation::Role::Authoritative && !narrow => {
            " authoritative".to_owned()
        }
        ViewVerdict::Old { until: Some(until) } if until <= panel.wall(page.now) => {
            format!(" {} has passed", panel.moment(page, until))
        }
        ViewVerdict::Old { until: Some(until) } => format!(" until {}", panel.moment(page, until)),
        _ => String::new(),
    }
}

/// CAA, certificate and page, each with the finding that decides over at most `rows` rows.
fn topics(page: &mut Page<'_>, seen: &Checked, rows: usize) {
    for (label, topics) in
        [("CAA", &[Topic::Caa][..]), ("Certificate", &[Topic::Certificate]), ("Page", &[Topic::Http, Topic::Redirect])]
    {
        let of_topic = seen.findings.iter().filter(|finding| topics.contains(&finding.code.topic()));
        let (verdict, text) = match deciding(of_topic) {
            Some(finding) if finding.seen.is_empty() => (Some(finding.verdict), finding.title.clone()),
            Some(finding) if finding.verdict <= Verdict::Ok => (Some(finding.verdict), finding.seen.clone()),
            Some(finding) => (Some(finding.verdict), format!("{}: {}", finding.title, finding.seen)),
            None => (None, "waits for the lines above".to_owned()),
        };
        page.restyle(15, 6, page.appearance.style(verdict_role(verdict)));
        page.labelled(&format!("   {label:<12}{:<6}", verdict_word(verdict)), &text, rows);
    }
}

/// What to do now, and what comes next.
fn facts(panel: &State, page: &Page<'_>, name: &DnsName, seen: &Checked) -> Vec<(&'static str, String)> {
    let wall = panel.wall(page.now);
    let Some(DomainSummary { progress, .. }) = panel.row(name, page.now) else { return Vec::new() };
    let decides = deciding(&seen.findings);
    let until = progress.until.map_or_else(String::new, |until| match panel.moment(page, until) {
        at if until <= wall => format!(" Expected by {at}, now overdue: r checks."),
        at => format!(" Until {at} (in {}).", span(until.duration_since(wall))),
    });
    let mut facts = match seen.measurement.known {
        true => vec![(NOW, format!("{}{until}", full_sentence(&act(&progress, true))))],
        false => {
            let why = decides.map(act_of).unwrap_or_default();
            vec![(NOW, format!("The check failed, so the current state is unknown. {why}"))]
        }
    };
    let then = progress.then.filter(|_| seen.measurement.known);
    let late = if progress.next == NextStep::AwaitCertificate { " Still no certificate by then? Press t." } else { "" };
    facts.extend(then.map(|then| ("Then:   ", full_sentence(then) + late)));
    let practice = panel.setup.practice.as_ref().filter(|_| name.as_str() == Practice::DOMAIN);
    let waits = practice.and_then(|practice| practice.waits_for(wall));
    facts.extend(waits.map(|waits| ("Here:   ", full_sentence(&format!("in the sandbox, {waits}")))));
    if decides
        .filter(|finding| finding.verdict > Verdict::Ok)
        .is_some_and(|finding| matches!(finding.code, Code::DnsValueGone | Code::DnsWrongTarget | Code::DnsNearMiss))
    {
        facts.push(("Or:     ", "Press c to correct the value here if you mistyped it.".to_owned()));
    }
    let more = seen.findings.iter().filter(|finding| finding.fails()).count().saturating_sub(1);
    if more > 0 {
        facts.push(("Also:   ", format!("{more} more to fix (e); fixing the first may fix them.")));
    }
    facts
}

/// How many rows a sentence may have.
fn most_rows(label: &str) -> usize {
    if label == NOW { usize::MAX } else { LATER_ROWS }
}

fn write_facts(page: &mut Page<'_>, facts: &[(&'static str, String)]) {
    for (label, text) in facts {
        page.labelled(&format!("   {label}"), text, most_rows(label));
    }
}

/// When it was checked, and when it is checked again.
fn checked(panel: &State, page: &Page<'_>, name: &DnsName, seen: &Checked) -> String {
    let at = page.appearance.time(seen.at);
    let next = match (checking(panel, name), panel.checks.get(name).and_then(|check| check.due)) {
        (Some(checking), _) => format!(" {checking}"),
        (None, Some(_)) if panel.watching => " Rechecks automatically; r checks now.".to_owned(),
        (None, _) => " r checks again.".to_owned(),
    };
    format!("Checked {at}.{next}")
}

/// That the operator's check is running.
fn checking(panel: &State, name: &DnsName) -> Option<&'static str> {
    let asked = panel.checks.get(name).is_some_and(|check| check.asked);
    (asked && panel.is_checking(name)).then_some("Checking ... (Ctrl-C cancels)")
}

/// What the first check still asks.
fn so_far(panel: &State, page: &mut Page<'_>, name: &DnsName) {
    page.wrapped(3, checking(panel, name).unwrap_or("Not checked yet. r checks now."), 2);
    let so_far = panel.checks.get(name).and_then(|check| check.so_far);
    if let Some((complete, since)) = so_far.filter(|(complete, _)| *complete != Complete::ALL) {
        page.gap();
        let since = page.appearance.time(since);
        page.wrapped(3, &format!("Still asking {}, since {since}.", complete.still_asking()), 2);
    }
}
