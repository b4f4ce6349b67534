//! Schedules checks: those the operator asked for first, then those that are due, a few at a time.

use super::state::StatusWords;
use super::update::KeepRegistry;
use super::{DomainSummary, Location, State, act, popups, redirects};
use crate::api::Failure;
use crate::app::domain_service::CheckRequest;
use crate::domains::practice::PACE;
use crate::domains::{
    Checked, Complete, DnsName, DomainProgress, Entry, Finding, Measurement, RegistryChange, Stage, Topic, Verdict,
    full_sentence, next_check, parse_name,
};
use crate::tui::job::Ongoing;
use crate::tui::pending::LANES;
use crate::tui::{App, Effect, Env, Job, MessageKind, Now, Screen, Slot};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Checking again sooner brings nothing new.
const LEAST_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// The default time between checks of a pending domain.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// A live domain is checked when the panel opens if its last check is older.
const STILL_LIVE: SignedDuration = SignedDuration::from_hours(1);

/// The same notification is repeated only after this time.
const NOTIFY_AGAIN: Duration = Duration::from_secs(3600);

/// Equal measurements are saved only this often.
const KEEP_SAME_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// Queues a check that the operator asked for.
pub fn ask(state: &mut State, name: &DnsName) {
    let check = state.checks.entry(name.clone()).or_default();
    (check.asked, check.due, check.unchanged) = (true, None, 0);
    enqueue(state, name);
}

fn enqueue(state: &mut State, name: &DnsName) {
    if !state.is_checking(name) && !state.queue.contains(name) {
        state.queue.push_back(name.clone());
    }
}

/// Queues a check after a change; a running check is repeated because it began before the change.
pub(super) fn ask_anew(state: &mut State, name: &DnsName) {
    let is_checking = state.is_checking(name);
    ask(state, name);
    state.checks.entry(name.clone()).or_default().again = is_checking;
}

/// Queues a check unless the last one is recent.
pub(super) fn ask_if_old(state: &mut State, name: &DnsName, now: Now) {
    let is_fresh = |seen: &Checked| !seen.report.is_empty() && state.wall(now).duration_since(seen.at) < LEAST_PAUSE;
    if !state.seen(name).is_some_and(is_fresh) {
        ask(state, name);
    }
}

/// Queues checks of all domains in service.
pub(super) fn ask_all(state: &mut State, now: Now) {
    for row in state.rows(now).iter().filter(|row| is_checkable(row)) {
        ask(state, &row.name);
    }
}

/// Whether a domain can be checked: a draft has no record yet, and an invalid name cannot be looked up.
fn is_checkable(row: &DomainSummary) -> bool {
    row.progress.stage != Stage::Draft && parse_name::domain(row.name.as_str()).is_ok()
}

/// Schedules checks after the list is read: of pending domains, and of others whose last check is old.
pub fn begin(state: &mut State, now: Now) {
    let wall = state.wall(now);
    let mut new = state.rows(now);
    new.retain(|row| !state.checks.contains_key(&row.name) && is_checkable(row));
    for row in new {
        let last = state.entry(&row.name).and_then(|entry| entry.measurements.last());
        let next = match last.map(|last| last.at.min(wall)) {
            None => Some(wall),
            Some(last) if row.progress.pending => next(state, &row, 0, last),
            Some(last) => last.checked_add(STILL_LIVE).ok().filter(|next| *next <= wall),
        };
        let due = next.map(|next| instant(state, next, now));
        let check = state.checks.entry(row.name.clone()).or_default();
        check.due = due;
        check.known = Some(row.words());
    }
    due(state, now);
}

/// Queues the checks that are due.
pub fn due(state: &mut State, now: Now) {
    if !state.watching {
        return;
    }
    let is_due = |at: &mut Instant| *at <= now.mono;
    let due = state.checks.iter_mut().filter_map(|(name, check)| check.due.take_if(is_due).map(|_| name.clone()));
    let mut due: Vec<_> = due.collect();
    due.sort();
    due.iter().for_each(|name| enqueue(state, name));
}

/// When the next automatic check is due.
pub fn next_due(state: &State) -> Option<Instant> {
    state.checks.values().filter_map(|check| check.due).min().filter(|_| state.watching)
}

/// Whether the operator asked for the check in a lane.
pub fn is_asked(state: &State, lane: usize) -> bool {
    let name = state.lanes.get(lane).and_then(Option::as_ref);
    name.and_then(|name| state.checks.get(name)).is_some_and(|check| check.asked)
}

/// When a pending domain is checked again after a check at `last`.
fn next(state: &State, row: &DomainSummary, unchanged: u32, last: Timestamp) -> Option<Timestamp> {
    let entry = state.entry(&row.name)?;
    let until = entry.measurements.last().and_then(|measurement| measurement.until);
    let next = next_check(row.progress.stage, &state.setup.reported(entry), until, unchanged, last);
    next.or_else(|| last.checked_add(LONGEST_PAUSE).ok())
}

/// When a time of domains comes; in practice their time runs faster.
fn instant(state: &State, at: Timestamp, now: Now) -> Instant {
    let wait = Duration::try_from(at.duration_since(state.wall(now))).unwrap_or_default();
    now.mono + if state.setup.practice.is_some() { wait / PACE.unsigned_abs() } else { wait }
}

/// Starts queued checks in free lanes, and writes changes.
pub fn work(app: &mut App, now: Now) {
    let may_send = app.domains.queue.is_empty() || popups::resolvers::may_send(app, now);
    for lane in 0..LANES {
        let panel = &mut app.domains;
        if panel.lanes[lane].is_some() || !may_send {
            continue;
        }
        let Some((name, entry)) = next_in_queue(panel) else { break };
        // The domain on the screen shows progress and may need a report.
        let on_screen = app.screen == Screen::Domains && panel.place != Location::List;
        let detail = on_screen && panel.selected.as_ref() == Some(&name);
        let check = CheckRequest { entry, detail, practice: panel.setup.practice_at(now) };
        panel.lanes[lane] = Some(name);
        app.start(CheckDomain { lane, request: Box::new(check) }, now);
    }
    keep(app, now);
}

/// The next queued domain that is still on the list.
fn next_in_queue(panel: &mut State) -> Option<(DnsName, Entry)> {
    while let Some(name) = panel.queue.pop_front() {
        match panel.entry(&name).cloned() {
            Some(entry) => return Some((name, entry)),
            None => drop(panel.checks.remove(&name)),
        }
    }
    None
}

/// Writes changes, one write at a time to keep their order.
fn keep(app: &mut App, now: Now) {
    let panel = &app.domains;
    if !panel.changes.is_empty() && !panel.blocked && !app.runs(Slot::Registry) {
        app.domains.writing = app.domains.changes.len();
        app.start(KeepRegistry(app.domains.changes.clone()), now);
    }
}

/// Checks one domain, in one of a few lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckDomain {
    pub lane: usize,
    pub request: Box<CheckRequest>,
}

impl Job for CheckDomain {
    type Answer = Result<Checked, Failure>;
    const SLOT: fn(&Self) -> Slot = |job| Slot::Check(job.lane);

    async fn run(self: Arc<Self>, env: Env) -> Self::Answer {
        let tell = |complete, since| env.offer(&self, (complete, since));
        let checked = env.machine.domains_context.check(CheckRequest::clone(&self.request), tell).await;
        checked.map_err(|why| Failure::Crashed { why })
    }

    fn done(&self, app: &mut App, checked: Self::Answer, now: Now) {
        let failure = match checked {
            Ok(seen) => return on_seen(app, self.lane, seen, now),
            Err(failure) => failure.sentence("the checker"),
        };
        if let Some(name) = free(&mut app.domains, self.lane) {
            wait(&mut app.domains, &name, now);
            app.complain(format!("Could not check {name}: {failure} r tries again."));
        }
        work(app, now);
    }
}

impl Ongoing for CheckDomain {
    /// What is complete, and when the check began.
    type Part = (Complete, Timestamp);

    fn on_part(&self, app: &mut App, so_far: Self::Part, _: Now) {
        if let Some(check) = app.domains.checks.get_mut(&self.request.entry.name) {
            check.so_far = Some(so_far);
        }
    }
}

/// Cancels all checks that run or are queued.
pub fn cancelled(state: &mut State, now: Now) {
    let stopped: Vec<DnsName> = state.queue.drain(..).chain(state.lanes.iter_mut().filter_map(Option::take)).collect();
    for name in stopped {
        let check = state.checks.entry(name.clone()).or_default();
        (check.asked, check.again, check.so_far) = (false, false, None);
        wait(state, &name, now);
    }
}

/// Schedules the next check of a pending domain.
pub(super) fn wait(state: &mut State, name: &DnsName, now: Now) {
    let row = state.row(name, now).filter(|row| row.progress.pending);
    let unchanged = state.checks.get(name).map_or(0, |check| check.unchanged);
    let next = row.and_then(|row| next(state, &row, unchanged, state.wall(now)));
    let due = next.map(|next| instant(state, next, now));
    if let Some(check) = state.checks.get_mut(name) {
        check.due = due;
    }
}

/// Frees a lane; returns its domain.
fn free(state: &mut State, lane: usize) -> Option<DnsName> {
    let name = state.lanes[lane].take()?;
    if let Some(check) = state.checks.get_mut(&name) {
        (check.asked, check.so_far) = (false, None);
    }
    Some(name)
}

/// A domain was checked.
fn on_seen(app: &mut App, lane: usize, mut seen: Checked, now: Now) {
    let panel = &mut app.domains;
    let Some(name) = panel.lanes[lane].clone() else { return };
    let is_automatic = !panel.checks.get(&name).is_some_and(|check| check.asked);
    if panel.checks.get_mut(&name).is_some_and(|check| std::mem::take(&mut check.again)) {
        // It began before the last change, so its result is outdated.
        panel.lanes[lane] = None;
        panel.queue.push_front(name);
        return work(app, now);
    }
    free(panel, lane);
    let is_awaited = panel.place == Location::Record && panel.selected.as_ref() == Some(&name);
    let is_new_there = is_awaited && seen.measurement.seen && panel.reported(&name).saved.is_none();
    let fresh = note(panel, &name, &mut seen);
    let row = panel.row(&name, now);
    let words = row.as_ref().map(DomainSummary::words);
    let check = panel.checks.entry(name.clone()).or_default();
    let is_live = |words: &Option<StatusWords>| words.as_ref().is_some_and(|(step, ..)| *step == Stage::Live);
    let news = check.known != words;
    let first = check.seen.is_none();
    // One failure may be chance: a live domain that fails is reported at the second one.
    let again = std::mem::replace(&mut check.bad_once, is_live(&check.known) && !is_live(&words));
    let notify = is_automatic && (again || news && !first && !check.bad_once);
    check.unchanged = if first || fresh || news { 0 } else { check.unchanged.saturating_add(1) };
    check.known = words;
    check.changed = check.seen.as_ref().and_then(|last| difference(last, &seen));
    if seen.report.is_empty() {
        // Automatic checks write no report: the last one stays.
        seen.report = check.seen.take().map_or_else(String::new, |seen| seen.report);
    }
    check.seen = Some(seen);
    wait(panel, &name, now);
    if is_new_there {
        panel.trail.clear();
        panel.place = Location::Live;
        app.say_done("The record is there.", now.mono);
    }
    let panel = &mut app.domains;
    // What happens on the page of a removal was done by the operator.
    let is_being_removed = panel.place == Location::Removal && panel.selected.as_ref() == Some(&name);
    if let Some(row) = row.filter(|_| notify && !is_being_removed) {
        announce(app, &row, now);
    }
    work(app, now);
    // What was fixed in the redirect from it is seen as soon.
    if app.domains.followed(&name).is_some() && !app.runs(Slot::Redirects) {
        redirects::follow(app, now);
    }
}

/// Keeps the measurement, and saves it if it is new; returns whether it is.
fn note(panel: &mut State, name: &DnsName, seen: &mut Checked) -> bool {
    let Some(entry) = panel.entry(name) else { return true };
    let new = &mut seen.measurement;
    let reported = entry.events.iter().map(|dated| dated.at).max();
    let last = entry.measurements.last();
    if let Some(last) = last.filter(|last| last.promises_the_same_as(new)) {
        // The expected time may differ by a minute at every check.
        new.until = last.until;
    }
    let recent = |old: &Measurement| new.at.duration_since(old.at) < KEEP_SAME_AFTER && Some(old.at) > reported;
    let fresh = !last.is_some_and(|last| last.says_the_same_as(new));
    if fresh || !last.is_some_and(recent) {
        panel.change(RegistryChange::Measured(name.clone(), Box::new(seen.measurement.clone())));
    }
    fresh
}

/// Notifies the operator of the result of an automatic check, of the same at most once an hour.
fn announce(app: &mut App, row: &DomainSummary, now: Now) {
    let DomainProgress { stage, verdict, summary, needs_action, .. } = &row.progress;
    let is_live = *stage == Stage::Live;
    let text = match needs_action {
        true => format!("{}: {summary}. {}", row.shown, full_sentence(&act(&row.progress, false))),
        false if is_live && *verdict == Some(Verdict::Ok) => format!("{} is live.", row.shown),
        _ => return,
    };
    let Some(check) = app.domains.checks.get_mut(&row.name) else { return };
    let same = |(last, at): &(String, Instant)| *last == text && now.mono.saturating_duration_since(*at) < NOTIFY_AGAIN;
    if check.announced.as_ref().is_some_and(same) {
        return;
    }
    check.announced = Some((text.clone(), now.mono));
    let shown = if app.screen == Screen::Domains { text.clone() } else { format!("{text} (3: domains)") };
    if is_live {
        app.say_done(shown, now.mono);
    } else if app.message.as_ref().is_none_or(|message| message.kind != MessageKind::Error) {
        app.tell(shown);
    }
    app.effect(Effect::Notify(app.domains.setup.notify, text));
}

/// The problems that came or went between two checks.
pub(super) fn difference(before: &Checked, after: &Checked) -> Option<String> {
    // What is right or could not be checked comes and goes without being news.
    let is_wrong = |finding: &&Finding| finding.verdict > Verdict::Ok;
    // What was not checked again is not fixed. Name servers that are right have no finding, and a redirect of the page that
    // works is one about the page.
    let group = |topic| if topic == Topic::Redirect { Topic::Http } else { topic };
    let seen = after.findings.iter().filter(|one| one.verdict != Verdict::Unknown).map(|one| one.code.topic());
    let was_checked = |topic| seen.clone().any(|seen| topic == Topic::Servers || group(seen) == group(topic));
    let news = |how: &str, from: &Checked, other: &Checked| {
        let stays = |one: &Finding| other.findings.iter().filter(is_wrong).any(|known| known.code == one.code);
        let only = from.findings.iter().filter(is_wrong).filter(|one| !stays(one) && was_checked(one.code.topic()));
        let mut titles: Vec<String> = only.map(|finding| format!("\"{}\"", finding.title)).collect();
        titles.dedup();
        (!titles.is_empty()).then(|| format!("{how}: {}", titles.join(", ")))
    };
    let changes: Vec<_> = [news("fixed", before, after), news("new", after, before)].into_iter().flatten().collect();
    (!changes.is_empty()).then(|| changes.join("; "))
}
