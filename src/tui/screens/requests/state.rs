//! What was asked in this session, and where the cursor is.

use std::collections::VecDeque;

use crate::api::Exchange;
use crate::tui::state::Screen;

/// How many exchanges are kept.
pub const KEPT: usize = 500;

/// The exchanges of this session, and the place in them.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// The newest exchanges, the newest first.
    pub rows: VecDeque<Exchange>,
    /// How many there were in this session.
    pub total: u64,
    /// How many of them failed.
    pub failed: u64,
    /// How many were not recorded, because more came at once than can wait.
    pub missed: u64,
    /// The row under the cursor.
    pub cursor: usize,
    /// The screen that Esc goes back to.
    pub back: Screen,
}

/// Whether an exchange gave no success: it was refused, or no whole answer came, though nobody cancelled it.
pub fn has_failed(exchange: &Exchange) -> bool {
    // A list that has not changed is answered 304.
    let is_cancelled = exchange.failure.as_deref() == Some("cancelled");
    let is_good = exchange.status.map_or(is_cancelled, |status| matches!(status, 200..=299 | 304));
    !is_good || exchange.failure.is_some() && !is_cancelled
}

impl State {
    /// Takes a new exchange; `missed` are those before it that could not be recorded. The cursor stays on the one that
    /// it is on.
    pub fn take(&mut self, exchange: Exchange, missed: u64) {
        self.missed += missed;
        self.total += 1;
        self.failed += u64::from(has_failed(&exchange));
        self.rows.push_front(exchange);
        self.rows.truncate(KEPT);
        if self.rows.len() > 1 {
            self.cursor = (self.cursor + 1).min(self.rows.len() - 1);
        }
    }

    /// The exchange under the cursor.
    pub fn selected(&self) -> Option<&Exchange> {
        self.rows.get(self.cursor)
    }
}
