//! What is known of the requests: the newest of them, and which of those are shown.

use std::collections::VecDeque;

use crate::api::Exchange;
use crate::tui::state::Screen;
use crate::tui::text_input::TextInput;

/// How many exchanges are kept.
pub const KEPT: usize = 500;

/// The exchanges of this session, and the place in them.
#[derive(Clone, Debug)]
pub struct State {
    /// The newest exchanges, the oldest first.
    log: VecDeque<Exchange>,
    /// Numbers of those that are shown, the oldest first. The first exchange of the session has number 0.
    shown: Vec<u64>,
    /// How many there were in this session.
    total: u64,
    /// How many of them failed.
    failed: u64,
    /// How many were not recorded, because more came at once than can wait.
    pub missed: u64,
    /// The number of the exchange under the cursor. It may be shown no more.
    cursor: u64,
    /// Only those that failed are shown.
    pub only_failed: bool,
    pub search: TextInput,
    /// Whether the search has the cursor.
    pub searching: bool,
    /// The screen that Esc goes back to.
    pub back: Screen,
}

impl Default for State {
    fn default() -> Self {
        Self {
            log: VecDeque::new(),
            shown: Vec::new(),
            total: 0,
            failed: 0,
            missed: 0,
            cursor: 0,
            only_failed: false,
            search: TextInput::default(),
            searching: false,
            back: Screen::Pets,
        }
    }
}

/// Whether an exchange gave no success: it was refused, or no whole answer came.
pub fn has_failed(exchange: &Exchange) -> bool {
    // A list that has not changed is answered 304.
    exchange.failure.is_some() || exchange.status.is_none_or(|status| !matches!(status, 200..=299 | 304))
}

impl State {
    /// Takes a new exchange. The cursor stays on the one that it is on.
    pub fn take(&mut self, exchange: Exchange) {
        let number = self.total;
        self.total += 1;
        self.failed += u64::from(has_failed(&exchange));
        if self.log.len() == KEPT {
            self.log.pop_front();
        }
        let gone = self.shown.partition_point(|shown| *shown < self.oldest());
        self.shown.drain(..gone);
        if self.is_wanted(&exchange, &self.words()) {
            self.shown.push(number);
        }
        self.log.push_back(exchange);
    }

    /// How many there were in this session, and how many of them failed.
    pub const fn counts(&self) -> (u64, u64) {
        (self.total, self.failed)
    }

    /// How many are shown.
    pub fn row_count(&self) -> usize {
        self.shown.len()
    }

    /// Those that are shown from row `first` on, the newest first.
    pub fn rows_from(&self, first: usize) -> impl Iterator<Item = &Exchange> {
        self.shown.iter().rev().skip(first).filter_map(|number| self.exchange(*number))
    }

    /// The row under the cursor, from 0. Where its exchange is not shown, that of the next older one.
    pub fn cursor(&self) -> usize {
        let not_newer = self.shown.partition_point(|shown| *shown <= self.cursor);
        self.shown.len().saturating_sub(not_newer.max(1))
    }

    /// The exchange under the cursor.
    pub fn selected(&self) -> Option<&Exchange> {
        self.rows_from(self.cursor()).next()
    }

    /// Puts the cursor on a row, or on the last one.
    pub fn move_to(&mut self, row: usize) {
        let row = row.min(self.shown.len().saturating_sub(1));
        if let Some(number) = self.shown.iter().rev().nth(row) {
            self.cursor = *number;
        }
    }

    /// Applies the search and the filter.
    pub fn arrange(&mut self) {
        let words = self.words();
        let oldest = self.oldest();
        let numbered = (oldest..).zip(&self.log);
        self.shown =
            numbered.filter(|(_, exchange)| self.is_wanted(exchange, &words)).map(|(number, _)| number).collect();
    }

    /// The number of the oldest that is kept.
    fn oldest(&self) -> u64 {
        self.total.saturating_sub(KEPT as u64)
    }

    fn exchange(&self, number: u64) -> Option<&Exchange> {
        self.log.get(usize::try_from(number.checked_sub(self.oldest())?).ok()?)
    }

    fn words(&self) -> Vec<String> {
        self.search.value().to_lowercase().split_whitespace().map(str::to_owned).collect()
    }

    /// Whether an exchange has every one of `words`, and failed if only failed ones are shown.
    fn is_wanted(&self, exchange: &Exchange, words: &[String]) -> bool {
        if self.only_failed && !has_failed(exchange) {
            return false;
        }
        if words.is_empty() {
            return true;
        }
        let Exchange { what, method, path_and_query, sent, status, answer, failure, .. } = exchange;
        let status = status.map_or(String::new(), |status| status.to_string());
        let failure = failure.as_deref().unwrap_or_default();
        let text = [*what, method, path_and_query, &status, sent, answer, failure].join("\n").to_lowercase();
        words.iter().all(|word| text.contains(word))
    }
}
