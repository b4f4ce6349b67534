//! The list of domains, with what is wrong with each and what comes next.
#![expect(clippy::wildcard_enum_match_arm, reason = "what is painted may have a default")]

use super::update::read;
use super::{
    ConfirmTwice, DomainSummary, Location, PRACTICE, State, act, act_of, around, in_the_way, line, popups, redirects,
    removal, scheduler, verdict_role, verdict_word, wizard,
};
use crate::domains::finding::without_place;
use crate::domains::{DnsName, NextStep, Stage, Verdict, count_words, deciding, full_sentence, last_known};
use crate::model::width;
use crate::model::words::duration;
use crate::tui::{
    App, Command, MessageKind, Movement, Now, Page, Place, StyleRole, command, first_of_page, moved, moves,
};

/// Lines of the list that a page is.
const PAGE: usize = 10;

/// The answer to a key for a domain if the list is empty.
const NO_DOMAIN: &str = "No domains yet. a adds one.";

static LIST: &[Command] = &[
    command("open", "Enter", "open", "open, continue", open),
    command("add", "a", "add", "add a domain", |app, _| wizard::open(&mut app.domains))
        .shell(|_| Some("domains add NAME".to_owned())),
    command("redirects", "R", "redirects", "primary and redirects", redirects::open).shell(redirects::line),
    command("removal", "U", "removal", "remove step by step", |app, now| match settle_selection(app, now) {
        Some(_) => removal::open(app, now),
        None => app.tell(NO_DOMAIN),
    })
    .shell(|app| line(app, "remove")),
    command("refresh", "r F5", "check now", "check all now", check_all).shell(|_| Some("domains check".to_owned())),
    command("live", "A", "watch", "watch, on and off", watch).shell(|app| line(app, "watch")),
    command("resolvers", "p", "", "public resolvers", popups::resolvers::change),
    PRACTICE,
    command("delete", "Del", "", "drop a draft", drop_draft).confirms(),
    moves(command::LIST, "", "move", go),
];

pub static LIST_PLACE: Place = Place::new("domains", "Domains", &[LIST]).around(around);

fn check_all(app: &mut App, now: Now) {
    scheduler::ask_all(&mut app.domains, now);
    if !app.domains.rows(now).is_empty() {
        app.say_done("Checking all domains. Ctrl-C cancels.", now.mono);
    }
    read(app, now);
    redirects::follow(app, now);
}

fn watch(app: &mut App, now: Now) {
    app.domains.watching = !app.domains.watching;
    let on = "Watching: pending domains are checked automatically. You are notified when one needs action.";
    let off = "Not watching. r checks now.";
    app.tell(if app.domains.watching { on } else { off });
    scheduler::due(&mut app.domains, now);
}

/// Takes a draft off the list, on the second press.
fn drop_draft(app: &mut App, now: Now) {
    let Some(name) = settle_selection(app, now) else { return app.tell(NO_DOMAIN) };
    let panel = &mut app.domains;
    let reported = panel.reported(&name);
    if reported.saved.is_some() || reported.verified.is_some() {
        return app.tell("Del only removes drafts. U takes a domain out of service step by step.");
    }
    if !panel.is_confirmed(ConfirmTwice::Forgotten) {
        return app.tell(format!("Press Del again to drop the draft {name}."));
    }
    panel.forget(&name);
    app.say(MessageKind::Done, format!("Draft {name} removed from the list."));
}

/// Moves the cursor in the list.
pub fn go(app: &mut App, movement: Movement, now: Now) {
    let rows = app.domains.rows(now);
    let Some(here) = cursor(&app.domains, &rows) else { return };
    app.domains.selected = Some(rows[moved(here, movement, rows.len(), PAGE)].name.clone());
}

/// The row that has the cursor: the selected domain, or the first.
pub fn cursor(state: &State, rows: &[DomainSummary]) -> Option<usize> {
    let selected = state.selected.as_ref();
    selected.and_then(|name| rows.iter().position(|row| row.name == *name)).or((!rows.is_empty()).then_some(0))
}

/// The domain under the cursor becomes the one that is shown.
fn settle_selection(app: &mut App, now: Now) -> Option<DnsName> {
    let rows = app.domains.rows(now);
    app.domains.selected = cursor(&app.domains, &rows).map(|at| rows[at].name.clone());
    app.domains.selected.clone()
}

/// Opens the selected domain at its next step.
fn open(app: &mut App, now: Now) {
    let Some(name) = settle_selection(app, now) else { return wizard::open(&mut app.domains) };
    let panel = &mut app.domains;
    match panel.stage(&name, now) {
        Stage::Draft => {
            wizard::resume(panel, &name);
            panel.enter(Location::Wizard);
        }
        Stage::WaitingForDns if panel.reported(&name).saved.is_none() => {
            wizard::resume(panel, &name);
            panel.enter(Location::Record);
            scheduler::ask_if_old(panel, &name, now);
        }
        Stage::RemovalPlanned | Stage::Removed => removal::open(app, now),
        _ => {
            panel.enter(Location::Live);
            scheduler::ask_if_old(panel, &name, now);
        }
    }
}

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
pub fn draw(app: &App, page: &mut Page<'_>) {
    let panel = &app.domains;
    if let Some(why) = &panel.list_error {
        let kept = if panel.changes.is_empty() { "" } else { " Your changes are kept until you quit." };
        page.gap();
        page.error(1, &format!("{}{kept} r tries again.", full_sentence(why)), 4);
        page.gap();
    }
    if panel.list.is_none() {
        if panel.list_error.is_none() {
            page.gap();
            page.text("   Reading the list ...");
        }
        return;
    }
    let rows = panel.rows(page.now);
    if rows.is_empty() {
        return empty(page);
    }
    let has_pane = usize::from(app.size.columns) > page.columns() + 10;
    let here = cursor(panel, &rows).unwrap_or(0);
    let sums = sums(&rows, panel);
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
    let left = page.room(3 + name + WHEN + WORD);
    let role = if left < ROLE + STATE { 0 } else { ROLE };
    let columns = [("DOMAIN", name), ("ROLE", role), ("WHEN", WHEN), ("STATE", WORD), ("", left - role)];
    page.headings(&columns);
    for (at, row) in rows.iter().enumerate().skip(first_of_page(here, room)).take(room) {
        let (when, verdict) = (when(row, panel, page), row.progress.verdict);
        let [shown, role, when, state] =
            [row.shown.as_str(), row.role.into(), &when, &row.progress.summary].map(|text| (text, StyleRole::Text));
        page.click_row(at == here);
        page.row(at == here, &columns, &[shown, role, when, (verdict_word(verdict), verdict_role(verdict)), state]);
        if has_next && row.progress.next == NextStep::Nothing {
            page.gap();
        } else if has_next {
            page.labelled("     Next: ", &next_words(row, panel, page), next_rows);
        }
    }
    page.gap();
    page.wrapped(3, &sums, 2);
    if page.left() > 2 && !has_pane && (!has_next || rows[here].progress.next == NextStep::Fix) {
        // The marked domain, with its full next step.
        page.gap();
        let (row, at_most) = (&rows[here], usize::from(page.left()).min(3));
        match row.progress.next {
            NextStep::Fix => page.labelled("   Do: ", &full_sentence(row.progress.act()), at_most),
            NextStep::Nothing => {}
            _ => page.labelled("   Next: ", &next_words(row, panel, page), at_most),
        }
    }
    if page.left() >= 5 {
        page.down_to(4);
        about(page);
    }
}

/// The next step, with times in the user's format.
fn next_words(row: &DomainSummary, panel: &State, page: &Page<'_>) -> String {
    if panel.checks.get(&row.name).is_some_and(|check| check.asked) {
        return "checking ...".to_owned();
    }
    match row.progress.until.map(|until| (until, panel.moment(page, until))) {
        Some((until, at)) if until <= panel.wall(page.now) => format!("overdue since {at}: r checks"),
        Some((_, at)) => format!("{}, until {at}", row.progress.act()),
        // The list has no room for the place.
        None => without_place(&act(&row.progress, false)).to_owned(),
    }
}

/// How long to wait, or how many days the certificate of a live domain has left.
fn when(row: &DomainSummary, panel: &State, page: &Page<'_>) -> String {
    let wall = panel.wall(page.now);
    let last = panel.entry(&row.name).and_then(|entry| last_known(&entry.measurements));
    match (row.progress.until, last.and_then(|last| last.expires)) {
        (Some(until), _) if until <= wall => "overdue".to_owned(),
        (Some(until), _) if row.progress.next == NextStep::AwaitCertificate => {
            format!("< {}", duration(until.duration_since(wall)))
        }
        (Some(until), _) => duration(until.duration_since(wall)),
        (None, Some(expires)) if row.progress.stage == Stage::Live => {
            format!("cert {} d", expires.duration_since(wall).as_hours() / 24)
        }
        _ => String::new(),
    }
}

/// How many domains have which verdict, whether they are checked automatically, and who learns their names.
fn sums(rows: &[DomainSummary], panel: &State) -> String {
    let verdicts: Vec<Verdict> = rows.iter().filter_map(|row| row.progress.verdict).collect();
    let counts = Some(count_words(&verdicts)).filter(|counts| !counts.is_empty()).map(|counts| format!("{counts}. "));
    let asked = panel.checks.values().filter(|check| check.asked).count();
    let state = match (asked, panel.watching) {
        (0, true) => "Watching.".to_owned(),
        (0, false) => "Not watching (A).".to_owned(),
        (asked, _) => format!("Checking: {asked} left."),
    };
    let resolvers = match &panel.setup {
        setup if setup.practice.is_some() || setup.resolvers.ask_first => "",
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
        page.line(vec!["   ".into(), page.appearance.span(key, StyleRole::Key), format!("  {text}").into()]);
    }
    page.gap();
    about(page);
}

/// The details of the marked domain: what is wrong, what to do, and what was recorded.
pub fn beside(panel: &State, page: &mut Page<'_>) {
    let rows = panel.rows(page.now);
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
        None if row.progress.next == NextStep::Fix => page.labelled("Do: ", &full_sentence(row.progress.act()), 8),
        None => page.labelled("Next: ", &next_words(row, panel, page), 4),
    }
    for finding in in_the_way(panel, &row.name).skip(1).take(2) {
        page.labelled("Also: ", &full_sentence(&finding.title), 2);
    }
    page.gap();
    let reported = panel.reported(&row.name);
    let checked = panel.entry(&row.name).and_then(|entry| entry.measurements.last()).map(|last| last.at);
    page.labelled("Role     ", row.role.into(), 1);
    for (label, at) in [("Saved", reported.saved), ("Verify", reported.verified), ("Checked", checked)] {
        page.labelled(&format!("{label:<9}"), &at.map_or("-".to_owned(), |at| panel.moment(page, at)), 1);
    }
}
