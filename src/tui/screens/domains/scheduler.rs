//! Looking at domains: what the operator asked for first, then what is due, a few at a time, and never anything where
//! nothing is pending.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use crate::app::domain_progress::DomainProgress;
use crate::app::domain_service::{CheckRequest, CheckResult};
use crate::clock::Now;
use crate::domains::registry::{Entry, RegistryChange};
use crate::domains::sandbox::PACE;
use crate::domains::stage::{Measurement, Stage as Step, next_check};
use crate::domains::{DnsName, Verdict, parse_name};
use crate::tui::effect::Effect;
use crate::tui::pending::{LANES, Slot};
use crate::tui::state::{AppState, MessageKind, Screen};

use super::jobs::DomainTask;
use super::labels::{act, difference};
use super::state::{PanelLocation, State};
use super::summary::{DomainSummary, StatusWords};

/// Asking again sooner than this brings nothing.
const LEAST_PAUSE: SignedDuration = SignedDuration::from_secs(5);

/// How long a domain waits that has no pause of its own.
const LONGEST_PAUSE: SignedDuration = SignedDuration::from_mins(10);

/// A domain that is live is looked at once when the panel opens, if its last measurement is older.
const STILL_LIVE: SignedDuration = SignedDuration::from_hours(1);

/// The same is made heard again only after this time.
const SAID_AGAIN: Duration = Duration::from_secs(3600);

/// How many changes of a domain are kept.
const CHANGES_KEPT: usize = 5;

/// A measurement that says what the one before it said is kept on disk only this often.
const KEEP_SAME_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// Puts a domain on the list of those to be looked at, because the operator wants to see it.
pub fn ask(state: &mut State, name: &DnsName) {
    let look = state.looks.entry(name.clone()).or_default();
    look.asked = true;
    look.due = None;
    look.unchanged = 0;
    enqueue(state, name);
}

fn enqueue(state: &mut State, name: &DnsName) {
    if !state.is_looking_at(name) && !state.queue.contains(name) {
        state.queue.push_back(name.clone());
    }
}

/// Asks for a domain of which something was told or done: a check that goes on has begun before that.
pub(super) fn ask_anew(state: &mut State, name: &DnsName) {
    let is_looking = state.is_looking_at(name);
    ask(state, name);
    if let Some(look) = state.looks.get_mut(name) {
        look.again = is_looking;
    }
}

/// Asks for a domain unless it was seen just now.
pub(super) fn ask_if_old(state: &mut State, name: &DnsName, now: Now) {
    let wall = state.wall(now);
    let is_fresh = |seen: &CheckResult| !seen.report.is_empty() && wall.duration_since(seen.at) < LEAST_PAUSE;
    if !state.seen(name).is_some_and(is_fresh) {
        ask(state, name);
    }
}

/// Asks for all domains that are in service.
pub(super) fn ask_all(state: &mut State, now: Now) {
    let rows = state.rows(now);
    for row in rows.iter().filter(|row| is_looked_at(row)) {
        ask(state, &row.name);
    }
}

/// Whether there is anything to look at: a draft has no record yet, and a name that is none cannot be asked for.
fn is_looked_at(row: &DomainSummary) -> bool {
    row.progress.status.state != Step::Draft && parse_name::domain(row.name.as_str()).is_ok()
}

/// When the list was read: what is pending is looked at by and by, the rest only where its last measurement is old.
pub fn begin(state: &mut State, now: Now) {
    let wall = state.wall(now);
    let rows = state.rows(now);
    let new = rows.iter().filter(|row| !state.looks.contains_key(&row.name) && is_looked_at(row));
    for row in new.cloned().collect::<Vec<_>>() {
        let last = state.entry(&row.name).and_then(|entry| entry.measurements.last());
        let next = match last.map(|last| last.at.min(wall)) {
            None => Some(wall),
            Some(last) if row.progress.pending => next(state, &row, 0, last),
            Some(last) => last.checked_add(STILL_LIVE).ok().filter(|next| *next <= wall),
        };
        let due = next.map(|next| instant(state, next, now));
        let look = state.looks.entry(row.name.clone()).or_default();
        look.due = due;
        look.said = Some(row.said());
    }
    due(state, now);
}

/// Moves what is due to the list of those to be looked at.
pub fn due(state: &mut State, now: Now) {
    if !state.watching {
        return;
    }
    let due = state.looks.iter().filter(|(_, look)| look.due.is_some_and(|at| at <= now.mono));
    let mut due: Vec<DnsName> = due.map(|(name, _)| name.clone()).collect();
    due.sort();
    for name in due {
        if let Some(look) = state.looks.get_mut(&name) {
            look.due = None;
        }
        enqueue(state, &name);
    }
}

/// When the next domain is due by itself.
pub fn next_due(state: &State) -> Option<Instant> {
    state.looks.values().filter_map(|look| look.due).min().filter(|_| state.watching)
}

/// Whether the operator asked for the check in a lane.
pub fn is_asked(state: &State, lane: usize) -> bool {
    let name = state.lanes.get(lane).and_then(Option::as_ref);
    name.and_then(|name| state.looks.get(name)).is_some_and(|look| look.asked)
}

/// When a pending domain is looked at again after a look at `last`.
fn next(state: &State, row: &DomainSummary, unchanged: u32, last: Timestamp) -> Option<Timestamp> {
    let entry = state.entry(&row.name)?;
    let until = entry.measurements.last().and_then(|measurement| measurement.until);
    let next = next_check(row.progress.status.state, &state.setup.reported(entry), until, unchanged, last);
    next.or_else(|| last.checked_add(LONGEST_PAUSE).ok())
}

/// A time of domains, which runs faster in practice, on the clock of the wall.
fn instant(state: &State, at: Timestamp, now: Now) -> Instant {
    let wait = Duration::try_from(at.duration_since(state.wall(now))).unwrap_or_default();
    now.mono + if state.setup.sandbox.is_some() { wait / PACE.unsigned_abs() } else { wait }
}

/// Starts what waits, as far as there are free lanes, and writes what changed.
pub fn work(app: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = Vec::new();
    for lane in 0..LANES {
        let panel = &mut app.domains;
        if panel.lanes[lane].is_some() {
            continue;
        }
        let Some((name, entry)) = next_in_queue(panel) else { break };
        // Who has a domain before him sees it grow, and may want its report.
        let on_screen = app.screen == Screen::Domains && panel.place != PanelLocation::List;
        let detail = on_screen && panel.selected.as_ref() == Some(&name);
        let reported = panel.setup.reported(&entry);
        let look = CheckRequest { entry, reported, detail, sandbox: panel.setup.sandbox_at(now) };
        panel.lanes[lane] = Some(name);
        effects.push(app.begin(DomainTask::Check(lane, Box::new(look)), now));
    }
    effects.extend(keep(app, now));
    effects
}

/// The next domain that waits and is still on the list.
fn next_in_queue(panel: &mut State) -> Option<(DnsName, Entry)> {
    while let Some(name) = panel.queue.pop_front() {
        match panel.entry(&name).cloned() {
            Some(entry) => return Some((name, entry)),
            None => drop(panel.looks.remove(&name)),
        }
    }
    None
}

/// Writes what changed, one write at a time, so that none overtakes another.
fn keep(app: &mut AppState, now: Now) -> Option<Effect> {
    let panel = &app.domains;
    if panel.changes.is_empty() || panel.blocked || app.pending.is_running(Slot::Keep) {
        return None;
    }
    app.domains.writing = app.domains.changes.len();
    let task = DomainTask::Keep(app.domains.changes.clone());
    Some(app.begin(task, now))
}

/// The operator stopped everything: nothing is looked at now or waits for it.
pub fn cancelled(state: &mut State, now: Now) {
    let stopped: Vec<DnsName> = state.queue.drain(..).chain(state.lanes.iter_mut().filter_map(Option::take)).collect();
    for name in stopped {
        let look = state.looks.entry(name.clone()).or_default();
        (look.asked, look.again, look.so_far) = (false, false, None);
        wait(state, &name, now);
    }
}

/// A domain is looked at again when its pause is over, if anything is pending.
pub(super) fn wait(state: &mut State, name: &DnsName, now: Now) {
    let row = state.entry(name).map(|entry| DomainSummary::of(entry, state, now)).filter(|row| row.progress.pending);
    let unchanged = state.looks.get(name).map_or(0, |look| look.unchanged);
    let next = row.and_then(|row| next(state, &row, unchanged, state.wall(now)));
    let due = next.map(|next| instant(state, next, now));
    if let Some(look) = state.looks.get_mut(name) {
        look.due = due;
    }
}

/// A lane is free again.
pub fn free(state: &mut State, lane: usize) -> Option<DnsName> {
    let name = state.lanes[lane].take()?;
    if let Some(look) = state.looks.get_mut(&name) {
        (look.asked, look.so_far) = (false, None);
    }
    Some(name)
}

/// A domain was looked at.
pub(super) fn on_seen(app: &mut AppState, lane: usize, mut seen: CheckResult, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    let Some(name) = panel.lanes[lane].clone() else { return Vec::new() };
    let by_itself = !panel.looks.get(&name).is_some_and(|look| look.asked);
    if panel.looks.get_mut(&name).is_some_and(|look| std::mem::take(&mut look.again)) {
        // It began before something was told or done, and says nothing about that.
        panel.lanes[lane] = None;
        panel.queue.push_front(name);
        return work(app, now);
    }
    free(panel, lane);
    let fresh = note(panel, &name, &mut seen);
    let row = panel.entry(&name).map(|entry| DomainSummary::of(entry, panel, now));
    let said = row.as_ref().map(DomainSummary::said);
    let look = panel.looks.entry(name.clone()).or_default();
    let is_live = |said: &Option<StatusWords>| said.as_ref().is_some_and(|(step, ..)| *step == Step::Live);
    let news = look.said != said;
    let first = look.seen.is_none();
    // Once may be chance: that a live domain is bad is made heard when it is seen again.
    let again = std::mem::replace(&mut look.bad_once, is_live(&look.said) && !is_live(&said));
    let heard = by_itself && (again || news && !first && !look.bad_once);
    look.unchanged = if first || fresh || news { 0 } else { look.unchanged.saturating_add(1) };
    look.said = said;
    if let Some(changed) = look.seen.as_ref().and_then(|last| difference(last, &seen)) {
        look.changed.insert(0, (seen.at, changed));
        look.changed.truncate(CHANGES_KEPT);
    }
    if seen.report.is_empty() {
        // The report of a check that was looked on stays until there is another.
        seen.report = look.seen.take().map_or_else(String::new, |seen| seen.report);
    }
    look.seen = Some(seen);
    wait(panel, &name, now);
    // What is found when the panel opens stands in the list; news is what comes after that.
    let heard = row.filter(|_| heard);
    let mut effects: Vec<Effect> = heard.and_then(|row| announce(app, &row, now)).into_iter().collect();
    effects.extend(work(app, now));
    effects
}

/// Keeps the measurement, on disk only where it says something new; tells whether it does.
fn note(panel: &mut State, name: &DnsName, seen: &mut CheckResult) -> bool {
    let Some(entry) = panel.entry(name) else { return true };
    let new = &mut seen.measurement;
    let reported = entry.events.iter().map(|dated| dated.at).max();
    let last = entry.measurements.last();
    if let Some(last) = last.filter(|last| last.promises_the_same_as(new)) {
        // A minute that wavers would be news at every check.
        new.until = last.until;
    }
    let recent = |old: &Measurement| new.at.duration_since(old.at) < KEEP_SAME_AFTER && Some(old.at) > reported;
    let fresh = !last.is_some_and(|last| last.says_the_same_as(new));
    if fresh || !last.is_some_and(recent) {
        panel.change(RegistryChange::Measured(name.clone(), Box::new(seen.measurement.clone())));
    }
    fresh
}

/// Says what a check by itself brought, where somebody should know: the same only once an hour.
fn announce(app: &mut AppState, row: &DomainSummary, now: Now) -> Option<Effect> {
    let DomainProgress { status, verdict, summary, next, needs_action, .. } = &row.progress;
    let is_live = status.state == Step::Live;
    let text = match act(next) {
        Some(act) if *needs_action => format!("{}: {summary}. {act}", row.shown),
        _ if is_live && *verdict == Some(Verdict::Ok) => format!("{} is live.", row.shown),
        _ => return None,
    };
    let look = app.domains.looks.get_mut(&row.name)?;
    let recent = |(said, at): &(String, Instant)| *said == text && now.mono.saturating_duration_since(*at) < SAID_AGAIN;
    if look.announced.as_ref().is_some_and(recent) {
        return None;
    }
    look.announced = Some((text.clone(), now.mono));
    let shown = if app.screen == Screen::Domains { text.clone() } else { format!("{text} (3: domains)") };
    if is_live {
        app.say_done(shown, now.mono);
    } else if app.message.as_ref().is_none_or(|message| message.kind != MessageKind::Error) {
        app.say(MessageKind::Note, shown);
    }
    Some(Effect::Notify(app.domains.setup.notify, text))
}
