//! What was asked in this session, and where the cursor is.

use std::collections::VecDeque;

use crate::api::Exchange;
use crate::tui::state::Screen;

/// How many exchanges are kept.
pub const KEPT: usize = 500;

/// The exchanges of this session, and the place in them.
#[derive(Clone, Debug)]
pub struct State {
    /// The newest exchanges, the newest first.
    log: VecDeque<Exchange>,
    /// How many there were in this session.
    total: u64,
    /// How many of them failed.
    failed: u64,
    /// How many were not recorded, because more came at once than can wait.
    pub missed: u64,
    /// The row under the cursor.
    pub cursor: usize,
    /// The screen that Esc goes back to.
    pub back: Screen,
}

impl Default for State {
    fn default() -> Self {
        Self { log: VecDeque::new(), total: 0, failed: 0, missed: 0, cursor: 0, back: Screen::Pets }
    }
}

/// Whether an exchange gave no success: it was refused, or no whole answer came, though nobody cancelled it.
pub fn has_failed(exchange: &Exchange) -> bool {
    // A list that has not changed is answered 304.
    let is_cancelled = exchange.failure.as_deref() == Some("cancelled");
    let is_good = exchange.status.map_or(is_cancelled, |status| matches!(status, 200..=299 | 304));
    !is_good || exchange.failure.is_some() && !is_cancelled
}

impl State {
    /// Takes a new exchange. The cursor stays on the one that it is on.
    pub fn take(&mut self, exchange: Exchange) {
        self.total += 1;
        self.failed += u64::from(has_failed(&exchange));
        self.log.push_front(exchange);
        self.log.truncate(KEPT);
        if self.log.len() > 1 {
            self.cursor = (self.cursor + 1).min(self.log.len() - 1);
        }
    }

    /// How many there were in this session, and how many of them failed.
    pub const fn counts(&self) -> (u64, u64) {
        (self.total, self.failed)
    }

    /// The newest ones, the newest first.
    pub const fn rows(&self) -> &VecDeque<Exchange> {
        &self.log
    }

    /// The exchange under the cursor.
    pub fn selected(&self) -> Option<&Exchange> {
        self.log.get(self.cursor)
    }
}
