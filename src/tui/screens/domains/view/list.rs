//! The list of domains, with what is wrong with each and what comes next.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a default")]

use ratatui::text::Span;

use crate::domains::Verdict;
use crate::domains::finding::deciding;
use crate::domains::finding::without_place;
use crate::domains::progress::{NextStep, count_words, last_known};
use crate::domains::stage::Stage;
use crate::model::text::width;
use crate::model::words::duration;
use crate::tui::theme::StyleRole;
use crate::tui::widgets::list::first_of_page;

use super::super::state::DomainSummary;
use super::super::update::cursor;
use super::super::wizard::in_the_way;
use super::{Page, Scene, act, act_of, moment, sentence, verdict_role, verdict_word};

/// The least columns for a name.
const NAME: usize = 20;
/// Left out on narrow terminals.
const ROLE: usize = 9;
const WORD: usize = 6;
/// How long to wait, or how long the certificate is valid.
const WHEN: usize = 12;
/// The columns that the cause of a problem mostly needs.
const STATE: usize = 29;

/// Paints the list; the cursor is on the marked row.
pub fn draw(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    if let Some(why) = &panel.list_error {
        let kept = if panel.changes.is_empty() { "" } else { " Your changes are kept until you quit." };
        page.gap();
        page.error(1, &format!("{}{kept} r tries again.", sentence(why)), 4);
        page.gap();
    }
    if panel.list.is_none() {
        if panel.list_error.is_none() {
            page.gap();
            page.text("   Reading the list ...");
        }
        return;
    }
    let rows = panel.rows(scene.now);
    if rows.is_empty() {
        return empty(page);
    }
    let has_pane = usize::from(scene.app.size.columns) > page.columns() + 10;
    let here = cursor(panel, &rows).unwrap_or(0);
    let sums = sums(&rows, scene);
    let below = 1 + page.rows(3, &sums).min(2);
    let free = usize::from(page.left()).saturating_sub(1 + below);
    // Every domain has a second row for its next step, or only the marked one has, below the table.
    let has_next = free >= 2 * rows.len();
    // Where lines are free, the next step may take two.
    let next_rows = if free >= 3 * rows.len() { 2 } else { 1 };
    let room = match (has_next, has_pane) {
        (true, _) => rows.len(),
        (false, true) => free.max(1),
        (false, false) => free.saturating_sub(4).max(1),
    };
    let longest = rows.iter().map(|row| width(&row.shown) + 2).max().unwrap_or(NAME);
    let name = longest.clamp(NAME, (page.columns() / 3).max(NAME));
    let left = page.columns().saturating_sub(3 + name + WHEN + WORD);
    let role = if left < ROLE + STATE { 0 } else { ROLE };
    let columns = [("DOMAIN", name), ("ROLE", role), ("WHEN", WHEN), ("STATE", WORD), ("", left - role)];
    page.headings(&columns);
    for (at, row) in rows.iter().enumerate().skip(first_of_page(here, room)).take(room) {
        let (when, verdict) = (when(row, scene), row.progress.verdict);
        let cells = [row.shown.as_str(), row.role.into(), &when].map(|text| (text, StyleRole::Text));
        let state = [(verdict_word(verdict), verdict_role(verdict)), (&*row.progress.summary, StyleRole::Text)];
        page.click_row(at == here);
        page.row(at == here, &columns, &[&cells[..], &state].concat());
        if has_next && row.progress.next == NextStep::Nothing {
            page.gap();
        } else if has_next {
            page.labelled("     Next: ", &next_words(row, scene), next_rows);
        }
    }
    page.gap();
    page.wrapped(3, &sums, 2);
    if page.left() > 2 && !has_pane && (!has_next || rows[here].progress.next == NextStep::Fix) {
        page.gap();
        in_full(&rows[here], scene, page);
    }
    if page.left() >= 5 {
        page.down_to(4);
        about(page);
    }
}

/// The marked domain, with its full next step.
fn in_full(row: &DomainSummary, scene: Scene<'_>, page: &mut Page<'_>) {
    let rows = usize::from(page.left()).min(3);
    match row.progress.next {
        NextStep::Fix => page.labelled("   Do: ", &sentence(row.progress.act()), rows),
        NextStep::Nothing => {}
        _ => page.labelled("   Next: ", &next_words(row, scene), rows),
    }
}

/// The next step, with times in the user's format.
fn next_words(row: &DomainSummary, scene: Scene<'_>) -> String {
    if scene.app.domains.checks.get(&row.name).is_some_and(|check| check.asked) {
        return "checking ...".to_owned();
    }
    match row.progress.until.map(|until| (until, moment(scene, until))) {
        Some((until, at)) if until <= scene.app.domains.wall(scene.now) => format!("overdue since {at}: r checks"),
        Some((_, at)) => format!("{}, until {at}", row.progress.act()),
        // The list has no room for the place.
        None => without_place(&act(&row.progress, false)).to_owned(),
    }
}

/// How long to wait, or how many days the certificate of a live domain has left.
fn when(row: &DomainSummary, scene: Scene<'_>) -> String {
    let wall = scene.app.domains.wall(scene.now);
    let last = scene.app.domains.entry(&row.name).and_then(|entry| last_known(&entry.measurements));
    match (row.progress.until, last.and_then(|last| last.expires)) {
        (Some(until), _) if until <= wall => "overdue".to_owned(),
        (Some(until), _) if row.progress.next == NextStep::AwaitCertificate => {
            format!("< {}", duration(until.duration_since(wall)))
        }
        (Some(until), _) => duration(until.duration_since(wall)),
        (None, Some(expires)) if row.progress.status.state == Stage::Live => {
            format!("cert {} d", expires.duration_since(wall).as_hours() / 24)
        }
        _ => String::new(),
    }
}

/// How many domains have which verdict, whether they are checked automatically, and who learns their names.
fn sums(rows: &[DomainSummary], scene: Scene<'_>) -> String {
    let panel = &scene.app.domains;
    let verdicts: Vec<Verdict> = rows.iter().filter_map(|row| row.progress.verdict).collect();
    let counts = Some(count_words(&verdicts)).filter(|counts| !counts.is_empty()).map(|counts| format!("{counts}. "));
    let asked = panel.checks.values().filter(|check| check.asked).count();
    let state = match (asked, panel.watching) {
        (0, true) => "Watching.".to_owned(),
        (0, false) => "Not watching (A).".to_owned(),
        (asked, _) => format!("Checking: {asked} left."),
    };
    let resolvers = match &panel.setup {
        setup if setup.sandbox.is_some() || setup.resolvers.ask_first => "",
        setup if setup.resolvers.public.is_empty() => " Public resolvers: off (p).",
        _ => " Public resolvers: on (p).",
    };
    format!("{}{state}{resolvers}", counts.unwrap_or_default())
}

fn about(page: &mut Page<'_>) {
    let text = "Domains are added, verified and removed in the dashboard (Project settings, Domains). petstore shows what \
                to enter there, checks DNS, the certificate and redirects, and tells you when to act.";
    page.wrapped(3, text, 4);
}

fn empty(page: &mut Page<'_>) {
    page.gap();
    page.heading("   No domains yet.");
    page.gap();
    for (key, text) in
        [("a", "adds one, from the DNS record to the certificate"), ("R", "shows the primary domain and redirects")]
    {
        let key = page.appearance.span(key, StyleRole::Key);
        page.line(vec![Span::raw("   "), key, Span::raw(format!("  {text}"))]);
    }
    page.gap();
    about(page);
}

/// The details of the marked domain: what is wrong, what to do, and what was recorded.
pub fn beside(scene: Scene<'_>, page: &mut Page<'_>) {
    let panel = &scene.app.domains;
    let rows = panel.rows(scene.now);
    let Some(row) = cursor(panel, &rows).map(|at| &rows[at]) else { return };
    page.wrapped(0, &row.shown, 2);
    page.gap();
    let finding = panel.seen(&row.name).and_then(|seen| deciding(&seen.findings));
    if let Some(finding) = finding {
        page.labelled(&format!("{:<6}", verdict_word(Some(finding.verdict))), &finding.title, 3);
        page.gap();
        page.wrapped(0, &finding.seen, 5);
    } else {
        page.labelled(&format!("{:<6}", verdict_word(row.progress.verdict)), &row.progress.summary, 3);
    }
    page.gap();
    match finding.map(act_of).filter(|act| !act.is_empty()) {
        Some(act) => page.labelled("Do: ", &act, 8),
        None if row.progress.next == NextStep::Fix => page.labelled("Do: ", &sentence(row.progress.act()), 8),
        None => page.labelled("Next: ", &next_words(row, scene), 4),
    }
    for finding in in_the_way(panel, &row.name).skip(1).take(2) {
        page.labelled("Also: ", &sentence(&finding.title), 2);
    }
    page.gap();
    let reported = panel.reported(&row.name);
    let checked = panel.entry(&row.name).and_then(|entry| entry.measurements.last()).map(|last| last.at);
    let role: &str = row.role.into();
    page.labelled("Role     ", role, 1);
    for (label, at) in [("Saved", reported.saved), ("Verify", reported.verified), ("Checked", checked)] {
        page.labelled(&format!("{label:<9}"), &at.map_or("-".to_owned(), |at| moment(scene, at)), 1);
    }
}
