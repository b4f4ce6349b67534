//! One domain as it is now: what was told, who sees what, what is wrong, what to do and how long to wait.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a look by default")]

use jiff::{SignedDuration, Timestamp};
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::app::domain_service::CheckResult;
use crate::domains::catalogue::Topic;
use crate::domains::diagnosis::PROPAGATION;
use crate::domains::finding::deciding;
use crate::domains::observation;
use crate::domains::reported::{Precondition, Reported};
use crate::domains::stage::Stage as Step;
use crate::domains::vantage_points::{View, ViewVerdict};
use crate::domains::{Code, DnsName, Finding, Verdict};
use crate::model::text::cut;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_of_page;
use crate::tui::widgets::page::marker;

use super::super::labels::{self, span};
use super::super::summary::DomainSummary;
use super::super::update::cursor;
use super::{Page, Scene, act_of, list_row, sentence, verdict_cell, verdict_style, verdict_word};

/// Fewer rows than this hold not everything.
const SMALL: u16 = 18;

/// How many rows one sentence on what to do may take.
const FACT_ROWS: usize = 3;

/// Paints the domain.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let Some(name) = &panel.selected else { return };
    page.point(2);
    headline(scene, page, name);
    reported(scene, page, name);
    page.gap();
    let Some(seen) = panel.seen(name) else {
        so_far(scene, page, name);
        return;
    };
    let about = facts(scene, name, seen);
    if page.area.height < SMALL {
        // What to do comes first where not all of it can be shown.
        page.y = page.y.saturating_sub(1);
        write_facts(page, &about);
        topics(page, seen);
        let room = usize::from(page.left()).saturating_sub(2);
        matrix(scene, page, name, seen, room);
        return;
    }
    // The acts stay in sight, however many servers there are.
    let rows: usize = about.iter().map(|(label, text)| page.rows(label.len() + 3, text).min(FACT_ROWS)).sum();
    let room = usize::from(page.left()).saturating_sub(2 + 3 + 1 + rows + 1).max(2);
    matrix(scene, page, name, seen, room);
    topics(page, seen);
    page.gap();
    write_facts(page, &about);
    let changed = panel.looks.get(name).and_then(|look| look.changed.first()).filter(|(when, _)| *when == seen.at);
    if let Some((_, text)) = changed.filter(|_| page.left() > 1) {
        page.down_to(2);
        page.text(&format!("   Changed: {text}."));
    }
    page.down_to(1);
    page.text(&format!("   {}", checked(scene, name, seen)));
}

/// The same where there is room for the list beside it.
pub(super) fn draw_wide(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let body = page.rest();
    let Some(name) = &panel.selected else { return };
    let upper = Rect { height: 14.min(body.height), ..body };
    let left = Rect { width: 42, ..upper };
    let right = Rect { x: left.right(), width: body.width.saturating_sub(left.width), ..upper };
    let lower = Rect { y: upper.bottom(), height: body.height.saturating_sub(upper.height), ..body };
    page.go_to(left);
    page.boxed("Domains");
    short_list(scene, page);
    page.go_to(right);
    page.boxed("What was told, and what to do");
    headline(scene, page, name);
    page.gap();
    reported(scene, page, name);
    let seen = panel.seen(name);
    if let Some(seen) = seen {
        page.gap();
        write_facts(page, &facts(scene, name, seen));
    }
    page.go_to(lower);
    page.boxed("What was measured");
    match seen {
        Some(seen) => {
            let room = usize::from(page.left()).saturating_sub(9);
            matrix(scene, page, name, seen, room);
            page.gap();
            topics(page, seen);
            page.gap();
            page.text(&format!("   {}", checked(scene, name, seen)));
            for (at, text) in panel.looks.get(name).into_iter().flat_map(|look| &look.changed).take(3) {
                page.text(&format!("   {}  {text}", scene.appearance.time(*at)));
            }
            page.down_to(1);
            page.text(
                "   e evidence: questions, servers, answers, times. S a report for a support ticket. d the record.",
            );
        }
        None => {
            so_far(scene, page, name);
        }
    }
}

/// The list, as narrow as it can be.
fn short_list(scene: Scene<'_>, page: &mut Page<'_>) {
    let rows = scene.app.domains.rows(scene.now);
    let here = cursor(&scene.app.domains, &rows).unwrap_or(0);
    let room = usize::from(page.left()).max(1);
    for (at, row) in rows.iter().enumerate().skip(first_of_page(here, room)).take(room) {
        let cells = vec![
            Span::raw(format!("{} {}", marker(at == here), page.column(&row.shown, 21))),
            verdict_cell(row.progress.verdict, 5, scene.appearance),
            Span::raw(cut(&scene.appearance.text(&row.progress.summary), 11)),
        ];
        list_row(page, at == here, 0, cells);
    }
}

pub fn headline(scene: Scene<'_>, page: &mut Page<'_>, name: &DnsName) {
    let panel = &scene.app.domains;
    let row = panel.entry(name).map(|entry| DomainSummary::of(entry, panel, scene.now));
    let shown = row.as_ref().map_or_else(|| name.to_string(), |row| row.shown.clone());
    let verdict = row.as_ref().and_then(|row| row.progress.verdict);
    let what = row.map_or_else(String::new, |row| row.progress.summary);
    let shown = cut(&scene.appearance.text(&shown), page.columns().saturating_sub(30).max(20));
    let stale = panel.standing(name, scene.now).stale;
    let stale = stale.map_or_else(String::new, |age| format!(" (nothing could be measured now; {} old)", span(age)));
    page.line(vec![
        Span::styled(format!("   {shown}   "), scene.appearance.style(StyleRole::Heading)),
        Span::styled(verdict_word(verdict), verdict_style(verdict, scene.appearance)),
        Span::raw(format!(" {}{stale}", scene.appearance.text(&what))),
    ]);
}

/// What the operator told.
fn reported(scene: Scene<'_>, page: &mut Page<'_>, name: &DnsName) {
    let panel = &scene.app.domains;
    let reported = panel.reported(name);
    let wall = panel.wall(scene.now);
    let tick = |precondition| if reported.ticked.contains(&precondition) { "[x]" } else { "[ ]" };
    page.text(&format!(
        "   Told:  {} plan  {} deploy  {} DNS access   {}",
        tick(Precondition::PaidPlan),
        tick(Precondition::Deploy),
        tick(Precondition::DnsAccess),
        reported.saved.map_or_else(|| "not saved yet (s)".to_owned(), |at| format!("saved {}", moment(scene, at))),
    ));
    page.text(&format!("          {}", clock_line(scene, &reported, wall)));
}

/// The clock that runs: 48 hours from the record, or half an hour from Verify.
fn clock_line(scene: Scene<'_>, reported: &Reported, wall: Timestamp) -> String {
    let since = |at: Timestamp| wall.duration_since(at).max(SignedDuration::ZERO);
    match (reported.verified, reported.saved) {
        (Some(verified), _) => {
            let times = if reported.verified_times > 1 {
                format!(", {} times so far", reported.verified_times)
            } else {
                String::new()
            };
            let ago = span(since(verified));
            format!("Verify chosen {}, {ago} ago{times}", moment(scene, verified))
        }
        (None, Some(saved)) => {
            let end = saved.checked_add(PROPAGATION).unwrap_or(saved);
            format!("48 hours end {}; Verify not chosen yet", moment(scene, end))
        }
        (None, None) => "Verify not chosen yet".to_owned(),
    }
}

fn moment(scene: Scene<'_>, at: Timestamp) -> String {
    scene.appearance.moment(at, scene.app.domains.wall(scene.now))
}

/// Who sees what at the name, over at most `room` rows.
fn matrix(scene: Scene<'_>, page: &mut Page<'_>, name: &DnsName, seen: &CheckResult, room: usize) {
    let panel = &scene.app.domains;
    if let Some(record) = panel.domain().and_then(|domain| labels::record(panel, &domain)) {
        page.text(&format!("   {} {name} should be {}", record.kind(), record.value));
    }
    let wide = page.columns() > 100;
    let who = if wide { 34 } else { 19 };
    let sees = page.columns().saturating_sub(3 + who + 9 + if wide { 9 } else { 0 } + 20).max(12);
    let time = if wide { "TIME     " } else { "" };
    page.heading(format!("     {:<who$}{:<sees$}{:>7}  {time}VERDICT", "WHO", "SEES", "TTL"));
    let hidden = seen.views.len().saturating_sub(room);
    for view in seen.views.iter().take(if hidden > 0 { room.saturating_sub(1) } else { room }) {
        let label = if wide { &view.server } else { &view.name };
        let ttl = view.ttl.map_or_else(|| "-".to_owned(), |ttl| ttl.to_string());
        let took = if wide { format!("{:<9}", format!("{} ms", view.took.as_millis())) } else { String::new() };
        page.line(vec![
            Span::raw(format!("     {}{}{ttl:>7}  {took}", page.column(label, who), page.column(&view.sees, sees))),
            Span::styled(view.verdict.word(), verdict_style(Some(view.verdict.verdict()), scene.appearance)),
            Span::raw(remark(scene, view)),
        ]);
    }
    if hidden > 0 {
        page.text(&format!("     and {} more (e)", hidden + usize::from(room > 0)));
    }
}

/// What is to be said with the verdict on a view.
fn remark(scene: Scene<'_>, view: &View) -> String {
    match view.verdict {
        ViewVerdict::Right | ViewVerdict::Wrong if view.role == observation::Role::Authoritative => {
            " source".to_owned()
        }
        ViewVerdict::Old { until: Some(until) } if until <= scene.app.domains.wall(scene.now) => {
            format!(" was until {}", moment(scene, until))
        }
        ViewVerdict::Old { until: Some(until) } => format!(" until {}", moment(scene, until)),
        _ => String::new(),
    }
}

/// CAA, certificate and page, a line each: the finding that decides.
fn topics(page: &mut Page<'_>, seen: &CheckResult) {
    for (label, topics) in
        [("CAA", &[Topic::Caa][..]), ("Certificate", &[Topic::Certificate]), ("Page", &[Topic::Http, Topic::Redirect])]
    {
        let of_topic = seen.findings.iter().filter(|finding| topics.contains(&finding.code.topic()));
        let (verdict, text) = match deciding(of_topic) {
            Some(finding) if finding.seen.is_empty() => (Some(finding.verdict), finding.title.clone()),
            Some(finding) if finding.verdict <= Verdict::Ok => (Some(finding.verdict), finding.seen.clone()),
            Some(finding) => (Some(finding.verdict), format!("{}: {}", finding.title, finding.seen)),
            None => (None, "not judged before the lines above are right".to_owned()),
        };
        let room = page.columns().saturating_sub(22);
        let text = cut(&page.appearance.text(&text), room);
        page.line(vec![
            Span::raw(format!("   {label:<12}")),
            verdict_cell(verdict, 6, page.appearance),
            Span::raw(text),
        ]);
    }
}

/// What to do now, and what comes then.
fn facts(scene: Scene<'_>, name: &DnsName, seen: &CheckResult) -> Vec<(&'static str, String)> {
    let panel = &scene.app.domains;
    let wall = panel.wall(scene.now);
    let step = panel.standing(name, scene.now).state;
    let decides = deciding(&seen.findings);
    let wait = |finding: &Finding| {
        let until = finding.until?;
        let at = moment(scene, until);
        if until <= wall {
            return Some(format!(" The time promised, {at}, has passed: r checks."));
        }
        Some(format!(" Until {at} (in {}).", span(until.duration_since(wall))))
    };
    let act = decides.map(act_of).unwrap_or_default();
    let until = decides.filter(|finding| finding.verdict == Verdict::Wait).and_then(wait).unwrap_or_default();
    let (now, then) = match step {
        _ if !seen.measurement.known => {
            let why = decides.map_or("", |finding| finding.fix.as_str());
            (format!("nothing could be measured from here, which says nothing of the domain. {}", sentence(why)), "")
        }
        Step::ReadyToVerify => (
            "In the dashboard choose Verify, then press V here.".to_owned(),
            "the certificate comes by itself, usually within a couple of minutes.",
        ),
        Step::CertificatePending => (
            "nothing. The certificate is usually there a couple of minutes after Verify.".to_owned(),
            "live. After 30 minutes without it: t, three checks.",
        ),
        Step::CertificateLate => {
            ("t: three checks, then Re-verify in the dashboard, and V here.".to_owned(), "the clock starts anew.")
        }
        Step::Live if panel.redirects.failing(name).is_some() => {
            ("mend the redirect from this domain: R.".to_owned(), "look again with r.")
        }
        Step::Live if act.is_empty() => {
            ("nothing.".to_owned(), "look again with r; U takes it out of service, in order.")
        }
        Step::Propagating if act.is_empty() => {
            (format!("nothing.{until}"), "choose Verify in the dashboard, and press V here.")
        }
        Step::Propagating => (format!("{act}{until}"), "choose Verify in the dashboard, and press V here."),
        Step::WaitingForDns => (format!("{act}{until}"), "the caches follow, up to 48 h; then Verify."),
        Step::Failing => (format!("{act}{until}"), "look again with r; it is looked at by itself, too."),
        _ => (format!("{act}{until}"), ""),
    };
    let mut facts = vec![("Do now: ", now)];
    if !then.is_empty() {
        facts.push(("Then:   ", sentence(then)));
    }
    if decides
        .is_some_and(|finding| matches!(finding.code, Code::DnsValueGone | Code::DnsWrongTarget | Code::DnsNearMiss))
    {
        facts.push(("Or:     ", "c corrects the value here, if it was mistyped.".to_owned()));
    }
    let more = seen.findings.iter().filter(|finding| finding.verdict == Verdict::Fail).count().saturating_sub(1);
    if more > 0 {
        facts.push(("Also:   ", format!("{more} more to mend (e); they may go with the first.")));
    }
    facts
}

fn write_facts(page: &mut Page<'_>, facts: &[(&'static str, String)]) {
    for (label, text) in facts {
        let text = if text.trim().is_empty() { "nothing." } else { text };
        page.labelled(&format!("   {label}"), text, FACT_ROWS);
    }
}

/// When it was looked at, and when it is again.
fn checked(scene: Scene<'_>, name: &DnsName, seen: &CheckResult) -> String {
    let panel = &scene.app.domains;
    let at = scene.appearance.time(seen.at);
    let next = match (looking(scene, name), panel.looks.get(name).and_then(|look| look.due)) {
        (Some(looking), _) => format!(" {looking}"),
        (None, Some(_)) if panel.watching => " Looked at again by itself; r at once.".to_owned(),
        (None, _) => " r looks again.".to_owned(),
    };
    format!("Checked {at}.{next}")
}

/// That a check goes on, once that is worth a word.
fn looking(scene: Scene<'_>, name: &DnsName) -> Option<&'static str> {
    let panel = &scene.app.domains;
    let asked = panel.looks.get(name).is_some_and(|look| look.asked);
    (asked && panel.is_looking_at(name)).then_some("Looking ... (Ctrl-C cancels)")
}

/// What the first check has found so far.
fn so_far(scene: Scene<'_>, page: &mut Page<'_>, name: &DnsName) {
    page.wrapped(3, looking(scene, name).unwrap_or("Not looked at yet: r looks."), 2);
    let findings = scene.app.domains.looks.get(name).and_then(|look| look.so_far.as_ref());
    page.gap();
    for finding in findings.into_iter().flatten().take(10) {
        page.line(vec![
            Span::raw("   "),
            verdict_cell(Some(finding.verdict), 6, page.appearance),
            Span::raw(page.appearance.text(&finding.title)),
        ]);
    }
}
