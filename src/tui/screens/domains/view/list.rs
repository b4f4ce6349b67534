//! All domains, a row each.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a look by default")]

use ratatui::text::Span;

use crate::app::domain_progress::{NextStep, count_words};
use crate::domains::Verdict;
use crate::domains::finding::deciding;
use crate::model::text::cut;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_of_page;

use super::super::labels::act;
use super::super::summary::DomainSummary;
use super::super::update::cursor;
use super::super::wizard::in_the_way;
use super::{Page, Scene, act_of, list_row, sentence, verdict_cell, verdict_word};

/// The columns of the table; the last one takes what is left.
const NAME: usize = 23;
/// Not there on narrow terminals.
const ROLE: usize = 9;
const WORD: usize = 6;
const WHAT: usize = 18;

/// Paints the list; the cursor is on the marked row.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    page.gap();
    if let Some(why) = &panel.list_error {
        let kept = if panel.changes.is_empty() { "" } else { " What you told is kept until the program ends." };
        page.error(1, &format!("{}{kept} r tries again.", sentence(why)), 4);
        page.gap();
    }
    if panel.list.is_none() {
        if panel.list_error.is_none() {
            page.text("   Reading the list ...");
        }
        return;
    }
    let rows = panel.rows(scene.now);
    if rows.is_empty() {
        return empty(page);
    }
    let columns = Columns::of(page.columns());
    let Columns { name, role, what, .. } = columns;
    let heading = if role == 0 { "" } else { "ROLE" };
    page.heading(format!("   {:<name$}{heading:<role$}{:<state$}NEXT", "DOMAIN", "STATE", state = WORD + what));
    let room = usize::from(page.left()).saturating_sub(2).max(1);
    let here = cursor(panel, &rows).unwrap_or(0);
    let top = first_of_page(here, room);
    for (at, row) in rows.iter().enumerate().skip(top).take(room) {
        let cells = cells(row, at == here, columns, scene, page);
        list_row(page, at == here, 1, cells);
    }
    page.gap();
    page.text(&sums(&rows, scene));
    let has_pane = usize::from(scene.app.size.columns) > page.columns() + 10;
    if page.left() >= 5 && !has_pane {
        page.gap();
        in_full(&rows[here], scene, page);
    }
    if page.left() >= 5 {
        page.down_to(4);
        about(page);
    }
}

/// The widths of the columns.
#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    role: usize,
    what: usize,
    next: usize,
}

impl Columns {
    fn of(all: usize) -> Self {
        let more = all.saturating_sub(80);
        let role = if all < 80 { 0 } else { ROLE };
        let (name, what) = (NAME + more / 4, WHAT + more / 3);
        Self { name, role, what, next: all.saturating_sub(3 + name + role + WORD + what + 1) }
    }
}

fn cells(row: &DomainSummary, here: bool, columns: Columns, scene: Scene<'_>, page: &Page<'_>) -> Vec<Span<'static>> {
    let Columns { name, role, what, next: rest } = columns;
    let asked = scene.app.domains.looks.get(&row.name).is_some_and(|look| look.asked);
    let next = if asked { "looking ...".to_owned() } else { next_words(row, scene) };
    vec![
        Span::raw(if here { " > " } else { "   " }),
        Span::raw(page.column(&row.shown, name)),
        Span::raw(page.column(if role == 0 { "" } else { row.role.into() }, role)),
        verdict_cell(row.progress.verdict, WORD, page.appearance),
        Span::raw(page.column(&row.progress.summary, what)),
        Span::raw(cut(&page.appearance.text(&next), rest)),
    ]
}

/// The marked domain, without anything cut off.
fn in_full(row: &DomainSummary, scene: Scene<'_>, page: &mut Page<'_>) {
    page.labelled("   ", &format!("{}: {}.", row.shown, row.progress.summary), 2);
    let entry = scene.app.domains.entry(&row.name);
    let last = entry.and_then(|entry| entry.measurements.last()).filter(|_| row.progress.needs_action);
    match last.filter(|last| row.progress.summary == last.title && !last.fix.is_empty()) {
        Some(last) => page.labelled("   Do: ", &sentence(&last.fix), 3),
        None if row.progress.next == NextStep::Nothing => {}
        None => page.labelled("   Next: ", &next_words(row, scene), 1),
    }
}

/// What is next, with times as the user reads them.
fn next_words(row: &DomainSummary, scene: Scene<'_>) -> String {
    let wall = scene.app.domains.wall(scene.now);
    let moment = |at| scene.appearance.moment(at, wall);
    match &row.progress.next {
        NextStep::Wait(Some(until)) if *until <= wall => format!("{} has passed: r", moment(*until)),
        NextStep::Wait(Some(until)) => format!("until {}", moment(*until)),
        NextStep::Wait(None) => "time does it".to_owned(),
        NextStep::AwaitCertificate(verified) => format!("Verify {}", moment(*verified)),
        next => act(next).unwrap_or("-").to_owned(),
    }
}

/// How many are how, and whether they are looked at by themselves.
fn sums(rows: &[DomainSummary], scene: Scene<'_>) -> String {
    let panel = &scene.app.domains;
    let verdicts: Vec<Verdict> = rows.iter().filter_map(|row| row.progress.verdict).collect();
    let words = count_words(&verdicts, |verdict, count| match verdict {
        Verdict::Unknown => false,
        Verdict::Warn => count > 0,
        Verdict::Ok | Verdict::Wait | Verdict::Fail => true,
    });
    let asked = panel.looks.values().filter(|look| look.asked).count();
    let state = match (asked, panel.watching) {
        (0, true) => "Watching.".to_owned(),
        (0, false) => "Not watching (A).".to_owned(),
        (asked, _) => format!("Looking: {asked} to go."),
    };
    format!("   Worst first. {words}. {state}")
}

fn about(page: &mut Page<'_>) {
    for text in [
        "   The service has no operation for domains: Add, Verify, Re-verify and Remove",
        "   are done in the dashboard (Project settings, Domains). petstore tells you",
        "   what to enter, watches DNS, the certificate and redirects, and says when.",
    ] {
        page.text(text);
    }
}

fn empty(page: &mut Page<'_>) {
    page.heading("   No domain is on the list yet.");
    page.gap();
    for (key, text) in [
        ("a", "adds one, and leads you from the first record to the certificate"),
        ("R", "sets the primary domain and redirects"),
    ] {
        let key = Span::styled(key, page.appearance.style(StyleRole::Key));
        page.line(vec![Span::raw("   "), key, Span::raw(format!("  {text}"))]);
    }
    page.gap();
    about(page);
}

/// Beside the list: the selected domain, what is wrong with it, and what to do.
pub fn beside(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let rows = panel.rows(scene.now);
    let Some(row) = cursor(panel, &rows).map(|at| &rows[at]) else { return };
    page.wrapped(0, &row.shown, 2);
    page.gap();
    let Some(seen) = panel.seen(&row.name) else {
        page.labelled(&format!("{:<6}", verdict_word(row.progress.verdict)), &row.progress.summary, 3);
        page.gap();
        page.wrapped(0, &next_words(row, scene), 6);
        return;
    };
    if let Some(finding) = deciding(&seen.findings) {
        page.labelled(&format!("{:<6}", verdict_word(Some(finding.verdict))), &finding.title, 3);
        page.gap();
        page.wrapped(0, &finding.seen, 5);
        let act = act_of(finding);
        if !act.is_empty() {
            page.gap();
            page.labelled("Do: ", &act, 8);
        }
    }
    page.gap();
    for finding in in_the_way(panel, &row.name).skip(1).take(2) {
        page.labelled("Also: ", &sentence(&finding.title), 2);
    }
    page.wrapped(0, &format!("Looked at {}.", scene.appearance.time(seen.at)), 1);
}
