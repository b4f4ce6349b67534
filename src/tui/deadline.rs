//! When the screen next changes without input, if ever: there is no tick while nothing is due.

use std::time::{Duration, Instant};

use super::screens::domains::{Location, scheduler};
use super::screens::pets::history;
use super::{App, Now, Screen, Slot, drafts};

/// From when on a running request is shown.
pub const SHOW_LOADING_AFTER: Duration = Duration::from_millis(300);

/// From when on rows are called old.
pub const STALE_AFTER: Duration = Duration::from_secs(300);

/// The next moment at which [`Msg::Tick`](super::msg::Msg::Tick) or a new frame is due, always after `now`.
pub fn next_deadline(app: &App, now: Now) -> Option<Instant> {
    let message = app.message.as_ref().and_then(|message| message.until);
    let refresh = can_refresh(app).then(|| app.pets.next_refresh()).flatten();
    let next_try = app.link.health.next_try().filter(|_| !app.runs(Slot::List));
    let retry = next_try.map(|at| next_second_before(at, now.mono, step(app)));
    let shown = app.pending.running().filter(|(slot, _)| shows_seconds(app, *slot));
    let running = shown.map(|(_, since)| next_shown(since, now.mono, SHOW_LOADING_AFTER, step(app))).min();
    // Old rows show their age in minutes.
    let ages = app.screen == Screen::Pets && !app.pets.follow.is_live() && app.link.health_is_ok();
    let stale = app.pets.store.read().filter(|_| ages).map(|at| next_shown(at.mono, now.mono, STALE_AFTER, 60));
    let domain = scheduler::next_due(&app.domains);
    let countdown = (app.screen == Screen::Domains).then(|| next_countdown(app, now)).flatten();
    let lines = app.add.next_due();
    let drafts = drafts::next_due(app);
    let history = history::next_due(app, now);
    let all = [message, refresh, retry, running, stale, domain, countdown, lines, drafts, history, app.idle_end()];
    all.into_iter().flatten().min().map(|at| at.max(now.mono + MIN_PAUSE))
}

/// Guards against a deadline that an update did not clear: it costs a wake-up, never a busy loop.
const MIN_PAUSE: Duration = Duration::from_millis(1);

/// Whether an automatic refresh may start: nothing runs, the service is there.
pub fn can_refresh(app: &App) -> bool {
    app.pets.live.is_some()
        && !app.pets.follow.is_live()
        && ![Slot::List, Slot::Inventory].into_iter().any(|slot| app.runs(slot))
        && app.link.health_is_ok()
}

/// The jobs whose running time is on screen.
fn shows_seconds(app: &App, slot: Slot) -> bool {
    use Slot::*;
    match app.screen {
        _ if matches!(slot, List | TestKey | Samples) => true,
        Screen::Pets => matches!(slot, Inventory | ById),
        // What an import waits for counts down; everything else of it comes as news.
        Screen::AddPet => matches!(slot, Line(_)) || slot == Import && app.add.import.is_waiting(),
        Screen::Domains => slot == Redirects || matches!(slot, Check(lane) if scheduler::is_asked(&app.domains, lane)),
        Screen::Profiles => matches!(slot, TestProfile | TryProfile | UseProfile),
        Screen::Requests | Screen::Welcome => false,
    }
}

/// Domains show minutes, and practice its own clock.
fn next_countdown(app: &App, now: Now) -> Option<Instant> {
    let in_practice = app.domains.setup.practice.is_some();
    let wall = app.domains.wall(now);
    let counts = match app.domains.place {
        _ if in_practice => true,
        // The list shows times that run down.
        Location::List => app.domains.rows(now).iter().any(|row| row.progress.until.is_some_and(|until| until > wall)),
        Location::Wizard | Location::Redirects => false,
        Location::Record | Location::Live | Location::Rules(_) | Location::Removal => true,
    };
    let left = if in_practice { step(app).cast_signed() } else { 60 - now.wall.as_second().rem_euclid(60) };
    counts.then(|| now.mono + Duration::from_secs(left.unsigned_abs()))
}

/// The next of every `step` seconds since `since`, once so much has passed.
fn next_shown(since: Instant, now: Instant, least: Duration, step: u64) -> Instant {
    let running = now.saturating_duration_since(since);
    if running < least {
        return since + least;
    }
    since + Duration::from_secs((running.as_secs() / step + 1) * step)
}

/// The seconds between two updates of a clock on screen.
const fn step(app: &App) -> u64 {
    if app.slow_line || app.unwatched { 10 } else { 1 }
}

/// The next whole second of a countdown to `at`, or the next of every `step`.
fn next_second_before(at: Instant, now: Instant, step: u64) -> Instant {
    let left = at.saturating_duration_since(now);
    let seconds = left.as_millis().saturating_sub(1) as u64 / 1000;
    at.checked_sub(Duration::from_secs(seconds / step * step)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::testing::prelude::*;

    #[test]
    fn on_a_slow_line_and_where_nobody_looks_clocks_stand_for_ten_seconds() {
        let mut app = TestApp::started(Service::Demo, 80, 24);
        let after =
            |app: &TestApp| next_deadline(&app.state, app.now).map(|at| at.saturating_duration_since(app.now.mono));
        app.wait(Duration::from_millis(400));
        assert_eq!(after(&app), Some(Duration::from_millis(600)));
        app.send(Msg::Line { slow: true });
        app.state.message = None;
        assert_eq!(after(&app), Some(Duration::from_millis(9_600)));
        app.send(Msg::Line { slow: false }).send(Msg::Focus { here: false });
        app.state.message = None;
        assert_eq!(after(&app), Some(Duration::from_millis(9_600)));
        app.send(Msg::Focus { here: true }).send(Msg::Line { slow: false });
        app.shows("The connection is fast again.");
    }

    #[test]
    fn a_countdown_on_a_slow_line_goes_in_tens() {
        let now = crate::clock::now().mono;
        let at = now + Duration::from_millis(27_300);
        assert_eq!(next_second_before(at, now, 1), at - Duration::from_secs(27));
        assert_eq!(next_second_before(at, now, 10), at - Duration::from_secs(20));
    }
}
