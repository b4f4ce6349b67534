//! Looking at domains: what the operator asked for first, then what is due, a few at a time, and never anything where
//! nothing is pending.

use std::time::{Duration, Instant};

use jiff::SignedDuration;

use crate::clock::Now;
use crate::domains::practice::PACE;
use crate::domains::state::{Measurement, State as Step};
use crate::domains::{DnsName, Verdict, name};
use crate::tui::effect::{DomainTask, Effect, Job, LookAt, Task};
use crate::tui::inflight::{LANES, Slot};
use crate::tui::state::{AppState, MessageKind, Screen};

use super::row::{Next, Row};
use super::state::{Change, Place, Seen, State};
use super::texts::difference;

/// Asking again sooner than this brings nothing.
const LEAST_PAUSE: Duration = Duration::from_secs(5);

/// How long a domain waits that has no pause of its own.
const LONGEST_PAUSE: Duration = Duration::from_secs(600);

/// A domain that is live is looked at once when the panel opens, if its last measurement is older.
const STILL_LIVE: Duration = Duration::from_secs(3600);

/// How many changes of a domain are kept.
const CHANGES_KEPT: usize = 5;

/// A measurement that says what the two before it said is kept on disk only this often.
const KEEP_SAME_AFTER: SignedDuration = SignedDuration::from_mins(10);

/// Puts a domain on the list of those to be looked at, because the operator wants to see it.
pub fn ask(state: &mut State, name: &DnsName) {
    let look = state.looks.entry(name.clone()).or_default();
    look.asked = true;
    look.due = None;
    look.unchanged = 0;
    if !state.is_looking_at(name) && !state.queue.contains(name) {
        state.queue.push_back(name.clone());
    }
}

/// Asks for a domain unless it was seen just now.
pub fn ask_if_old(state: &mut State, name: &DnsName, now: Now) {
    let wall = state.wall(now);
    let least = SignedDuration::try_from(LEAST_PAUSE).unwrap_or_default();
    let fresh = state.seen(name).is_some_and(|seen| !seen.report.is_empty() && wall.duration_since(seen.at) < least);
    if !fresh {
        ask(state, name);
    }
}

/// Asks for all domains that are in service.
pub fn ask_all(state: &mut State, now: Now) {
    let rows = state.rows(now);
    for row in rows.iter().filter(|row| is_looked_at(row)) {
        ask(state, &row.name);
    }
}

/// Whether there is anything to look at: a draft has no record yet, and a name that is none cannot be asked for.
fn is_looked_at(row: &Row) -> bool {
    row.step != Step::Draft && name::domain(row.name.as_str()).is_ok()
}

/// When the list was read: what is pending is looked at by and by, the rest only where its last measurement is old.
pub fn begin(state: &mut State, now: Now) {
    let wall = state.wall(now);
    for row in state.rows(now).iter().filter(|row| is_looked_at(row)) {
        let last = state.entry(&row.name).and_then(|entry| entry.measurements.last()).map(|last| last.at);
        let recheck = if is_pending(row) { row.step.recheck_after(0).unwrap_or(LONGEST_PAUSE) } else { STILL_LIVE };
        let age = last.map_or(recheck, |at| Duration::try_from(wall.duration_since(at)).unwrap_or_default());
        let wait = recheck.saturating_sub(age);
        if is_pending(row) || wait.is_zero() {
            let due = now.mono + paced(wait, state.practice.is_some());
            state.looks.entry(row.name.clone()).or_default().due = Some(due);
        }
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
        if !state.is_looking_at(&name) && !state.queue.contains(&name) {
            state.queue.push_back(name);
        }
    }
}

/// When the next domain is due by itself.
#[must_use]
pub fn next_due(state: &State) -> Option<Instant> {
    state.looks.values().filter_map(|look| look.due).min().filter(|_| state.watching)
}

/// Whether the operator asked for the check in a lane.
#[must_use]
pub fn is_asked(state: &State, lane: usize) -> bool {
    let name = state.lanes.get(lane).and_then(Option::as_ref);
    name.and_then(|name| state.looks.get(name)).is_some_and(|look| look.asked)
}

/// How long a time of domains is on the wall.
fn paced(time: Duration, practice: bool) -> Duration {
    if practice { time / PACE.unsigned_abs() } else { time }
}

/// Starts what waits, as far as there are free lanes, and writes what changed.
pub fn work(app: &mut AppState, now: Now) -> Vec<Effect> {
    let mut effects = Vec::new();
    for lane in 0..LANES {
        let panel = &mut app.domains;
        if panel.lanes[lane].is_some() {
            continue;
        }
        let Some(name) = panel.queue.pop_front() else { break };
        let Some(entry) = panel.entry(&name).cloned() else { continue };
        let at = panel.practice.as_ref().map(|_| panel.wall(now));
        // Who has a domain before him wants its report, too.
        let shown =
            app.screen == Screen::Domains && panel.place != Place::List && panel.selected.as_ref() == Some(&name);
        let detail = shown || panel.looks.get(&name).is_some_and(|look| look.asked);
        let look = LookAt { told: panel.told(&name), entry, detail, practice: panel.practice.clone(), at };
        panel.lanes[lane] = Some(name);
        let slot = Slot::Look(lane);
        let id = app.inflight.begin(slot, now.mono);
        effects.push(Effect::Job(Job { slot, id, task: Task::Domains(DomainTask::Look(Box::new(look))) }));
    }
    effects.extend(keep(app, now));
    effects
}

/// Writes what changed, one write at a time, so that none overtakes another.
fn keep(app: &mut AppState, now: Now) -> Option<Effect> {
    // Where the list cannot be written, r tries again.
    let panel = &app.domains;
    if panel.changes.is_empty() || panel.list_error.is_some() || app.inflight.is_running(Slot::Keep) {
        return None;
    }
    app.domains.writing = app.domains.changes.len();
    let id = app.inflight.begin(Slot::Keep, now.mono);
    let task = Task::Domains(DomainTask::Keep(app.domains.changes.clone()));
    Some(Effect::Job(Job { slot: Slot::Keep, id, task }))
}

/// The operator stopped everything: nothing is looked at now or waits for it.
pub fn cancelled(state: &mut State) {
    state.queue.clear();
    for lane in 0..LANES {
        free(state, lane);
    }
}

/// A lane is free again.
pub fn free(state: &mut State, lane: usize) -> Option<DnsName> {
    let name = state.lanes[lane].take()?;
    if let Some(look) = state.looks.get_mut(&name) {
        look.so_far = None;
        look.asked = false;
    }
    Some(name)
}

/// A domain was looked at.
pub fn on_seen(app: &mut AppState, lane: usize, mut seen: Seen, now: Now) -> Vec<Effect> {
    let panel = &mut app.domains;
    let Some(name) = panel.lanes[lane].clone() else { return Vec::new() };
    let by_itself = !panel.looks.get(&name).is_some_and(|look| look.asked);
    free(panel, lane);
    let row = |panel: &State| panel.entry(&name).map(|entry| Row::of(entry, panel, now));
    let before = row(panel);
    note(panel, &name, &mut seen);
    let after = row(panel);
    let same_row = match (&before, &after) {
        (Some(before), Some(after)) => before.says_the_same_as(after),
        _ => false,
    };
    let look = panel.looks.entry(name.clone()).or_default();
    let changed = look.seen.as_ref().and_then(|last| difference(last, &seen));
    let first = look.seen.is_none();
    look.unchanged = if first || changed.is_some() || !same_row { 0 } else { look.unchanged.saturating_add(1) };
    if let Some(changed) = changed {
        look.changed.insert(0, (seen.at, changed));
        look.changed.truncate(CHANGES_KEPT);
    }
    if seen.report.is_empty() {
        // The report of the check that was asked for stays until it is asked for again.
        seen.report = look.seen.take().map_or_else(String::new, |seen| seen.report);
    }
    look.seen = Some(seen);
    let unchanged = look.unchanged;
    let pause = after.as_ref().filter(|row| is_pending(row)).map(|row| row.step.recheck_after(unchanged));
    let practice = panel.practice.is_some();
    if let Some(look) = panel.looks.get_mut(&name) {
        look.due = pause.map(|pause| now.mono + paced(pause.unwrap_or(LONGEST_PAUSE), practice));
    }
    let news = after.filter(|_| by_itself && !same_row);
    let mut effects: Vec<Effect> = news.and_then(|row| announce(app, &row, now)).into_iter().collect();
    effects.extend(work(app, now));
    effects
}

/// Whether time or somebody will change it: also a record that was left behind.
fn is_pending(row: &Row) -> bool {
    row.step.is_pending() || row.step == Step::Removed && row.verdict == Some(Verdict::Fail)
}

/// Keeps the measurement, on disk only where it says something new.
fn note(panel: &mut State, name: &DnsName, seen: &mut Seen) {
    let Some(entry) = panel.entry(name) else { return };
    let new = &mut seen.measurement;
    let mut last = entry.measurements.iter().rev();
    let (last, before) = (last.next(), last.next());
    // The end of a wait is known to the second only; a minute that wavers would be news at every check.
    if let (Some(old), Some(until)) = (last.and_then(|last| last.until), new.until)
        && old.duration_since(until).abs() <= SignedDuration::from_mins(1)
    {
        new.until = Some(old);
    }
    let same = |old: Option<&Measurement>| {
        old.is_some_and(|old| {
            new.at.duration_since(old.at) < KEEP_SAME_AFTER
                && Measurement { at: new.at, held: new.held.clone(), ..old.clone() } == *new
        })
    };
    if !(same(last) && same(before)) {
        panel.change(Change::Measured(name.clone(), Box::new(seen.measurement.clone())));
    }
}

/// Says what a check by itself brought, where somebody should know.
fn announce(app: &mut AppState, row: &Row, now: Now) -> Option<Effect> {
    let text = match (&row.next, row.needs_act) {
        (Next::Act(act), true) => format!("{}: {}. {act}", row.shown, row.what),
        _ if row.step == Step::Live => format!("{} is live.", row.shown),
        _ => return None,
    };
    let here = app.screen == Screen::Domains;
    if here && row.step == Step::Live {
        app.say_done(text.clone(), now.mono);
    } else if app.message.as_ref().is_none_or(|message| message.kind != MessageKind::Error) {
        app.say(MessageKind::Note, if here { text.clone() } else { format!("{text} (3: domains)") });
    }
    Some(Effect::Notify(app.domains.notify, text))
}
