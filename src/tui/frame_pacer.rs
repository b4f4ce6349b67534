//! When a frame may be drawn, and whether the line to the terminal is slow. Reads no clock.
//!
//! A key is answered at once, and so is what comes of it. A key held down gets a frame every 16 ms at most, and never one
//! more than the terminal has taken: what comes meanwhile is in the next.

use std::time::{Duration, Instant};

use crate::config::LinkSpeed;

/// Between two frames.
const BETWEEN: Duration = Duration::from_millis(16);

/// The same where the line is slow.
const BETWEEN_SLOW: Duration = Duration::from_millis(100);

/// The same for what nobody waits for.
const BETWEEN_CALM: Duration = Duration::from_millis(500);

/// The same where the terminal has no focus.
const BETWEEN_UNFOCUSED: Duration = Duration::from_secs(1);

/// A frame that took so long came over a slow connection, where the one before did, too.
const LONG: Duration = Duration::from_millis(100);

/// Without such a frame for so long the line is fast again.
const CALM: Duration = Duration::from_secs(60);

/// How frames are paced.
#[derive(Clone, Copy, Debug)]
pub struct Pacing {
    setting: LinkSpeed,
    /// The line is slow.
    pub slow: bool,
    /// The last frame took long.
    doubtful: bool,
    /// When a frame took long last.
    long_at: Option<Instant>,
    /// When the last frame was drawn.
    drawn: Option<Instant>,
    /// When the frames so far would be over, had each waited for the one before.
    paced_until: Option<Instant>,
}

impl Pacing {
    /// The setting, or automatic detection.
    pub const fn new(setting: LinkSpeed) -> Self {
        let slow = matches!(setting, LinkSpeed::Slow);
        Self { setting, slow, doubtful: false, long_at: None, drawn: None, paced_until: None }
    }

    /// The next moment at which a frame may be drawn. Over a fast line a second one may follow at once: first the answer to
    /// a key, or an empty screen, and then the rows that came a moment later.
    pub fn next_frame(&self, now: Instant) -> Instant {
        self.paced_until.map_or(now, |until| if self.slow { until } else { until - BETWEEN })
    }

    /// The same for what nobody waits for. A terminal without focus may still be read, as beside another window.
    pub fn next_calm_frame(&self, now: Instant, unfocused: bool) -> Instant {
        let between = match (unfocused, self.slow) {
            (true, _) => BETWEEN_UNFOCUSED,
            (false, true) => BETWEEN_CALM,
            (false, false) => BETWEEN,
        };
        self.drawn.map_or(now, |drawn| now.max(drawn + between))
    }

    /// A frame was drawn.
    pub fn drawn(&mut self, now: Instant) {
        let between = if self.slow { BETWEEN_SLOW } else { BETWEEN };
        self.drawn = Some(now);
        self.paced_until = Some(self.paced_until.map_or(now, |until| until.max(now)) + between);
    }

    /// The terminal has taken a frame, after `took`.
    pub fn taken(&mut self, took: Duration, now: Instant) {
        if self.setting != LinkSpeed::Auto {
            return;
        }
        let is_long = took >= LONG;
        if is_long {
            self.long_at = Some(now);
            self.slow |= self.doubtful;
        } else if self.long_at.is_some_and(|at| now.saturating_duration_since(at) >= CALM) {
            self.slow = false;
        }
        self.doubtful = is_long;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    const QUICK: Duration = Duration::from_millis(2);

    #[test]
    fn two_frames_are_drawn_at_once_and_further_ones_sixty_times_a_second() {
        let now = clock::now().mono;
        let after = |millis: u64| now + Duration::from_millis(millis);
        let mut pacing = Pacing::new(LinkSpeed::Fast);
        assert_eq!(pacing.next_frame(now), now);
        // Drawn as soon as possible, but for the last two, which come late.
        for (drawn, next) in [(0, 0), (1, 16), (16, 32), (32, 48), (200, 200), (201, 216)] {
            pacing.drawn(after(drawn));
            assert_eq!(pacing.next_frame(after(drawn)), after(next), "{drawn}");
        }
        let mut slow = Pacing::new(LinkSpeed::Slow);
        slow.drawn(now);
        assert_eq!(slow.next_frame(now), after(100));
    }

    #[test]
    fn what_nobody_waits_for_is_drawn_twice_a_second_over_a_slow_line_and_once_without_focus() {
        let now = clock::now().mono;
        let (fast, slow) = (LinkSpeed::Fast, LinkSpeed::Slow);
        for (speed, unfocused, between) in
            [(fast, false, 16), (slow, false, 500), (fast, true, 1000), (slow, true, 1000)]
        {
            let mut pacing = Pacing::new(speed);
            assert_eq!(pacing.next_calm_frame(now, unfocused), now);
            pacing.drawn(now);
            assert_eq!(pacing.next_calm_frame(now, unfocused), now + Duration::from_millis(between));
            let late = now + Duration::from_secs(1);
            assert_eq!(pacing.next_calm_frame(late, unfocused), late);
        }
    }

    #[test]
    fn two_long_frames_in_a_row_make_a_slow_line_and_a_quiet_minute_a_fast_one() {
        let now = clock::now().mono;
        let after = |seconds: u64| now + Duration::from_secs(seconds);
        let mut pacing = Pacing::new(LinkSpeed::Auto);
        for (took, slow) in [(LONG, false), (QUICK, false), (LONG, false), (LONG, true), (QUICK, true)] {
            pacing.taken(took, now);
            assert_eq!(pacing.slow, slow, "{took:?}");
        }
        pacing.taken(QUICK, after(59));
        assert!(pacing.slow);
        pacing.taken(QUICK, after(60));
        assert!(!pacing.slow);
    }

    #[test]
    fn what_is_set_stays() {
        let now = clock::now().mono;
        for setting in [LinkSpeed::Fast, LinkSpeed::Slow] {
            let mut pacing = Pacing::new(setting);
            pacing.taken(LONG, now);
            pacing.taken(LONG, now);
            pacing.taken(QUICK, now + CALM);
            assert_eq!(pacing.slow, setting == LinkSpeed::Slow);
        }
    }
}
