//! When the screen next changes without input, if ever: there is no tick while nothing is due.

use std::time::{Duration, Instant};

use super::screens::domains::{PanelLocation, scheduler};
use super::screens::pets::history;
use super::{App, Now, Screen, Slot, drafts};

/// From when on a running request is shown.
pub const SHOW_LOADING_AFTER: Duration = Duration::from_millis(300);

/// From when on rows are called old.
pub const STALE_AFTER: Duration = Duration::from_secs(300);

/// The next moment at which [`Msg::Tick`](super::msg::Msg::Tick) or a new frame is due, always after `now`.
pub fn next_deadline(state: &App, now: Now) -> Option<Instant> {
    let message = state.message.as_ref().and_then(|message| message.until);
    let refresh = can_refresh(state).then(|| state.pets.next_refresh()).flatten();
    let next_try = state.link.health.next_try().filter(|_| !state.pending.is_running(Slot::List));
    let retry = next_try.map(|at| next_second_before(at, now.mono, step(state)));
    let shown = state.pending.running().filter(|(slot, _)| shows_seconds(state, *slot));
    let running = shown.map(|(_, since)| next_shown(since, now.mono, SHOW_LOADING_AFTER, step(state))).min();
    // Old rows show their age in minutes.
    let ages = state.screen == Screen::Pets && !state.pets.follow.is_live() && state.link.health_is_ok();
    let stale = state.pets.store.read().filter(|_| ages).map(|at| next_shown(at.mono, now.mono, STALE_AFTER, 60));
    let domain = scheduler::next_due(&state.domains);
    let countdown = (state.screen == Screen::Domains).then(|| next_countdown(state, now)).flatten();
    let lines = state.add.next_due();
    let drafts = drafts::next_due(state);
    let history = history::next_due(state, now);
    let all = [message, refresh, retry, running, stale, domain, countdown, lines, drafts, history, state.idle_end()];
    all.into_iter().flatten().min().map(|at| at.max(now.mono + MIN_PAUSE))
}

/// Guards against a deadline that an update did not clear: it costs a wake-up, never a busy loop.
const MIN_PAUSE: Duration = Duration::from_millis(1);

/// Whether an automatic refresh may start: nothing runs, the service is there.
pub fn can_refresh(state: &App) -> bool {
    state.pets.live.is_some()
        && !state.pets.follow.is_live()
        && ![Slot::List, Slot::Inventory].into_iter().any(|slot| state.pending.is_running(slot))
        && state.link.health_is_ok()
}

/// The jobs whose running time is on screen.
fn shows_seconds(state: &App, slot: Slot) -> bool {
    use Slot::*;
    match state.screen {
        _ if matches!(slot, List | TestKey | Samples) => true,
        Screen::Pets => matches!(slot, Inventory | ById),
        // What an import waits for counts down; everything else of it comes as news.
        Screen::AddPet => matches!(slot, Line(_)) || slot == Import && state.add.import.is_waiting(),
        Screen::Domains => {
            slot == Redirects || matches!(slot, Check(lane) if scheduler::is_asked(&state.domains, lane))
        }
        Screen::Profiles => matches!(slot, TestProfile | TryProfile | UseProfile),
        Screen::Requests | Screen::Welcome => false,
    }
}

/// Domains show minutes, and practice its own clock.
fn next_countdown(state: &App, now: Now) -> Option<Instant> {
    let in_practice = state.domains.setup.practice.is_some();
    let counts = in_practice
        || match state.domains.place {
            PanelLocation::List => state.domains.counts_down(now),
            PanelLocation::Wizard | PanelLocation::Redirects => false,
            PanelLocation::Record | PanelLocation::Live | PanelLocation::Rules(_) | PanelLocation::Removal => true,
        };
    let second = now.wall.as_second();
    let left = if in_practice { step(state).cast_signed() } else { 60 - second.rem_euclid(60) };
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
const fn step(state: &App) -> u64 {
    if state.slow_line || state.unwatched { 10 } else { 1 }
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
